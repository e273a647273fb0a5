// One run's events on their way to the client, as they come. What came together goes out together; what the client does
// not take yet holds up the rest.

import type { Sent, StreamEvent } from '../dialects/dialect.ts';
import { createShortcut, type Shortcut } from '../dialects/stream/shortcut.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Send } from './byte-stream.ts';
import type { Delivery } from './delivery.ts';
import { type EventFeed, HELD_UP, type Waiter } from './event-feed.ts';

/** More is not gathered for one sending. */
const MAX_FRAMES_CHARS = 16 * 1024;

export type Write = (event: StreamEvent) => string | 'mismatch';

/** Fulfilled when the current run is done or has no more. Rejects when it breaks or the client leaves. */
export function passOn(delivery: Delivery, send: Send, write: Write): Promise<void> {
  const { writer } = delivery;
  const { events, reader, watch } = delivery.current.begun;
  return new Promise((resolve, reject) => {
    // Callbacks, because this is done for every bit of every stream.
    const waiter: Waiter = { resolve: (hasMore) => (hasMore ? sendReady() : resolve()), reject, passBytes };
    // What another run says anew must be seen event by event.
    const shortcut = write === writer.write ? createShortcut(reader, writer) : undefined;

    function passBytes(bytes: Uint8Array): number {
      const frames = delivery.hasLeft ? undefined : shortcut?.take(bytes);
      if (!frames || !shortcut) return 0;
      const sent = writer.sent();
      try {
        const blocked = send(frames);
        if (!blocked) delivery.noteDelivered(sent);
        // If bytes remain, they are sent next, and that send waits for this one, too.
        if (!blocked || shortcut.taken() < bytes.length) return shortcut.taken();
        holdUp(blocked, sent, 'none');
      } catch (error) {
        reject(error);
      }
      return HELD_UP;
    }

    function sendReady(): void {
      try {
        delivery.requireClient();
        shortcut?.pause();
        const { frames, end } = writeReady(events, write, shortcut, !delivery.delivered.hasOutput);
        const blocked = send(frames);
        const sent = frames === '' && !blocked ? undefined : writer.sent();
        if (blocked) holdUp(blocked, sent, end);
        else goOn(sent, end);
      } catch (error) {
        reject(error);
      }
    }

    function holdUp(blocked: Promise<void>, sent: Sent | undefined, end: Ready['end']): void {
      watch.holdUp();
      const whenTaken = () => {
        watch.goOn();
        goOn(sent, end);
      };
      blocked.then(whenTaken).catch(reject);
    }

    function goOn(sent: Sent | undefined, end: Ready['end']): void {
      if (sent) delivery.noteDelivered(sent);
      if (end instanceof Error) reject(end);
      else if (end === 'done') resolve();
      else if (end === 'none') events.wait(waiter);
      else queueMicrotask(sendReady);
    }

    sendReady();
  });
}

interface Ready {
  frames: string;
  /** Why there is no more: the run is done, or broken; `none`: more must be read; `enough`: this must go out first. */
  end: 'done' | 'none' | 'enough' | Error;
}

/** Frames for all the events that need no waiting, as far as a slow client may leave them waiting. The first word does not
 * wait for those that came with it. */
function writeReady(events: EventFeed, write: Write, shortcut: Shortcut | undefined, isFirst: boolean): Ready {
  let frames = '';
  try {
    while (frames.length < MAX_FRAMES_CHARS) {
      const event = events.next();
      if (!event) return { frames, end: 'none' };
      if (event.kind === 'done') return { frames, end: 'done' };
      if (event.kind === 'broken') return { frames, end: new AttemptFailed('error_event') };
      const written = write(event);
      if (written === 'mismatch') return { frames, end: new AttemptFailed('mismatch') };
      frames += written;
      const alone = event.repeat && events.alone();
      if (alone) shortcut?.learn(alone, event);
      if (isFirst && event.kind === 'output') break;
    }
    return { frames, end: 'enough' };
  } catch (error) {
    return { frames, end: error instanceof Error ? error : new Error(String(error)) };
  }
}
