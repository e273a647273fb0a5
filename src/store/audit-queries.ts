// The invariants of the ledger as queries. Each returns the rows that violate one. The SQL is common to both databases;
// `TOUCHED` stands for the set of accounts a pass looks at, `NEWEST` for the entry it begins after, `TODAY` for its day.

import { DAY_MS } from '../kit/clock.ts';
import { NANO_PER_NTD } from '../kit/money.ts';
import { OFFSET_MS, taipeiDay } from '../kit/taipei.ts';
import { ACCEPTED_ENTRY, balanceAfter, joinAccepted, wrongEntries } from './accepted-chains.ts';
import type { AuditScope, Difference } from './audit-read.ts';
import { KEPT_DAY, KEPT_SETTLED_AT, USAGE_KEPT_FROM } from './kept-usage.ts';
import type { Row, Rows } from './read.ts';
import { type EntryKind, GUARDED_REASONS, HOUSE_ACCOUNTS } from './rows.ts';

interface AuditQuery<What = string> {
  /** The difference that its rows show. */
  what: What;
  /** Returns subject, expected, found. */
  sql: string;
  pass: 'both' | 'full' | 'short';
  /** Uses `TODAY`, which some passes do not have. */
  isDated?: true;
}

const HOUSE = HOUSE_ACCOUNTS.map((name) => `'${name}'`).join(', ');

/** The debit and the credit side of each kind of entry, as SQL: a column or a literal. */
const SIDES: Readonly<Record<EntryKind, readonly [debit: string, credit: string]>> = {
  trial: ["'house:trial'", 'account_id'],
  // A missing card is reported as `card`.
  card: ["coalesce('house:cards_' || (SELECT c.kind FROM cards c WHERE c.serial = reference), debit)", 'account_id'],
  topup: ["'house:topups'", 'account_id'],
  credit: ["'house:credit'", 'account_id'],
  usage: ['account_id', "'house:revenue'"],
  refund: ["'house:revenue'", 'account_id'],
  payout: ['account_id', "'house:payouts'"],
  payout_fee: ['account_id', "'house:fees'"],
  write_off: ["'house:write_off'", "'house:revenue'"],
};
const sideByKind = (side: 0 | 1) =>
  `CASE kind ${Object.entries(SIDES)
    .map(([kind, sides]) => `WHEN '${kind}' THEN ${sides[side]}`)
    .join(' ')} END`;

/** Open holds count for their key and for all its ancestors. */
const HELD_BY_KEYS = `WITH RECURSIVE counted (key_id, amount_nano) AS (
    SELECT key_id, amount_nano FROM holds WHERE budgeted
    UNION ALL
    SELECT k.parent_id, c.amount_nano FROM counted c JOIN keys k ON k.key_id = c.key_id WHERE k.parent_id IS NOT NULL
  ) SELECT key_id, sum(amount_nano) AS total, count(*) AS calls FROM counted GROUP BY key_id`;

/** Whether a hold counts for a session: the id of the page is in its chain. */
const OF_SESSION = `replace(h.chain, '"' || s.session_id || '"', '') <> h.chain`;

/** The limits of a key as they are stored with its budgets. */
const LIMITS_OF_KEY = `CASE
    WHEN daily_budget_nano IS NULL THEN nullif(limits, '{}')
    WHEN limits = '{}' THEN '{"dayBudget":"' || CAST(daily_budget_nano AS TEXT) || '"}'
    ELSE '{"dayBudget":"' || CAST(daily_budget_nano AS TEXT) || '",' || substr(limits, 2) END`;

/** The columns of daily sums, computed from the records. */
const SUMMED_BY_DAY = ['cost', 'requests', 'upstream', 'known', 'revenue'] as const;

function differs(name: (typeof SUMMED_BY_DAY)[number]): string {
  return `sum(own_${name}) <> sum(day_${name})`;
}

/** Fills in a query for one pass. */
export function fillAudit(sql: string, { now = 0, since }: AuditScope): string {
  const touched = since ? ` WHERE touched_at >= ${Math.trunc(since.touchedAt)}` : '';
  return sql
    .replaceAll('TOUCHED', `SELECT account_id FROM wallets${touched}`)
    .replaceAll('NEWEST', String(Math.trunc(since?.entryId ?? 0)))
    .replaceAll('TODAY', String(taipeiDay(now)));
}

