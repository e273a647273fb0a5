// Bytes to a file or pipe that may take only some of them, or none just now. Written by a thread of the runtime's own, so
// that a reader who lets us wait keeps nobody else waiting.

import { write } from 'node:fs';
import { sleep, systemClock } from './clock.ts';
import { codeOf } from './error-code.ts';

/** A pipe without room, whose other end somebody has set not to wait. */
const NO_ROOM_MS = 20;

export class WriteFailed extends Error {
  override name = 'WriteFailed';
  constructor(
    override readonly cause: unknown,
    /** What was not written. */
    readonly left: Uint8Array,
  ) {
    super('not all was written');
  }

  /** Nobody reads at the other end. */
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
      await sleep(systemClock, NO_ROOM_MS);
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
