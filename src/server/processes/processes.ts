// Finds the nodes on this host whose processes are alive, so that a node detects its own dead at once.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from '../../kit/error-code.ts';

/** The scope of process ids: machines and containers may share a host name. */
export function hostOfProcesses(): string {
  const boot = readOrNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = readOrNothing(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot, namespace].join(' ').trim();
}

/**
 * Whether the host string belongs to an earlier boot of this machine: its processes have then ended. False if unknown.
 */
export function isOfAnotherBoot(host: string, thisHost: string): boolean {
  const [, boot = ''] = host.split(' ');
  const [, ownBoot = ''] = thisHost.split(' ');
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

/** A zombie keeps its pid until its parent reaps it; without /proc the state is unknown. */
function hasEnded(pid: number): boolean {
  const status = readOrNothing(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The process name before it may contain anything, also a parenthesis.
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
