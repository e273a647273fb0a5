// Makes ids for the calls of an answer that have none or a duplicate one. The same answer gets the same ids, streamed or
// whole.

import { createHash } from 'node:crypto';
import type { Json } from '../../../kit/json/json.ts';

/** `ordinal`: which call of the answer it is, from 0. */
export function madeId(requestId: string, ordinal: number): string {
  return `call_${createHash('sha256').update(`${requestId}/${ordinal}`).digest('hex').slice(0, 24)}`;
}

/** The id of one call after the other. */
export function createGivenIds(requestId: string): (given: Json | undefined) => string {
  const taken = new Set<string>();
  let count = 0;
  return (given) => {
    const ordinal = count++;
    const isGood = typeof given === 'string' && given !== '' && !taken.has(given);
    const id = isGood ? given : madeId(requestId, ordinal);
    taken.add(id);
    return id;
  };
}
