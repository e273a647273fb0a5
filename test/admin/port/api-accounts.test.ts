// A customer with much history through the operator's API: everything is reached, page by page or by its id.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';

let gateway: TestGateway;
let api: AdminApi;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
  account = await gateway.register();
});
afterAll(() => gateway.stop());

test('every entry, credit and request is reached, page by page', async () => {
  const one = await gateway.register();
  const { accountId } = one;
  const credit = { accountId, amount: 1n, reason: 'one of many', at: Date.now() };
  for (let n = 0; n < 60; n++) await gateway.gateway.store.commit('credit', { ...credit, reference: `page-${n}` });
  for (let n = 0; n < 52; n++) await (await gateway.chat(one.key, { model: 'demo-small' })).text();
  const pages = async (part: 'entries' | 'credits' | 'usage', asks: string) => {
    const sizes: number[] = [];
    const seen = new Set<string>();
    for (let query = ''; sizes.length < 9; ) {
      const { body } = await api('GET', `/accounts/${accountId}${query}`);
      sizes.push(body[part].length);
      for (const row of body[part]) seen.add(row.entry_id ?? row.request_id);
      const next = body[`${part}_next`];
      if (next === null) break;
      query = `?${asks}=${next}`;
    }
    return [...sizes, seen.size];
  };
  expect(await pages('entries', 'entries_before')).toEqual([50, 50, 13, 113]);
  expect(await pages('credits', 'credits_before')).toEqual([50, 11, 61]);
  expect(await pages('usage', 'usage_cursor')).toEqual([50, 2, 52]);
  const wrong = await api('GET', `/accounts/${accountId}?usage_cursor=x`);
  expect([wrong.status, wrong.body.error.param]).toEqual([400, 'usage_cursor']);

  const [record] = (await api('GET', `/accounts/${accountId}`)).body.usage;
  const { body } = await api('GET', `/accounts/${accountId}/requests/${record.request_id}`);
  expect(body).toMatchObject({ ...record, is_open: false, attempts: [{ channel: 'demo', outcome: 'ok' }] });
  expect(body.held_ntd).toBeGreaterThanOrEqual(body.cost_ntd);
  const elsewhere = await api('GET', `/accounts/${account.accountId}/requests/${record.request_id}`);
  expect(elsewhere.status).toBe(404);
});

test('a request that runs is shown as one', async () => {
  const { accountId } = account;
  const [key] = await gateway.gateway.store.read.keysOf(accountId);
  gateway.sql(
    `INSERT INTO holds (request_id, account_id, key_id, node_id, amount_nano, free, model, endpoint, stream, revision,
       opened_at, budgeted) VALUES ('req_runs', ?, ?, 'elsewhere', 0, 1, 'demo-small', 'chat', 0, 1, 1, 0)`,
    accountId,
    key?.keyId ?? '',
  );
  const { body } = await api('GET', `/accounts/${accountId}/requests/req_runs`);
  gateway.sql(`DELETE FROM holds WHERE request_id = 'req_runs'`);
  expect(body).toEqual({ request_id: 'req_runs', is_open: true, key_id: key?.keyId });
});
