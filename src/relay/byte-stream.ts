// From frames to the client's bytes: pulled by the client's reading, so a slow reader slows the upstream; kept alive while
// the upstream thinks; given up when the client is gone or has stopped reading.

import type { Clock } from '../kit/clock.ts';

const QUIET_MS = 10_000;
const STALLED_MS = 60_000;

export interface ByteStreamOptions {
  clock: Clock;
  gone: AbortSignal;
  keepAlive: string;
  onGone(): void;
}

export function toByteStream(
  frames: AsyncGenerator<string>,
  { clock, gone, keepAlive, onGone }: ByteStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<string>> | undefined;
  let hasSent = false;
  let cancelStall = () => {};

  const end = async () => {
    cancelStall();
    onGone();
    await frames.return(undefined);
  };
  // A server need not cancel a body that it never began to send.
  gone.addEventListener('abort', () => void end(), { once: true });

  async function nextFrame(): Promise<string | undefined> {
    for (;;) {
      pending ??= frames.next();
      const result = await quietAfter(clock, pending);
      if (result === 'quiet') {
        if (hasSent) return keepAlive;
        continue;
      }
      pending = undefined;
      if (result.done) return undefined;
      if (result.value !== '') return result.value;
    }
  }

  return new ReadableStream({
    async pull(controller) {
      cancelStall();
      const frame = await nextFrame();
      if (frame === undefined) return controller.close();
      hasSent = true;
      controller.enqueue(encoder.encode(frame));
      cancelStall = clock.after(STALLED_MS, () => void end());
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
