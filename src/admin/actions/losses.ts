// What upstreams billed and no customer paid, in sums of the last days. A loss stays as long as the usage records of its time.

import type { Nano } from '../../kit/money.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { LOSS_BY, type LossBy, type LossSum } from '../../store/reads.ts';
import { dayText } from './ledger.ts';
import type { OperatingTools } from './tools.ts';

export { LOSS_BY, type LossBy };

export const MOST_LOSS_DAYS = 90;
const MOST_SUMS = 500;

export interface LossQuestion {
  by: LossBy;
  /** Taipei calendar days, today included. */
  days: number;
  /** Only of this account. */
  accountId?: string | undefined;
}

export interface LossView {
  by: LossBy;
  days: number;
  /** The first day that is counted: later than asked for where losses of that time are no longer kept. */
  from: string;
  to: string;
  /** The largest first, at most 500. */
  sums: readonly LossSum[];
  hasMore: boolean;
  /** All together, also those beyond the list. */
  losses: number;
  total: Nano;
}

export async function showLosses(
  { store, clock }: Pick<OperatingTools, 'store' | 'clock'>,
  { by, days, accountId }: LossQuestion,
): Promise<LossView> {
  const today = taipeiDay(clock.now());
  const first = today - days + 1;
  // A day more at the end: a node whose clock is ahead may have begun it.
  const { sums, losses, amount } = await store.read.losses({
    by,
    from: first,
    to: today + 2,
    accountId,
    limit: MOST_SUMS + 1,
  });
  const keptFrom = await store.read.usageKeptFrom();
  return {
    by,
    days,
    from: dayText(Math.min(Math.max(first, keptFrom), today)),
    to: dayText(today),
    sums: sums.slice(0, MOST_SUMS),
    hasMore: sums.length > MOST_SUMS,
    losses,
    total: amount,
  };
}
