// The client's end of a stream. What is sent goes straight to the socket; a client that reads slowly makes its sender
// wait, and so slows the upstream. Kept alive while the upstream thinks; given up when the client is gone or has stopped
// reading.

import type { Clock } from '../kit/clock.ts';
import type { Connection } from '../kit/connection.ts';
import type { Cut } from './cut.ts';

const QUIET_MS = 10_000;
/** Seen is only that a write has left whole, not each byte that the client reads: the sink tells nothing of what it holds. */
const STALLED_MS = 60_000;
/** It copies what it is given at once; others, such as that of `Response.text`, may keep the bytes themselves. */
const SERVER_SINK = '[object ReadableHTTPResponseSinkController]';

export interface ByteStreamOptions {
  clock: Clock;
  /** The timers here bound its silence until the stream has ended. */
  connection: Pick<Connection, 'keepOpen'>;
  gone: AbortSignal;
  cut: Cut;
  keepAlive(): string;
  /** The client has left, or counts as if it had: nothing that is sent reaches it any more. */
  onGone(): void;
}

/**
 * Bytes may be used again afterwards. The result is there only if the client does not take more at once: it is fulfilled
 * when it does, or has left.
 */
export type Send = (frames: string | Uint8Array) => Promise<void> | undefined;

/** `produce` is called once, whatever becomes of the client, and the stream ends with it, or breaks off if it fails. */
export function toByteStream(
  produce: (send: Send) => Promise<void>,
  { clock, connection, gone, cut, keepAlive, onGone }: ByteStreamOptions,
): ReadableStream<Uint8Array> {
  let controller: ReadableStreamDirectController | undefined;
  let hasBegun = false;
  let isOver = false;
  let sentAt = 0;
  let keepsBytes = true;
  let cancelQuiet = () => {};
  /** Set while the client does not take more: what waits for it, and what ends the wait. */
  let blocked: Promise<void> | undefined;
  let unblock: (() => void) | undefined;

  function begin(): Promise<void> {
    hasBegun = true;
    return produce(send);
  }

  function end(): void {
    isOver = true;
    cancelQuiet();
    gone.removeEventListener('abort', leave);
    cut.forget(cutListener);
    unblock?.();
    // Before the server is told: afterwards it does not know any more which connection is meant.
    connection.keepOpen(false);
  }

  function leave(): void {
    if (isOver) return;
    end();
    onGone();
    // A server need not begin to send a body whose client is gone: the call is closed all the same.
    if (!hasBegun) begin().catch(() => {});
  }

  /** Broken off, not ended: whoever reads on must not take it for the whole answer. */
  function breakOff(): void {
    leave();
    try {
      controller?.close(new Error('the stream is broken off'));
    } catch {
      // The socket is closed already.
    }
  }

  const send: Send = (frames) => {
    if (isOver || !controller || frames === '') return blocked;
    const isFirst = sentAt === 0;
    sentAt = clock.monotonic();
    if (isFirst) cancelQuiet = clock.after(QUIET_MS, look);
    const written = controller.write(keepsBytes && typeof frames !== 'string' ? frames.slice() : frames);
    controller.flush();
    return typeof written === 'number' ? undefined : untilTaken(written);
  };

  function untilTaken(written: Promise<number>): Promise<void> {
    blocked ??= new Promise((resolve) => {
      const cancelStall = clock.after(STALLED_MS, breakOff);
      unblock = () => {
        blocked = undefined;
        unblock = undefined;
        cancelStall();
        resolve();
      };
      written.then(unblock, leave);
    });
    return blocked;
  }

  /** One timer for all the pauses of a stream: it looks at the clock when it is due, and is set again for what is left. */
  function look(): void {
    const left = sentAt + QUIET_MS - clock.monotonic();
    if (left <= 0 && !blocked) sendKeepAlive();
    if (!isOver) cancelQuiet = clock.after(left > 0 ? left : QUIET_MS, look);
  }

  /** A timer's own: nobody else would catch what it throws. */
  function sendKeepAlive(): void {
    try {
      void send(keepAlive());
    } catch {
      breakOff();
    }
  }

  // While the client does not read, nothing runs that could notice the cut and tell it.
  const cutListener = {
    onCut() {
      if (blocked) breakOff();
    },
  };
  cut.listen(cutListener);
  gone.addEventListener('abort', leave, { once: true });

  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: 'direct',
    async pull(given) {
      controller = given;
      if (!isOver) connection.keepOpen(true);
      keepsBytes = Object.prototype.toString.call(given) !== SERVER_SINK;
      const failure = hasBegun ? undefined : await begin().then(() => undefined, toError);
      if (isOver) return;
      end();
      given.close(failure);
    },
    cancel: leave,
  };
  // A kind of source of Bun's own: the constructor that the web's types declare does not know it.
  return Reflect.construct(ReadableStream, [source]);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the stream could not be ended');
}
