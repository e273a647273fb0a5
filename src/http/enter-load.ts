// Room for one more request and its body, asked for before a byte of it is read.

import type { Room } from '../limits/load.ts';
import type { HttpTools } from './exchange.ts';

/** Throws `unavailable`. */
export function enterLoad({ load }: Pick<HttpTools, 'load'>, { headers }: Request, maxBytes: number): Room {
  const declared = headers.get('content-length');
  // Who does not say how much comes may send all that is taken.
  return load.enter(declared === null ? maxBytes : Number(declared));
}
