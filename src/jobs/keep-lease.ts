// A node lives by its lease: renewed often, valid for a while, and without it nothing is admitted.

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

export async function keepLease(store: Store, clock: Clock, log: Log, node: Node): Promise<() => void> {
  const renew = () => store.commit('lease', { ...node, expiresAt: clock.now() + LEASE_MS });
  await renew();
  return every(clock, RENEW_MS, () =>
    renew().catch((error: unknown) =>
      log('error', 'lease_not_renewed', { node_id: node.nodeId, detail: describeError(error) }),
    ),
  );
}
