// Loaded before a program whose objects are counted: SIGUSR1 collects garbage and counts the rest, SIGUSR2 only counts. The
// counts are written to a file named after the process id.

import { heapStats } from 'bun:jsc';
import { renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

export function countsFile(pid: number): string {
  return join(tmpdir(), `gateway-objects-${pid}.json`);
}

function write(): void {
  const file = countsFile(process.pid);
  writeFileSync(`${file}.new`, JSON.stringify(heapStats().objectTypeCounts));
  renameSync(`${file}.new`, file);
}

// The process that only needs the file name loads this as well, but gets no such signals.
if (isMainThread) {
  process.on('SIGUSR1', () => {
    Bun.gc(true);
    write();
  });
  process.on('SIGUSR2', write);
}
