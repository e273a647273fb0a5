// Requests whose gateway died: their holds are released, nothing is charged. A node counts as dead one minute after its
// lease must have run out, as this node has seen it, or at once when its process is known to be gone from this host.

import { type Clock, every } from '../kit/clock.ts';
import { failpoint } from '../kit/failpoint.ts';
import type { Log } from '../kit/log.ts';
import type { Store } from '../store/store.ts';
import { GRACE_MS, LEASE_MS, type Node } from './keep-lease.ts';
import { reasonOf } from './reason-of.ts';
import { type LeaseWatch, watchLeases } from './watch-leases.ts';

const SWEEP_MS = 5_000;
const BATCH = 500;

export interface SweepTools {
  store: Store;
  clock: Clock;
  log: Log;
  node: Node;
  /** The database is of this machine alone: its clock may be believed, also of nodes that nobody has watched. */
  isAlone: boolean;
  isProcessAlive(pid: number): boolean;
}

/** Sweeps once before it resolves, then keeps sweeping. */
export async function sweepHolds(tools: SweepTools): Promise<() => void> {
  const sweep = createSweep(tools);
  await sweep();
  return every(tools.clock, SWEEP_MS, () =>
    sweep().catch((error: unknown) => tools.log('error', 'sweep_failed', { detail: reasonOf(error) })),
  );
}

/** One sweep at each call. */
export function createSweep(tools: SweepTools): () => Promise<void> {
  const watch = watchLeases(tools.clock, LEASE_MS + GRACE_MS);
  return () => sweepOnce(tools, watch);
}

async function sweepOnce(tools: SweepTools, watch: LeaseWatch): Promise<void> {
  const { store, clock, log, node } = tools;
  const deadNodes = await findDead(tools, watch);
  for (;;) {
    const holds = await store.read.orphanedHolds({ deadNodes, limit: BATCH });
    const orphans = holds.filter((hold) => hold.nodeId !== node.nodeId);
    if (orphans.length > 0) failpoint('K9');
    const at = clock.now();
    await Promise.all(
      orphans.map(({ requestId, accountId, keyId }) => store.commit('sweep', { requestId, accountId, keyId, at })),
    );
    if (orphans.length > 0) log('warn', 'holds_swept', { count: orphans.length });
    if (holds.length < BATCH || orphans.length === 0) return;
  }
}

async function findDead(tools: SweepTools, watch: LeaseWatch): Promise<string[]> {
  const { store, clock, node, isAlone, isProcessAlive } = tools;
  const askedAt = clock.monotonic();
  const leases = await store.read.leases().catch((error: unknown) => {
    watch.forget();
    throw error;
  });
  const silent = watch.look(leases, askedAt);
  const endedHere = leases
    .filter(({ host, pid }) => host === node.host && (pid === node.pid || !isProcessAlive(pid)))
    .map(({ nodeId }) => nodeId);
  const ranOut = isAlone ? leases.filter(({ expiresAt }) => expiresAt + GRACE_MS <= clock.now()) : [];
  const dead = [...silent, ...endedHere, ...ranOut.map(({ nodeId }) => nodeId)];
  return dead.filter((nodeId) => nodeId !== node.nodeId);
}
