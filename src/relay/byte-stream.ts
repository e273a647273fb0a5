// The client's end of a stream. What is sent goes straight to the socket; a client that reads slowly makes its sender
// wait, and so slows the upstream. It is kept alive while the upstream is silent, and given up when the client is gone or
// has stopped reading.

import type { Clock } from '../kit/clock.ts';
import type { Connection } from '../kit/connection.ts';
import type { Cut, CutListener } from './cut.ts';

const QUIET_MS = 10_000;
/** We know only when a whole write was flushed, not how much the client has read: the sink does not report what it holds. */
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

/** What is sent until it is fulfilled is the stream. */
type Produce = (send: Send) => Promise<void>;

/** `produce` is called once, whatever becomes of the client, and the stream ends with it, or breaks off if it fails. */
export function toByteStream(produce: Produce, options: ByteStreamOptions): ReadableStream<Uint8Array> {
  const client = new ClientEnd(produce, options);
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: 'direct',
    pull: (controller) => client.serve(controller),
    cancel: () => client.leave(),
  };
  // A source type of Bun, which the declared web types do not have.
  return Reflect.construct(ReadableStream, [source]);
}

class ClientEnd implements EventListenerObject, CutListener {
  cutPlace = -1;
  readonly #produce: Produce;
  readonly #options: ByteStreamOptions;
  #controller: ReadableStreamDirectController | undefined;
  #hasBegun = false;
  #isOver = false;
  #sentAt = 0;
  #keepsBytes = true;
  #cancelQuiet: (() => void) | undefined;
  /** Set while the client does not take more: what waits for it, and what ends the wait. */
  #blocked: Promise<void> | undefined;
  #unblock: (() => void) | undefined;

  constructor(produce: Produce, options: ByteStreamOptions) {
    this.#produce = produce;
    this.#options = options;
    options.cut.listen(this);
    options.gone.addEventListener('abort', this, ONCE);
  }

  async serve(controller: ReadableStreamDirectController): Promise<void> {
    this.#controller = controller;
    if (!this.#isOver) this.#options.connection.keepOpen(true);
    this.#keepsBytes = Object.prototype.toString.call(controller) !== SERVER_SINK;
    const failure = this.#hasBegun ? undefined : await this.#begin().then(() => undefined, toError);
    if (this.#isOver) return;
    this.#end();
    controller.close(failure);
  }

  leave(): void {
    if (this.#isOver) return;
    this.#end();
    this.#options.onGone();
    // A server need not begin to send a body whose client is gone: the call is closed all the same.
    if (!this.#hasBegun) this.#begin().catch(() => {});
  }

  /** The client has left: the only event that is listened to. */
  handleEvent(): void {
    this.leave();
  }

  /** While the client does not read, no other code runs that could notice the cut. */
  onCut(): void {
    if (this.#blocked) this.#breakOff();
  }

  #begin(): Promise<void> {
    this.#hasBegun = true;
    return this.#produce(this.#send);
  }

  #end(): void {
    const { gone, cut, connection } = this.#options;
    this.#isOver = true;
    this.#cancelQuiet?.();
    gone.removeEventListener('abort', this);
    cut.forget(this);
    this.#unblock?.();
    // Before the response ends: afterwards the server no longer knows the connection.
    connection.keepOpen(false);
  }

  /** Broken off, not ended: whoever reads on must not take it for the whole answer. */
  #breakOff(): void {
    this.leave();
    try {
      this.#controller?.close(new Error('the stream is broken off'));
    } catch {
      // The socket is closed already.
    }
  }

  readonly #send: Send = (frames) => {
    const controller = this.#controller;
    if (this.#isOver || !controller || frames === '') return this.#blocked;
    const { clock } = this.#options;
    const isFirst = this.#sentAt === 0;
    this.#sentAt = clock.monotonic();
    if (isFirst) this.#cancelQuiet = clock.after(QUIET_MS, this.#look);
    const written = controller.write(this.#keepsBytes && typeof frames !== 'string' ? frames.slice() : frames);
    controller.flush();
    return typeof written === 'number' ? undefined : this.#untilTaken(written);
  };

  #untilTaken(written: Promise<number>): Promise<void> {
    this.#blocked ??= new Promise((resolve) => {
      const cancelStall = this.#options.clock.after(STALLED_MS, () => this.#breakOff());
      this.#unblock = () => {
        this.#blocked = undefined;
        this.#unblock = undefined;
        cancelStall();
        resolve();
      };
      written.then(this.#unblock, () => this.leave());
    });
    return this.#blocked;
  }

  /** One timer for all the pauses of a stream: it looks at the clock when it is due, and is set again for what is left. */
  readonly #look = (): void => {
    const { clock } = this.#options;
    const left = this.#sentAt + QUIET_MS - clock.monotonic();
    if (left <= 0 && !this.#blocked) this.#sendKeepAlive();
    if (!this.#isOver) this.#cancelQuiet = clock.after(left > 0 ? left : QUIET_MS, this.#look);
  };

  /** Runs in a timer, so it must catch its own errors. */
  #sendKeepAlive(): void {
    try {
      void this.#send(this.#options.keepAlive());
    } catch {
      this.#breakOff();
    }
  }
}

const ONCE = { once: true };

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the stream could not be ended');
}
