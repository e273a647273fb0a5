// Sends at the pace of a client, unless that is next to nothing: what it has not taken yet takes up room that others need.

import type { Clock } from '../kit/clock.ts';
import type { Send } from './byte-stream.ts';

const LEAST_BYTES = 1024 * 1024;
const WITHIN_MS = 60_000;

/** What it gives rejects when the client has taken less than 1 MiB in a minute. */
export function atPace(clock: Pick<Clock, 'monotonic'>, take: Send): (piece: string | Uint8Array) => Promise<void> {
  let since = clock.monotonic();
  let bytes = 0;
  return async (piece) => {
    await take(piece);
    const now = clock.monotonic();
    if (now - since > WITHIN_MS) throw new Error('the client takes too little');
    bytes += piece.length;
    if (bytes < LEAST_BYTES) return;
    bytes = 0;
    since = now;
  };
}
