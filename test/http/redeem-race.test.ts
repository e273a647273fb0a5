// One card, two hundred callers: one credit.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';

const RACERS = 200;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => gateway.stop());

const redeem = (key: string, code: string, racer: number) =>
  gateway.call('/api/redeem', { key, body: { code }, headers: { 'x-forwarded-for': `198.18.0.${racer % 250}` } });
const credits = (serial: string) =>
  gateway.sql(`SELECT credit, amount_nano FROM entries WHERE kind = 'card' AND reference = ?`, serial);

test('of one account: all succeed, one credits, the others hear that it was done', async () => {
  const { key, accountId } = await gateway.register();
  const { code, serial } = await issueCard(gateway);
  const responses = await Promise.all(Array.from({ length: RACERS }, (_, racer) => redeem(key, code, racer)));
  const answers: Answer[] = await Promise.all(responses.map((response) => response.json()));
  expect(responses.every(({ status }) => status === 200)).toBe(true);
  expect(answers.filter(({ already_redeemed }) => !already_redeemed)).toHaveLength(1);
  expect(answers.every(({ balance_nano }) => balance_nano === '101000000000')).toBe(true);
  expect(credits(serial)).toEqual([{ credit: accountId, amount_nano: 100_000_000_000n }]);
  expect(gateway.audit()).toEqual([]);
});

test('of many accounts: one gets it, the others hear nothing of it', async () => {
  const accounts = await Promise.all(Array.from({ length: RACERS }, () => gateway.register()));
  const { code, serial } = await issueCard(gateway);
  const responses = await Promise.all(accounts.map(({ key }, racer) => redeem(key, code, racer)));
  const winner = responses.findIndex(({ status }) => status === 200);
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 404)).toHaveLength(RACERS - 1);
  expect(credits(serial)).toEqual([{ credit: accounts[winner]?.accountId, amount_nano: 100_000_000_000n }]);
  const balances = gateway.sql<{ balance_nano: bigint }>(
    `SELECT balance_nano FROM wallets WHERE account_id IN (${accounts.map(() => '?').join()}) AND balance_nano <> 1000000000`,
    ...accounts.map(({ accountId }) => accountId),
  );
  expect(balances).toEqual([{ balance_nano: 101_000_000_000n }]);
  expect(gateway.audit()).toEqual([]);
});
