// Buffered log output. Lines are written in batches: a write for each would cost more than most of what they report. A
// full disk or a slow or missing reader never ends or blocks the process: lines wait until they can be written, and are
// dropped when the buffer is full.

import { writeSync } from 'node:fs';
import { sleep, systemClock } from '../../kit/clock.ts';
import { WriteFailed, writeAll } from '../../kit/write-all.ts';

export type LineWriter = ReturnType<typeof createLineWriter>;

const MAX_WAITING_CHARS = 4 * 1024 * 1024;
/** Too short to notice in the log. */
const BATCH_MS = 10;
const RETRY_MS = 500;
/** A second in steps: if a busy machine stops the process for longer, only one step passes. */
const END_STEPS = 20;
const END_STEP_MS = 50;
const NOTHING = new Uint8Array(0);

export function createLineWriter(fd: number) {
  let waiting = '';
  /** The unwritten rest of the last batch. */
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
    write(line: string): void {
      if (waiting.length + line.length > MAX_WAITING_CHARS) return;
      waiting += line;
      sent ??= sleep(systemClock, BATCH_MS).then(send);
    },
    /** Before exit: resolves when all is written, or after a second. */
    async end(): Promise<void> {
      for (let step = 0; sent && step < END_STEPS; step++) {
        await Promise.race([sent, sleep(systemClock, END_STEP_MS)]);
      }
    },
    /** Synchronous, for the exit handler. */
    flush(): void {
      // A write in progress cannot be overtaken.
      if (isWriting) return;
      const bytes = Buffer.concat([left, Buffer.from(waiting)]);
      waiting = '';
      left = NOTHING;
      try {
        if (bytes.length > 0) writeSync(fd, bytes);
      } catch {
        // There is no reader left.
      }
    },
  };
}