export type AuditedKind = (typeof AUDIT_QUERIES)[number]['what'];

export function auditQueriesFor({ now, since }: AuditScope): AuditQuery<AuditedKind>[] {
  const queries: readonly AuditQuery<AuditedKind>[] = AUDIT_QUERIES;
  return queries.filter(
    ({ pass, isDated }) => (pass === 'both' || pass === (since ? 'short' : 'full')) && (!isDated || now !== undefined),
  );
}

const AUDIT_QUERIES = [
  // An account without a wallet: the queries about wallets cannot find it.
  {
    what: 'wallet',
    pass: 'full',
    sql: `SELECT a.account_id AS subject, 'none' AS found, coalesce((
        SELECT sum(CASE WHEN e.credit = e.account_id THEN e.amount_nano ELSE -e.amount_nano END)
        FROM entries e WHERE e.account_id = a.account_id
      ), 0) AS expected
      FROM accounts a LEFT JOIN wallets w ON w.account_id = a.account_id
      WHERE w.account_id IS NULL`,
  },
  {
    what: 'balance',
    pass: 'full',
    sql: `SELECT w.account_id AS subject, coalesce(s.total, 0) AS expected, w.balance_nano AS found
      FROM wallets w LEFT JOIN (
        SELECT e.account_id, sum(CASE WHEN e.credit = e.account_id THEN e.amount_nano ELSE -e.amount_nano END) AS total
        FROM entries e WHERE e.account_id IN (TOUCHED) GROUP BY e.account_id
      ) s ON s.account_id = w.account_id
      WHERE w.account_id IN (TOUCHED) AND w.balance_nano <> coalesce(s.total, 0)`,
  },
  {
    what: 'held',
    pass: 'both',
    sql: `SELECT w.account_id AS subject, coalesce(s.total, 0) AS expected, w.held_nano AS found
      FROM wallets w LEFT JOIN (
        SELECT account_id, sum(amount_nano) AS total FROM holds WHERE account_id IN (TOUCHED) GROUP BY account_id
      ) s ON s.account_id = w.account_id
      WHERE w.account_id IN (TOUCHED) AND w.held_nano <> coalesce(s.total, 0)`,
  },
  ...(['in_flight', 'free_in_flight'] as const).map((column) => ({
    what: column,
    pass: 'both' as const,
    sql: `SELECT w.account_id AS subject, coalesce(s.total, 0) AS expected, w.${column} AS found
      FROM wallets w LEFT JOIN (
        SELECT account_id, count(*) AS total FROM holds
        WHERE account_id IN (TOUCHED) AND ${column === 'in_flight' ? 'NOT' : ''} free GROUP BY account_id
      ) s ON s.account_id = w.account_id
      WHERE w.account_id IN (TOUCHED) AND w.${column} <> coalesce(s.total, 0)`,
  })),
  {
    what: 'budget_held',
    pass: 'full',
    sql: `SELECT b.key_id AS subject, coalesce(s.total, 0) AS expected, b.held_nano AS found
      FROM budgets b LEFT JOIN (${HELD_BY_KEYS}) s ON s.key_id = b.key_id
      WHERE b.held_nano <> coalesce(s.total, 0)
      UNION ALL
      SELECT s.key_id, s.total, 0
      FROM (${HELD_BY_KEYS}) s LEFT JOIN budgets b ON b.key_id = s.key_id
      WHERE b.key_id IS NULL AND s.total > 0`,
  },
  {
    what: 'budget_in_flight',
    pass: 'full',
    sql: `SELECT b.key_id AS subject, coalesce(s.calls, 0) AS expected, b.in_flight AS found
      FROM budgets b LEFT JOIN (${HELD_BY_KEYS}) s ON s.key_id = b.key_id
      WHERE b.in_flight <> coalesce(s.calls, 0)`,
  },
  {
    what: 'session_held',
    pass: 'full',
    sql: `SELECT s.session_id AS subject, s.held_nano AS found, coalesce((
        SELECT sum(h.amount_nano) FROM holds h WHERE ${OF_SESSION}
      ), 0) AS expected
      FROM session_budgets s
      WHERE s.held_nano > 0 AND s.held_nano <> coalesce((
        SELECT sum(h.amount_nano) FROM holds h WHERE ${OF_SESSION}
      ), 0)
      UNION ALL
      SELECT h.request_id, 0, h.amount_nano FROM holds h
      WHERE h.amount_nano > 0 AND h.chain LIKE '%"sessions":["%'
        AND NOT EXISTS (SELECT 1 FROM session_budgets s WHERE s.held_nano > 0 AND ${OF_SESSION})`,
  },
  {
    what: 'key_limits',
    pass: 'full',
    sql: `SELECT k.key_id AS subject, coalesce(k.limits, 'none') AS expected, coalesce(b.limits, 'none') AS found
      FROM (SELECT key_id, ${LIMITS_OF_KEY} AS limits FROM keys) k LEFT JOIN budgets b ON b.key_id = k.key_id
      WHERE coalesce(k.limits, '') <> coalesce(b.limits, '')`,
  },
  // Balances of wallets and house accounts are computed from the sides. An unknown side, as of an entry without an account,
  // fits no kind.
  {
    what: 'sides',
    pass: 'full',
    sql: `SELECT reference AS subject, coalesce(due_debit, '?') || ' > ' || coalesce(due_credit, '?') AS expected,
        debit || ' > ' || credit AS found
      FROM (
        SELECT reference, debit, credit, ${sideByKind(0)} AS due_debit, ${sideByKind(1)} AS due_credit FROM entries
      ) sides
      WHERE (debit = due_debit AND credit = due_credit) IS NOT TRUE`,
  },
  {
    what: 'chain',
    pass: 'full',
    sql: wrongEntries('account_id IS NOT NULL'),
  },
  {
    what: 'balance',
    pass: 'short',
    sql: `SELECT subject, expected, found FROM (
        SELECT w.account_id AS subject, w.balance_nano AS found, coalesce((
          SELECT ${balanceAfter('e')} FROM entries e WHERE e.account_id = w.account_id ORDER BY e.entry_id DESC LIMIT 1
        ), 0) AS expected
        FROM wallets w ${joinAccepted('w.account_id')} WHERE w.account_id IN (TOUCHED)
      ) touched WHERE expected <> found`,
  },
  {
    what: 'chain',
    pass: 'short',
    sql: `SELECT subject, expected, found FROM (
        SELECT e.account_id AS subject, e.balance_after_nano AS found, coalesce((
          SELECT ${balanceAfter('p')} FROM entries p
          WHERE p.account_id = e.account_id AND p.entry_id < e.entry_id ORDER BY p.entry_id DESC LIMIT 1
        ), 0) + CASE WHEN e.credit = e.account_id THEN e.amount_nano ELSE -e.amount_nano END AS expected
        FROM entries e ${joinAccepted('e.account_id')}
        WHERE e.entry_id > NEWEST AND e.account_id IS NOT NULL AND e.entry_id > coalesce(${ACCEPTED_ENTRY}, 0)
      ) chained WHERE expected <> found`,
  },
  // The two queries below join by key from both sides: a full outer join would compare every row with every other.
  {
    what: 'settlement',
    pass: 'full',
    sql: `SELECT u.request_id AS subject, u.cost_nano AS expected, coalesce(e.amount_nano, 0) AS found
      FROM usage_records u
      LEFT JOIN entries e ON e.kind = 'usage' AND e.reference = u.request_id AND e.account_id = u.account_id
      WHERE u.cost_nano > 0 AND u.cost_nano <> coalesce(e.amount_nano, 0)
      UNION ALL
      SELECT e.reference, 0, e.amount_nano
      FROM entries e
      LEFT JOIN usage_records u ON u.request_id = e.reference AND u.account_id = e.account_id AND u.cost_nano > 0
      WHERE e.kind = 'usage' AND e.at >= ${KEPT_SETTLED_AT} AND u.request_id IS NULL`,
  },
  {
    what: 'card',
    pass: 'full',
    sql: `SELECT c.serial AS subject, c.amount_nano AS expected, coalesce(e.amount_nano, 0) AS found
      FROM cards c
      LEFT JOIN entries e ON e.kind = 'card' AND e.reference = c.serial AND e.account_id = c.redeemed_by
      WHERE c.state = 'redeemed' AND c.amount_nano <> coalesce(e.amount_nano, 0)
      UNION ALL
      SELECT e.reference, 0, e.amount_nano
      FROM entries e
      LEFT JOIN cards c ON c.serial = e.reference AND c.redeemed_by = e.account_id AND c.state = 'redeemed'
      WHERE e.kind = 'card' AND c.serial IS NULL`,
  },
  // Paid money that was not paid out is either in the wallet or spent.
  {
    what: 'paid',
    pass: 'full',
    sql: `SELECT w.account_id AS subject, coalesce(s.total, 0) AS expected, w.paid_nano + w.paid_spent_nano AS found
      FROM wallets w LEFT JOIN (
        SELECT account_id, sum(CASE WHEN kind IN ('payout', 'payout_fee') THEN -amount_nano ELSE amount_nano END) AS total
        FROM entries
        WHERE kind <> 'usage' AND (kind IN ('topup', 'payout', 'payout_fee') OR debit = 'house:cards_sold')
        GROUP BY account_id
      ) s ON s.account_id = w.account_id
      WHERE w.paid_nano + w.paid_spent_nano <> coalesce(s.total, 0)`,
  },
  {
    what: 'refund',
    pass: 'full',
    sql: `SELECT subject, sum(booked) AS expected, sum(counted) AS found FROM (
        SELECT refund_of AS subject, amount_nano AS booked, 0 AS counted FROM entries WHERE refund_of IS NOT NULL
        UNION ALL SELECT refund_of, 0, refunded_nano FROM refunded
      ) refunds GROUP BY subject HAVING sum(booked) <> sum(counted)`,
  },
  // The sums of days, from which totals are computed, against the records. The first figure that differs is reported.
  {
    what: 'usage_day',
    pass: 'full',
    sql: `SELECT account_id AS subject, CASE ${SUMMED_BY_DAY.map(
      (name) => `WHEN ${differs(name)} THEN sum(own_${name})`,
    ).join(
      ' ',
    )} END AS expected, CASE ${SUMMED_BY_DAY.map((name) => `WHEN ${differs(name)} THEN sum(day_${name})`).join(' ')} END AS found
      FROM (
        SELECT account_id, (at + ${OFFSET_MS}) / ${DAY_MS} AS day, key_id, model, coalesce(channel, '') AS channel, status,
          cost_nano AS own_cost, 0 AS day_cost, 1 AS own_requests, 0 AS day_requests,
          coalesce(upstream_nano, 0) AS own_upstream, 0 AS day_upstream,
          CASE WHEN upstream_nano IS NULL THEN 0 ELSE 1 END AS own_known, 0 AS day_known,
          CASE WHEN upstream_nano IS NULL THEN 0 ELSE cost_nano END AS own_revenue, 0 AS day_revenue
        FROM usage_records
        UNION ALL
        SELECT account_id, day, key_id, model, channel, status, 0, cost_nano, 0, requests, 0, upstream_nano,
          0, known_requests, 0, known_revenue_nano
        FROM usage_days
      ) AS sides
      WHERE day >= ${KEPT_DAY}
      GROUP BY account_id, day, key_id, model, channel, status
      HAVING ${SUMMED_BY_DAY.map(differs).join(' OR ')}`,
  },
  // Likewise the sums of losses. A sum too large for its column stays at the largest amount.
  {
    what: 'loss_sum',
    pass: 'full',
    sql: `SELECT account_id AS subject, sum(own) AS expected, sum(counted) AS found
      FROM (
        SELECT account_id, day, model, coalesce(channel, '') AS channel, reason, amount_nano AS own, 0 AS counted
        FROM losses
        UNION ALL
        SELECT account_id, day, model, channel, reason, 0, amount_nano
        FROM loss_sums
      ) AS sides
      WHERE day >= ${KEPT_DAY}
      GROUP BY account_id, day, model, channel, reason
      HAVING sum(own) <> sum(counted) AND sum(counted) < 9223372036854775807`,
  },
  // Compares an account's losses of its newest day with the rows that count for the guard. There may be more rows after a clock
  // that was days ahead was set back: the day then began anew, and rows of later days show it. Until November 2026, usage above
  // the hold counted, too, so a day may have that as well.
  {
    what: 'loss_day',
    pass: 'full',
    sql: `SELECT subject, expected, found FROM (
        SELECT l.account_id AS subject, l.day, l.amount_nano AS found, coalesce((
          SELECT sum(r.amount_nano) FROM losses r
          WHERE r.account_id = l.account_id AND r.day = l.day AND r.reason IN (${GUARDED_REASONS})
        ), 0) AS expected, coalesce((
          SELECT sum(r.amount_nano) FROM losses r
          WHERE r.account_id = l.account_id AND r.day = l.day AND r.reason = 'above_hold'
        ), 0) AS above_hold
        FROM loss_days l WHERE l.day >= ${KEPT_DAY}
      ) days
      WHERE found > expected + above_hold OR (found < expected AND NOT EXISTS (
        SELECT 1 FROM losses r WHERE r.account_id = days.subject AND r.day > days.day
      ))
      UNION ALL
      SELECT r.account_id, sum(r.amount_nano), 0
      FROM losses r LEFT JOIN loss_days l ON l.account_id = r.account_id
      WHERE l.account_id IS NULL AND r.reason IN (${GUARDED_REASONS}) AND r.day >= ${KEPT_DAY}
      GROUP BY r.account_id`,
  },
  // If the day is in the future, the two queries above would compare nothing until then.
  {
    what: 'usage_from_day',
    pass: 'full',
    isDated: true,
    sql: `SELECT 'usage' AS subject, TODAY AS expected, day AS found FROM (${USAGE_KEPT_FROM}) kept WHERE day > TODAY`,
  },
] as const satisfies readonly AuditQuery[];

