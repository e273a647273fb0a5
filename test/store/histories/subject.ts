// A store as the histories see it: operations go in, several histories' at once; what stands in the rows comes out.

import type { Database } from 'bun:sqlite';
import type { Decided } from '../../../src/store/book/decide.ts';
import type { Operation } from '../../../src/store/operations.ts';

export interface AccountState {
  balance: bigint;
  held: bigint;
  inFlight: number;
  freeInFlight: number;
  frozen: boolean;
  paid: bigint;
  paidSpent: bigint;
  /** Recomputed from the entries and the open holds. */
  entrySum: bigint;
  holdSum: bigint;
}

/** Every row of an account, and the page of its newest day. */
export interface LossState {
  booked: { day: number; reason: string; amount: bigint }[];
  counted: { day: number; amount: bigint } | undefined;
}

export interface UsageState {
  cost: bigint;
  paid: bigint | null;
  status: string;
  balanceAfter: bigint;
  rule: string | null;
  upstreamCost: bigint | null;
}

/** An account's sums of all days. */
export interface ProfitState {
  requests: number;
  revenue: bigint;
  known: number;
  knownRevenue: bigint;
  cost: bigint;
  loss: bigint;
}

export interface Subject {
  /** Operations submitted in one turn are decided in the order they were submitted in. */
  submit(operation: Operation): Promise<Decided>;
  account(accountId: string): Promise<AccountState | undefined>;
  losses(accountId: string): Promise<LossState>;
  profit(accountId: string): Promise<ProfitState>;
  budget(keyId: string): Promise<{ spent: bigint; held: bigint } | undefined>;
  card(hash: string): Promise<{ state: string; redeemedBy: string | null } | undefined>;
  /** The usage record, and how often a settlement of this request was posted. */
  usage(requestId: string): Promise<(UsageState & { entries: number }) | undefined>;
}

export const LOSSES = 'SELECT day, reason, amount_nano FROM losses WHERE account_id = $1 ORDER BY loss_id';
export const LOSS_DAY = 'SELECT day, amount_nano FROM loss_days WHERE account_id = $1';

const PROFIT_COLUMNS: Readonly<Record<keyof ProfitState, string>> = {
  requests: 'usage_days.requests',
  revenue: 'usage_days.cost_nano',
  known: 'usage_days.known_requests',
  knownRevenue: 'usage_days.known_revenue_nano',
  cost: 'usage_days.upstream_nano',
  loss: 'loss_sums.amount_nano',
};
export const PROFIT = `SELECT ${Object.entries(PROFIT_COLUMNS)
  .map(([name, column]) => {
    const [table] = column.split('.');
    return `CAST((SELECT coalesce(sum(${column}), 0) FROM ${table} WHERE account_id = wallets.account_id) AS TEXT) AS "${name}"`;
  })
  .join(', ')} FROM wallets WHERE account_id = $1`;

export function toProfit(row: Readonly<Record<keyof ProfitState, string>> | null | undefined): ProfitState {
  const amount = (name: keyof ProfitState) => BigInt(row?.[name] ?? 0);
  return {
    requests: Number(amount('requests')),
    revenue: amount('revenue'),
    known: Number(amount('known')),
    knownRevenue: amount('knownRevenue'),
    cost: amount('cost'),
    loss: amount('loss'),
  };
}

interface LossRow {
  day: bigint;
  amount_nano: bigint;
}

export function toLosses(rows: readonly (LossRow & { reason: string })[], page: LossRow | null | undefined): LossState {
  return {
    booked: rows.map(({ day, reason, amount_nano: amount }) => ({ day: Number(day), reason, amount })),
    counted: page ? { day: Number(page.day), amount: page.amount_nano } : undefined,
  };
}

export type Commit = (operations: readonly Operation[]) => Decided[] | Promise<Decided[]>;

