// Reads the rest of a stream without sending it: to its end, for the usage that is reported there, or briefly, so that the
// connection can be reused.

import type { BegunStream } from './begun.ts';
import type { RelayTools } from './call.ts';

export const READ_TO_END_MS = 30_000;
const LAST_BYTES_MS = 500;

/** Reads for at most 30 s; then the stream is over or aborted. False if too many are being read already. */
export async function readToEnd(
  { readToEndLimit }: Pick<RelayTools, 'readToEndLimit'>,
  accountId: string,
  stream: BegunStream,
): Promise<boolean> {
  if (!readToEndLimit.tryAcquire(accountId)) return false;
  try {
    if (stream.reader.facts().tokensAfterStop !== undefined) stream.events.expectReport();
    await readRest(stream, READ_TO_END_MS);
    return true;
  } finally {
    readToEndLimit.release(accountId);
  }
}

/** The answer is complete; only the end of the body is missing. */
export async function readLastBytes(stream: BegunStream): Promise<void> {
  await readRest(stream, LAST_BYTES_MS);
  abandonStream(stream);
}

/** Ends the upstream's call, whatever it is doing. */
export function abandonStream({ events, watch, turns }: BegunStream): void {
  watch.abort('left');
  turns?.leave();
  watch.end();
  events.close();
}

async function readRest({ events, watch }: BegunStream, ms: number): Promise<void> {
  watch.setTimeUpListener(undefined);
  watch.limitTotal(ms);
  try {
    for (;;) {
      const event = events.next();
      if (event ? event.kind === 'broken' : !(await events.more())) return;
    }
  } catch {
    // The stream broke or the time is up: the facts read so far count.
  }
}
