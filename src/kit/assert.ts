// Assertions. A failed one is a bug here, never a client's mistake.

export class AssertionFailed extends Error {
  override name = 'AssertionFailed';
}

export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new AssertionFailed(what);
}
