// What the console says of its customers at a glance: figures of 30 days, requests by their outcome, ways to a refund, and ids
// that can be copied.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SiteClient } from '../../site/site-client.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { issueCard } from '../../support/issue-cards.ts';
import { chatAnswer, errorScript } from '../../support/openai-chat.ts';
import { clientOf } from './operator-client.ts';

let gateway: TestGateway;
let client: SiteClient;
let chinese: SiteClient;
let idle: TestAccount;
let buyer: TestAccount;
let newest: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: standard.models.map((model) =>
        model.id === 'up-paid'
          ? { ...model, routes: [{ channel: 'up', model: 'up-1', cost: { input: 5, output: 20 } }] }
          : model,
      ),
    }),
  });
  client = await clientOf(gateway);
  chinese = await clientOf(gateway, 'zh-TW');
  idle = await gateway.register();
  buyer = await gateway.register();
  newest = await gateway.register();
  gateway.upstream.next(chatAnswer(), errorScript(400, { message: 'no' }));
  await gateway.chat(buyer.key, { model: 'up-paid' });
  await gateway.chat(buyer.key, { model: 'up-paid' });
});
afterAll(() => gateway.stop());

const html = async (path: string, one = client) => (await one.get(path)).text();
const rowsOf = (page: string) => page.match(/<tr><th scope="row">/g)?.length ?? 0;

test('the accounts are listed with the highest spend first, and counted', async () => {
  const page = await html('/accounts');
  const places = [buyer, newest, idle].map(({ accountId }) => page.indexOf(`href="/accounts/${accountId}"`));
  expect(Math.min(...places)).toBe(places[0] ?? -1);
  expect(page).toMatch(/aria-sort="descending"><a [^>]*>Spent, 30 days/);
  expect(page).toContain('3 accounts');
  expect(await html('/accounts', chinese)).toContain('共 3 個帳戶');
});

test('the page of an account has its figures of 30 days and its last call', async () => {
  const page = await html(`/accounts/${buyer.accountId}`);
  const [spent] = gateway.sql<{ cost: bigint }>(
    'SELECT CAST(sum(cost_nano) AS TEXT) AS cost FROM usage_records WHERE account_id = ?',
    buyer.accountId,
  );
  const exact = (title: string) =>
    new RegExp(`${title}</p><strong class="figure[^"]*"><span title="NT\\$([\\d.]+)"`).exec(page)?.[1];
  expect(BigInt(Math.round(Number(exact('Spent, 30 days')) * 1e9))).toBe(BigInt(String(spent?.cost)));
  expect(Number(exact('Profit, 30 days'))).toBeGreaterThan(0);
  expect(page).toMatch(/Failed, 30 days<\/p><strong class="figure">50\.0 %/);
  expect(page).toContain('1 of 2');
  expect(page).toMatch(/Last call<\/dt><dd[^>]*>\d{4}-/);
  expect(await html(`/accounts/${idle.accountId}`)).toMatch(/Last call<\/dt><dd[^>]*>never/);
});

test('requests are chosen by outcome, model and key; each has its duration and what it cost upstream', async () => {
  const path = `/accounts/${buyer.accountId}/requests`;
  const page = await html(path);
  expect(rowsOf(page)).toBe(2);
  expect(page).toMatch(/data-label="Total time">[\d,]+ ms/);
  expect(page).toMatch(/data-label="Upstream cost"><span title="NT\$0\.0/);
  expect(rowsOf(await html(`${path}?outcome=failed`))).toBe(1);
  expect(rowsOf(await html(`${path}?outcome=ok&model=up-paid&key=${buyer.keyId}`))).toBe(1);
  expect(rowsOf(await html(`${path}?model=demo-small`))).toBe(0);
  expect(rowsOf(await html(`${path}?key=key_other`))).toBe(0);
  // What was chosen stays chosen.
  expect(await html(`${path}?outcome=failed`)).toMatch(/<option value="failed" selected/);
});

test('a charged request and a redeemed card lead to their refund', async () => {
  const page = await html(`/accounts/${buyer.accountId}/requests`);
  const [link, path = ''] = /href="(\/accounts\/\w+\/requests\/\w+)#refund"/.exec(page) ?? [];
  expect(link).toBeDefined();
  expect(page.match(/#refund"/g)).toHaveLength(1);
  expect(await html(path)).toContain('id="refund"');

  const { serial, code } = await issueCard(gateway);
  expect(await html(`/cards?serial=${serial}`)).not.toContain('/refund?');
  expect((await gateway.call('/api/redeem', { key: idle.key, body: { code } })).status).toBe(200);
  const refund = `/accounts/${idle.accountId}/refund?card=${serial}`;
  expect(await html(`/cards?serial=${serial}`)).toContain(`href="${refund}"`);
  expect(await html(refund)).toMatch(new RegExp(`name="card"[^>]*value="${serial}"`));
});

test('a voided card is not shown as a failure', async () => {
  const { serial, hash } = await issueCard(gateway);
  await gateway.gateway.store.commit('void', { hash });
  const page = await html(`/cards?serial=${serial}`);
  expect(page).toContain('<span class="state voided">voided</span>');
});

test('ids of an account, a request and its key can be copied', async () => {
  const copied = (page: string) => [...page.matchAll(/class="copy-id"><span class="id">(\w+)</g)].map(([, id]) => id);
  expect(copied(await html(`/accounts/${buyer.accountId}`))).toEqual([buyer.accountId]);
  const [record] = gateway.sql<{ request_id: string }>(
    'SELECT request_id FROM usage_records WHERE account_id = ?',
    buyer.accountId,
  );
  const requestId = record?.request_id ?? '';
  expect(copied(await html(`/accounts/${buyer.accountId}/requests/${requestId}`))).toEqual([requestId, buyer.keyId]);
  const refused = await gateway.chat(buyer.key, { model: 'no-such-model' });
  const refusedId = refused.headers.get('x-request-id') ?? '';
  await eventually('the refusal is written', async () => (await client.get(`/refusals/${refusedId}`)).status === 200);
  expect(copied(await html(`/refusals/${refusedId}`))).toEqual([refusedId]);
});
