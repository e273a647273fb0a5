// The ledger's invariants, recomputed from the rows by SQL of the tests' own.

import type { Database } from 'bun:sqlite';

interface Invariant {
  holds: string;
  /** Selects the rows that break it. */
  broken: string;
}

const INVARIANTS: readonly Invariant[] = [
  {
    holds: 'balance = sum of entries',
    broken: `SELECT account_id FROM wallets w WHERE balance_nano <>
      (SELECT coalesce(sum(amount_nano), 0) FROM entries WHERE credit = w.account_id) -
      (SELECT coalesce(sum(amount_nano), 0) FROM entries WHERE debit = w.account_id)`,
  },
  {
    holds: 'held = sum of open holds',
    broken: `SELECT account_id FROM wallets w WHERE held_nano <>
      (SELECT coalesce(sum(amount_nano), 0) FROM holds h WHERE h.account_id = w.account_id)`,
  },
  {
    holds: 'in flight = open holds',
    broken: `SELECT account_id FROM wallets w WHERE
      in_flight <> (SELECT count(*) FROM holds h WHERE h.account_id = w.account_id AND free = 0) OR
      free_in_flight <> (SELECT count(*) FROM holds h WHERE h.account_id = w.account_id AND free = 1)`,
  },
  {
    holds: 'available >= 0',
    broken: 'SELECT account_id FROM wallets WHERE balance_nano < held_nano OR balance_nano < 0 OR held_nano < 0',
  },
  {
    holds: 'an entry says what stood in the wallet afterwards',
    broken: `SELECT entry_id FROM (
      SELECT entry_id, balance_after_nano, sum(iif(credit = account_id, amount_nano, -amount_nano))
        OVER (PARTITION BY account_id ORDER BY entry_id) AS running FROM entries WHERE account_id IS NOT NULL
    ) WHERE running <> balance_after_nano`,
  },
  {
    holds: 'every cost has one entry of its amount',
    broken: `SELECT request_id FROM usage_records u WHERE cost_nano <>
      (SELECT coalesce(sum(amount_nano), 0) FROM entries WHERE kind = 'usage' AND reference = u.request_id)`,
  },
  {
    holds: 'every usage entry has a usage record',
    broken: `SELECT entry_id FROM entries e WHERE kind = 'usage' AND NOT EXISTS
      (SELECT 1 FROM usage_records WHERE request_id = e.reference AND account_id = e.account_id)`,
  },
  {
    holds: 'the losses of a day that count for the guard are its rows',
    broken: `SELECT account_id FROM loss_days d WHERE amount_nano <>
      (SELECT coalesce(sum(amount_nano), 0) FROM losses l WHERE l.account_id = d.account_id AND l.day = d.day
         AND reason NOT IN ('free_model', 'gateway_died', 'gateway_cut', 'failed_attempt', 'replaced_run', 'hedge',
           'above_hold', 'service_tier'))`,
  },
  {
    holds: 'sums by day have the revenue, the known costs and the requests of the records',
    broken: `SELECT account_id FROM wallets w WHERE
      (SELECT total(requests) || ' ' || coalesce(sum(cost_nano), 0) || ' ' || coalesce(sum(upstream_nano), 0) || ' ' ||
         total(known_requests) || ' ' || coalesce(sum(known_revenue_nano), 0)
       FROM usage_days d WHERE d.account_id = w.account_id) <>
      (SELECT (count(*) + 0.0) || ' ' || coalesce(sum(cost_nano), 0) || ' ' || coalesce(sum(upstream_nano), 0) || ' ' ||
         (count(upstream_nano) + 0.0) || ' ' || coalesce(sum(cost_nano) FILTER (WHERE upstream_nano IS NOT NULL), 0)
       FROM usage_records u WHERE u.account_id = w.account_id)`,
  },
  {
    holds: 'sums of losses are those of their rows',
    broken: `SELECT account_id FROM wallets w WHERE
      (SELECT coalesce(sum(amount_nano), 0) FROM loss_sums s WHERE s.account_id = w.account_id) <>
      (SELECT coalesce(sum(amount_nano), 0) FROM losses l WHERE l.account_id = w.account_id)`,
  },
  {
    holds: 'a request is open or closed, not both',
    broken: 'SELECT request_id FROM holds WHERE request_id IN (SELECT request_id FROM usage_records)',
  },
  {
    holds: 'every account has a wallet and its trial entry',
    broken: `SELECT account_id FROM accounts a WHERE
      NOT EXISTS (SELECT 1 FROM wallets w WHERE w.account_id = a.account_id) OR
      NOT EXISTS (SELECT 1 FROM entries e WHERE e.kind = 'trial' AND e.account_id = a.account_id)`,
  },
];

/** What is broken; empty if nothing is. */
export function auditLedger(db: Database): string[] {
  return INVARIANTS.flatMap(({ holds, broken }) =>
    db
      .query<Record<string, unknown>, []>(broken)
      .all()
      .map((row) => `${holds}: ${Object.values(row).join()}`),
  );
}
