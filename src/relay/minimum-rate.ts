// Ends a stream whose client reads almost nothing, because its unsent bytes take memory that other calls need.

import type { Clock } from '../kit/clock.ts';
import type { Send } from './byte-stream.ts';

const LEAST_BYTES = 1024 * 1024;
const WITHIN_MS = 60_000;

/** A `Send` that throws when the client has read less than 1 MiB in a minute. */
export function withMinimumRate(
  clock: Pick<Clock, 'monotonic'>,
  send: Send,
): (chunk: string | Uint8Array) => Promise<void> {
  let since = clock.monotonic();
  let bytes = 0;
  return async (chunk) => {
    await send(chunk);
    const now = clock.monotonic();
    if (now - since > WITHIN_MS) throw new Error('the client reads too slowly');
    bytes += chunk.length;
    if (bytes < LEAST_BYTES) return;
    bytes = 0;
    since = now;
  };
}
