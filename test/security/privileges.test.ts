// What a key may do: nobody raises what is theirs by naming it (S7), nobody sees or touches what is another account's
// (S9), and an allow-list of models holds wherever a model can be named (S26).

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { eventually } from '../support/eventually.ts';
import type { CallOptions, TestAccount, TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { upModel } from '../support/test-document.ts';
import { LISTED_ROUTES } from './route-list.ts';
import { startSecure } from './start-secure.ts';

let gateway: TestGateway;
let mine: TestAccount;
let theirs: TestAccount;
beforeAll(async () => {
  gateway = await startSecure({
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('breaks', {
          price: { input: 1, output: 1 },
          routes: [{ channel: 'up', model: 'breaks' }],
          fallbacks: ['up-paid'],
        }),
      ],
    }),
  });
  mine = await gateway.register();
  theirs = await gateway.register();
});
afterAll(() => gateway.stop());

const call = async (path: string, options: CallOptions) => {
  const response = await gateway.call(path, options);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const json: Answer = isJson ? await response.json() : await response.text();
  return { status: response.status, json };
};

describe('S7 what a body claims', () => {
  const CLAIMS = {
    account_id: 'acc_other',
    accountId: 'acc_other',
    key_id: 'key_other',
    hash: '00',
    balance_ntd: 1_000_000,
    balance_nano: '1000000000000000',
    trial_ntd: 1_000_000,
    amount_ntd: 1_000_000,
    cost_ntd: 0,
    price: 'free',
    free: true,
    role: 'admin',
    is_admin: true,
    Manage: true,
    isManage: true,
    dailyBudget: 1e9,
    revokedAt: null,
    __proto__: { manage: true },
    constructor: { prototype: { manage: true } },
  };
  const claims = `${JSON.stringify(CLAIMS).slice(0, -1)},"__proto__":{"manage":true,"dailyBudget":null}}`;

  test('S7 at registration gives NT$1 and the limits of everybody', async () => {
    const { status, json } = await call('/api/agent/register', { body: claims });
    expect(status).toBe(201);
    expect(json).toMatchObject({ balance_ntd: 1, trial_ntd: 1 });
    expect(json.account_id).not.toBe(CLAIMS.account_id);
    expect((await gateway.get('/api/me', json.api_key)).balance_nano).toBe('1000000000');
  });

  test('S7 for a new key, or for one that is changed, is refused', async () => {
    const { id } = await createKey(gateway, mine.key);
    const keys = () => gateway.get('/api/keys', mine.key);
    const before = await keys();
    for (const [method, path] of [
      ['POST', '/api/keys'],
      ['PATCH', `/api/keys/${id}`],
    ] as const) {
      for (const body of [claims, '{"is_admin":true}', '{"Manage":true}', '{"__proto__":{"manage":true}}']) {
        const { status, json } = await call(path, { method, key: mine.key, body });
        expect([body, status, json.error?.code]).toEqual([body, 400, 'invalid_request']);
      }
    }
    expect(await keys()).toEqual(before);
  });

  test('S7 with a card credits what the card says, to who redeems it', async () => {
    const { key } = await gateway.register();
    const { code } = await issueCard(gateway, { amount: 5_000_000_000n });
    const { json } = await call('/api/redeem', { key, body: claims.replace('{', `{"code":"${code}",`) });
    expect(json).toMatchObject({ amount_ntd: 5, balance_ntd: 6 });
  });

  test('S7 in a model call changes neither the price nor who pays', async () => {
    const { key } = await gateway.register();
    const plain = { model: 'up-paid', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] };
    const costs: (string | null)[] = [];
    for (const body of [JSON.stringify(plain), JSON.stringify(plain).replace(/}$/, `,${claims.slice(1)}`)]) {
      const response = await gateway.call('/v1/chat/completions', { key, body });
      expect(response.status).toBe(200);
      costs.push(response.headers.get('x-svc-cost-ntd'));
    }
    expect(costs[1]).toBe(costs[0] ?? '');
    expect((await gateway.get('/api/usage', key)).data).toHaveLength(2);
  });

  test('S7 a key with a budget can lift it in no way', async () => {
    const made = await createKey(gateway, mine.key, { daily_budget_ntd: 0.5 });
    const body = { daily_budget_ntd: null, manage: true, models: null, expires_at: null };
    const tries: [path: string, method: string][] = [
      [`/api/keys/${made.id}`, 'PATCH'],
      [`/api/keys/${mine.keyId}`, 'PATCH'],
      [`/api/keys/${made.id}/rotate`, 'POST'],
      [`/api/keys/${made.id}`, 'DELETE'],
      ['/api/keys', 'POST'],
    ];
    for (const [path, method] of tries) {
      expect({ path, ...(await call(path, { key: made.key, method, body })) }).toMatchObject({
        path,
        status: 403,
        json: { error: { code: 'key_not_permitted' } },
      });
    }
    expect((await gateway.get('/api/me', made.key)).key).toMatchObject({ daily_budget_ntd: 0.5, manage: false });
  });

  test('S7 no key can be restricted and manage, in whatever order it is asked', async () => {
    const { id } = await createKey(gateway, mine.key, { manage: true });
    const patch = (body: unknown) => call(`/api/keys/${id}`, { key: mine.key, method: 'PATCH', body });
    for (const limit of [{ daily_budget_ntd: 1 }, { models: ['up-paid'] }, { expires_at: '2099-01-01T00:00:00Z' }]) {
      expect((await patch(limit)).status).toBe(400);
      expect((await patch({ ...limit, manage: true })).status).toBe(400);
    }
    expect((await call('/api/keys', { key: mine.key, body: { manage: true, daily_budget_ntd: 1 } })).status).toBe(400);
  });
});

