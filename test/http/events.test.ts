// GET /api/events: what happened to an account, each type from its real cause, page by page.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { adminApiOf } from '../support/admin-api.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { chatAnswer } from '../support/openai-chat.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => ({ ...doc, guards: { ...doc.guards, loss_per_account_day: 0 } }),
  });
});
afterAll(() => gateway.stop());

const list = (account: TestAccount, query = ''): Promise<Answer> => gateway.get(`/api/events${query}`, account.key);
const dataOf = async (account: TestAccount, type: string): Promise<Answer[]> =>
  (await list(account, `?type=${type}`)).data.map((event: Answer) => event.data);
const change = (account: TestAccount, body: unknown) =>
  gateway.call('/api/me', { key: account.key, method: 'PATCH', body });
const refusal = async (response: Response): Promise<Answer> => {
  const { error }: Answer = await response.json();
  return { status: response.status, code: error.code, param: error.param, message: error.message };
};

test('a new account has the event of its first key', async () => {
  const account = await gateway.register();
  const page = await list(account);
  expect(page).toEqual({
    object: 'list',
    data: [
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'key.created',
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        data: { key_id: account.keyId, parent_id: null },
      },
    ],
    has_more: false,
    next_cursor: page.data[0].id,
  });
  expect(await list(account, `?after=${page.next_cursor}`)).toEqual({
    object: 'list',
    data: [],
    has_more: false,
    next_cursor: page.next_cursor,
  });
});

test('balance.low: a call brings the balance below what PATCH /api/me has set', async () => {
  const account = await gateway.register();
  const changed = await change(account, { balance_low_ntd: 1 });
  expect(changed.status).toBe(200);
  expect(await changed.json()).toMatchObject({ balance_low_ntd: 1, balance_low_nano: '1000000000' });
  for (let call = 0; call < 2; call++) {
    gateway.upstream.next(chatAnswer());
    expect((await gateway.chat(account.key, { model: 'up-paid' })).status).toBe(200);
  }
  const balance = 1_000_000_000n - (11n * 10_000n + 7n * 40_123n);
  expect(await dataOf(account, 'balance.low')).toEqual([
    {
      balance_ntd: Number(balance) / 1e9,
      balance_nano: String(balance),
      balance_low_ntd: 1,
      balance_low_nano: '1000000000',
    },
  ]);
});

test('balance_low_ntd is read to the last digit, and anything else is refused', async () => {
  const account = await gateway.register();
  const exact: Answer = await (await change(account, '{"balance_low_ntd": 12345678.123456789}')).json();
  expect(exact.balance_low_nano).toBe('12345678123456789');
  expect(await (await change(account, {})).json()).toMatchObject({ balance_low_nano: '12345678123456789' });
  for (const bad of [-1, '5', null, 1e300, 0.0000000001]) {
    expect(await refusal(await change(account, { balance_low_ntd: bad }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'balance_low_ntd',
    });
  }
  expect(await refusal(await change(account, { balance_lwo_ntd: 5 }))).toMatchObject({ param: 'balance_lwo_ntd' });
  const { key } = await createKey(gateway, account.key);
  const refused = await gateway.call('/api/me', { key, method: 'PATCH', body: { balance_low_ntd: 1 } });
  expect(await refusal(refused)).toMatchObject({ status: 403, code: 'key_not_permitted' });
});

test('key.budget_reached: a call uses up a budget by 80 percent', async () => {
  const account = await gateway.register();
  const body = { model: 'up-paid', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
  const quote = await gateway.call('/api/quote', {
    key: account.key,
    body: { endpoint: '/v1/chat/completions', body },
  });
  const { max_cost_nano: most }: Answer = await quote.json();
  const limit = Number(most) / 1e9;
  const { id, key } = await createKey(gateway, account.key, { budgets: { total_ntd: limit } });
  gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: 11, completion_tokens: 99, total_tokens: 110 } }));
  expect((await gateway.chat(key, body)).status).toBe(200);
  const spent = 11n * 10_000n + 99n * 40_123n;
  expect(await dataOf(account, 'key.budget_reached')).toEqual([
    {
      key_id: id,
      budget: 'total',
      percent: 80,
      limit_ntd: limit,
      limit_nano: most,
      spent_ntd: Number(spent) / 1e9,
      spent_nano: String(spent),
    },
  ]);
});

test('keys that are made, rotated and deleted with their children', async () => {
  const account = await gateway.register();
  const parent = await createKey(gateway, account.key, { delegate: true, budgets: { total_ntd: 0.5 } });
  const child = await createKey(gateway, parent.key, { budgets: { total_ntd: 0.1 } });
  await gateway.call(`/api/keys/${parent.id}/rotate`, { key: account.key, body: {} });
  await gateway.call(`/api/keys/${parent.id}`, { key: account.key, method: 'DELETE' });
  const { data } = await list(account);
  expect(data.slice(1).map(({ type, data: { key_id } }: Answer) => [type, key_id])).toEqual([
    ['key.created', parent.id],
    ['key.created', child.id],
    ['key.rotated', parent.id],
    ['key.revoked', parent.id],
    ['key.revoked', child.id],
  ]);
});

