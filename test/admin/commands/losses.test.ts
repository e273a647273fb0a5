// losses: what upstreams billed and no customer paid, on the command line.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { closeCall, loss } from '../../support/close-call.ts';
import { startTestGateway, type TestAccount } from '../../support/gateway.ts';
import { createWorkplace } from '../../support/start-process.ts';

const place = createWorkplace();
let account: TestAccount;
beforeAll(async () => {
  const gateway = await startTestGateway({ dataDir: place.dataDir });
  account = await gateway.register();
  const items = [loss(), loss({ reason: 'hedge', channel: null, amount: 5n })];
  await closeCall(gateway.gateway.store, account, { losses: { items, guard: null } });
  await gateway.stop();
});
afterAll(() => place.remove());

const losses = (...args: string[]) => place.gateway(['losses', ...args]);

test('a table by reason, the largest first', async () => {
  const { exitCode, stdout, stderr } = await losses();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^2 losses from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, together NT\$0\.300000005\n/);
  expect(stdout).toMatch(/reason +losses +NT\$\n-+ +-+ +-+\nempty_answer +1 +0\.3\nhedge +1 +0\.000000005\n$/);
});

test('facts by account, channel and model', async () => {
  const { stdout } = await losses('--by', 'account', '--days', '90', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    by: 'account',
    days: 90,
    data: [{ key: account.accountId, losses: 2, loss_ntd: 0.300000005, loss_nano: '300000005' }],
    has_more: false,
    losses: 2,
    total_nano: '300000005',
  });
});

test.each([[['--by', 'day']], [['--days', '0']], [['--days', '91']], [['--days', 'x']], [['more']]])(
  '%p is wrong usage',
  async (args) => {
    expect((await losses(...args)).exitCode).toBe(2);
  },
);
