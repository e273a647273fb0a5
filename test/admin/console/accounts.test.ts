// What is done for customers: found by what they can tell, given money once, frozen, helped with keys. The books agree
// after each of it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeCursor } from '../../../src/accounts/usage/read-query.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import { money } from '../../../src/site/format.ts';
import type { SiteClient } from '../../site/site-client.ts';
import { adminApiOf } from '../../support/admin-api.ts';
import { createKey } from '../../support/create-key.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { issueCard } from '../../support/issue-cards.ts';
import { createLine } from '../../support/key-tree.ts';
import { chatAnswer, errorScript } from '../../support/openai-chat.ts';
import { clientOf, fieldOf } from './operator-client.ts';

let gateway: TestGateway;
let client: SiteClient;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
  client = await clientOf(gateway);
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const pathOf = ({ accountId }: TestAccount) => `/accounts/${accountId}`;
const balanceOf = async (one: TestAccount) => (await gateway.get('/api/me', one.key)).balance_ntd;

describe('search', () => {
  const search = async (q: string) => {
    const sent = await client.post('/accounts', { q });
    return sent.status === 303 ? client.get(sent.headers.get('location') ?? '') : sent;
  };

  test.each(['/', '/accounts', '/accounts?q=nobody', '/cards'])('stands once on %s', async (path) => {
    const html = await (await client.get(path)).text();
    expect(html.match(/<form method="post" action="\/accounts"/g)).toHaveLength(1);
  });

  test('by account, key, last four and nickname leads to the account', async () => {
    await client.post(`${pathOf(account)}/describe`, { nickname: 'Corner Shop', note: '' });
    for (const text of [account.accountId, account.keyId, account.key.slice(-4), 'corner']) {
      for (const found of [await search(` ${text} `), await client.get(`/accounts?q=${encodeURIComponent(text)}`)]) {
        expect([text, found.headers.get('location')]).toEqual([text, pathOf(account)]);
      }
    }
  });

  test('by request leads to what was refused, with an account or without, and by serial to a card', async () => {
    const known = (await gateway.chat(account.key, { model: 'none' })).headers.get('x-request-id') ?? '';
    const unknown = (await gateway.call('/v1/models', { key: 'sk-svc-no' })).headers.get('x-request-id') ?? '';
    const page = await eventually('the refused requests', async () => {
      const [one, other] = [await search(known), await search(unknown)].map(({ headers }) => headers.get('location'));
      return one === `/refusals/${known}` && other === `/refusals/${unknown}` && client.get(one);
    });
    const html = await page.text();
    for (const said of [known, account.accountId, 'Corner Shop', 'model_not_found', 'The catalog has no model']) {
      expect(html).toContain(said);
    }
    expect(await (await client.get(`/refusals/${unknown}`)).text()).toContain('the request had no valid key');
    for (const page of ['', '?page=1000000']) {
      const tab = await (await client.get(`${pathOf(account)}/refused${page}`)).text();
      expect(tab).toContain(`href="/refusals/${known}"`);
    }
    const card = await issueCard(gateway);
    expect((await search(card.serial)).headers.get('location')).toBe(`/cards?serial=${card.serial}`);
  });

  test('says so when nobody is found, and shows what was typed as text', async () => {
    const html = await (await search('<script>alert(1)</script>')).text();
    expect(html).toContain('Nothing was found');
    expect(html).not.toContain('<script>alert');
  });

  test('neither a key nor the code of a card gets into an address', async () => {
    for (const q of [account.key, 'PC-ABCD-EFGH']) {
      const sent = await client.post('/accounts', { q });
      expect(sent.headers.get('location') ?? '').not.toContain(q);
    }
  });

  test('without a text it lists every account, sorted as asked', async () => {
    const html = await (await client.get('/accounts?sort=balance&order=asc')).text();
    expect(html).toContain(`href="${pathOf(account)}"`);
    expect(html).toContain('aria-sort="ascending"');
    expect(html).toContain('href="/accounts?sort=balance&amp;order=desc"');
    expect((await client.get('/accounts?sort=balance&cursor=nonsense')).status).toBe(400);
  });
});

