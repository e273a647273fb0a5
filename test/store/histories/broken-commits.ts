// Commits with one fault each, as a tired programmer might make them. The histories must find every one.

import type { Database } from 'bun:sqlite';
import type { Decided } from '../../../src/store/book/decide.ts';
import type { Operation } from '../../../src/store/operations.ts';
import { NO_BUCKETS } from '../../../src/store/rows.ts';

type SyncCommit = (operations: readonly Operation[]) => Decided[];
type Break = (commit: SyncCommit, db: Database) => SyncCommit;

/** Alters each operation before it is committed. */
const altering =
  (alter: (operation: Operation) => Operation): Break =>
  (commit) =>
  (operations) =>
    commit(operations.map(alter));

/** Does something of its own after each committed operation. */
const after =
  (act: (db: Database, operation: Operation, decided: Decided) => void): Break =>
  (commit, db) =>
  (operations) =>
    operations.flatMap((operation) => {
      const [decided] = commit([operation]);
      if (!decided) return [];
      act(db, operation, decided);
      return [decided];
    });

/** Does something of its own before each operation. */
const before =
  (act: (db: Database, operation: Operation) => void): Break =>
  (commit, db) =>
  (operations) =>
    operations.flatMap((operation) => {
      act(db, operation);
      return commit([operation]);
    });

export const BROKEN_COMMITS: Readonly<Record<string, Break>> = {
  'a release that forgets the hold': after((db, { name, input }, decided) => {
    if (name !== 'release' || !decided.ok || !isClosed(decided.result)) return;
    db.run('UPDATE wallets SET held_nano = held_nano + 1 WHERE account_id = ? AND balance_nano > held_nano', [
      input.accountId,
    ]);
  }),
  'a budget that may be overrun by one nano': after((db, { name, input }) => {
    const budget = name === 'changeKey' ? input.changes.dailyBudget : undefined;
    if (name !== 'changeKey' || typeof budget !== 'bigint') return;
    db.run('UPDATE budgets SET limits = ? WHERE key_id = ?', [`{"dayBudget":"${budget + 1n}"}`, input.keyId]);
  }),
  'a guard of losses that may be overrun by one nano': altering((operation) => {
    if (operation.name !== 'release' || !operation.input.losses?.guard) return operation;
    const { losses } = operation.input;
    return { ...operation, input: { ...operation.input, losses: { ...losses, guard: (losses.guard ?? 0n) + 1n } } };
  }),
  'a guard of losses that begins anew when the clock steps back': (() => {
    const newest = new Map<string, number>();
    return before((db, { name, input }) => {
      if (name !== 'settle' && name !== 'release') return;
      const last = newest.get(input.accountId) ?? 0;
      if (input.outcome.at < last) db.run('DELETE FROM loss_days WHERE account_id = ?', [input.accountId]);
      newest.set(input.accountId, Math.max(last, input.outcome.at));
    });
  })(),
  'losses that the guard charges and that still are no cost': altering((operation) => {
    if (operation.name !== 'settle' || !operation.input.losses?.items.length) return operation;
    const { losses, outcome } = operation.input;
    const items = losses.items.map((item) => ({ ...item, isAtSalePrice: true }));
    return { ...operation, input: { ...operation.input, outcome, losses: { ...losses, items } } };
  }),
  'a sum by day that forgets an upstream cost': after((db, { name, input }) => {
    if (name !== 'settle') return;
    db.run('UPDATE usage_days SET upstream_nano = upstream_nano - 1 WHERE account_id = ? AND upstream_nano > 0', [
      input.accountId,
    ]);
  }),
  'a free window that re-opens when the clock steps back': (() => {
    const newest = new Map<string, number>();
    return before((db, { name, input }) => {
      if (name !== 'admit' || !input.charge.free) return;
      const last = newest.get(input.accountId) ?? 0;
      if (input.at < last) db.run('DELETE FROM windows WHERE window_id = ?', [`free:${input.accountId}`]);
      newest.set(input.accountId, Math.max(last, input.at));
    });
  })(),
  'a second settlement that is charged': after((db, { name, input }, decided) => {
    if (name !== 'settle' || !decided.ok || isClosed(decided.result)) return;
    db.run('UPDATE wallets SET balance_nano = balance_nano - 1 WHERE account_id = ? AND balance_nano > held_nano', [
      input.accountId,
    ]);
  }),
  'a sweep that keeps the slots': altering((operation) =>
    operation.name === 'sweep'
      ? {
          name: 'release',
          input: {
            requestId: operation.input.requestId,
            accountId: operation.input.accountId,
            keyId: operation.input.keyId,
            giveBackSlots: false,
            outcome: {
              at: operation.input.at,
              status: 'gateway_died',
              channel: null,
              buckets: NO_BUCKETS,
              reasoning: 0,
              estimated: false,
              firstTokenMs: null,
              totalMs: 0,
              attempts: [],
            },
          },
        }
      : operation,
  ),
  'a card that can be redeemed again after it was voided': before((db, { name, input }) => {
    if (name === 'redeem') {
      db.run(`UPDATE cards SET state = 'issued' WHERE state = 'voided' AND hash = ?`, [input.cardHash]);
    }
  }),
  'a lease that is never lost': altering((operation) =>
    operation.name === 'lease'
      ? { ...operation, input: { ...operation.input, expiresAt: Number.MAX_SAFE_INTEGER } }
      : operation,
  ),
  'a payout of free credit': before((db, { name, input }) => {
    if (name === 'payout') {
      db.run('UPDATE wallets SET paid_nano = balance_nano WHERE account_id = ?', [input.accountId]);
    }
  }),
  'a request that can be refunded twice': before((db, { name, input }) => {
    if (name === 'refund' && input.of) db.run('DELETE FROM refunded WHERE refund_of = ?', [input.of.id]);
  }),
  'an answer with the balance before the charge': (commit) => (operations) =>
    commit(operations).map((decided) =>
      decided.ok && isClosed(decided.result)
        ? { ok: true, result: { ...decided.result, balance: decided.result.balance + decided.result.charged } }
        : decided,
    ),
};

function isClosed(
  result: unknown,
): result is { state: 'closed'; charged: bigint; writtenOff: bigint; balance: bigint } {
  return typeof result === 'object' && result !== null && 'state' in result && result.state === 'closed';
}
