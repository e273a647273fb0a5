// ledger audit: exit 0 on sound books; every hand-made fault is found and named, and nothing else is.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync, rmSync } from 'node:fs';
import type { OperatingTools } from '../../../src/admin/actions/tools.ts';
import { CommandRefused } from '../../../src/admin/commands/command.ts';
import { ledgerCommands } from '../../../src/admin/commands/ledger.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import type { Difference } from '../../../src/store/reads.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Answer } from '../../support/answer.ts';
import { createKey } from '../../support/create-key.ts';
import { startTestGateway, type TestAccount } from '../../support/gateway.ts';
import { issueCard, type TestCard } from '../../support/issue-cards.ts';
import { createWorkplace } from '../../support/start-process.ts';
import { writeSql } from '../../support/write-sql.ts';

const place = createWorkplace();
const file = `${place.dataDir}/gateway.sqlite`;
const pristine = place.path('pristine.sqlite');
let account: TestAccount;
let other: TestAccount;
let card: TestCard;
let unused: TestCard;
let requestId: string;
let budgetedKey: string;

beforeAll(async () => {
  const gateway = await startTestGateway({ dataDir: place.dataDir });
  account = await gateway.register();
  other = await gateway.register();
  card = await issueCard(gateway);
  unused = await issueCard(gateway);
  await gateway.call('/api/redeem', { key: account.key, body: { code: card.code } });
  const { id, key } = await createKey(gateway, account.key, { daily_budget_ntd: 1 });
  budgetedKey = id;
  const response = await gateway.chat(key, { model: 'demo-small' });
  expect(response.status).toBe(200);
  requestId = response.headers.get('x-request-id') ?? '';
  await gateway.stop();
  copyFileSync(file, pristine);
});
afterAll(() => place.remove());

/** The database as it was before any hand was in it. */
function restorePristine(): void {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  copyFileSync(pristine, file);
}
const audit = (...args: string[]) => place.gateway(['ledger', 'audit', ...args]);

