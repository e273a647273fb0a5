// CPU time, memory and children of processes, from the kernel. Linux only.

import { readdirSync, readFileSync } from 'node:fs';

export type CpuOf = Record<string, number>;

/** Ticks of /proc/PID/stat per second; a constant of the kernel's interface. */
const TICKS = 100;

/**
 * CPU µs of every thread. Uses the scheduler's statistics in ns, because the ticks of /proc/PID/stat are 10 ms each, too
 * coarse for a window in which a process works for 50. The ticks are used if the kernel lacks these statistics.
 */
export function threadTimes(pids: readonly number[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const pid of pids) {
    for (const thread of list(`/proc/${pid}/task`)) {
      const account = read(`/proc/${pid}/task/${thread}/schedstat`);
      const us = account ? Number(account.split(' ')[0]) / 1000 : ticksOf(pid, thread);
      times.set(`${pid}/${thread}`, us);
    }
  }
  return times;
}

/** The CPU time between two samples. For a new thread it is the total. */
export function spentUs(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  let us = 0;
  for (const [thread, time] of after) us += time - (before.get(thread) ?? 0);
  return us;
}

function ticksOf(pid: number, thread: string): number {
  const fields = statFields(`/proc/${pid}/task/${thread}/stat`);
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1_000_000;
}

export function residentKb(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0), 0);
}

/** A process and all its descendants. */
export function familyOf(pid: number): number[] {
  const children = Map.groupBy(
    list('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), parent: Number(statFields(`/proc/${name}/stat`)[1]) })),
    ({ parent }) => parent,
  );
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []).map((child) => child.pid));
  return family;
}

export function nameOf(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

/** Of a key of `threadTimes`. */
export function threadName(thread: string): string {
  const [pid, id] = thread.split('/');
  return pid === id ? 'main' : read(`/proc/${pid}/task/${id}/comm`).trim();
}

/** The fields after the name, which may contain spaces. */
function statFields(path: string): string[] {
  const text = read(path);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
