// The list of customers through the operator's API: sorted, in pages, found by what they are called.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import type { Answer } from '../../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { clientOf } from '../console/operator-client.ts';

let gateway: TestGateway;
let api: AdminApi;
let accounts: TestAccount[];
beforeAll(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
  accounts = [];
  for (let n = 0; n < 5; n++) accounts.push(await gateway.register());
  for (const { key } of accounts.slice(1, 3)) await (await gateway.chat(key, { model: 'demo-small' })).text();
});
afterAll(() => gateway.stop());

const idsOf = ({ data }: Answer): string[] => data.map((row: Answer) => row.account_id);
const idOf = (index: number) => accounts[index]?.accountId ?? '';

test('every account is listed once, the newest first, in pages', async () => {
  const { body } = await api('GET', '/accounts');
  expect(idsOf(body)).toEqual(accounts.map(({ accountId }) => accountId).toReversed());
  expect([body.has_more, body.next_cursor]).toEqual([false, null]);
  const paged: string[] = [];
  for (let cursor = ''; paged.length < 9; ) {
    const page = await api('GET', `/accounts?limit=2&sort=spend&order=asc${cursor}`);
    paged.push(...idsOf(page.body));
    if (!page.body.has_more) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  expect(paged.toSorted()).toEqual(accounts.map(({ accountId }) => accountId).toSorted());
  expect(paged.slice(3).toSorted()).toEqual([idOf(1), idOf(2)].toSorted());
});

test('a row has the figures of 30 days', async () => {
  const { body } = await api('GET', `/accounts?q=${idOf(1)}`);
  const [row] = body.data;
  expect(row).toMatchObject({
    ...{ account_id: idOf(1), nickname: null, note: null, requests_30d: 1, failure_rate: 0, frozen: false },
    ...{ by: 'account', created_at: expect.any(String), last_seen_at: expect.any(String) },
  });
  expect(row.spend_30d_ntd).toBeGreaterThan(0);
  expect(row).toHaveProperty('profit_30d_nano');
  expect(Number(row.balance_nano) + Number(row.spend_30d_nano)).toBe(1_000_000_000);
  expect((await api('GET', `/accounts?q=${idOf(0)}`)).body.data).toMatchObject([
    { spend_30d_nano: '0', failure_rate: null, last_seen_at: null },
  ]);
});

test('the profit of an account is null where no cost is known, and agrees with the report and the start page', async () => {
  gateway.upstream.otherwise(chatAnswer());
  const unknown = await gateway.register();
  await (await gateway.chat(unknown.key, { model: 'up-paid' })).text();
  const listed = async (id: string) => (await api('GET', `/accounts?q=${id}`)).body.data[0];
  const reported = async (id: string) =>
    (await api('GET', '/profit?by=account&days=30')).body.data.find(({ key }: Answer) => key === id);
  expect(await listed(unknown.accountId)).toMatchObject({
    requests_30d: 1,
    profit_30d_ntd: null,
    profit_30d_nano: null,
  });
  expect(await reported(unknown.accountId)).toMatchObject({ profit_nano: null, unknown_cost_requests: 1 });
  // A demo channel costs nothing.
  const demo = await listed(idOf(1));
  expect(BigInt(demo.spend_30d_nano)).toBeGreaterThan(0n);
  expect(demo.profit_30d_nano).toBe(demo.spend_30d_nano);
  expect(await reported(idOf(1))).toMatchObject({ profit_nano: demo.spend_30d_nano, unknown_cost_requests: 0 });
  const { profit } = await gateway.gateway.store.read.salesOfDay(taipeiDay(Date.now()));
  const total = (await api('GET', '/profit?by=account&days=30')).body.total;
  expect(String(profit)).toBe(total.profit_nano);
  const client = await clientOf(gateway);
  const page = await (await client.get('/accounts?sort=profit&order=desc')).text();
  expect(page.split('<tr').find((row) => row.includes(unknown.accountId))).toContain('unknown');
  accounts.push(unknown);
});

test('a cursor of another sort, or one that is none, is refused', async () => {
  const { body } = await api('GET', '/accounts?limit=2');
  const place = (value: string) => Buffer.from(`created ${idOf(0)} ${value}`).toString('base64url');
  const cursors = [`sort=balance&cursor=${body.next_cursor}`, 'cursor=x', `cursor=${place('1'.repeat(19))}`];
  for (const query of [...cursors, `cursor=${place('9'.repeat(19))}`, `cursor=${place('1x')}`]) {
    const { status, body: refused } = await api('GET', `/accounts?${query}`);
    if (query === cursors[2]) expect(status, query).toBe(200);
    else expect([status, refused.error?.param], query).toEqual([400, 'cursor']);
  }
});

test('a nickname and a note are set, found, logged and removed', async () => {
  const id = idOf(3);
  const set = await api('PATCH', `/accounts/${id}`, { nickname: ' Night Market ', note: 'pays\nin cash' });
  expect(set).toEqual({ status: 200, body: { account_id: id, nickname: 'Night Market', note: 'pays\nin cash' } });
  expect((await api('GET', '/accounts?q=night')).body.data).toMatchObject([{ account_id: id, by: 'nickname' }]);
  expect((await api('GET', `/accounts/${id}`)).body).toMatchObject({ nickname: 'Night Market', note: 'pays\nin cash' });
  expect(idsOf((await api('GET', '/accounts?sort=nickname&limit=1')).body)).toEqual([id]);
  expect((await api('PATCH', `/accounts/${id}`, { nickname: null })).body).toMatchObject({
    nickname: null,
    note: 'pays\nin cash',
  });
  await api('PATCH', `/accounts/${id}`, { note: null });
  const { body } = await api('GET', `/actions?subject=${id}`);
  expect(body.data.map(({ action, detail }: Answer) => [action, detail])).toEqual([
    ['accounts.describe', { note: 'removed' }],
    ['accounts.describe', { nickname: null }],
    ['accounts.describe', { nickname: 'Night Market', note: 'changed' }],
  ]);
  expect(Bun.inspect(gateway.sql('SELECT * FROM audit_log'))).not.toContain('cash');
  for (const wrong of [{ nickname: 'x'.repeat(61) }, { nickname: 'two\nlines' }, { note: 'x'.repeat(1_001) }]) {
    expect((await api('PATCH', `/accounts/${id}`, wrong)).status).toBe(400);
  }
  expect((await api('PATCH', '/accounts/acc_none', { note: 'x' })).status).toBe(404);
});
