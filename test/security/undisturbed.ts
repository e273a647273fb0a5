/** What a call takes when nothing holds it up: a busy machine makes some slower, and none quicker. */
export function undisturbed(values: readonly number[] = []): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
}
