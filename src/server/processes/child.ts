// One of several processes on a port, as its parent sees it: the same program, with a channel on which it reports that
// it serves, and whose end shows it that the parent is gone.

import { processEnvironment } from '../settings/settings.ts';
import { isExecutable } from '../shipped-files.ts';

export type Child = ReturnType<typeof startChild>;

const SERVING = 'serving';
const NEWLINE = 10;

/** Called in a child: informs the parent, if it still exists. */
export function reportServing(): void {
  if (process.connected) process.send?.(SERVING);
}

/** `write` gets complete log lines. */
export function startChild(index: number, follows: boolean, write: (lines: string) => void) {
  const { promise: served, resolve } = Promise.withResolvers<boolean>();
  // In the executable the second argument is a path inside it.
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
  const ended = Promise.all([child.exited, forwardLines(child.stdout, write)]).then(([code]) => {
    resolve(false);
    return code;
  });
  return {
    pid: child.pid,
    /** True once it serves; false if it ended before. */
    served,
    /** The exit code, 128 + n after signal n; resolves when all its output was forwarded. */
    ended,
    signal: (name: NodeJS.Signals): void => child.kill(name),
  };
}

/** Forwards complete lines only: output of several processes in one pipe would mix within a line. */
async function forwardLines(from: ReadableStream<Uint8Array>, write: (lines: string) => void): Promise<void> {
  let begun: Uint8Array[] = [];
  for await (const chunk of from) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      write(Buffer.concat([...begun, chunk.subarray(0, end)]).toString());
      begun = [];
    }
    if (end < chunk.length) begun.push(chunk.subarray(end));
  }
  // It was killed in the middle of a line.
  if (begun.length > 0) write(`${Buffer.concat(begun)}\n`);
}