describe('money', () => {
  const form = { kind: 'topup', amount: '12.5', reason: 'slow on Friday' };

  test('a top-up asks first, then moves the money once however often it is sent', async () => {
    const asked = await (await client.post(`${pathOf(account)}/credit/review`, form)).text();
    expect(asked).toContain('Credit NT$12.50?');
    expect(asked).toContain('Its balance goes from NT$1.00 to NT$13.50.');
    expect(await balanceOf(account)).toBe(1);

    const confirmed = { ...form, once: fieldOf(asked, 'once'), confirmed: 'yes' };
    const done = await client.post(`${pathOf(account)}/credit`, confirmed);
    expect(done.headers.get('location')).toBe(pathOf(account));
    const stranger = await clientOf(gateway);
    const shown = async (by: SiteClient, query = '') => (await by.get(pathOf(account) + query)).text();
    expect(await shown(stranger, '?balance=999000000000')).not.toContain('class="notice"');
    expect(await shown(client)).toContain('The balance is NT$13.50.');
    expect(await shown(client)).not.toContain('The balance is');
    const again = await client.post(`${pathOf(account)}/credit`, confirmed);
    expect([again.status, await balanceOf(account)]).toEqual([409, 13.5]);
    expect(await again.text()).toContain('this form was already sent');
    expect(gateway.audit()).toEqual([]);
    const [action] = gateway.sql("SELECT actor, subject, detail FROM audit_log WHERE action = 'accounts.topup'");
    expect(action).toMatchObject({ actor: 'token', subject: account.accountId });
    expect(String(action?.detail)).toContain('slow on Friday');
  });

  test('what is no amount, below zero or without a reason comes back as typed', async () => {
    for (const amount of ['0', '-5', 'ten', '1e9', '']) {
      const refused = await client.post(`${pathOf(account)}/credit/review`, { ...form, amount });
      expect([amount, refused.status]).toEqual([amount, 422]);
      expect(await refused.text()).toContain('id="amount-fault"');
    }
    const tooMuch = await client.post(`${pathOf(account)}/credit/review`, { ...form, amount: '1234567890' });
    expect(await tooMuch.text()).toContain('at most NT$100,000,000.00');
    const refused = await client.post(`${pathOf(account)}/credit/review`, { ...form, reason: ' ' });
    expect([refused.status, fieldOf(await refused.text(), 'amount')]).toEqual([422, '12.5']);
    expect(await balanceOf(account)).toBe(13.5);
  });
});

test('nothing of a customer is out of reach: a request is found, and the page has pages', async () => {
  const one = await gateway.register();
  gateway.upstream.next(chatAnswer());
  const requestId = (await gateway.chat(one.key, { model: 'up-paid' })).headers.get('x-request-id') ?? '';
  const credit = { accountId: one.accountId, amount: 1n, reason: 'the first of many', at: Date.now() };
  await gateway.gateway.store.commit('credit', { ...credit, reference: 'many-0' });
  for (let n = 0; n < 55; n++) await gateway.chat(one.key, { model: 'demo-small' });

  const textOf = async (path: string) => (await client.get(path)).text();
  for (const tab of ['requests', 'ledger']) {
    // Newer requests have pushed the first one out of the newest pages.
    let html = await textOf(`${pathOf(one)}/${tab}`);
    expect([tab, html.includes(requestId)]).toEqual([tab, false]);
    for (let older = 0; older < 2; older++) {
      html = await textOf(new RegExp(`href="(${pathOf(one)}/${tab}\\?[^"]*)">Older`).exec(html)?.[1] ?? '');
    }
    expect([tab, html.includes(requestId)]).toEqual([tab, true]);
    expect(html).toContain(`href="${pathOf(one)}/${tab}">Newest`);
  }
  expect(await textOf(`${pathOf(one)}/ledger?show=credits`)).toContain('the first of many');
  const chinese = await clientOf(gateway, 'zh-TW');
  for (const path of [
    'ledger?before=1',
    'ledger?show=credits&before=1',
    `requests?cursor=${writeCursor(1, 'req_0')}`,
  ]) {
    expect(await textOf(`${pathOf(one)}/${path}`)).toContain('No older entries.');
    expect(await (await chinese.get(`${pathOf(one)}/${path}`)).text()).toContain('沒有更舊的紀錄。');
  }
  expect((await client.get(`${pathOf(one)}/requests?cursor=nonsense`)).status).toBe(400);

  const found = await client.get(`/accounts?q=${requestId}`);
  expect(found.headers.get('location')).toBe(`${pathOf(one)}/requests/${requestId}`);
  const request = await (await client.get(found.headers.get('location') ?? '')).text();
  const [record] = gateway.sql('SELECT * FROM usage_records WHERE request_id = ?', requestId);
  expect(request).toContain(requestId);
  for (const said of ['up-paid', 'Amount held', 'Attempts', String(record?.key_id)]) expect(request).toContain(said);
  expect((await client.get(`${pathOf(account)}/requests/${requestId}`)).status).toBe(404);
});

