// Deletes what is old, and revokes keys that are unused. Client addresses (keyed hashes), replays of idempotent calls and the
// state of dead nodes are kept for two days; events and what sessions spent for 30 days; usage records for as many months as the
// operator sets; ledger entries forever.

import type { Catalog } from '../../catalog/catalog.ts';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { monthsBefore, taipeiDay } from '../../kit/taipei.ts';
import type { Store } from '../../store/store.ts';
import { repeat } from './repeat.ts';

const KEEP_MS = 48 * HOUR_MS;
const CHECK_MS = 10 * MINUTE_MS;
/** Small enough that other operations do not wait for it. */
const USAGE_BATCH = 500;
/** At most the shortest retention: what is deleted is always older than the last usage. */
const USED_WITHIN_DAYS = 28;
/** Usage on these days may have been dated by the same wrong clock. */
const IGNORED_DAYS = 2;
const KEYS_AT_ONCE = 500;
const SHORTEST_MONTH = 28;

export async function deleteOld(store: Store, clock: Clock, log: Log): Promise<() => void> {
  const run = () => store.forget(clock.now() - KEEP_MS);
  await run();
  return repeat(clock, log, CHECK_MS, 'forget_failed', run);
}

/** Deleted usage cannot be restored, so a clock that jumped ahead must not decide: time has passed if there was usage in it. */
export function deleteOldUsage(store: Store, clock: Clock, log: Log, catalog: () => Catalog): () => void {
  let isStopped = false;
  async function run(): Promise<void> {
    const { usage_months: months } = catalog().guards;
    if (months === null) return;
    const now = clock.now();
    if (!(await hasTimePassed(now))) return;
    const day = monthsBefore(now, months);
    let count = 0;
    for (let isMore = true; isMore && !isStopped; ) {
      const { records, sums, losses } = await store.forgetUsage({ day, limit: USAGE_BATCH });
      count += records;
      isMore = records + sums + losses > 0;
    }
    if (count > 0) log('info', 'usage_forgotten', { count });
  }
  async function hasTimePassed(now: number): Promise<boolean> {
    const today = taipeiDay(now);
    const last = await store.read.lastUsedDay(today - IGNORED_DAYS + 1);
    return last !== undefined && last >= today - USED_WITHIN_DAYS;
  }
  const stop = repeat(clock, log, HOUR_MS, 'forget_failed', run);
  return () => {
    isStopped = true;
    stop();
  };
}

/**
 * An optional guard: revokes keys that were unused for a number of days, in accounts that never received money. The accounts
 * stay, and the operator can give them a new key.
 */
export function suspendKeys(store: Store, clock: Clock, log: Log, catalog: () => Catalog): () => void {
  return repeat(clock, log, HOUR_MS, 'suspend_failed', async () => {
    const { suspend_unused_days: days, usage_months: months } = catalog().guards;
    if (days === null) return;
    // Use before the retention period is unknown; the store reports the same for usage deleted under an earlier,
    // shorter period.
    if (months !== null && days > months * SHORTEST_MONTH) return;
    const at = clock.now();
    const keys = await store.read.unusedKeys(at - days * DAY_MS, KEYS_AT_ONCE);
    const revoked = await Promise.all(
      keys.map(({ accountId, keyId }) => store.commit('revokeKey', { accountId, keyId, at, evenIfLast: true })),
    );
    if (revoked.length > 0) log('info', 'keys_suspended', { count: revoked.length });
  });
}
