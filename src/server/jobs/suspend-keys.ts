// An optional guard: revokes keys that were unused for a number of days, in accounts that never received money. The
// accounts stay, and the operator can give them a new key.

import type { Catalog } from '../../catalog/catalog.ts';
import { type Clock, DAY_MS, every, HOUR_MS } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';

const CHECK_MS = HOUR_MS;
const AT_ONCE = 500;
const SHORTEST_MONTH = 28;

export function suspendKeys(store: Store, clock: Clock, log: Log, catalog: () => Catalog): () => void {
  async function suspend(): Promise<void> {
    const { suspend_unused_days: days, usage_months: months } = catalog().guards;
    if (days === null) return;
    // Use before the retention period is unknown; the store reports the same for usage deleted under an earlier,
    // shorter period.
    if (months !== null && days > months * SHORTEST_MONTH) return;
    const at = clock.now();
    const keys = await store.read.unusedKeys(at - days * DAY_MS, AT_ONCE);
    const revoked = await Promise.all(
      keys.map(({ accountId, keyId }) => store.commit('revokeKey', { accountId, keyId, at, evenIfLast: true })),
    );
    if (revoked.length > 0) log('info', 'keys_suspended', { count: revoked.length });
  }
  return every(clock, CHECK_MS, () =>
    suspend().catch((error: unknown) => log('error', 'suspend_failed', { detail: describeError(error) })),
  );
}