/** Both sides of every entry, without sides of unknown accounts: their amounts are missing from the total. */
export const AUDIT_TOTAL = `SELECT coalesce(sum(
    CASE WHEN debit IN (${HOUSE}) OR debit IN (SELECT account_id FROM accounts) THEN -amount_nano ELSE 0 END
    + CASE WHEN credit IN (${HOUSE}) OR credit IN (SELECT account_id FROM accounts) THEN amount_nano ELSE 0 END
  ), 0) AS total, count(*) AS entries, (SELECT coalesce(max(entry_id), 0) FROM entries) AS last_entry_id
  FROM entries WHERE entry_id > NEWEST`;

export const AUDIT_WALLETS = 'SELECT count(*) AS wallets FROM (TOUCHED) touched';

/** Sums whole NT$ and the rest separately: the turnover may exceed 64 bits of nano-NT$. */
export const AUDIT_HOUSE = `SELECT account, sum(sign * (amount_nano / 1000000000)) AS ntd,
    sum(sign * (amount_nano % 1000000000)) AS nano FROM (
    SELECT debit AS account, -1 AS sign, amount_nano FROM entries WHERE debit IN (${HOUSE})
    UNION ALL SELECT credit, 1, amount_nano FROM entries WHERE credit IN (${HOUSE})
  ) sides GROUP BY account ORDER BY account`;

const WALLET_FAULTS: readonly Difference['what'][] = ['balance', 'held', 'in_flight', 'free_in_flight', 'chain'];

/** The differences for which an account is frozen, by account. */
export function wrongWallets(differences: readonly Difference[]): Map<string, Difference[]> {
  return Map.groupBy(
    differences.filter(({ what }) => WALLET_FAULTS.includes(what)),
    ({ subject }) => subject,
  );
}

export function toHouse(rows: Rows): Record<string, bigint> {
  return Object.fromEntries(rows.map((row) => [String(row.account), houseAmount(row)]));
}

function houseAmount({ ntd, nano }: Row): bigint {
  return BigInt(String(ntd)) * NANO_PER_NTD + BigInt(String(nano));
}
