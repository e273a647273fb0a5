// A node lives by its lease: renewed often, valid for a while, and without it nothing is admitted.

import type { Alarms } from '../../kit/alarms.ts';
import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';

export const LEASE_MS = 15_000;
const RENEW_MS = 3_000;
/** From the end of its lease a node has so long, before others release what it holds. */
export const GRACE_MS = 60_000;
/** Two monotonic clocks may run that much apart in this time. */
const APART_MS = 5_000;
/** Of a lease that was given back: a time that no clock shows. */
export const ENDED = 0;

export interface Node {
  nodeId: string;
  host: string;
  pid: number;
}

export interface LeaseTools {
  store: Store;
  clock: Clock;
  log: Log;
  alarms: Alarms;
  node: Node;
}

export interface HeldLease {
  /** False when it ran out before it could be renewed: the store takes no writes. */
  isHeld(): boolean;
  /** It never lapsed since then, in monotonic time: no other node can have released what this one holds. */
  hasLivedSince(since: number): boolean;
  /** Renews at once, for callers that found it run out: a wall clock that leapt makes it look so. Does nothing once stopped. */
  renew(): Promise<void>;
  stop(): void;
  /** Gives it back, so that whoever looks knows that the node is gone. */
  end(): Promise<void>;
}

export async function keepLease({ store, clock, log, alarms, node }: LeaseTools): Promise<HeldLease> {
  let heldUntil = 0;
  let livesSince = 0;
  let livesUntil = 0;
  let hasAlarmed = false;
  const isHeld = () => clock.monotonic() < heldUntil;

  let hasEnded = false;
  let renewing: Promise<void> | undefined;

  async function renewOnce(): Promise<void> {
    const begunAt = clock.monotonic();
    await store.commit('lease', { ...node, expiresAt: clock.now() + LEASE_MS });
    if (clock.monotonic() >= livesUntil) livesSince = clock.monotonic();
    heldUntil = begunAt + LEASE_MS;
    livesUntil = heldUntil + GRACE_MS - APART_MS;
    hasAlarmed = false;
  }

  /** One for all who ask meanwhile. */
  async function renew(): Promise<void> {
    if (hasEnded) return;
    renewing ??= renewOnce().finally(() => {
      renewing = undefined;
    });
    await renewing;
  }

  /** One alarm for each time that the store was away for so long. */
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
    hasLivedSince: (since) => livesSince <= since && clock.monotonic() < livesUntil,
    renew,
    stop,
    async end() {
      hasEnded = true;
      await renewing?.catch(() => {});
      const ending = store.commit('lease', { ...node, expiresAt: ENDED });
      await ending.catch((error: unknown) =>
        log('error', 'lease_not_ended', { node_id: node.nodeId, detail: describeError(error) }),
      );
    },
  };
}
