// Sends as fast as the client reads, and gives up on a client that reads almost nothing: unsent bytes take memory that
// other calls need.

import type { Clock } from '../kit/clock.ts';
import type { Send } from './byte-stream.ts';

const LEAST_BYTES = 1024 * 1024;
const WITHIN_MS = 60_000;

/** The stream fails when the client has read less than 1 MiB in a minute. */
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
