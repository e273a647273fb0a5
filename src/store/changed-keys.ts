// Operations change a keyring as a whole; only its changed keys are written.

import type { Change } from './book/book.ts';
import type { KeyRow } from './rows.ts';

/** The single keys that a changed keyring adds or alters; keys are never deleted. */
export function changedKeys({ before = [], after = [] }: Change<readonly KeyRow[]>): Change<KeyRow>[] {
  const known = new Map(before.map((key) => [key.keyId, key]));
  return after
    .map((key) => ({ id: key.keyId, before: known.get(key.keyId), after: key }))
    .filter((change) => change.before !== change.after);
}
