// /api/keys: making keys, showing, changing and deleting them, and who may.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const send = (method: string, path: string, body?: unknown, key = account.key) =>
  gateway.call(path, { method, key, body });
const statusOf = async (key: string) => (await gateway.call('/api/me', { key })).status;

describe('a new key', () => {
  test('is 201 with the key, once, and its fields', async () => {
    const response = await send('POST', '/api/keys', { name: '  ci  ' });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const answer: Answer = await response.json();
    expect(answer).toEqual({
      api_key: expect.stringMatching(/^sk-svc-[0-9A-Za-z]{49}$/),
      id: expect.stringMatching(/^key_/),
      name: 'ci',
      last4: answer.api_key.slice(-4),
      manage: false,
      delegate: false,
      parent_id: null,
      depth: 0,
      models: null,
      budgets: expect.objectContaining({ day_ntd: null, session_nano: null }),
      rates: expect.objectContaining({ in_flight: null }),
      daily_budget_ntd: null,
      daily_budget_nano: null,
      expires_at: null,
      created_at: expect.stringMatching(/Z$/),
    });
    const me = await gateway.get('/api/me', answer.api_key);
    expect(me).toMatchObject({ account_id: account.accountId, key: { id: answer.id, name: 'ci', manage: false } });
  });

  test('is never shown again, nor its hash', async () => {
    const { id, key } = await createKey(gateway, account.key, { name: 'hidden' });
    const response = await send('GET', '/api/keys');
    const text = await response.text();
    expect(text).toContain(id);
    expect(text).not.toContain(key);
    expect(text).not.toContain(key.slice(7, 40));
    const hashes = gateway.sql<{ hash: string }>('SELECT hash FROM keys');
    expect(hashes.length).toBeGreaterThan(1);
    for (const { hash } of hashes) expect(text).not.toContain(hash);
    const { data }: Answer = JSON.parse(text);
    const shown = data.find((one: Answer) => one.id === id);
    expect(Object.keys(shown).sort()).toEqual(
      [
        'id',
        'name',
        'last4',
        'manage',
        'delegate',
        'parent_id',
        'depth',
        'models',
        'budgets',
        'rates',
        'daily_budget_ntd',
        'daily_budget_nano',
        'expires_at',
        'created_at',
        'spent',
        'held_ntd',
        'held_nano',
        'left',
        'resets_at',
      ].sort(),
    );
  });

  test('takes an empty body, and carries all its restrictions', async () => {
    expect((await send('POST', '/api/keys', '')).status).toBe(201);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const response = await send('POST', '/api/keys', {
      name: '測試 <b>',
      models: ['claude-up-paid', 'up-paid', 'auto:free'],
      daily_budget_ntd: 12.345678901,
      expires_at,
      manage: false,
    });
    expect(await response.json()).toMatchObject({
      name: '測試 <b>',
      // An alias is stored as its model, which stands for all its names.
      models: ['up-paid', 'auto:free'],
      daily_budget_ntd: 12.345678901,
      daily_budget_nano: '12345678901',
      expires_at,
    });
  });

  test.each([
    ['{"account_id":"acc_other"}', 'account_id'],
    ['{"id":"key_chosen"}', 'id'],
    ['{"daily_budget_nano":"5"}', 'daily_budget_nano'],
    ['{"daily_budget":0.01}', 'daily_budget'],
    ['{"name":"ci","allowed_models":["up-paid"]}', 'allowed_models'],
    ['{"expires":"2099-01-01T00:00:00Z"}', 'expires'],
    ['{"constructor":{"manage":true}}', 'constructor'],
    ['{"Daily_Budget_NTD":0.01}', undefined],
    ['{"a name that may be content":1}', undefined],
    ['{"":1}', undefined],
  ])('with a field that it does not have is 400, and neither made nor changed: %s', async (body, param) => {
    const { id } = await createKey(gateway, account.key, { name: 'before' });
    const before = gateway.sql('SELECT * FROM keys WHERE account_id = ?', account.accountId);
    for (const [method, path] of [
      ['POST', '/api/keys'],
      ['PATCH', `/api/keys/${id}`],
    ] as const) {
      const response = await send(method, path, body);
      expect(response.status).toBe(400);
      const { error }: Answer = await response.json();
      expect([error.code, error.param ?? undefined]).toEqual(['invalid_request', param]);
      expect(error.message).toContain('name, models, daily_budget_ntd, budgets, rates, expires_at, manage');
      expect(JSON.stringify(error)).not.toContain('content');
    }
    expect(gateway.sql('SELECT * FROM keys WHERE account_id = ?', account.accountId)).toEqual(before);
  });
});

