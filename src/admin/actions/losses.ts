// Sums of what upstreams billed and no customer paid. Losses are kept as long as usage records of the same time.

import type { Nano } from '../../kit/money.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { LOSS_BY, type LossBy, type LossSum } from '../../store/reads.ts';
import { dayText } from './ledger.ts';
import type { OperatingTools } from './tools.ts';

export { LOSS_BY, type LossBy };

export const MAX_LOSS_DAYS = 90;
const MAX_SUMS = 500;

interface LossQuestion {
  by: LossBy;
  /** Taipei days, including today. */
  days: number;
  /** Only this account. */
  accountId?: string | undefined;
}

export interface LossView {
  by: LossBy;
  days: number;
  /** The first counted day: later than requested if older losses are no longer kept. */
  from: string;
  to: string;
  /** Largest first, at most 500. */
  sums: readonly LossSum[];
  hasMore: boolean;
  /** The total, also of those beyond the list. */
  losses: number;
  total: Nano;
}

export async function showLosses(
  { store, clock }: Pick<OperatingTools, 'store' | 'clock'>,
  { by, days, accountId }: LossQuestion,
): Promise<LossView> {
  const today = taipeiDay(clock.now());
  const first = today - days + 1;
  // One day more: a node whose clock is ahead may have begun it.
  const { sums, losses, amount } = await store.read.losses({
    by,
    from: first,
    to: today + 2,
    accountId,
    limit: MAX_SUMS + 1,
  });
  const keptFrom = await store.read.usageKeptFrom();
  return {
    by,
    days,
    from: dayText(Math.min(Math.max(first, keptFrom), today)),
    to: dayText(today),
    sums: sums.slice(0, MAX_SUMS),
    hasMore: sums.length > MAX_SUMS,
    losses,
    total: amount,
  };
}
