// Loaded before a program whose objects are counted: SIGUSR1 collects what is garbage and counts what is left, SIGUSR2
// only counts. The counts are a file that bears the process's number.

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

// Whoever only wants to know the file loads this, too: nobody sends it these signals.
if (isMainThread) {
  process.on('SIGUSR1', () => {
    Bun.gc(true);
    write();
  });
  process.on('SIGUSR2', write);
}
