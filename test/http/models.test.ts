// GET /v1/models and /v1/models/{id}: one shape for both families of clients, only what the key may use.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

const idsOf = (list: Answer): string[] => list.data.map(({ id }: Answer) => id);

describe('the list', () => {
  test('has the fields of both families in the same objects', async () => {
    const list = await gateway.get('/v1/models', key);
    expect(Object.keys(list).sort()).toEqual(['data', 'first_id', 'has_more', 'last_id', 'object']);
    expect(list).toMatchObject({ object: 'list', has_more: false });
    expect(list.first_id).toBe(list.data[0].id);
    expect(list.last_id).toBe(list.data.at(-1).id);
    for (const model of list.data) {
      expect(model).toMatchObject({ object: 'model', type: 'model', owned_by: 'gateway' });
      expect(model.created).toBeInteger();
      expect(Date.parse(model.created_at) / 1000).toBeWithin(model.created, model.created + 1);
      expect(model.display_name).not.toBe('');
      expect(model).toMatchObject({ lifecycle: 'active', deprecated_at: null, retires_at: null });
      expect(model).toMatchObject({ line: null, capabilities: null });
    }
  });

  test('has the prices and the endpoints of the catalog', async () => {
    const { data } = await gateway.get('/v1/models', key);
    const catalog: Answer = await (await gateway.call('/api/public/catalog')).json();
    for (const { id, free, price, endpoints } of catalog.data) {
      const shown = data.find((model: Answer) => model.id === id);
      expect(shown).toMatchObject({ free, price, price_unit: catalog.unit, endpoints });
      expect(endpoints).toContain('/v1/chat/completions');
    }
  });

  test('has the models first and their aliases after them', async () => {
    const list = await gateway.get('/v1/models', key);
    expect(idsOf(list)).toEqual(['auto:free', 'demo-small', 'up-free', 'up-paid', 'claude-auto', 'claude-up-paid']);
    expect(list.data.map(({ alias_of }: Answer) => alias_of)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'auto:free',
      'up-paid',
    ]);
    expect(list.data.at(-2)).toMatchObject({ display_name: 'Auto (free)' });
  });

  test('tells of a free model what a free call may use, and of a paid one all that it takes', async () => {
    const { data } = await gateway.get('/v1/models', key);
    const bounds = Object.fromEntries(
      data.map(({ id, max_input_tokens: input, max_tokens: output }: Answer) => [id, [input, output]]),
    );
    expect(bounds).toMatchObject({
      'auto:free': [64_000, 4_096],
      'up-free': [64_000, 1_000],
      'up-paid': [128_000, 1_000],
    });
  });

  test.each(['/v1/models', '/v1/v1/models', '/v1/models/', '/v1/models?limit=1000&before_id=x&foo=bar'])(
    '%s is the same list',
    async (path) => {
      expect(await gateway.get(path, key)).toEqual(await gateway.get('/v1/models', key));
    },
  );

  test('names the gateway as its channel and tells the limits of the account', async () => {
    const { headers } = await gateway.call('/v1/models', { key });
    expect(headers.get('x-svc-channel')).toBe('gateway');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    expect(headers.get('x-ratelimit-limit-requests')).toBe('6');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('6');
    expect(headers.get('x-ratelimit-reset-requests')).toBe('0s');
  });

  test.each(['/v1/models', '/v1/models/up-paid'])('%s says that it cost nothing, and the balance', async (path) => {
    const { headers } = await gateway.call(path, { key });
    expect([headers.get('x-svc-cost-ntd'), headers.get('x-svc-balance-ntd')]).toEqual(['0', '1']);
  });

  test('takes no slot', async () => {
    for (let i = 0; i < 10; i++) await gateway.get('/v1/models', key);
    expect((await gateway.get('/api/me', key)).free).toMatchObject({ minute: { used: 0 }, day: { used: 0 } });
  });

  test.each([
    ['as x-api-key', (value: string): Record<string, string> => ({ 'x-api-key': value })],
    ['beside a foreign bearer', (value: string) => ({ authorization: 'Bearer sk-foreign', 'x-api-key': value })],
    ['beside a foreign x-api-key', (value: string) => ({ authorization: `Bearer ${value}`, 'x-api-key': 'foreign' })],
    ['as bearer in lower case', (value: string) => ({ authorization: `bearer ${value}` })],
  ])('takes the key %s', async (_, headers) => {
    expect((await gateway.call('/v1/models', { headers: headers(key) })).status).toBe(200);
  });
});

