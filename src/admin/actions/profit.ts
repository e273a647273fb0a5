// Profit: what customers paid less refunds, what upstreams bill for it, and losses. If a route states no cost, the cost of
// its requests is unknown, and their revenue counts toward no profit.

import { csvHead, csvRows } from '../../kit/csv.ts';
import { type Nano, ntdNumber } from '../../kit/money.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import {
  type CardLiability,
  LOSS_BY,
  type LossBy,
  type LossSum,
  PROFIT_BY,
  type ProfitBy,
  type ProfitFigures,
} from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import { dayText } from './ledger.ts';
import type { OperatingTools } from './tools.ts';

export { PROFIT_BY, type ProfitBy };

export const PROFIT_DAYS = [7, 30, 90] as const;

const MAX_ROWS = 500;

export interface Profit {
  requests: number;
  revenue: Nano;
  /** Profit of requests with a known cost; null if no request has a known cost. */
  cost: Nano | null;
  loss: Nano;
  /** Revenue whose cost is known, without that cost and losses; null as the cost is. */
  profit: Nano | null;
  /** The profit as a part of that revenue; null without such revenue. */
  margin: number | null;
  unknownCostRequests: number;
  unknownCostRevenue: Nano;
}

export interface ProfitRow extends Profit {
  /** A model, channel, account or date; null: no channel, or refunds without a request. */
  key: string | null;
}

export interface PrepaidAmounts extends CardLiability {
  /** Sold cards that nobody has redeemed yet. */
  unredeemed: Nano;
  /** The amount that customers can still use: unredeemed cards and the paid part of all balances. */
  owed: Nano;
}

/** Figures of some days, without prepaid amounts. */
interface ProfitSums {
  by: ProfitBy;
  days: number;
  /** The first counted day: later than requested if older usage is no longer kept. */
  from: string;
  to: string;
  /** Largest revenue first, at most 500; days in their order, all of them. */
  rows: readonly ProfitRow[];
  hasMore: boolean;
  /** Also of those beyond the list. */
  total: Profit;
}

export interface ProfitView extends ProfitSums {
  cards: PrepaidAmounts;
}

interface ProfitQuestion {
  by: ProfitBy;
  /** Taipei days, including today. */
  days: number;
}

export async function showProfit(
  tools: Pick<OperatingTools, 'store' | 'clock'>,
  question: ProfitQuestion,
): Promise<ProfitView> {
  const [sums, cards] = await Promise.all([sumProfit(tools, question), readPrepaidAmounts(tools.store)]);
  return { ...sums, cards };
}

export async function readPrepaidAmounts({ read }: Pick<Store, 'read'>): Promise<PrepaidAmounts> {
  const liability = await read.cardLiability();
  const unredeemed = liability.sold - liability.redeemed;
  return { ...liability, unredeemed, owed: unredeemed + liability.unspent };
}

export async function sumProfit(
  { store, clock }: Pick<OperatingTools, 'store' | 'clock'>,
  { by, days }: ProfitQuestion,
): Promise<ProfitSums> {
  const today = taipeiDay(clock.now());
  // Refunds are kept longer than usage: those of days whose revenue is gone must not reduce the rest.
  const from = Math.min(Math.max(today - days + 1, await store.read.usageKeptFrom()), today);
  // One day more: a node whose clock is ahead may have begun it.
  const { sums, totals } = await store.read.profit({ by, from, to: today + 2, limit: MAX_ROWS + 1 });
  const rows = sums.map(({ key, ...figures }) => ({ key, ...profitOf(figures) }));
  return {
    by,
    days,
    from: dayText(from),
    to: dayText(today),
    rows: by === 'day' ? everyDay(rows, from, today) : rows.slice(0, MAX_ROWS),
    hasMore: sums.length > MAX_ROWS,
    total: profitOf(totals),
  };
}

const NOTHING: ProfitFigures = { requests: 0, revenue: 0n, knownRequests: 0, knownRevenue: 0n, cost: 0n, loss: 0n };

/** Days with nothing included; what a clock ahead has begun comes after today. */
function everyDay(rows: readonly ProfitRow[], from: number, today: number): ProfitRow[] {
  const known = new Map(rows.map((row) => [Number(row.key), row]));
  const last = Math.max(today, ...known.keys());
  return Array.from({ length: last - from + 1 }, (_, index) => {
    const day = from + index;
    return { ...(known.get(day) ?? profitOf(NOTHING)), key: dayText(day) };
  });
}

function profitOf({ requests, revenue, knownRequests, knownRevenue, cost, loss }: ProfitFigures): Profit {
  const isUnknown = requests > 0 && knownRequests === 0;
  const profit = isUnknown ? null : knownRevenue - cost - loss;
  return {
    requests,
    revenue,
    cost: isUnknown ? null : cost,
    loss,
    profit,
    margin: profit === null || knownRevenue <= 0n ? null : ratio(profit, knownRevenue),
    unknownCostRequests: requests - knownRequests,
    unknownCostRevenue: revenue - knownRevenue,
  };
}

const PARTS = 10_000n;

/** To four decimals, towards 0. */
function ratio(part: Nano, whole: Nano): number {
  return Number((part * PARTS) / whole) / Number(PARTS);
}

const MONEY = ['revenue', 'cost', 'loss', 'profit', 'unknownCostRevenue'] as const;
const TITLES = ['revenue', 'cost', 'loss', 'profit', 'unknown_cost_revenue'].flatMap((name) => [
  `${name}_ntd`,
  `${name}_nano`,
]);

/** Each amount as a number and exactly; empty where it is unknown. */
export function profitFile({ by, rows }: ProfitSums): string {
  const cells = rows.map((row) => {
    const amounts = MONEY.flatMap((name) => {
      const amount = row[name];
      return amount === null ? [null, null] : [ntdNumber(amount), amount];
    });
    return [row.key, row.requests, row.unknownCostRequests, row.margin, ...amounts];
  });
  return csvHead([by, 'requests', 'unknown_cost_requests', 'margin', ...TITLES]) + csvRows(cells);
}

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
