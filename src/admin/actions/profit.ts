// Profit, and the losses in it: what customers paid less refunds, what upstreams bill for it, and losses. If a route states no cost, the cost of
// its requests is unknown, and their revenue counts toward no profit.

import { csvHead, csvRows } from '../../kit/csv.ts';
import { type Nano, ntdNumber } from '../../kit/money.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { LOSS_BY, type LossBy, PROFIT_BY, type ProfitBy, type ProfitFigures } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import { dayText } from './ledger.ts';
import type { ReadingTools } from './tools.ts';

export { PROFIT_BY, type ProfitBy };

export const PROFIT_DAYS = [7, 30, 90] as const;

const MAX_ROWS = 500;

export type Profit = ReturnType<typeof profitOf>;
/** With a model, channel, account or date; null: no channel, or refunds without a request. */
export type ProfitRow = Profit & { key: string | null };

export type PrepaidAmounts = Awaited<ReturnType<typeof readPrepaidAmounts>>;

export type ProfitView = Awaited<ReturnType<typeof showProfit>>;

interface ProfitQuestion {
  by: ProfitBy;
  /** Taipei days, including today. */
  days: number;
}

export async function showProfit(tools: ReadingTools, question: ProfitQuestion) {
  const [sums, cards] = await Promise.all([sumProfit(tools, question), readPrepaidAmounts(tools.store)]);
  return { ...sums, cards };
}

/** `owed` is what customers can still use: sold cards that nobody has redeemed yet, and the paid part of all balances. */
export async function readPrepaidAmounts({ read }: Pick<Store, 'read'>) {
  const liability = await read.cardLiability();
  const unredeemed = liability.sold - liability.redeemed;
  return { ...liability, unredeemed, owed: unredeemed + liability.unspent };
}

/** Figures of some days, without prepaid amounts. */
export async function sumProfit({ store, clock }: ReadingTools, { by, days }: ProfitQuestion) {
  const today = taipeiDay(clock.now());
  // Refunds are kept longer than usage: those of days whose revenue is gone must not reduce the rest.
  const from = Math.min(Math.max(today - days + 1, await store.read.usageKeptFrom()), today);
  // One day more: a node whose clock is ahead may have begun it.
  const { sums, totals } = await store.read.profit({ by, from, to: today + 2, limit: MAX_ROWS + 1 });
  const rows = sums.map(({ key, ...figures }) => ({ key, ...profitOf(figures) }));
  return {
    by,
    days,
    /** The first counted day: later than requested if older usage is no longer kept. */
    from: dayText(from),
    to: dayText(today),
    /** Largest revenue first, at most 500; days in their order, all of them. */
    rows: by === 'day' ? everyDay(rows, from, today) : rows.slice(0, MAX_ROWS),
    hasMore: sums.length > MAX_ROWS,
    /** Also of those beyond the list. */
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

function profitOf({ requests, revenue, knownRequests, knownRevenue, cost, loss }: ProfitFigures) {
  const isUnknown = requests > 0 && knownRequests === 0;
  const profit = isUnknown ? null : knownRevenue - cost - loss;
  return {
    requests,
    revenue,
    /** Of requests with a known cost; null if no request has a known cost. */
    cost: isUnknown ? null : cost,
    loss,
    /** Revenue whose cost is known, without that cost and losses; null as the cost is. */
    profit,
    /** The profit as a part of that revenue; null without such revenue. */
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
export function profitFile({ by, rows }: Pick<ProfitView, 'by' | 'rows'>): string {
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

export type LossView = Awaited<ReturnType<typeof showLosses>>;

export async function showLosses({ store, clock }: ReadingTools, { by, days, accountId }: LossQuestion) {
  const today = taipeiDay(clock.now());
  const first = today - days + 1;
  // One day more: a node whose clock is ahead may have begun it.
  const question = { by, from: first, to: today + 2, accountId, limit: MAX_SUMS + 1 };
  const { sums, losses, amount } = await store.read.losses(question);
  const keptFrom = await store.read.usageKeptFrom();
  return {
    by,
    days,
    /** The first counted day: later than requested if older losses are no longer kept. */
    from: dayText(Math.min(Math.max(first, keptFrom), today)),
    to: dayText(today),
    /** Largest first, at most 500. */
    sums: sums.slice(0, MAX_SUMS),
    hasMore: sums.length > MAX_SUMS,
    /** Also of those beyond the list. */
    losses,
    total: amount,
  };
}
