// Usage records are kept for so many months as the operator says; the entries of the ledger stay for ever.

import type { Catalog } from '../catalog/catalog.ts';
import { type Clock, every, HOUR_MS } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { monthsBefore } from '../kit/taipei.ts';
import type { Store } from '../store/store.ts';
import { reasonOf } from './reason-of.ts';

const CHECK_MS = HOUR_MS;
/** Few enough that nobody waits for them. */
const AT_ONCE = 500;

export function forgetUsage(store: Store, clock: Clock, log: Log, catalog: () => Catalog): () => void {
  let isStopped = false;
  async function forget(): Promise<void> {
    const { usage_months: months } = catalog().guards;
    if (months === null) return;
    const day = monthsBefore(clock.now(), months);
    let count = 0;
    for (let isMore = true; isMore && !isStopped; ) {
      const { records, sums } = await store.forgetUsage({ day, limit: AT_ONCE });
      count += records;
      isMore = records + sums > 0;
    }
    if (count > 0) log('info', 'usage_forgotten', { count });
  }
  const stop = every(clock, CHECK_MS, () =>
    forget().catch((error: unknown) => log('error', 'forget_failed', { detail: reasonOf(error) })),
  );
  return () => {
    isStopped = true;
    stop();
  };
}
