// A database of the version before keys had months, totals and ancestors, with a call that runs: in the SQL of both
// databases. What the migration makes of it, and how that call ends.

import { expect } from 'bun:test';
import { taipeiDay, taipeiMonth } from '../../src/kit/taipei.ts';
import type { Migration } from '../../src/store/migration.ts';
import type { Store } from '../../src/store/store.ts';
import { NODE, paid, renewLease, settling } from '../store/suite/samples.ts';

export const beforeChains = (migrations: readonly Migration[]) => migrations.filter(({ version }) => version < 14);

const usage = (keyId: string, day: number, cost: number) =>
  `('acc_1', ${day}, '${keyId}', 'm', 'up', 'ok', 1, 1, 0, 0, 0, 1, 0, 0, ${cost})`;
const KEY_COLUMNS = 'key_id, account_id, hash, last4, manage, daily_budget_nano, created_at';

export function heldBefore(): string[] {
  const day = taipeiDay(Date.now());
  return [
    `INSERT INTO accounts VALUES ('acc_1', 1)`,
    `INSERT INTO wallets VALUES ('acc_1', 1000, 300, 1, 0, FALSE, 0)`,
    `INSERT INTO keys (${KEY_COLUMNS}) VALUES ('key_a', 'acc_1', 'a', 'aaaa', TRUE, NULL, 1),
      ('key_b', 'acc_1', 'b', 'bbbb', FALSE, 500, 1), ('key_c', 'acc_1', 'c', 'cccc', FALSE, 7, 1)`,
    `INSERT INTO budgets VALUES ('key_b', ${day}, 40, 300)`,
    `INSERT INTO holds VALUES ('req_1', 'acc_1', 'key_b', '${NODE}', 300, FALSE, 'm', 'chat', FALSE, 1, 1, TRUE)`,
    `INSERT INTO usage_days VALUES ${[usage('key_a', day, 70), usage('key_b', day, 40), usage('key_b', day - 400, 1_000)]}`,
  ];
}

export async function checkHeldBefore(store: Store): Promise<void> {
  const at = Date.now();
  await renewLease(store, NODE, at + 60_000);
  const ids = ['key_a', 'key_b', 'key_c'];
  const budgets = async () => (await store.read.budgetsOf(ids)).toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1));
  const month = taipeiMonth(at);
  const none = { day: 0, spent: 0n, held: 0n, month, monthSpent: 0n, totalSpent: 0n, inFlight: 0, limits: null };
  const ofB = { keyId: 'key_b', day: taipeiDay(at), month, limits: { dayBudget: 500n } };
  expect(await budgets()).toEqual([
    { ...none, keyId: 'key_a', monthSpent: 70n, totalSpent: 70n },
    { ...ofB, spent: 40n, held: 300n, monthSpent: 40n, totalSpent: 1_040n, inFlight: 1 },
    { ...none, keyId: 'key_c', limits: { dayBudget: 7n } },
  ]);
  const key = { accountId: 'acc_1', keyId: 'key_b' };
  expect(await store.commit('settle', settling({ ...paid(key), requestId: 'req_1' }, 100n, { at }))).toMatchObject({
    charged: 100n,
  });
  expect((await budgets())[1]).toEqual({
    ...ofB,
    spent: 140n,
    held: 0n,
    monthSpent: 140n,
    totalSpent: 1_140n,
    inFlight: 0,
  });
  const asking = (base: bigint) => store.commit('admit', paid(key, { at, hold: { base, unit: 0n } }));
  expect(await asking(361n)).toMatchObject({ reason: 'key_budget_exceeded', short: { spent: 140n, limit: 500n } });
  expect(await asking(360n)).toMatchObject({ ok: true });
}
