// A number with the word for what it counts.

export function counted(count: number | bigint, one: string, several: string): string {
  return `${count} ${Number(count) === 1 ? one : several}`;
}