test('card.redeemed, and nothing more for a card that was redeemed before', async () => {
  const account = await gateway.register();
  const { code, serial } = await issueCard(gateway, { amount: 5_000_000_000n });
  for (let time = 0; time < 2; time++) await gateway.call('/api/redeem', { key: account.key, body: { code } });
  expect(await dataOf(account, 'card.redeemed')).toEqual([
    { card_serial: serial, amount_ntd: 5, amount_nano: '5000000000', balance_ntd: 6, balance_nano: '6000000000' },
  ]);
});

test('account.losses: the allowance for calls without a charge is used up', async () => {
  const account = await gateway.register();
  for (let call = 0; call < 2; call++) {
    gateway.upstream.next(
      chatAnswer({ pieces: [], usage: { prompt_tokens: 11, completion_tokens: 0, total_tokens: 11 } }),
    );
    await gateway.chat(account.key, { model: 'up-paid' });
  }
  const { data } = await gateway.get('/api/usage', account.key);
  expect(await dataOf(account, 'account.losses')).toEqual([
    { request_id: data[1].request_id, allowance_ntd: 0, allowance_nano: '0' },
  ]);
});

test('a document that retires a model or changes a price is announced to every account, once', async () => {
  const account = await gateway.register();
  const types = '?type=model.retiring,price.changing';
  const model = { id: 'to-retire', price: { input: 10, output: 20 }, routes: [{ channel: 'up', model: 'x' }] };
  const withModel = (fields: object) =>
    gateway.apply((doc) => ({ ...doc, models: [...doc.models, { ...model, ...fields }] }));
  await withModel({});
  const { next_cursor: known } = await list(account, types);
  const announced = async () => (await list(account, `${types}${known ? `&after=${known}` : ''}`)).data;
  expect(await announced()).toEqual([]);
  const retires = { retires_at: '2099-01-01', replaced_by: 'up-paid' };
  await withModel({ ...retires, price: { input: 11, output: 20 } });
  await withModel({ ...retires, price: { input: 11, output: 20 }, name: 'Another name' });
  expect(await announced()).toMatchObject([
    {
      type: 'model.retiring',
      data: {
        model: 'to-retire',
        retires_at: '2098-12-31T16:00:00.000Z',
        replaced_by: 'up-paid',
        on_retired: 'refuse',
      },
    },
    { type: 'price.changing', data: { model: 'to-retire', price: { input: 11, output: 20 } } },
  ]);
});

test('incidents are for every account, with the operator’s times', async () => {
  const [one, other] = [await gateway.register(), await gateway.register()];
  const api = adminApiOf(gateway);
  const { body: made } = await api('POST', '/incidents', { title_en: 'Slow', title_zh: '較慢' });
  expect((await api('POST', `/incidents/${made.incident_id}/end`, {})).status).toBe(200);
  const { incident_id: id, started_at: started } = made;
  for (const account of [one, other]) {
    const { data } = await list(account, '?type=incident.opened,incident.resolved');
    expect(data).toMatchObject([
      { type: 'incident.opened', data: { incident_id: id, started_at: started } },
      { type: 'incident.resolved', data: { incident_id: id, started_at: started, ended_at: expect.any(String) } },
    ]);
  }
});

test('pages: each event once and in order, of no other account', async () => {
  const account = await gateway.register();
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    ids.push((await createKey(gateway, account.key)).id);
    await gateway.register();
  }
  const seen: string[] = [];
  for (let after = (await list(account, '?type=key.created&limit=1')).next_cursor; ; ) {
    const page = await list(account, `?type=key.created,key.revoked&limit=2&after=${after}`);
    seen.push(...page.data.map(({ data }: Answer) => data.key_id));
    expect(page.has_more).toBe(seen.length < 5);
    after = page.next_cursor;
    if (!page.has_more) break;
  }
  expect(seen).toEqual(ids);
});

test.each([
  ['after', '?after=evt_0', 'after is not the id of an event (evt_…). Use an id that this list gave.'],
  ['after', `?after=evt_${'0'.repeat(32)}`, 'after is not the id of an event (evt_…). Use an id that this list gave.'],
  ['type', '?type=key.created,key.gone', expect.stringMatching(/^type must be one or more of balance\.low, key\./)],
  ['limit', '?limit=0', 'limit must be a whole number from 1 to 200.'],
])('a wrong %s is refused: %s', async (param, query, message) => {
  const account = await gateway.register();
  const refused = await gateway.call(`/api/events${query}`, { key: account.key });
  expect(await refusal(refused)).toEqual({ status: 400, code: 'invalid_request', param, message });
});

test('a key that does not manage sees no events', async () => {
  const account = await gateway.register();
  for (const delegate of [false, true]) {
    const { key } = await createKey(gateway, account.key, { delegate });
    expect(await refusal(await gateway.call('/api/events', { key }))).toMatchObject({
      status: 403,
      code: 'key_not_permitted',
    });
  }
});
