// The body of a streamed response. Frames are written to the socket at once; a client that reads slowly makes the sender wait,
// and so slows the upstream. Keep-alives are sent while the upstream is silent.
//
//   new     → sending  the server asks for the body (serve)
//   sending → over     the body is complete or has failed; the client left or stopped reading; the time limit of a drain is over
//   new     → over     the client left before: the body is still produced, because that closes the call

import type { Clock } from '../kit/clock.ts';
import type { ByteSink, Connection, OutgoingStream } from '../kit/connection.ts';
import type { DrainDeadline, DrainListener } from './drain-deadline.ts';

const KEEP_ALIVE_MS = 10_000;
/** The sink reports when a whole write was flushed, not how much of it the client has read. */
const STALLED_MS = 60_000;
/** This sink copies bytes at once; others, such as that of `Response.text`, may keep them. */
const SERVER_SINK = '[object ReadableHTTPResponseSinkController]';

export interface ByteStreamOptions {
  clock: Clock;
  /** Its own idle limit is off until the stream has ended: the timers here take its place. */
  connection: Pick<Connection, 'keepOpen' | 'takeStream'>;
  gone: AbortSignal;
  drainDeadline: DrainDeadline;
  keepAlive(): string;
  /** The client has left or stopped reading: nothing more reaches it. */
  onGone(): void;
}

/** Returns a promise only if the client does not read fast enough: it is fulfilled when the client has read, or has left. */
export type Send = (frames: string | Uint8Array) => Promise<void> | undefined;

/** Sends the whole stream. */
type Produce = (send: Send) => Promise<void>;

/** `produce` is always called once. If it fails, the connection is closed instead of ended. */
export function toByteStream(produce: Produce, options: ByteStreamOptions): ReadableStream<Uint8Array> {
  const client = new ClientStream(produce, options);
  options.connection.takeStream?.(client);
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: 'direct',
    pull: (controller) => client.serve(controller),
    cancel: () => client.leave(),
  };
  // A source type of Bun, which the declared web types do not have.
  return Reflect.construct(ReadableStream, [source]);
}

class ClientStream implements EventListenerObject, DrainListener, OutgoingStream {
  drainIndex = -1;
  readonly #produce: Produce;
  readonly #options: ByteStreamOptions;
  #controller: ByteSink | undefined;
  #state: 'new' | 'sending' | 'over' = 'new';
  #sentAt = 0;
  #keepsBytes = true;
  #cancelKeepAlive: (() => void) | undefined;
  /** Set while the client does not read: the promise of the sender, and what resolves it. */
  #blocked: Promise<void> | undefined;
  #unblock: (() => void) | undefined;

  constructor(produce: Produce, options: ByteStreamOptions) {
    this.#produce = produce;
    this.#options = options;
    options.drainDeadline.listen(this);
    options.gone.addEventListener('abort', this, ONCE);
  }

  async serve(controller: ByteSink): Promise<void> {
    if (this.#state !== 'new') return;
    this.#state = 'sending';
    this.#controller = controller;
    this.#options.connection.keepOpen(true);
    this.#keepsBytes = Object.prototype.toString.call(controller) !== SERVER_SINK;
    const failure = await this.#produce(this.#send).then(() => undefined, toError);
    if (this.#isOver) return;
    this.#end();
    controller.close(failure);
  }

  leave(): void {
    if (this.#isOver) return;
    const isNew = this.#state === 'new';
    this.#end();
    this.#options.onGone();
    if (isNew) this.#produce(this.#send).catch(() => {});
  }

  /** The client has left. */
  handleEvent(): void {
    this.leave();
  }

  /** While the client does not read, no other code runs that could notice the end of the drain. */
  onDrainDeadline(): void {
    if (this.#blocked) this.#breakOff();
  }

  get #isOver(): boolean {
    return this.#state === 'over';
  }

  #end(): void {
    const { gone, drainDeadline, connection } = this.#options;
    this.#state = 'over';
    this.#cancelKeepAlive?.();
    gone.removeEventListener('abort', this);
    drainDeadline.forget(this);
    this.#unblock?.();
    // Before the response ends: afterwards the server no longer knows the connection.
    connection.keepOpen(false);
  }

  /** Closes the connection without an end, so that the client does not take the answer for complete. */
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
    if (isFirst) this.#cancelKeepAlive = clock.after(KEEP_ALIVE_MS, this.#checkKeepAlive);
    const written = controller.write(this.#keepsBytes && typeof frames !== 'string' ? frames.slice() : frames);
    controller.flush();
    return typeof written === 'number' ? undefined : this.#untilRead(written);
  };

  #untilRead(written: Promise<number>): Promise<void> {
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

  /** One timer for all the pauses of a stream: when it is due, it checks the clock and is set again for the rest. */
  readonly #checkKeepAlive = (): void => {
    const { clock } = this.#options;
    const left = this.#sentAt + KEEP_ALIVE_MS - clock.monotonic();
    if (left <= 0 && !this.#blocked) this.#sendKeepAlive();
    if (!this.#isOver) this.#cancelKeepAlive = clock.after(left > 0 ? left : KEEP_ALIVE_MS, this.#checkKeepAlive);
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
