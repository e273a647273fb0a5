// The children of a process: from /proc where there is one, because small images have no `ps`.

import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the processes that `parent` has started and that still run. */
export function childProcesses(parent: number): number[] {
  return listProcesses().flatMap(({ pid, ppid }) => (ppid === parent ? [pid] : []));
}

function listProcesses(): { pid: number; ppid: number }[] {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

function fromProc() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), ppid: parentOf(name) }));
}

/** Its second field is the name of the program in brackets, in which anything may stand; the parent is the fourth. */
function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return Number.NaN;
  }
}

function fromPs() {
  const { stdout } = Bun.spawnSync(['ps', '-A', '-o', 'pid=,ppid=']);
  const lines = stdout.toString().trim().split('\n');
  return lines.map((line) => {
    const [pid = Number.NaN, ppid = Number.NaN] = line.trim().split(/\s+/).map(Number);
    return { pid, ppid };
  });
}
