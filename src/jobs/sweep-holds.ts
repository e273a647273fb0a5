// Requests whose gateway died: their holds are released, nothing is charged. A node counts as dead one minute after its
// lease ran out, or at once when its process is known to be gone from this host.

import { type Clock, every } from '../kit/clock.ts';
import { failpoint } from '../kit/failpoint.ts';
import type { Log } from '../kit/log.ts';
import type { Store } from '../store/store.ts';
import type { Node } from './keep-lease.ts';
import { reasonOf } from './reason-of.ts';

const GRACE_MS = 60_000;
const SWEEP_MS = 5_000;
const BATCH = 500;

export interface SweepTools {
  store: Store;
  clock: Clock;
  log: Log;
  node: Node;
  isProcessAlive(pid: number): boolean;
}

/** Sweeps once before it resolves, then keeps sweeping. */
export async function sweepHolds(tools: SweepTools): Promise<() => void> {
  await sweepOnce(tools);
  return every(tools.clock, SWEEP_MS, () =>
    sweepOnce(tools).catch((error: unknown) => tools.log('error', 'sweep_failed', { detail: reasonOf(error) })),
  );
}

export async function sweepOnce({ store, clock, log, node, isProcessAlive }: SweepTools): Promise<void> {
  const now = clock.now();
  const siblings = await store.read.leasesOf(node.host);
  const deadNodes = siblings
    .filter(({ nodeId, pid }) => nodeId !== node.nodeId && (pid === node.pid || !isProcessAlive(pid)))
    .map(({ nodeId }) => nodeId);
  for (;;) {
    const holds = await store.read.orphanedHolds({ aliveSince: now - GRACE_MS, deadNodes, limit: BATCH });
    const orphans = holds.filter((hold) => hold.nodeId !== node.nodeId);
    if (orphans.length > 0) failpoint('K9');
    await Promise.all(
      orphans.map(({ requestId, accountId, keyId }) => store.commit('sweep', { requestId, accountId, keyId, at: now })),
    );
    if (orphans.length > 0) log('warn', 'holds_swept', { count: orphans.length });
    if (holds.length < BATCH || orphans.length === 0) return;
  }
}
