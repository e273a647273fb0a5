// Usage records are kept for so many months as the operator says; the entries of the ledger stay for ever. What is deleted
// cannot be had back, so a clock that leapt ahead must not decide it: time has passed if there was usage in it.

import type { Catalog } from '../../catalog/catalog.ts';
import { type Clock, every, HOUR_MS } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import { monthsBefore, taipeiDay } from '../../kit/taipei.ts';
import type { Store } from '../../store/store.ts';

const CHECK_MS = HOUR_MS;
/** Few enough that nobody waits for them. */
const AT_ONCE = 500;
/** No more than the shortest time that usage is kept for: what is deleted is always older than what was used last. */
const USED_WITHIN_DAYS = 28;
/** What was used on these may be the doing of a clock that is wrong now. */
const LEFT_OUT_DAYS = 2;

export function forgetUsage(store: Store, clock: Clock, log: Log, catalog: () => Catalog): () => void {
  let isStopped = false;
  async function forget(): Promise<void> {
    const { usage_months: months } = catalog().guards;
    if (months === null) return;
    const now = clock.now();
    if (!(await hasTimePassed(now))) return;
    const day = monthsBefore(now, months);
    let count = 0;
    for (let isMore = true; isMore && !isStopped; ) {
      const { records, sums, losses } = await store.forgetUsage({ day, limit: AT_ONCE });
      count += records;
      isMore = records + sums + losses > 0;
    }
    if (count > 0) log('info', 'usage_forgotten', { count });
  }
  async function hasTimePassed(now: number): Promise<boolean> {
    const today = taipeiDay(now);
    const last = await store.read.lastUsedDay(today - LEFT_OUT_DAYS + 1);
    return last !== undefined && last >= today - USED_WITHIN_DAYS;
  }
  const stop = every(clock, CHECK_MS, () =>
    forget().catch((error: unknown) => log('error', 'forget_failed', { detail: describeError(error) })),
  );
  return () => {
    isStopped = true;
    stop();
  };
}
