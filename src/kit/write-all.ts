// Writes all bytes to a file or pipe that may accept only some at a time. A runtime thread does it, so that a slow
// reader does not block other work.

import { write } from 'node:fs';
import { sleep, systemClock } from './clock.ts';
import { codeOf } from './error-code.ts';

/** The wait for a full pipe in non-blocking mode. */
const FULL_PIPE_WAIT_MS = 20;

export class WriteFailed extends Error {
  override name = 'WriteFailed';
  constructor(
    override readonly cause: unknown,
    /** The unwritten rest. */
    readonly left: Uint8Array,
  ) {
    super('not all was written');
  }

  /** The reader closed the pipe. */
  get isUnread(): boolean {
    return codeOf(this.cause) === 'EPIPE';
  }
}

/** Rejects with WriteFailed. */
export async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  let left = bytes;
  while (left.length > 0) {
    try {
      left = left.subarray(await writeSome(fd, left));
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw new WriteFailed(error, left);
      await sleep(systemClock, FULL_PIPE_WAIT_MS);
    }
  }
}

function writeSome(fd: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) =>
    write(fd, bytes, (error, count) => {
      if (error) reject(error);
      else resolve(count);
    }),
  );
}