describe('S9 another account', () => {
  test('S9 sees and changes nothing by any id there is', async () => {
    const spare = await createKey(gateway, theirs.key, { name: 'theirs' });
    const used = await gateway.chat(theirs.key, { model: 'up-paid' });
    await used.text();
    const requestId = used.headers.get('x-request-id') ?? '';
    await eventually('its record', async () => (await gateway.get('/api/usage', theirs.key)).data.length > 0);
    const before = [await gateway.get('/api/keys', theirs.key), await gateway.get('/api/usage', theirs.key)];

    const ids = [theirs.accountId, theirs.keyId, spare.id, requestId];
    for (const id of ids) {
      const tries: [path: string, options: CallOptions][] = [
        [`/api/receipts/${id}`, {}],
        [`/api/keys/${id}`, { method: 'PATCH', body: { name: 'taken' } }],
        [`/api/keys/${id}`, { method: 'DELETE' }],
        [`/api/keys/${id}/rotate`, { method: 'POST', body: {} }],
      ];
      for (const [path, options] of tries) {
        const answer = await call(path, { key: mine.key, ...options });
        const unknown = await call(path.replace(id, `${id}x`), { key: mine.key, ...options });
        expect(answer.status).toBe(404);
        // Word for word what an id gets that nobody has.
        expect({ ...answer.json.error, request_id: '' }).toEqual({ ...unknown.json.error, request_id: '' });
      }
      for (const name of ['key_id', 'model', 'channel', 'status', 'account_id']) {
        const page = await gateway.get(`/api/usage?${name}=${id}`, mine.key);
        expect(JSON.stringify(page)).not.toContain(requestId);
      }
    }
    expect(await gateway.get('/api/keys', theirs.key)).toEqual(before[0]);
    expect(await gateway.get('/api/usage', theirs.key)).toEqual(before[1]);
    expect((await gateway.get('/api/me', spare.key)).account_id).toBe(theirs.accountId);
  });

  test('S9 is not in any list, sum, cursor or CSV', async () => {
    for (let n = 0; n < 3; n++) await (await gateway.chat(theirs.key, { model: 'up-paid' })).text();
    await eventually('the records', async () => (await gateway.get('/api/usage', theirs.key)).data.length >= 3);
    const { next_cursor } = await gateway.get('/api/usage?limit=1', theirs.key);
    expect(next_cursor).not.toBeNull();
    const pages = [
      await gateway.get('/api/usage', mine.key),
      await gateway.get(`/api/usage?cursor=${next_cursor}`, mine.key),
      await gateway.get('/api/keys', mine.key),
      await gateway.get('/api/me', mine.key),
      await (await gateway.call('/api/usage?format=csv', { key: mine.key })).text(),
    ];
    const text = JSON.stringify(pages);
    for (const { request_id, key_id } of (await gateway.get('/api/usage', theirs.key)).data as Answer[]) {
      expect(text).not.toContain(request_id);
      expect(text).not.toContain(key_id);
    }
    expect(text).not.toContain(theirs.accountId);
  });

  test('S9 cannot have its result repeated by an Idempotency-Key of ours', async () => {
    const headers = { 'idempotency-key': 'fake-idempotency-key-shared' };
    const first = await call('/api/keys', { key: theirs.key, headers, body: { name: 'once' } });
    const second = await call('/api/keys', { key: mine.key, headers, body: { name: 'once' } });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json.api_key).not.toBe(first.json.api_key);
    expect(second.json.id).not.toBe(first.json.id);
  });
});