test('a frozen account is refused until it is thawed, each with a reason', async () => {
  const one = await gateway.register();
  expect((await client.post(`${pathOf(one)}/freeze`, { confirmed: 'yes' })).status).toBe(422);
  expect((await client.post(`${pathOf(one)}/freeze`, { reason: 'stolen card' })).status).toBe(303);
  expect((await gateway.chat(one.key, { model: 'demo-small' })).status).not.toBe(200);
  expect(await (await client.get(pathOf(one))).text()).toContain('This account is frozen');
  expect((await client.post(`${pathOf(one)}/freeze`, { reason: 'again' })).status).toBe(409);
  expect((await client.post(`${pathOf(one)}/unfreeze`, { reason: 'cleared' })).status).toBe(303);
  expect((await gateway.chat(one.key, { model: 'demo-small' })).status).toBe(200);
});

test('requests are told in the words that the customer reads, keys with the hour at which they end', async () => {
  const one = await gateway.register();
  gateway.upstream.next(chatAnswer(), ...Array.from({ length: 3 }, () => errorScript(500, { message: 'broken' })));
  await gateway.chat(one.key, { model: 'up-paid' });
  await gateway.chat(one.key, { model: 'up-paid' });
  await createKey(gateway, one.key, { name: 'late', expires_at: '2099-12-31T23:59:59+08:00' });
  const html = await (await (await clientOf(gateway, 'zh-TW')).get(`${pathOf(one)}/requests`)).text();
  const statuses = [...html.matchAll(/data-label="結果"><span class="\w+[^"]*">([^<]*)/g)].map(([, said]) => said);
  expect(statuses).toEqual(['上游失敗', '成功']);
  const keys = await (await (await clientOf(gateway, 'zh-TW')).get(`${pathOf(one)}/keys`)).text();
  expect(keys).toContain('到 2099-12-31 23:59:59 UTC+8');
});

test('a key is made, shown once, and revoked after a question', async () => {
  const one = await gateway.register();
  const fields = {
    name: 'lost the first',
    once: fieldOf(await (await client.get(`${pathOf(one)}/keys`)).text(), 'once'),
  };
  const made = await (await client.submit(`${pathOf(one)}/keys`, fields)).text();
  expect((await client.post(`${pathOf(one)}/keys`, fields)).status).toBe(409);
  const key = /<code>(sk-[^<]+)<\/code>/.exec(made)?.[1] ?? '';
  expect((await gateway.call('/api/me', { key })).status).toBe(200);
  const page = await (await client.get(pathOf(one))).text();
  expect(page).not.toContain(key);
  // The switch of language would lead away from it.
  expect([page, made].map((html) => html.includes('lang=zh-TW'))).toEqual([true, false]);

  const asked = await (await client.get(`${pathOf(one)}/keys/${one.keyId}/revoke`)).text();
  expect(asked).toContain('Every request with this key or one of its child keys is refused at once');
  expect((await client.post(`${pathOf(one)}/keys/${one.keyId}/revoke`, { confirmed: 'yes' })).status).toBe(303);
  expect((await gateway.call('/api/me', { key: one.key })).status).toBe(401);
  // A key of another account cannot be ended from this one's page.
  expect((await client.post(`${pathOf(one)}/keys/${account.keyId}/revoke`)).status).toBe(404);
  expect((await gateway.call('/api/me', { key: account.key })).status).toBe(200);
});

test('a key whose time is over is shown as expired', async () => {
  const one = await gateway.register();
  const expiresAt = Date.now() + 60_000;
  await createKey(gateway, one.key, { expires_at: new Date(expiresAt).toISOString() });
  expect(await (await client.get(`${pathOf(one)}/keys`)).text()).toMatch(/until \d{4}-/);
  gateway.sql('UPDATE keys SET expires_at = ? WHERE account_id = ? AND expires_at IS NOT NULL', 1, one.accountId);
  expect(await (await client.get(`${pathOf(one)}/keys`)).text()).toContain('expired 1970-01-01');
});

test('a request whose record is no longer kept is told by its entry', async () => {
  const one = await gateway.register();
  gateway.upstream.next(chatAnswer());
  const requestId = (await gateway.chat(one.key, { model: 'up-paid' })).headers.get('x-request-id') ?? '';
  const [entry] = await gateway.gateway.store.read.entriesOf(one.accountId, 1);
  await gateway.gateway.store.forgetUsage({ day: taipeiDay(Date.now()) + 1, limit: 1_000 });
  const path = `${pathOf(one)}/requests/${requestId}`;
  expect((await client.get(`/accounts?q=${requestId}`)).headers.get('location')).toBe(path);
  expect(await (await client.get(`${pathOf(one)}/ledger`)).text()).toContain(`href="${path}"`);
  const request = await client.get(path);
  expect(request.status).toBe(200);
  const html = await request.text();
  for (const said of ['is no longer kept', requestId, money(entry?.amount ?? 0n)]) expect(html).toContain(said);
  expect(await (await (await clientOf(gateway, 'zh-TW')).get(path)).text()).toContain('已超過保存期限');
  const told = await adminApiOf(gateway)('GET', path);
  expect([told.status, told.body.error.message]).toEqual([404, `there is no record of request ${requestId} any more`]);
  expect((await client.get(`${pathOf(account)}/requests/${requestId}`)).status).toBe(404);
});

test('a child stands below its parent, with its depth and every limit', async () => {
  const one = await gateway.register();
  const [top] = await createLine(gateway, one.key, ['team', 'agent'], {
    budgets: { day_ntd: 1, month_ntd: 20, total_ntd: 300, session_ntd: 0.5 },
    rates: { requests_per_minute: 60, tokens_per_minute: 100_000, in_flight: 3 },
  });
  const html = await (await client.get(`${pathOf(one)}/keys`)).text();
  expect(html).toContain('agent</span><span class="under">child of team, depth 1</span>');
  expect(html.indexOf(`>${top?.id}<`)).toBeLessThan(html.indexOf('child of team'));
  const limits = [
    ...['Daily budget: NT$1.00', 'Monthly budget: NT$20.00', 'Total budget: NT$300.00', 'Budget per session: NT$0.50'],
    ...['Requests per minute: 60', 'Tokens per minute: 100,000', 'Parallel requests: 3', 'creates child keys'],
  ].join(' · ');
  expect(html.split(limits)).toHaveLength(1 + 2);
  const { body } = await adminApiOf(gateway)('GET', `/accounts/${one.accountId}`);
  expect(body.keys[2]).toMatchObject({
    ...{ name: 'agent', parent_id: top?.id, depth: 1, delegate: true, daily_budget_ntd: 1 },
    limits: { month_budget_ntd: 20, total_budget_nano: '300000000000', session_budget_ntd: 0.5, in_flight: 3 },
  });
});
