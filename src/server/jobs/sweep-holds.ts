// Requests whose gateway died: their holds are released, nothing is charged. A node counts as dead one minute after its
// lease must have run out, as this node has seen it, or at once when its process is known to be gone: from this host, or with
// the machine, if that was started anew and has the database for itself. A hold that its wallet cannot give back, because the
// wallet is wrong, keeps no other from being released, nor the node from starting.

import { Fault } from '../../faults/fault.ts';
import { type Clock, every } from '../../kit/clock.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { LossMeter } from '../../ledger/loss-meter.ts';
import type { OpenHold } from '../../store/reads.ts';
import type { Lease } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { GRACE_MS, LEASE_MS, type Node } from './keep-lease.ts';
import { type LeaseWatch, watchLeases } from './watch-leases.ts';

const SWEEP_MS = 5_000;
const BATCH = 500;

export interface SweepTools {
  store: Store;
  clock: Clock;
  log: Log;
  node: Node;
  lossMeter?: LossMeter | undefined;
  /** The database is of this machine alone: its clock may be believed, also of nodes that nobody has watched and whose
   * processes nobody here can see. */
  isAlone: boolean;
  isProcessAlive(pid: number): boolean;
  /** Nothing of one machine lives on in another run of it. */
  isOfAnotherBoot(host: string, own: string): boolean;
}

/** Sweeps once before it resolves, then keeps sweeping. */
export async function sweepHolds(tools: SweepTools): Promise<() => void> {
  const sweep = createSweep(tools);
  await sweep();
  return every(tools.clock, SWEEP_MS, () =>
    sweep().catch((error: unknown) => tools.log('error', 'sweep_failed', { detail: describeError(error) })),
  );
}

/** One sweep at each call. What could not be released is tried again with each, and told once. */
export function createSweep(tools: SweepTools): () => Promise<void> {
  const watch = watchLeases(tools.clock, LEASE_MS + GRACE_MS);
  let told: ReadonlySet<string> = new Set();
  return async () => {
    const stuck = await sweepOnce(tools, watch);
    for (const { hold, detail } of stuck.values()) {
      if (told.has(hold.requestId)) continue;
      tools.log('error', 'sweep_failed', { request_id: hold.requestId, account_id: hold.accountId, detail });
    }
    told = new Set(stuck.keys());
  };
}

interface Stuck {
  hold: OpenHold;
  detail: string;
}

/** By request, what could not be released. */
async function sweepOnce(tools: SweepTools, watch: LeaseWatch): Promise<Map<string, Stuck>> {
  const { clock, log, node } = tools;
  const deadNodes = await findDead(tools, watch);
  const stuck = new Map<string, Stuck>();
  for (;;) {
    // Those that are stuck are found again, and must not take the places of others.
    const limit = BATCH + stuck.size;
    const holds = await tools.store.read.orphanedHolds({ deadNodes, limit });
    const orphans = holds.filter((hold) => hold.nodeId !== node.nodeId && !stuck.has(hold.requestId));
    if (orphans.length > 0) failpoint('K9');
    const at = clock.now();
    const ends = await Promise.all(orphans.map((hold) => release(tools, hold, at)));
    for (const one of ends) if (one) stuck.set(one.hold.requestId, one);
    const count = ends.filter((one) => !one).length;
    if (count > 0) log('warn', 'holds_swept', { count });
    if (holds.length < limit || orphans.length === 0) return stuck;
  }
}

/** Undefined once it is released. Rejects when the store is away, which says nothing of the hold. */
async function release({ store, lossMeter }: SweepTools, hold: OpenHold, at: number): Promise<Stuck | undefined> {
  const { requestId, accountId, keyId } = hold;
  try {
    const { state } = await store.commit('sweep', { requestId, accountId, keyId, at });
    const { model, amount } = hold;
    if (state === 'closed') lossMeter?.booked({ reason: 'gateway_died', model, channel: null, amount });
    return undefined;
  } catch (error) {
    if (error instanceof Fault && error.code === 'unavailable') throw error;
    return { hold, detail: describeError(error) };
  }
}

async function findDead(tools: SweepTools, watch: LeaseWatch): Promise<string[]> {
  const { store, clock, node, isAlone, isProcessAlive, isOfAnotherBoot } = tools;
  const askedAt = clock.monotonic();
  const leases = await store.read.leases().catch((error: unknown) => {
    watch.forget();
    throw error;
  });
  const silent = watch.look(leases, askedAt);
  const isHere = ({ host }: Lease) => host === node.host;
  const hasEnded = ({ pid }: Lease) => pid === node.pid || !isProcessAlive(pid);
  const isOver = ({ host, expiresAt }: Lease) =>
    expiresAt + GRACE_MS <= clock.now() || isOfAnotherBoot(host, node.host);
  // Here by the process alone: a clock that leaps ahead makes every lease look old until it is renewed.
  const dead = leases.filter((lease) => (isHere(lease) ? hasEnded(lease) : isAlone && isOver(lease)));
  return [...silent, ...dead.map(({ nodeId }) => nodeId)].filter((nodeId) => nodeId !== node.nodeId);
}