describe('a budget', () => {
  test.each([
    ['123456789.123456789', '123456789123456789'],
    ['9223372036.854775807', '9223372036854775807'],
    ['0.30', '300000000'],
    ['1e-9', '1'],
    ['1.5E+3', '1500000000000'],
    ['0.5000000000', '500000000'],
    ['0e999999999', '0'],
    ['-0', '0'],
  ])('is taken to the last digit: %s', async (written, nano) => {
    const body = `{"name":"exact", "daily_budget_ntd" : ${written} }`;
    const made = (await (await send('POST', '/api/keys', body)).json()) as Answer;
    expect(made.daily_budget_nano).toBe(nano);
    expect(((await (await send('PATCH', `/api/keys/${made.id}`, body)).json()) as Answer).daily_budget_nano).toBe(nano);
    await send('DELETE', `/api/keys/${made.id}`);
  });

  test.each(['1e30', '1e999999999', '9223372036.854775808', '-1'])('is told its range: %s', async (written) => {
    const { error } = (await (await send('POST', '/api/keys', `{"daily_budget_ntd":${written}}`)).json()) as Answer;
    expect(error.message).toBe('daily_budget_ntd must be an amount from 0 to 9223372036.854775807, or null.');
  });
});

describe('a bad body is 400 and names the field', () => {
  const far = new Date(Date.now() + 3_600_000).toISOString();
  test.each([
    ['name', '{"name":5}'],
    ['name', '{"name":""}'],
    ['name', '{"name":"   "}'],
    ['name', `{"name":"${'n'.repeat(101)}"}`],
    ['name', '{"name":"a\\u0007"}'],
    ['name', '{"name":"a\\u202eb"}'],
    ['name', '{"name":"\\u2066a"}'],
    ['models', '{"models":"up-paid"}'],
    ['models', '{"models":[]}'],
    ['models', '{"models":{"0":"up-paid"}}'],
    ['models[1]', '{"models":["up-paid","no-such-model"]}'],
    ['models[0]', '{"models":["UP-PAID"]}'],
    ['models[0]', '{"models":[7]}'],
    ['models[0]', '{"models":["constructor"]}'],
    ['models', JSON.stringify({ models: Array.from({ length: 501 }, () => 'up-paid') })],
    ['daily_budget_ntd', '{"daily_budget_ntd":-1}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":-0.000000001}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":1e400}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":-1e400}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":1e30}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":9223372037}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":9223372036.854775808}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":0.1234567891}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":123456789.1234567891}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":"5"}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":"NaN"}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":""}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":true}'],
    ['daily_budget_ntd', '{"daily_budget_ntd":[5]}'],
    ['expires_at', '{"expires_at":"2020-01-01T00:00:00Z"}'],
    ['expires_at', '{"expires_at":"tomorrow"}'],
    ['expires_at', '{"expires_at":"2999-13-01T00:00:00Z"}'],
    ['expires_at', '{"expires_at":"2999-02-30T00:00:00Z"}'],
    ['expires_at', '{"expires_at":"2999-01-01"}'],
    ['expires_at', '{"expires_at":4102444800000}'],
    ['expires_at', '{"expires_at":1e400}'],
    ['manage', '{"manage":"true"}'],
    ['manage', '{"manage":1}'],
    ['manage', '{"manage":true,"models":["up-paid"]}'],
    ['manage', '{"manage":true,"daily_budget_ntd":0}'],
    ['manage', `{"manage":true,"expires_at":"${far}"}`],
  ])('%s: %s', async (param, body) => {
    const keys = () => gateway.sql('SELECT * FROM keys ORDER BY key_id');
    const before = keys();
    const { id } = await createKey(gateway, account.key);
    for (const response of [await send('POST', '/api/keys', body), await send('PATCH', `/api/keys/${id}`, body)]) {
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
    }
    expect((await send('DELETE', `/api/keys/${id}`)).status).toBe(200);
    expect(keys()).toHaveLength(before.length + 1);
  });

  test.each(['NaN', '[]', 'null', '"text"', '{"daily_budget_ntd":NaN}', '{"name":"a","name":"b"}'])(
    '%s',
    async (body) => {
      const response = await send('POST', '/api/keys', body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
    },
  );
});

describe('a change', () => {
  test('sets what it names, clears what it nulls, and leaves the rest', async () => {
    const { id } = await createKey(gateway, account.key, { name: 'a', models: ['up-paid'], daily_budget_ntd: 5 });
    const first = await send('PATCH', `/api/keys/${id}`, { daily_budget_ntd: 7.5 });
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({ id, name: 'a', models: ['up-paid'], daily_budget_nano: '7500000000' });
    const second = await send('PATCH', `/api/keys/${id}`, { models: null, name: null });
    expect(await second.json()).toMatchObject({ id, name: null, models: null, daily_budget_ntd: 7.5 });
  });

  test('makes a key manage only if it is free of restrictions', async () => {
    const { id, key } = await createKey(gateway, account.key, { daily_budget_ntd: 5 });
    expect((await send('PATCH', `/api/keys/${id}`, { manage: true })).status).toBe(400);
    expect((await send('PATCH', `/api/keys/${id}`, { manage: true, daily_budget_ntd: null })).status).toBe(200);
    expect((await send('GET', '/api/keys', undefined, key)).status).toBe(200);
    expect((await send('PATCH', `/api/keys/${id}`, { models: ['up-paid'] })).status).toBe(400);
    expect((await send('DELETE', `/api/keys/${id}`)).status).toBe(200);
  });
});

describe('a deleted key', () => {
  test('is 401 at once, is not listed, and stays deleted', async () => {
    const { id, key } = await createKey(gateway, account.key);
    expect(await statusOf(key)).toBe(200);
    const deleted = await send('DELETE', `/api/keys/${id}`);
    expect(deleted.status).toBe(200);
    expect(await deleted.json()).toEqual({ id, deleted: true });
    expect(await statusOf(key)).toBe(401);
    expect(await send('GET', '/api/keys').then((response) => response.text())).not.toContain(id);
    for (const [method, path] of [
      ['DELETE', `/api/keys/${id}`],
      ['PATCH', `/api/keys/${id}`],
      ['POST', `/api/keys/${id}/rotate`],
    ] as const) {
      const again = await send(method, path, {});
      expect(again.status).toBe(404);
      expect(await again.json()).toMatchObject({ error: { code: 'not_found' } });
    }
    expect(await statusOf(key)).toBe(401);
  });
});

test('an account has at most 200 live keys; deleting one makes room', async () => {
  const full = await gateway.register();
  const create = () => gateway.call('/api/keys', { key: full.key, body: {} });
  const made = await Promise.all(Array.from({ length: 205 }, create));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(199);
  const refused = made.find(({ status }) => status === 400) as Response;
  expect(await refused.json()).toMatchObject({ error: { code: 'invalid_request' } });
  const { data } = await gateway.get('/api/keys', full.key);
  expect(data).toHaveLength(200);
  const other = data.find((one: Answer) => !one.manage);
  await send('DELETE', `/api/keys/${other.id}`, undefined, full.key);
  expect((await create()).status).toBe(201);
  expect((await create()).status).toBe(400);
});