test('sound books are clean: exit 0, with what was counted', async () => {
  restorePristine();
  const { exitCode, stdout, stderr } = await audit('--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const told: Answer = JSON.parse(stdout);
  expect(told).toMatchObject({ ok: true, wallets: 2, entries: 4, total_nano: '0', differences: [] });
  expect(told.house).toMatchObject({ 'house:trial': '-2000000000', 'house:cards_sold': '-100000000000' });
  expect(BigInt(told.house['house:revenue'])).toBeGreaterThan(0n);
  expect((await audit()).stdout).toStartWith('clean: 2 wallets, 4 entries, total 0\n');
});

type Fault = [what: Difference['what'], statement: string, subject: () => string];
const ofAccount = () => account.accountId;
const FAULTS: Fault[] = [
  ['wallet', 'DELETE FROM wallets WHERE account_id = ?', ofAccount],
  ['balance', 'UPDATE wallets SET balance_nano = balance_nano - 1 WHERE account_id = ?', ofAccount],
  ['held', 'UPDATE wallets SET held_nano = 1 WHERE account_id = ?', ofAccount],
  ['in_flight', 'UPDATE wallets SET in_flight = 1 WHERE account_id = ?', ofAccount],
  ['free_in_flight', 'UPDATE wallets SET free_in_flight = 1 WHERE account_id = ?', ofAccount],
  ['budget_held', 'UPDATE budgets SET held_nano = 1 WHERE key_id = ?', () => budgetedKey],
  ['chain', `UPDATE entries SET balance_after_nano = 7 WHERE account_id = ? AND kind = 'trial'`, ofAccount],
  ['total', `UPDATE entries SET debit = 'house:nowhere' WHERE kind = 'trial' AND account_id = ?`, ofAccount],
  [
    'sides',
    `UPDATE entries SET credit = (SELECT max(account_id) FROM accounts WHERE account_id <> debit)
      WHERE kind = 'usage' AND reference = ?`,
    () => requestId,
  ],
  ['settlement', 'UPDATE usage_records SET cost_nano = cost_nano - 1 WHERE request_id = ?', () => requestId],
  ['settlement', 'UPDATE usage_records SET cost_nano = 0 WHERE request_id = ?', () => requestId],
  ['settlement', 'DELETE FROM usage_records WHERE request_id = ?', () => requestId],
  ['settlement', `UPDATE usage_records SET account_id = 'acc_other' WHERE request_id = ?`, () => requestId],
  ['card', 'UPDATE cards SET amount_nano = amount_nano - 1 WHERE serial = ?', () => card.serial],
  [
    'card',
    `UPDATE cards SET state = 'issued', redeemed_by = NULL, redeemed_at = NULL WHERE serial = ?`,
    () => card.serial,
  ],
  [
    'card',
    `UPDATE cards SET redeemed_by = (SELECT max(account_id) FROM accounts WHERE account_id <> redeemed_by) WHERE serial = ?`,
    () => card.serial,
  ],
  [
    'card',
    `UPDATE cards SET state = 'redeemed', redeemed_by = (SELECT max(account_id) FROM accounts), redeemed_at = 1 WHERE serial = ?`,
    () => unused.serial,
  ],
];

const FUTURE_DAY = 99_999;

/** The command itself, on the file, without the cost of a process for each fault. */
async function differences(): Promise<{ ok: boolean; total_nano: string; differences: Difference[] }> {
  const command = ledgerCommands.find(({ words }) => words === 'ledger audit');
  const store = await openSqliteStore({ file, clock: systemClock });
  try {
    await command?.run({
      args: [],
      options: {},
      open: async () => ({ store, clock: systemClock }) as OperatingTools,
      configFile: undefined,
      variable: () => undefined,
      databaseFile: () => file,
      databasePlace: 'here',
      pepperFingerprint: () => undefined,
      hasDatabase: () => true,
      serveLine: '',
      serverUrl: 'http://127.0.0.1:9',
      ask: () => Promise.reject(new Error('nobody serves')),
    });
  } catch (error) {
    if (error instanceof CommandRefused) return error.facts as Awaited<ReturnType<typeof differences>>;
    throw error;
  } finally {
    await store.close();
  }
  throw new Error('the audit found nothing');
}

/** A record that was changed is also missed in the sums of its day; an account that does not exist fits no entry. */
const BESIDE: Partial<Record<Difference['what'], readonly Difference['what'][]>> = {
  settlement: ['usage_day'],
  total: ['sides'],
};

test.each(FAULTS)('%s by %s: that fault alone', async (what, statement, subject) => {
  restorePristine();
  writeSql(file, statement, subject());
  const told = await differences();
  expect(told.ok).toBe(false);
  const found = new Set(told.differences.map((one) => one.what));
  expect([...found].toSorted()).toEqual([what, ...(BESIDE[what] ?? [])].toSorted());
  for (const { expected, found } of told.differences) expect(expected).not.toBe(found);
  if (what === 'total') expect(told.total_nano).toBe('1000000000');
  else expect(told.differences.map((one) => one.subject)).toContain(subject());
});

test('usage that is kept from a day that has not come', async () => {
  restorePristine();
  writeSql(file, `INSERT INTO settings VALUES ('usage_from_day', ?)`, String(FUTURE_DAY));
  expect((await differences()).differences).toMatchObject([
    { what: 'usage_from_day', subject: 'usage', found: String(FUTURE_DAY) },
  ]);
});

test('a fault is exit 1, on stderr alone, with what was expected and what was found', async () => {
  restorePristine();
  writeSql(file, 'UPDATE wallets SET balance_nano = 5 WHERE account_id = ?', other.accountId);
  const { exitCode, stdout, stderr } = await audit('--json');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({
    ok: false,
    differences: [{ what: 'balance', subject: other.accountId, expected: '1000000000', found: '5' }],
  });
});

test('money taken out of an entry shows in every sum it was part of', async () => {
  restorePristine();
  writeSql(file, `DELETE FROM entries WHERE kind = 'card' AND account_id = ?`, account.accountId);
  const { exitCode, stderr } = await audit();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^what +subject +expected +found\n/);
  for (const what of ['balance', 'chain', 'card']) expect(stderr).toMatch(new RegExp(`^${what} `, 'm'));
  expect(stderr).toContain(account.accountId);
});

test.each([[['ledger']], [['ledger', 'audit', 'extra']], [['ledger', 'audit', '--full']]])(
  '%j is wrong usage: exit 2',
  async (args) => {
    expect((await place.gateway(args)).exitCode).toBe(2);
  },
);
