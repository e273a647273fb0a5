// profit: whether the shop earns, on the command line.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { closeCall, loss } from '../../support/close-call.ts';
import { startTestGateway, type TestAccount } from '../../support/gateway.ts';
import { createWorkplace } from '../../support/start-process.ts';

const place = createWorkplace();
let account: TestAccount;
beforeAll(async () => {
  const gateway = await startTestGateway({ dataDir: place.dataDir });
  account = await gateway.register();
  const { store } = gateway.gateway;
  const losses = { items: [loss({ amount: 5n })], guard: null };
  await closeCall(store, account, { cost: 400_000_000n, upstreamCost: 300_000_000n, losses });
  await closeCall(store, account, { cost: 7n, upstreamCost: null });
  await gateway.stop();
});
afterAll(() => place.remove());

const profit = (...args: string[]) => place.gateway(['profit', ...args]);

test('a table by model with its total, and what is unknown', async () => {
  const { exitCode, stdout, stderr } = await profit();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\nmodel +requests +revenue NT\$ +cost NT\$/);
  const figures = '2 +0\\.400000007 +0\\.3 +0\\.000000005 +0\\.099999995 +25\\.0 %';
  expect(stdout).toMatch(new RegExp(`\nup-paid +${figures}\ntotal +${figures}\n`));
  expect(stdout).toContain('The cost of 1 request with a revenue of NT$0.000000007 is unknown');
  expect(stdout).toContain('Cards: NT$0 sold');
});

test('facts by account and day', async () => {
  const { stdout } = await profit('--by', 'account', '--days', '90', '--json');
  const figures = { revenue_nano: '400000007', cost_nano: '300000000', loss_nano: '5', profit_nano: '99999995' };
  expect(JSON.parse(stdout)).toMatchObject({
    by: 'account',
    days: 90,
    data: [{ key: account.accountId, requests: 2, ...figures, margin: 0.2499, unknown_cost_requests: 1 }],
    has_more: false,
    total: figures,
    cards: { sold_nano: '0', owed_nano: '0' },
  });
  expect(JSON.parse((await profit('--by', 'day', '--json')).stdout).data).toHaveLength(7);
});

test.each([[['--by', 'reason']], [['--days', '8']], [['--days', 'x']], [['more']]])(
  '%p is wrong usage',
  async (args) => {
    expect((await profit(...args)).exitCode).toBe(2);
  },
);