describe('one model', () => {
  test.each(['auto:free', 'auto%3Afree', 'up-paid'])('%s is the object of the list', async (id) => {
    const list = await gateway.get('/v1/models', key);
    const model = await gateway.get(`/v1/models/${id}`, key);
    expect(model).toEqual(list.data.find((one: Answer) => one.id === decodeURIComponent(id)));
  });

  test('by its alias says what it stands for', async () => {
    expect(await gateway.get('/v1/models/claude-up-paid', key)).toMatchObject({
      id: 'claude-up-paid',
      alias_of: 'up-paid',
    });
  });

  test('that does not exist is 404 with the nearest ids in the hint', async () => {
    const response = await gateway.call('/v1/models/up-payd', { key });
    expect(response.status).toBe(404);
    const { error }: Answer = await response.json();
    expect(error).toMatchObject({ code: 'model_not_found', type: 'invalid_request_error', param: 'model' });
    for (const text of [error.hint, error.message]) {
      expect(text).toContain('up-paid');
      expect(text).not.toContain('auto:free');
    }
    expect(error.message).toStartWith("Model 'up-payd' does not exist.");
  });

  test('that is near to nothing is 404 with the ids there are', async () => {
    const { error } = await gateway.get('/v1/models/qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq', key);
    expect(error.code).toBe('model_not_found');
    expect(error.hint).toContain('auto:free');
  });

  test('whose name may be content is not repeated', async () => {
    const { error }: Answer = await (await gateway.chat(key, { model: 'tell me a secret' })).json();
    expect(error.code).toBe('model_not_found');
    expect(error.message).toStartWith('This model does not exist.');
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});

test.each([
  ['/v1/models/nope', 'not_found_error'],
  ['/v1/models', 'authentication_error'],
])('%s is refused in the shape of the client that asks', async (path, type) => {
  const given = type === 'authentication_error' ? 'sk-svc-none' : key;
  const headers = { 'anthropic-version': '2023-06-01' };
  expect(await (await gateway.call(path, { key: given, headers })).json()).toMatchObject({
    type: 'error',
    error: { type },
  });
  expect(await (await gateway.call(path, { key: given })).json()).not.toHaveProperty('type');
});

describe('a key with an allow-list', () => {
  let limited: string;

  beforeAll(async () => {
    ({ key: limited } = await createKey(gateway, key, { models: ['up-paid'] }));
  });

  test('sees its models and their aliases, no others', async () => {
    expect(idsOf(await gateway.get('/v1/models', limited))).toEqual(['up-paid', 'claude-up-paid']);
  });

  test('may use them by alias and not another', async () => {
    expect((await gateway.call('/v1/models/claude-up-paid', { key: limited })).status).toBe(200);
    const refused = await gateway.call('/v1/models/auto:free', { key: limited });
    expect(refused.status).toBe(403);
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({ code: 'model_not_allowed', type: 'permission_error' });
    expect(error.hint).toContain('up-paid');
  });

  test.each(['auto:free', 'claude-auto'])('cannot chat with %s', async (model) => {
    const response = await gateway.chat(limited, { model });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: 'model_not_allowed', param: 'model' } });
  });

  test('is not told of models it may not use when it mistypes one', async () => {
    const { error } = await gateway.get('/v1/models/auto:fre', limited);
    expect(error.code).toBe('model_not_found');
    expect(error.hint).not.toContain('auto:free');
  });
});

test('what was made for one key, and what was refused, is kept by no cache', async () => {
  const paths = [
    '/v1/models',
    '/v1/models/demo-small',
    '/v1/models/nothing',
    '/api/receipts/req_nothing',
    '/api/nothing',
  ];
  for (const path of paths) {
    const response = await gateway.call(path, { key });
    await response.bytes();
    expect([path, response.headers.get('cache-control')]).toEqual([path, 'no-store']);
  }
});
