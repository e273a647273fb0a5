// From frames to the client's bytes: pulled by the client's reading, so a slow reader slows the upstream; kept alive while
// the upstream thinks; given up when the client is gone or has stopped reading.

import type { Clock } from '../kit/clock.ts';

const QUIET_MS = 10_000;
const STALLED_MS = 60_000;

export interface ByteStreamOptions {
  clock: Clock;
  gone: AbortSignal;
  /** Aborted when what still runs is cut. */
  cut: AbortSignal;
  keepAlive(): string;
  onGone(): void;
}

export function toByteStream(
  frames: AsyncGenerator<string>,
  { clock, gone, cut, keepAlive, onGone }: ByteStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<string>> | undefined;
  let hasSent = false;
  let cancelStall = () => {};

  const end = async () => {
    cancelStall();
    forget();
    onGone();
    await frames.return(undefined);
  };
  // A server need not cancel a body that it never began to send.
  const onLeave = () => void end();
  // While the client does not read, nothing runs that could notice the cut and tell it.
  const onCut = () => pending ?? breakOff();
  const forget = () => {
    gone.removeEventListener('abort', onLeave);
    cut.removeEventListener('abort', onCut);
  };
  gone.addEventListener('abort', onLeave, { once: true });
  cut.addEventListener('abort', onCut, { once: true });
  let breakOff = () => {};

  async function nextFrame(): Promise<string | undefined> {
    for (;;) {
      pending ??= frames.next();
      const result = await quietAfter(clock, pending);
      if (result === 'quiet') {
        if (hasSent) return keepAlive();
        continue;
      }
      pending = undefined;
      if (result.done) return undefined;
      if (result.value !== '') return result.value;
    }
  }

  return new ReadableStream({
    start(controller) {
      breakOff = () => {
        void end();
        // Broken off, not ended: whoever reads on must not take it for the whole answer.
        controller.error(new Error('the client does not read'));
      };
    },
    async pull(controller) {
      cancelStall();
      const frame = await nextFrame();
      if (frame === undefined) {
        forget();
        return controller.close();
      }
      hasSent = true;
      controller.enqueue(encoder.encode(frame));
      cancelStall = clock.after(STALLED_MS, breakOff);
    },
    cancel: end,
  });
}

function quietAfter<Value>(clock: Clock, value: Promise<Value>): Promise<Value | 'quiet'> {
  let cancel = () => {};
  const quiet = new Promise<'quiet'>((resolve) => {
    cancel = clock.after(QUIET_MS, () => resolve('quiet'));
  });
  return Promise.race([value, quiet]).finally(cancel);
}