/** Collects what several histories submit in one turn, and commits it in batches of changing size. */
export function batching(commit: Commit, seed = 1): Subject['submit'] {
  const waiting: { operation: Operation; resolve(decided: Decided): void; reject(error: unknown): void }[] = [];
  let random = seed;
  let flushing = false;
  const nextSize = () => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 1 + ((random >> 8) % 64);
  };
  async function flush() {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, nextSize());
      try {
        const decided = await commit(batch.map(({ operation }) => operation));
        batch.forEach(({ resolve, reject }, index) => {
          const answer = decided[index];
          if (answer) resolve(answer);
          else reject(new Error('an operation got no answer'));
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flushing = false;
  }
  return (operation) =>
    new Promise((resolve, reject) => {
      waiting.push({ operation, resolve, reject });
      if (flushing) return;
      flushing = true;
      setImmediate(() => void flush());
    });
}

/** The writer's own commit in this thread, its rows read through the same connection. */
export function sqliteSubject(db: Database, commit: Commit, seed?: number): Subject {
  const account = db.prepare<Record<string, bigint | null>, [string]>(
    `SELECT balance_nano, held_nano, in_flight, free_in_flight, frozen, paid_nano, paid_spent_nano,
       (SELECT coalesce(sum(CASE WHEN credit = account_id THEN amount_nano ELSE -amount_nano END), 0)
        FROM entries WHERE entries.account_id = wallets.account_id) AS entry_sum,
       (SELECT coalesce(sum(amount_nano), 0) FROM holds WHERE holds.account_id = wallets.account_id) AS hold_sum
     FROM wallets WHERE account_id = ?`,
  );
  const losses = db.prepare<{ day: bigint; reason: string; amount_nano: bigint }, [string]>(LOSSES.replace('$1', '?'));
  const lossDay = db.prepare<{ day: bigint; amount_nano: bigint }, [string]>(LOSS_DAY.replace('$1', '?'));
  const profit = db.prepare<Record<keyof ProfitState, string>, [string]>(PROFIT.replace('$1', '?'));
  const budget = db.prepare<{ spent_nano: bigint; held_nano: bigint }, [string]>(
    'SELECT spent_nano, held_nano FROM budgets WHERE key_id = ?',
  );
  const card = db.prepare<{ state: string; redeemed_by: string | null }, [string]>(
    'SELECT state, redeemed_by FROM cards WHERE hash = ?',
  );
  const usage = db.prepare<
    {
      cost_nano: bigint;
      status: string;
      balance_after_nano: bigint;
      rule: string | null;
      upstream_nano: bigint | null;
      entries: bigint;
      paid_nano: bigint | null;
    },
    [string]
  >(
    `SELECT cost_nano, status, balance_after_nano, rule, upstream_nano,
       (SELECT count(*) FROM entries WHERE kind = 'usage' AND reference = request_id) AS entries,
       (SELECT paid_nano FROM entries WHERE kind = 'usage' AND reference = request_id) AS paid_nano
     FROM usage_records WHERE request_id = ?`,
  );
  return {
    submit: batching(commit, seed),
    async account(accountId) {
      const row = account.get(accountId);
      return (
        (row && {
          balance: row.balance_nano ?? 0n,
          held: row.held_nano ?? 0n,
          inFlight: Number(row.in_flight),
          freeInFlight: Number(row.free_in_flight),
          frozen: row.frozen === 1n,
          paid: row.paid_nano ?? 0n,
          paidSpent: row.paid_spent_nano ?? 0n,
          entrySum: row.entry_sum ?? 0n,
          holdSum: row.hold_sum ?? 0n,
        }) ??
        undefined
      );
    },
    losses: async (accountId) => toLosses(losses.all(accountId), lossDay.get(accountId)),
    profit: async (accountId) => toProfit(profit.get(accountId)),
    async budget(keyId) {
      const row = budget.get(keyId);
      return row ? { spent: row.spent_nano, held: row.held_nano } : undefined;
    },
    async card(hash) {
      const row = card.get(hash);
      return row ? { state: row.state, redeemedBy: row.redeemed_by } : undefined;
    },
    async usage(requestId) {
      const row = usage.get(requestId);
      if (!row) return undefined;
      const { cost_nano: cost, status, balance_after_nano: balanceAfter, rule, upstream_nano: upstreamCost } = row;
      return { cost, paid: row.paid_nano, status, balanceAfter, rule, upstreamCost, entries: Number(row.entries) };
    },
  };
}
