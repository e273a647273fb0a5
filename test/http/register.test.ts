// POST /api/agent/register: what an agent gets, and what it may send.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const PUBLIC_URL = 'https://ai.example';
const PATH = '/api/agent/register';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ env: { PUBLIC_URL } });
});
afterAll(() => gateway.stop());

test('answers 201 with everything a first call needs, and nothing else', async () => {
  const response = await gateway.call(PATH, { body: {}, headers: { 'x-forwarded-host': 'evil.example' } });
  const body: Answer = await response.json();

  expect(response.status).toBe(201);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(body.api_key).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/);
  expect(body.account_id).toMatch(/^acc_[0-9a-z]+$/);
  expect(body.key_id).toMatch(/^key_[0-9a-z]+$/);
  expect(body).toEqual({
    api_key: body.api_key,
    account_id: body.account_id,
    key_id: body.key_id,
    free_model: 'auto:free',
    demo: true,
    trial_ntd: 1,
    trial_nano: '1000000000',
    balance_ntd: 1,
    balance_nano: '1000000000',
    base_url: PUBLIC_URL,
    openai_base_url: `${PUBLIC_URL}/v1`,
    anthropic_base_url: PUBLIC_URL,
    account_url: `${PUBLIC_URL}/account`,
    pricing_url: `${PUBLIC_URL}/pricing`,
    docs_url: `${PUBLIC_URL}/docs`,
    status_url: `${PUBLIC_URL}/status`,
    security_url: `${PUBLIC_URL}/security`,
    limits: body.limits,
    env: {
      OPENAI_BASE_URL: `${PUBLIC_URL}/v1`,
      OPENAI_API_KEY: body.api_key,
      ANTHROPIC_BASE_URL: PUBLIC_URL,
      ANTHROPIC_AUTH_TOKEN: body.api_key,
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_MODEL: 'auto:free',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'auto:free',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'auto:free',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'auto:free',
      ANTHROPIC_DEFAULT_FABLE_MODEL: 'auto:free',
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '64000',
    },
    next_steps: body.next_steps,
  });
  expect(body.limits).toMatchObject({ free_per_minute: 6, free_per_day_zero: 100, free_per_day_positive: 300 });
  expect(body.limits.free_in_flight).toBe(4);
  expect((await gateway.get('/api/me', body.api_key)).limits).toEqual(body.limits);
});

test('the key works at once and owns NT$1', async () => {
  const { key, accountId, keyId } = await gateway.register();
  const me = await gateway.get('/api/me', key);
  expect(me).toMatchObject({ account_id: accountId, balance_ntd: 1, available_ntd: 1, held_ntd: 0 });
  expect(me.key).toMatchObject({ id: keyId, last4: key.slice(-4), manage: true });
});

test('only a hash of the key is stored', async () => {
  const { key, keyId } = await gateway.register();
  const [row] = gateway.sql<{ hash: string; last4: string }>('SELECT hash, last4 FROM keys WHERE key_id = ?', keyId);
  expect(row?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(row?.last4).toBe(key.slice(-4));
  expect(JSON.stringify(gateway.sql('SELECT * FROM keys'), stringifyBigint)).not.toContain(key.slice(7, 40));
});

describe('takes', () => {
  const bodies: [what: string, body: string | undefined][] = [
    ['an empty object', '{}'],
    ['an empty body', ''],
    ['no body at all', undefined],
    ['white space', ' \r\n\t '],
    ['unknown fields, also privileged ones', '{"name":"agent","balance_ntd":1000,"trial_ntd":50,"manage":false}'],
  ];
  test.each(bodies)('%s', async (_, body) => {
    const response = await gateway.call(PATH, { method: 'POST', ...(body === undefined ? {} : { body }) });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ trial_ntd: 1, balance_ntd: 1 });
  });

  test('any content type', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await gateway.call(PATH, { body: '{}', headers })).status).toBe(201);
  });
});

describe('refuses', () => {
  const bodies: [what: string, body: string, status: number, code: string][] = [
    ['broken JSON', '{"name":', 400, 'invalid_request'],
    ['a list', '[]', 400, 'invalid_request'],
    ['a field twice', '{"a":1,"a":2}', 400, 'invalid_request'],
    ['4 KB and one byte', `{"name":"${'x'.repeat(4096 - 10)}"}`, 413, 'request_too_large'],
  ];
  test.each(bodies)('%s', async (_, body, status, code) => {
    const before = gateway.sql('SELECT count(*) AS n FROM accounts');
    const response = await gateway.call(PATH, { body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code, type: 'invalid_request_error' } });
    expect(gateway.sql('SELECT count(*) AS n FROM accounts')).toEqual(before);
  });

  test('4 KB and one byte in chunks', async () => {
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`{"name":"${'x'.repeat(4096)}`));
        controller.close();
      },
    });
    const response = await fetch(gateway.url + PATH, { method: 'POST', body: stream });
    expect(response.status).toBe(413);
  });

  test('but takes 4 KB exactly', async () => {
    const body = `{"name":"${'x'.repeat(4096 - 11)}"}`;
    expect(body).toHaveLength(4096);
    expect((await gateway.call(PATH, { body })).status).toBe(201);
  });
});

describe('a page of another site', () => {
  const own = () => `http://127.0.0.1:${gateway.port}`;
  const refused: [what: string, headers: () => Record<string, string>][] = [
    ['marked cross-site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['marked same-site', () => ({ 'sec-fetch-site': 'same-site', origin: own() })],
    ['with another origin', () => ({ origin: 'https://evil.example' })],
    ['with an opaque origin', () => ({ origin: 'null' })],
    ['with a simple form body', () => ({ origin: 'https://evil.example', 'content-type': 'text/plain' })],
  ];
  test.each(refused)('%s is refused and takes nothing', async (_, headers) => {
    const before = gateway.sql('SELECT * FROM windows');
    const response = await gateway.call(PATH, { body: '{}', headers: headers() });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: 'cross_site_refused', type: 'permission_error' } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(gateway.sql('SELECT * FROM windows')).toEqual(before);
  });

  const taken: [what: string, headers: () => Record<string, string>][] = [
    ['its own page', () => ({ 'sec-fetch-site': 'same-origin', origin: own() })],
    ['an address typed by a person', () => ({ 'sec-fetch-site': 'none' })],
    ['its own origin from an old browser', () => ({ origin: own() })],
    ['its public origin from an old browser', () => ({ origin: PUBLIC_URL })],
  ];
  test.each(taken)('%s is served', async (_, headers) => {
    expect((await gateway.call(PATH, { body: '{}', headers: headers() })).status).toBe(201);
  });
});

function stringifyBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
