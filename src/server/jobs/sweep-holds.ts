// Releases the holds of requests whose gateway died, without a charge. A node counts as dead one minute after its lease
// must have expired in this node's time, or at once when its process is known to be gone: on this host, or through a
// reboot of the machine, if that has the database for itself. A hold that a wrong wallet cannot give back blocks
// neither other releases nor the start.

import { Fault } from '../../faults/fault.ts';
import type { Clock } from '../../kit/clock.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { LossMeter } from '../../ledger/ledger.ts';
import type { OpenHold } from '../../store/reads.ts';
import type { Lease } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { ENDED, GRACE_MS, LEASE_MS, type Node } from './keep-lease.ts';
import { repeat } from './repeat.ts';

const SWEEP_MS = 5_000;
const BATCH = 500;

interface SweepTools {
  store: Store;
  clock: Clock;
  log: Log;
  node: Node;
  lossMeter?: LossMeter | undefined;
  /**
   * Only this machine uses the database: its clock is reliable, also for nodes that were not watched and whose
   * processes are not visible here.
   */
  isAlone: boolean;
  isProcessAlive(pid: number): boolean;
  /** Processes do not survive a reboot of their machine. */
  isOfAnotherBoot(host: string, thisHost: string): boolean;
}

/** Sweeps once before it resolves, then periodically. */
export async function sweepHolds(tools: SweepTools): Promise<() => void> {
  const sweep = createSweep(tools);
  await sweep();
  return repeat(tools.clock, tools.log, SWEEP_MS, 'sweep_failed', sweep);
}

/** Each call sweeps once. Failed releases are retried with each, and logged once. */
export function createSweep(tools: SweepTools): () => Promise<void> {
  const watch = watchLeases(tools.clock, LEASE_MS + GRACE_MS);
  let logged: ReadonlySet<string> = new Set();
  return async () => {
    const stuck = await sweepOnce(tools, watch);
    for (const { hold, detail } of stuck.values()) {
      if (logged.has(hold.requestId)) continue;
      tools.log('error', 'sweep_failed', { request_id: hold.requestId, account_id: hold.accountId, detail });
    }
    logged = new Set(stuck.keys());
  };
}

interface FailedRelease {
  hold: OpenHold;
  detail: string;
}

/** Returns the failed releases by request. */
async function sweepOnce(tools: SweepTools, watch: LeaseWatch): Promise<Map<string, FailedRelease>> {
  const { clock, log, node } = tools;
  const deadNodes = await findDead(tools, watch);
  const stuck = new Map<string, FailedRelease>();
  for (;;) {
    // Stuck holds are found again and must not displace others.
    const limit = BATCH + stuck.size;
    const holds = await tools.store.read.orphanedHolds({ deadNodes, limit });
    const orphans = holds.filter((hold) => hold.nodeId !== node.nodeId && !stuck.has(hold.requestId));
    if (orphans.length > 0) failpoint('inside-sweep');
    const at = clock.now();
    const ends = await Promise.all(orphans.map((hold) => release(tools, hold, at)));
    for (const failed of ends) if (failed) stuck.set(failed.hold.requestId, failed);
    const count = ends.filter((failed) => !failed).length;
    if (count > 0) log('warn', 'holds_swept', { count });
    if (holds.length < limit || orphans.length === 0) return stuck;
  }
}

/** Undefined if released. Rejects if the store fails: the state of the hold is then unknown. */
async function release(
  { store, lossMeter }: SweepTools,
  hold: OpenHold,
  at: number,
): Promise<FailedRelease | undefined> {
  const { requestId, accountId, keyId, chain } = hold;
  try {
    const { state } = await store.commit('sweep', { requestId, accountId, keyId, chain, at });
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
  const silent = watch.findDead(leases, askedAt);
  const isHere = ({ host }: Lease) => host === node.host;
  const hasEnded = ({ pid }: Lease) => pid === node.pid || !isProcessAlive(pid);
  const isOver = ({ host, expiresAt }: Lease) =>
    expiresAt + GRACE_MS <= clock.now() || isOfAnotherBoot(host, node.host);
  // On this host only the process counts: a clock that jumps ahead makes every lease look old until it is renewed.
  const dead = leases.filter((lease) => (isHere(lease) ? hasEnded(lease) : isAlone && isOver(lease)));
  return [...silent, ...dead.map(({ nodeId }) => nodeId)].filter((nodeId) => nodeId !== node.nodeId);
}

type LeaseWatch = ReturnType<typeof watchLeases>;

/**
 * Detects dead nodes by this node's monotonic time. Wall clocks of several machines differ, and one that jumps must not declare
 * other nodes dead: a stream would then be served and never billed.
 */
function watchLeases(clock: Clock, goneMs: number) {
  let seen = new Map<string, { expiresAt: number; since: number }>();
  return {
    /** Nodes whose lease was returned or has not changed for too long. `askedAt`: monotonic time before the read. */
    findDead(leases: readonly Lease[], askedAt: number): string[] {
      const since = clock.monotonic();
      const before = seen;
      seen = new Map(
        leases.map(({ nodeId, expiresAt }) => {
          const known = before.get(nodeId);
          return [nodeId, known?.expiresAt === expiresAt ? known : { expiresAt, since }];
        }),
      );
      return [...seen].flatMap(([nodeId, { expiresAt, since: from }]) =>
        expiresAt === ENDED || askedAt - from >= goneMs ? [nodeId] : [],
      );
    },
    /** Starts over: while the store was unreachable, no node could renew. */
    forget(): void {
      seen = new Map();
    },
  };
}
