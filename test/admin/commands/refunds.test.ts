// accounts refund and payout on the command line, on the database of a server that runs.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { createWorkplace } from '../../support/start-process.ts';

const place = createWorkplace();
let account: Answer;
beforeAll(async () => {
  const server = await place.serve();
  account = await (await fetch(`${server.url}/api/agent/register`, { method: 'POST' })).json();
});
afterAll(() => place.remove());

const run = (verb: string, ...args: string[]) => place.gateway(['accounts', verb, account.account_id, ...args]);

test('a top-up is paid out with its fee; free credit is not', async () => {
  expect(await run('credit', '--amount', '50', '--reason', 'transfer', '--kind', 'topup')).toMatchObject({
    exitCode: 0,
  });
  expect(await run('credit', '--amount', '9', '--reason', 'goodwill')).toMatchObject({ exitCode: 0 });
  const tooMuch = await run('payout', '--amount', '50', '--fee', '1', '--reason', 'closed');
  expect(tooMuch.exitCode).not.toBe(0);
  expect(tooMuch.stderr).toContain('more than the NT$50 that can be paid out');
  const { stdout } = await run('payout', '--amount', '45', '--fee', '5', '--reason', 'closed', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ amount_ntd: 45, fee_ntd: 5, balance_ntd: 10 });
  expect((await run('credit', '--amount', '5', '--reason', 'r', '--kind', 'gift')).exitCode).not.toBe(0);
});

test('a refund of an amount is an entry; one of an unknown request is refused', async () => {
  const { stdout } = await run('refund', '--amount', '2.5', '--reason', 'slow');
  expect(stdout).toContain('refunded NT$2.5; the balance is NT$12.5');
  const refused = await run('refund', '--request', 'req_none', '--reason', 'slow');
  expect([refused.exitCode === 0, refused.stderr]).toEqual([false, expect.stringContaining('req_none')]);
  const shown = await run('show');
  expect(shown.stdout).toMatch(/^refund +2\.5 /m);
  expect((await place.gateway(['ledger', 'audit'])).stdout).toContain('clean');
});
