// What keys spent before it was kept for every key, and what the migration makes of it: in the SQL of both databases.

import { taipeiDay } from '../../src/kit/taipei.ts';
import type { Migration } from '../../src/store/migration.ts';

export const beforeBudgets = (migrations: readonly Migration[]) => migrations.filter(({ version }) => version < 11);

/** When it is asked for: files that share a process may do so long after this one was read. */
const today = () => taipeiDay(Date.now());
const spent = (keyId: string, model: string, day: number, cost: number) =>
  `('acc_1', ${day}, '${keyId}', '${model}', 'up', 'ok', 1, 1, 0, 0, 0, 1, 0, 0, ${cost})`;

/** Without the records, which are of days before those that are kept. */
export const SPENT_BEFORE: Iterable<string> = {
  *[Symbol.iterator]() {
    const day = today();
    yield `INSERT INTO usage_days VALUES ${[
      spent('key_new', 'a', day, 300),
      spent('key_new', 'b', day, 40),
      spent('key_new', 'a', day - 1, 5),
      spent('key_known', 'a', day, 300),
      spent('key_idle', 'a', day - 1, 300),
      spent('key_free', 'a', day, 0),
    ].join(', ')}`;
    yield `INSERT INTO budgets VALUES ('key_known', ${day}, 7, 0)`;
    yield `INSERT INTO settings VALUES ('usage_from_day', '${day + 1}')`;
  },
};

export const KEPT_BUDGETS = 'SELECT key_id, day, spent_nano, held_nano FROM budgets ORDER BY key_id';
export const KEPT_THEN = [
  { key_id: 'key_known', spent_nano: 7n, held_nano: 0n },
  { key_id: 'key_new', spent_nano: 340n, held_nano: 0n },
].map((row) => ({
  ...row,
  get day() {
    return BigInt(today());
  },
}));
