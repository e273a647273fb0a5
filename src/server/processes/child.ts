// One of several processes on a port, as the process that started it sees it: the same program once more, with a channel
// over which it says that it serves, and by whose end it learns that nobody stands over it any more.

import { processEnvironment } from '../settings/settings.ts';
import { isExecutable } from '../shipped-files.ts';

export interface Child {
  pid: number;
  /** True as soon as it serves; false if it ended before. */
  served: Promise<boolean>;
  /** The exit code, 128 + n of one that signal n ended; by then all it wrote has been passed on. */
  ended: Promise<number>;
  signal(name: NodeJS.Signals): void;
}

const SERVING = 'serving';
const NEWLINE = 10;

/** Said by a child, to who started it, if that one is still there. */
export function tellServing(): void {
  if (process.connected) process.send?.(SERVING);
}

/** `write` is given whole lines of its log. */
export function startChild(index: number, follows: boolean, write: (lines: string) => void): Child {
  const { promise: served, resolve } = Promise.withResolvers<boolean>();
  // In the executable the second word is a path inside it.
  const words = process.argv.slice(isExecutable ? 2 : 1);
  const child = Bun.spawn([process.execPath, ...process.execArgv, ...words], {
    env: processEnvironment(index, follows),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    ipc: (message) => {
      if (message === SERVING) resolve(true);
    },
  });
  const ended = Promise.all([child.exited, passLines(child.stdout, write)]).then(([code]) => {
    resolve(false);
    return code;
  });
  return { pid: child.pid, served, ended, signal: (name) => child.kill(name) };
}

/** Whole lines only: what several processes wrote into one pipe would mix within a line. */
async function passLines(from: ReadableStream<Uint8Array>, write: (lines: string) => void): Promise<void> {
  let begun: Uint8Array[] = [];
  for await (const piece of from) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      write(Buffer.concat([...begun, piece.subarray(0, end)]).toString());
      begun = [];
    }
    if (end < piece.length) begun.push(piece.subarray(end));
  }
  // It was killed within a line.
  if (begun.length > 0) write(`${Buffer.concat(begun)}\n`);
}
