// Which processes share this process's numbers, and which of them still live: so that a node knows its own dead at once.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where a process id means this process: machines and containers may share a name. */
export function hostOfProcesses(): string {
  const readOr = (read: () => string) => {
    try {
      return read().trim();
    } catch {
      return '';
    }
  };
  const boot = readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = readOr(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot, namespace].join(' ').trim();
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
