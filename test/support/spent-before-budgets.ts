// What keys spent before it was kept for every key, and what the migration makes of it: in the SQL of both databases.

import { taipeiDay } from '../../src/kit/taipei.ts';
import type { Migration } from '../../src/store/sqlite/migrations/index.ts';

export const beforeBudgets = (migrations: readonly Migration[]) => migrations.filter(({ version }) => version < 11);

const today = taipeiDay(Date.now());
const spent = (keyId: string, model: string, day: number, cost: number) =>
  `('acc_1', ${day}, '${keyId}', '${model}', 'up', 'ok', 1, 1, 0, 0, 0, 1, 0, 0, ${cost})`;

/** Without the records, which are of days before those that are kept. */
export const SPENT_BEFORE = [
  `INSERT INTO usage_days VALUES ${[
    spent('key_new', 'a', today, 300),
    spent('key_new', 'b', today, 40),
    spent('key_new', 'a', today - 1, 5),
    spent('key_known', 'a', today, 300),
    spent('key_idle', 'a', today - 1, 300),
    spent('key_free', 'a', today, 0),
  ].join(', ')}`,
  `INSERT INTO budgets VALUES ('key_known', ${today}, 7, 0)`,
  `INSERT INTO settings VALUES ('usage_from_day', '${today + 1}')`,
];

export const KEPT_BUDGETS = 'SELECT * FROM budgets ORDER BY key_id';
export const KEPT_THEN = [
  { key_id: 'key_known', day: BigInt(today), spent_nano: 7n, held_nano: 0n },
  { key_id: 'key_new', day: BigInt(today), spent_nano: 340n, held_nano: 0n },
];
