// Lines on their way out. Those of a moment leave together: a write for each would cost more than most of what they tell
// of. A disk without room or a reader who is slow or gone never ends or holds up the process: lines wait until they can
// be written, and those that find too many before them are lost.

import { writeSync } from 'node:fs';
import { sleep, systemClock } from '../../kit/clock.ts';
import { WriteFailed, writeAll } from '../../kit/write-all.ts';

export interface LineWriter {
  write(line: string): void;
  /** Before the process ends: resolves when all is written, or soon. */
  end(): Promise<void>;
  /** Where nothing can be waited for any more. */
  flush(): void;
}

const MAX_WAITING_CHARS = 4 * 1024 * 1024;
/** Short enough that who watches the log sees no delay. */
const MOMENT_MS = 10;
const RETRY_MS = 500;
/** A second in steps: of a busy machine that lets the process stand still for longer, one step passes and not all. */
const END_STEPS = 20;
const END_STEP_MS = 50;
const NOTHING = new Uint8Array(0);

export function createLineWriter(fd: number): LineWriter {
  let waiting = '';
  /** Of what was last taken from it: what could not be written. */
  let left: Uint8Array = NOTHING;
  let isWriting = false;
  let sent: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (left.length > 0 || waiting !== '') {
      const bytes = left.length > 0 ? left : Buffer.from(waiting);
      if (left.length === 0) waiting = '';
      left = NOTHING;
      isWriting = true;
      const failure = await writeAll(fd, bytes).catch((error: unknown) => error);
      isWriting = false;
      if (!(failure instanceof WriteFailed) || failure.isUnread) continue;
      left = failure.left;
      await sleep(systemClock, RETRY_MS);
    }
    sent = undefined;
  }

  return {
    write(line) {
      if (waiting.length + line.length > MAX_WAITING_CHARS) return;
      waiting += line;
      sent ??= sleep(systemClock, MOMENT_MS).then(send);
    },
    async end() {
      for (let step = 0; sent && step < END_STEPS; step++) {
        await Promise.race([sent, sleep(systemClock, END_STEP_MS)]);
      }
    },
    flush() {
      // What a thread is about to write cannot be overtaken.
      if (isWriting) return;
      const bytes = Buffer.concat([left, Buffer.from(waiting)]);
      waiting = '';
      left = NOTHING;
      try {
        if (bytes.length > 0) writeSync(fd, bytes);
      } catch {
        // There is nobody left to tell.
      }
    },
  };
}
