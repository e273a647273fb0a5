// Idempotency keys of the operator's payments. A key is unique over credits, top-ups, refunds and payouts: the database
// refuses a second entry with it.

const PREFIX = 'once_';

/** The reference of an entry that is made at most once. */
export function onceReference(key: string): string {
  return PREFIX + key;
}

/** Null if the entry has no idempotency key. */
export function onceOf(reference: string): string | null {
  return reference.startsWith(PREFIX) ? reference : null;
}
