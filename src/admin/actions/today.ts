// Today's figures against yesterday's until the same time of day, who bought and what, and whose balance is low.

import { DAY_MS, MINUTE_MS } from '../../kit/clock.ts';
import { keepFor } from '../../kit/keep-for.ts';
import { taipeiDay, taipeiDayStart } from '../../kit/taipei.ts';
import type { LowBalance, Sales } from '../../store/reads.ts';
import type { ReadingTools } from './tools.ts';

const SHOWN = 5;
const LOW_DAYS = 7;

export type ReadToday = ReturnType<typeof createToday>;
export type Today = Awaited<ReturnType<ReadToday>>;

/** Yesterday until this time of day is read from single records. That and low balances are read once a minute for all callers. */
export function createToday({ store, clock }: ReadingTools) {
  let known: { until: number; sales: Promise<Sales> } | undefined;

  function yesterdayUntil(until: number): Promise<Sales> {
    if (known?.until !== until) {
      known = { until, sales: store.read.salesBetween(taipeiDayStart(taipeiDay(until - 1)), until) };
      known.sales.catch(() => {
        known = undefined;
      });
    }
    return known.sales;
  }

  const low = keepFor(clock, MINUTE_MS, () => store.read.lowBalances(taipeiDay(clock.now()) - LOW_DAYS + 1, SHOWN));

  return async () => {
    const at = clock.now();
    const day = taipeiDay(at);
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    const [sales, yesterday, models, customers, lowAccounts] = await Promise.all([
      store.read.salesOfDay(day),
      yesterdayUntil(Math.max(minute - DAY_MS, taipeiDayStart(day - 1) + 1)),
      store.read.mostSold('model', day, SHOWN),
      store.read.mostSold('account', day, SHOWN),
      low(),
    ]);
    const isKept = (await store.read.usageKeptFrom()) < day;
    return {
      at,
      sales,
      /** Until the same minute of the day; null if usage of yesterday is no longer kept. */
      yesterday: isKept ? yesterday : null,
      models,
      customers,
      /** With the days for which the balance lasts at the rate of the last 7 days. */
      low: lowAccounts.map((account) => ({ ...account, days: daysLeft(account) })),
    };
  };
}

function daysLeft({ balance, spent }: LowBalance): number {
  return Number((balance * BigInt(LOW_DAYS)) / (spent === 0n ? 1n : spent));
}

export function errorRate({ requests, failed }: Sales): number | null {
  return requests === 0 ? null : failed / requests;
}
