// What must hold, said in code. A failed assertion is a bug of ours, never a client's mistake.

export class AssertionFailed extends Error {
  override name = 'AssertionFailed';
}

export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new AssertionFailed(what);
}
