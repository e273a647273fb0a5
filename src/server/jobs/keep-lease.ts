// Keeps this node's lease: renewed often, valid for a while. Without it nothing is admitted.

import type { Alarms } from '../../kit/alarms.ts';
import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';

export const LEASE_MS = 15_000;
const RENEW_MS = 3_000;
/** After its lease ends, other nodes wait this long before they release its holds. */
export const GRACE_MS = 60_000;
/** The maximum drift between two monotonic clocks in this time. */
const MAX_DRIFT_MS = 5_000;
/** The end of a returned lease: always in the past. */
export const ENDED = 0;

export interface Node {
  nodeId: string;
  host: string;
  pid: number;
}

interface LeaseTools {
  store: Store;
  clock: Clock;
  log: Log;
  alarms: Alarms;
  node: Node;
}

export async function keepLease({ store, clock, log, alarms, node }: LeaseTools) {
  let heldUntil = 0;
  let livesSince = 0;
  let livesUntil = 0;
  let hasAlarmed = false;
  /** False when it expired before it could be renewed: the store takes no writes. */
  const isHeld = () => clock.monotonic() < heldUntil;

  let hasEnded = false;
  let renewing: Promise<void> | undefined;

  async function renewOnce(): Promise<void> {
    const begunAt = clock.monotonic();
    await store.commit('lease', { ...node, expiresAt: clock.now() + LEASE_MS });
    if (clock.monotonic() >= livesUntil) livesSince = clock.monotonic();
    heldUntil = begunAt + LEASE_MS;
    livesUntil = heldUntil + GRACE_MS - MAX_DRIFT_MS;
    hasAlarmed = false;
  }

  /**
   * Renews at once, for callers that found it expired: a wall clock that jumps makes it look so. Does nothing once stopped.
   * Concurrent callers share one renewal.
   */
  async function renew(): Promise<void> {
    if (hasEnded) return;
    renewing ??= renewOnce().finally(() => {
      renewing = undefined;
    });
    await renewing;
  }

  /** One alarm per outage of the store. */
  function notRenewed(error: unknown): void {
    const fields = { node_id: node.nodeId, detail: describeError(error) };
    log('error', 'lease_not_renewed', fields);
    if (isHeld() || hasAlarmed) return;
    hasAlarmed = true;
    alarms.raise('store_failed', fields);
  }

  await renew();
  const stop = every(clock, RENEW_MS, () => renew().catch(notRenewed));
  return {
    isHeld,
    /** It has not lapsed since that monotonic time: no other node can have released this node's holds. */
    hasLivedSince: (since: number) => livesSince <= since && clock.monotonic() < livesUntil,
    renew,
    stop,
    /** Returns the lease, so that other nodes see that this one is gone. */
    async end(): Promise<void> {
      hasEnded = true;
      await renewing?.catch(() => {});
      const ending = store.commit('lease', { ...node, expiresAt: ENDED });
      await ending.catch((error: unknown) =>
        log('error', 'lease_not_ended', { node_id: node.nodeId, detail: describeError(error) }),
      );
    },
  };
}
