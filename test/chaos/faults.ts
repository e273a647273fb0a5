// What can break between the parts of a rig, and how long that took to mend. Each fault lasts for a time that the caller
// chooses, under load, and is over when every node serves paid calls again.

import { eventually } from '../support/eventually.ts';
import type { CutAt, WireFault } from '../support/tcp-proxy.ts';
import type { Load } from './load.ts';
import type { Rig } from './rig.ts';

export interface FaultOutcome {
  fault: string;
  /** From the end of the fault until every node serves paid calls. */
  recoveredMs: number;
}

export interface Fault {
  name: string;
  /** Returns what mends it; undefined if nothing needs to. */
  begin(rig: Rig): Promise<(() => Promise<unknown> | unknown) | undefined>;
}

const CUTS: readonly CutAt[] = [
  'before COMMIT',
  'during COMMIT',
  'after COMMIT',
  'client gone',
  'silence',
  'silence after COMMIT',
];
const DATABASE_FAULTS: Readonly<Record<string, WireFault>> = {
  'delay of 50 ms': { kind: 'delay', ms: 50 },
  'slow drip': { kind: 'drip', bytes: 64, everyMs: 2 },
  silence: { kind: 'silence' },
  'connections closed and refused': { kind: 'refuse' },
  'reset at the first byte': { kind: 'reset', afterBytes: 0 },
  'reset after 2,000 bytes': { kind: 'reset', afterBytes: 2_000 },
};
/** The headers of an answer have some 150 bytes, an event of a stream some 200. */
const UPSTREAM_FAULTS: Readonly<Record<string, WireFault>> = {
  'delay of 50 ms': { kind: 'delay', ms: 50 },
  'slow drip': { kind: 'drip', bytes: 64, everyMs: 2 },
  silence: { kind: 'silence' },
  'connections closed and refused': { kind: 'refuse' },
  'reset in the headers': { kind: 'reset', afterBytes: 40 },
  'reset in the first event': { kind: 'reset', afterBytes: 250 },
  'reset in the middle': { kind: 'reset', afterBytes: 800 },
};

export const FAULTS: readonly Fault[] = [
  ...Object.entries(DATABASE_FAULTS).flatMap(([name, fault]) => [
    {
      name: `database, all nodes: ${name}`,
      async begin({ nodes }: Rig) {
        for (const { wire } of nodes) wire.disturb(fault);
        return () => nodes.map(({ wire }) => wire.disturb(undefined));
      },
    },
    {
      name: `database, one node: ${name}`,
      async begin({ nodes: [first] }: Rig) {
        first?.wire.disturb(fault);
        return () => first?.wire.disturb(undefined);
      },
    },
  ]),
  ...CUTS.map((cut) => ({ name: `COMMIT: ${cut}`, begin: (rig: Rig) => cutNextCommit(rig, cut) })),
  ...Object.entries(UPSTREAM_FAULTS).map(([name, fault]) => ({
    name: `upstream: ${name}`,
    async begin({ upstreamWire }: Rig) {
      upstreamWire.disturb(fault);
      return () => upstreamWire.disturb(undefined);
    },
  })),
  {
    name: 'database server: frozen (SIGSTOP)',
    async begin({ postgres }) {
      postgres.pause();
      return () => postgres.resume();
    },
  },
  {
    name: 'database server: killed (SIGKILL)',
    async begin({ postgres }) {
      await postgres.crash();
      return () => postgres.start();
    },
  },
  {
    name: 'node: frozen (SIGSTOP)',
    async begin({ nodes: [first] }) {
      first?.freeze();
      return () => first?.resume();
    },
  },
];

/** Resolves when the wire of the first node has lost one. */
async function cutNextCommit({ nodes: [first] }: Rig, cut: CutAt): Promise<undefined> {
  if (!first) return;
  const { wire } = first;
  const [commits, cuts] = [wire.commits(), wire.cuts()];
  wire.cut((commit) => (commit === commits + 1 ? cut : undefined));
  await eventually('a COMMIT is cut', () => wire.cuts() > cuts);
  wire.cut(() => undefined);
}

export async function sufferFault(rig: Rig, load: Load, fault: Fault, lastsMs: number): Promise<FaultOutcome> {
  const mend = await fault.begin(rig);
  if (mend) {
    await Bun.sleep(lastsMs);
    await mend();
  }
  const since = performance.now();
  await load.untilServed();
  return { fault: fault.name, recoveredMs: performance.now() - since };
}
