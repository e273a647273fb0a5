// Pages that the writer keeps are never older than what another process has written to the same file.

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKeyRow } from '../../src/accounts/keys/new-key-row.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Account, createAccount, paid, renewLease, settling } from './suite/samples.ts';

let folder: string;
let first: Store;
let second: Store;
let account: Account;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-pages-'));
  const open = () => openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock: systemClock });
  first = await open();
  second = await open();
  await renewLease(first);
  account = await createAccount(first, 1_000_000_000n);
});
afterEach(async () => {
  await first.close();
  await second.close();
  rmSync(folder, { recursive: true, force: true });
});

const credit = (store: Store, amount: bigint, reference: string) =>
  store.commit('credit', { accountId: account.accountId, amount, reason: 'test', reference, at: Date.now() });
const balanceOf = async (store: Store) => (await store.read.wallet(account.accountId))?.balance;

/** Two may come from the address. */
function register(accountId: string, at: number) {
  const address = 'a seat at the window';
  const keyId = `key_${accountId}`;
  const key = newKeyRow({ keyId, accountId, hash: accountId, last4: 'abcd', manage: true, createdAt: 1 });
  const limits = { perAddress: 2, perDay: 9 };
  return first.commit('register', { accountId, key, address, at, trial: 1n, limits });
}

test('two writers in turn: each sees what the other did, money and holds', async () => {
  for (let round = 0; round < 20; round++) {
    const [one, other] = round % 2 === 0 ? [first, second] : [second, first];
    const input = paid(account, {});
    expect(await one.commit('admit', input)).toMatchObject({ ok: true });
    // The other one closes what the first one opened, and knows the wallet that goes with it.
    expect(await other.commit('settle', settling(input, 1_000n))).toMatchObject({ state: 'closed', charged: 1_000n });
    await credit(one, 1_000n, `round ${round}`);
    expect(await other.commit('settle', settling(input, 1_000n))).toEqual({ state: 'late' });
  }
  expect(await balanceOf(first)).toBe(1_000_000_000n);
  expect(await first.read.audit({})).toMatchObject({ differences: [] });
});

test('a batch that the database refuses leaves no page behind', async () => {
  await credit(first, 5n, 'once');
  const before = await balanceOf(first);
  // The same reference again is refused by the database itself, together with whatever shares its batch.
  const [twice, fine] = await Promise.allSettled([credit(first, 5n, 'once'), credit(first, 7n, 'other')]);
  expect(fine.status).toBe('fulfilled');
  expect(await balanceOf(first)).toBe((before ?? 0n) + 7n + (twice.status === 'fulfilled' ? 5n : 0n));
  expect(await second.read.audit({})).toMatchObject({ differences: [] });
});

test('where forgetting fails half-way, no page outlives its row', async () => {
  const file = join(folder, 'gateway.sqlite');
  const run = (sql: string) => {
    const db = new Database(file);
    db.run(sql);
    db.close();
  };
  const at = Date.now();
  run("INSERT INTO leases (node_id, host, pid, expires_at) VALUES ('gone', 'gone', 1, 1)");
  run("CREATE TRIGGER stuck BEFORE DELETE ON leases BEGIN SELECT RAISE(ABORT, 'stuck'); END");
  expect(await register('acc_one', at)).toMatchObject({ ok: true });
  expect(await first.forget(at + 1).catch((error: Error) => error.message)).toBe('stuck');
  // Both are on record: a page without its row would be changed in memory alone.
  expect(await register('acc_two', at)).toMatchObject({ ok: true });
  await credit(second, 1n, 'by another');
  expect(await register('acc_three', at)).toMatchObject({ ok: false, reason: 'registration_ip_limit' });
});

test('what is forgotten is not remembered, and what comes after it is', async () => {
  const at = Date.now();
  for (const accountId of ['acc_one', 'acc_two']) expect(await register(accountId, at)).toMatchObject({ ok: true });
  await first.forget(at + 1);
  for (const accountId of ['acc_three', 'acc_four']) expect(await register(accountId, at)).toMatchObject({ ok: true });
  await credit(second, 1n, 'by another');
  expect(await register('acc_five', at)).toMatchObject({ ok: false, reason: 'registration_ip_limit' });
});

test('a hold that is open is no part of what is forgotten', async () => {
  const input = paid(account, {});
  await first.commit('admit', input);
  await first.forget(Date.now() + 1);
  expect(await first.commit('settle', settling(input, 3n))).toMatchObject({ state: 'closed', charged: 3n });
  expect(await first.read.audit({})).toMatchObject({ differences: [] });
});
