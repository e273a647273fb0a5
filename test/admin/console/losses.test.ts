// What upstreams billed and no customer paid, on the pages of the console.

import { afterAll, beforeAll, expect, test } from 'bun:test';
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

const LOST_TODAY = /href="\/ledger\/losses">Losses today<\/a><\/p><strong class="figure"><span title="([^"]+)"/;

test('without a loss the page says so, and the first page shows none', async () => {
  expect(await html(client, '/ledger/losses')).toContain('No losses in this period.');
  expect(await html(chinese, '/ledger/losses')).toContain('這段期間沒有未回收的成本。');
  expect(LOST_TODAY.exec(await html(client, '/'))?.[1]).toBe('NT$0.00');
});

test('losses by reason, with words in both languages, and by account with a link', async () => {
  const items = [loss(), loss({ reason: 'hedge', channel: null, amount: 100_000_000n })];
  const { requestId } = await closeCall(gateway.gateway.store, account, {
    rule: 'empty_answer',
    losses: { items, guard: null },
  });
  const english = await html(client, '/ledger/losses');
  expect(english).toContain('Empty answer');
  expect(english).toContain('Slower of two parallel attempts');
  expect(english).toContain('NT$0.30');
  expect(english).toMatch(/<figure class="chart" aria-label="Losses by day">.*NT\$0\.40<\/td>/s);
  const weeks = await html(chinese, '/ledger/losses?days=90');
  expect(weeks).toContain('空白回覆');
  expect(weeks).toContain('aria-label="每週未回收成本"');
  expect(await html(client, '/ledger/losses?by=account&days=30')).toContain(`href="/accounts/${account.accountId}"`);
  const byChannel = await html(client, '/ledger/losses?by=channel');
  expect(byChannel).toContain('href="/channels/up"');
  expect(byChannel).toContain('no channel');
  // What the address asks for in another way is shown as the first page.
  expect(await html(client, '/ledger/losses?by=nothing&days=8')).toContain('7 days, including today');

  expect(LOST_TODAY.exec(await html(client, '/'))?.[1]).toBe('NT$0.40');
  expect(await html(chinese, '/')).toContain('今日未回收成本');
  const page = await html(client, `/accounts/${account.accountId}`);
  expect(page).toMatch(/Losses today<\/dt><dd[^>]*><span title="NT\$0\.40/);
  expect(page).toMatch(/Losses, 30 days<\/dt><dd[^>]*><span title="NT\$0\.40/);
  expect(await html(client, `/accounts/${account.accountId}/requests/${requestId}`)).toContain('empty_answer');
});
