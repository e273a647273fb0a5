// Sends the events of one run to the client as they arrive. Events that arrived together are sent together; while the client
// does not read, nothing more is read from the upstream.

import type { ContinuedWriter } from '../dialects/dialect.ts';
import { createShortcut, type Shortcut } from '../dialects/stream/shortcut.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { BegunStream } from './begun.ts';
import type { Send } from './byte-stream.ts';
import type { Delivery } from './delivery.ts';
import { PAUSED, type Waiter } from './event-feed.ts';

/** The most that is sent at once. */
const MAX_FRAMES_CHARS = 16 * 1024;

/** A stream's own writer, or the one that continues it with another run. */
export type FrameWriter = Pick<ContinuedWriter, 'write'>;

/** Fulfilled at the end of the current run. Rejects when it breaks or the client leaves. */
export function sendEvents(delivery: Delivery, send: Send, writer: FrameWriter): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  new EventSender(delivery, send, writer, resolve, reject).sendReady();
  return promise;
}

/** Without promises while the client keeps up: this runs for every event of every stream. */
class EventSender implements Waiter {
  readonly #delivery: Delivery;
  readonly #run: BegunStream;
  readonly #send: Send;
  readonly #writer: FrameWriter;
  readonly #shortcut: Shortcut | undefined;
  readonly #end: () => void;
  readonly reject: (reason: unknown) => void;

  constructor(delivery: Delivery, send: Send, writer: FrameWriter, end: () => void, reject: (reason: unknown) => void) {
    this.#delivery = delivery;
    this.#run = delivery.current.begun;
    this.#send = send;
    this.#writer = writer;
    this.#end = end;
    this.reject = reject;
    // Output that another run repeats must be compared event by event.
    if (writer === delivery.writer) this.#shortcut = createShortcut(this.#run.reader, delivery.writer);
  }

  resolve(hasMore: boolean): void {
    if (hasMore) this.sendReady();
    else this.#end();
  }

  passBytes(bytes: Uint8Array): number {
    const shortcut = this.#shortcut;
    const isRead = this.#delivery.hasLeft || this.#delivery.bound.isNear;
    const frames = isRead ? undefined : shortcut?.take(bytes);
    if (!frames || !shortcut) return 0;
    try {
      const blocked = this.#send(frames);
      if (!blocked) this.#delivery.noteDelivered();
      // If bytes remain, they are sent next, and that send waits for this one, too.
      if (!blocked || shortcut.taken < bytes.length) return shortcut.taken;
      this.#waitForClient(blocked, 'none');
    } catch (error) {
      this.reject(error);
    }
    return PAUSED;
  }

  sendReady(): void {
    try {
      this.#delivery.requireClient();
      this.#shortcut?.pause();
      const isFirst = !this.#delivery.delivered.hasOutput;
      const { frames, end } = this.#writeReady(isFirst);
      const blocked = this.#send(frames);
      if (blocked) this.#waitForClient(blocked, end);
      else this.#continue(frames !== '', end);
    } catch (error) {
      this.reject(error);
    }
  }

  /** Frames for the events that were read, up to a limit. The first output is sent without the events after it. */
  #writeReady(isFirst: boolean): Ready {
    const { events } = this.#run;
    const { bound } = this.#delivery;
    let frames = '';
    try {
      while (frames.length < MAX_FRAMES_CHARS) {
        const event = events.next();
        if (!event) return { frames, end: 'none' };
        if (event.kind === 'done') return { frames, end: 'done' };
        if (event.kind === 'broken') return { frames, end: new AttemptFailed('error_event') };
        const written = this.#writer.write(event);
        if (written === 'mismatch') return { frames, end: new AttemptFailed('mismatch') };
        frames += written;
        if (bound.isNear && bound.isPassedBy(event.segments)) return { frames, end: new AttemptFailed('over_bound') };
        const eventBytes = event.repeat && events.lastEventBytes();
        if (eventBytes) this.#shortcut?.learn(eventBytes, event);
        if (isFirst && event.kind === 'output') break;
      }
      return { frames, end: 'enough' };
    } catch (error) {
      return { frames, end: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  #waitForClient(blocked: Promise<void>, end: Ready['end']): void {
    const { watch } = this.#run;
    watch.pause();
    const whenRead = () => {
      watch.resume();
      this.#continue(true, end);
    };
    blocked.then(whenRead).catch(this.reject);
  }

  #continue(hasSent: boolean, end: Ready['end']): void {
    if (hasSent) this.#delivery.noteDelivered();
    if (end instanceof Error) this.reject(end);
    else if (end === 'done') this.#end();
    else if (end === 'none') this.#run.events.wait(this);
    else queueMicrotask(() => this.sendReady());
  }
}

interface Ready {
  frames: string;
  /** Why these are all: the run is done or broken; `none`: more must be read; `enough`: these must be sent first. */
  end: 'done' | 'none' | 'enough' | Error;
}
