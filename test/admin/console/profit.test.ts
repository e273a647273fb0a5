// Whether the shop earns, on the page of the console.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/kit/clock.ts';
import type { SiteClient } from '../../site/site-client.ts';
import { closeCall, loss } from '../../support/close-call.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { clientOf } from './operator-client.ts';

let gateway: TestGateway;
let client: SiteClient;
let chinese: SiteClient;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
  client = await clientOf(gateway);
  chinese = await clientOf(gateway, 'zh-TW');
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const html = async (one: SiteClient, path: string) => (await one.get(path)).text();
/** Of the table of rows: what its cells say. */
const rowOf = (page: string, name: string) => {
  const row = page.split('<tr>').find((text) => text.startsWith('<th scope="row">') && text.includes(name)) ?? '';
  return [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text = '']) => text.replaceAll(/<[^>]*>/g, ' ').trim());
};

test('without a request the page says so', async () => {
  expect(await html(client, '/ledger/profit')).toContain('No requests in this period.');
  expect(await html(chinese, '/ledger/profit')).toContain('這段期間沒有請求。');
});

test('revenue, cost, losses and profit of each row, with what is unknown', async () => {
  const { store } = gateway.gateway;
  const losses = { items: [loss({ amount: 50_000_000n })], guard: null };
  await closeCall(store, account, { cost: 400_000_000n, upstreamCost: 250_000_000n, losses });
  const page = await html(client, '/ledger/profit');
  expect(rowOf(page, 'up-paid')).toEqual(['1', 'NT$0.40', 'NT$0.25', 'NT$0.05', 'NT$0.10', '25.0 %']);
  expect(page).not.toContain('is unknown');

  await closeCall(store, account, { cost: 70_000_000n, upstreamCost: null });
  const [requests, revenue, ...rest] = rowOf(await html(client, '/ledger/profit'), 'up-paid');
  expect([requests, ...rest]).toEqual(['2', 'NT$0.25', 'NT$0.05', 'NT$0.10', '25.0 %']);
  expect(revenue).toContain('NT$0.07 without a known cost');
  expect(await html(client, '/ledger/profit')).toContain(
    'Requests of unknown upstream cost: 1, with a revenue of NT$0.07.',
  );
  expect(await html(chinese, '/ledger/profit')).toContain('有 1 筆請求的上游成本未知，營收共 NT$0.07。');
});

test('by customer, channel and day, of more days', async () => {
  const { store } = gateway.gateway;
  const { accountId, ...other } = await gateway.register();
  await closeCall(
    store,
    { accountId, ...other },
    { cost: 90_000_000n, upstreamCost: null, at: Date.now() - 8 * DAY_MS },
  );
  expect(await html(client, '/ledger/profit?by=account')).not.toContain(accountId);
  const page = await html(client, '/ledger/profit?by=account&days=30');
  expect(page).toContain(`href="/accounts/${accountId}"`);
  expect(rowOf(page, accountId)).toEqual(['1', 'NT$0.09', 'unknown', 'NT$0', 'unknown', '–']);
  expect(await html(client, '/ledger/profit?by=channel')).toContain('href="/channels/up"');
  expect((await html(client, '/ledger/profit?by=day&days=90')).length).toBeLessThan(60_000);
  expect(await html(client, '/ledger/profit?by=day&days=90')).toContain('The newest 31 days are shown.');
  // What the address asks for in another way is shown as the first page.
  expect(await html(client, '/ledger/profit?by=nothing&days=8')).toContain('by=model&amp;days=7" aria-current="page"');
});

test('the file has the same question', async () => {
  const page = await html(client, '/ledger/profit?by=account&days=30');
  expect(page).toContain('href="/ledger/profit.csv?by=account&amp;days=30"');
  const response = await client.get('/ledger/profit.csv?by=account&days=30');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(await response.text()).toContain(`\n${account.accountId},2,1,0.25,`);
});
