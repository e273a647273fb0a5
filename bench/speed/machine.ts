// Describes the machine of a run, because the figures depend on it.

import { cpus, release, totalmem } from 'node:os';

export function describeMachine(): string {
  const [first] = cpus();
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const node = Bun.which('node') ? Bun.spawnSync(['node', '--version']).stdout.toString().trim() : 'none';
  return `${cpus().length} cores of ${first?.model.trim()}, ${gigabytes} GB, Linux ${release()}, Bun ${Bun.version}, Node ${node}`;
}
