// Which processes share this process's numbers, and which of them still live: so that a node knows its own dead at once.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from '../../kit/error-code.ts';

/** Where a process id means this process: machines and containers may share a name. */
export function hostOfProcesses(): string {
  const boot = readOrNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = readOrNothing(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot, namespace].join(' ').trim();
}

/** Whether a host, as told above, is of another run of its machine's kernel: whatever ran there then has ended, if it was this
 * machine. False where nobody can tell. */
export function isOfAnotherBoot(host: string, own: string): boolean {
  const [, boot = ''] = host.split(' ');
  const [, ownBoot = ''] = own.split(' ');
  return boot !== '' && ownBoot !== '' && boot !== ownBoot;
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const isAnothers = codeOf(error) === 'EPERM';
    if (!isAnothers) return false;
  }
  return !hasEnded(pid);
}

/** One that has ended keeps its number until its parent has asked how; where there is no /proc, nobody can tell. */
function hasEnded(pid: number): boolean {
  const status = readOrNothing(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name before it may hold anything, also a parenthesis.
  const [state] = status.slice(status.lastIndexOf(')') + 1).trimStart();
  return state === 'Z' || state === 'X';
}

function readOrNothing(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return '';
  }
}
