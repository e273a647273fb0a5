// A node lives by its lease: renewed often, valid for a while, and without it nothing is admitted.

import { Fault } from '../faults/fault.ts';
import { type Clock, every } from '../kit/clock.ts';
import { describeError, type Log } from '../kit/log.ts';
import type { Store } from '../store/store.ts';

export const LEASE_MS = 15_000;
const RENEW_MS = 3_000;

export interface Node {
  nodeId: string;
  host: string;
  pid: number;
}

export interface HeldLease {
  /** False when it ran out before it could be renewed: the store takes no writes. */
  isHeld(): boolean;
  stop(): void;
}

export async function keepLease(store: Store, clock: Clock, log: Log, node: Node): Promise<HeldLease> {
  let heldUntil = 0;
  async function renew(): Promise<void> {
    const until = clock.monotonic() + LEASE_MS;
    await store.commit('lease', { ...node, expiresAt: clock.now() + LEASE_MS });
    heldUntil = until;
  }
  await renew();
  const stop = every(clock, RENEW_MS, () =>
    renew().catch((error: unknown) => {
      const detail = error instanceof Fault ? error.details.internal : describeError(error);
      log('error', 'lease_not_renewed', { node_id: node.nodeId, detail });
    }),
  );
  return { isHeld: () => clock.monotonic() < heldUntil, stop };
}