describe('S26 an allow-list', () => {
  const MODEL_ROUTES = LISTED_ROUTES.filter(({ body }) => body?.model !== undefined);

  test.each(MODEL_ROUTES.map((route) => [route.path, route] as const))('S26 holds on %s', async (path, route) => {
    const { key } = await createKey(gateway, mine.key, { models: ['demo-small'] });
    const free = await createKey(gateway, mine.key, { models: [String(route.body?.model)] });
    const asked = gateway.upstream.requests.length;
    const model = String(route.body?.model);
    for (const name of [model, ...(model === 'up-paid' ? ['claude-up-paid'] : [])]) {
      const answer = await call(path, { key, body: { ...route.body, model: name } });
      expect(answer).toMatchObject({ status: 403, json: { error: { code: 'model_not_allowed' } } });
    }
    for (const name of [model.toUpperCase(), ` ${model}`, `${model}\u0000`, `${model}/`]) {
      expect((await call(path, { key, body: { ...route.body, model: name } })).status).toBe(404);
    }
    for (const name of [[model], { id: model }, null, 7]) {
      expect((await call(path, { key, body: { ...route.body, model: name } })).status).toBe(400);
    }
    expect(gateway.upstream.requests).toHaveLength(asked);
    expect((await call(path, { key: free.key, body: route.body })).status).toBe(200);
  });

  test('S26 hides the rest of the models from lists, single looks and hints', async () => {
    const { key } = await createKey(gateway, mine.key, { models: ['claude-up-paid'] });
    const { data } = await gateway.get('/v1/models', key);
    expect(data.map(({ id }: Answer) => id)).toEqual(['up-paid', 'claude-up-paid']);
    expect((await call('/v1/models/demo-small', { key })).status).toBe(403);
    const { json } = await call('/v1/chat/completions', { key, body: { model: 'demo-smal', messages: [] } });
    expect(JSON.stringify(json)).not.toContain('demo-small');
  });

  test('S26 holds for the fallback of a model that fails', async () => {
    gateway.upstream.otherwise({ status: 500 });
    const { key } = await createKey(gateway, mine.key, { models: ['breaks'] });
    const before = gateway.upstream.requests.length;
    const { status } = await call('/v1/chat/completions', {
      key,
      body: { model: 'breaks', messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(status).toBe(502);
    const asked = gateway.upstream.requests.slice(before).map(({ json }) => json.model);
    expect(new Set(asked)).toEqual(new Set(['breaks']));
  });
});
