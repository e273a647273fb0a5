// Formats a number with its noun, singular or plural.

export function counted(count: number | bigint, one: string, several: string): string {
  return `${count} ${Number(count) === 1 ? one : several}`;
}
