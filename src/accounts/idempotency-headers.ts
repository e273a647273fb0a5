// How a client is told that an answer, or a refusal, is the one that its Idempotency-Key has had before.

export function idempotencyHeaders(isReplay: boolean): Record<string, string> {
  return isReplay ? { 'idempotency-hit': 'true' } : {};
}
