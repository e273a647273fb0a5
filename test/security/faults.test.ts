// S36: every fault of the table, provoked. No answer shows a stack, a path, an upstream's host, key or body, or a word
// about our inside.

import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { FAULT_CODES, type FaultCode, faultRow } from '../../src/faults/table.ts';
import { type AddPages, createApp } from '../../src/http/app.ts';
import { NO_CONNECTION } from '../../src/kit/connection.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually } from '../support/eventually.ts';
import type { CallOptions, TestAccount, TestGateway } from '../support/gateway.ts';
import { unissuedCode } from '../support/issue-cards.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';
import { type RawAnswer, rawCall } from '../support/raw-call.ts';
import { openSocket, type SocketClient } from '../support/response-socket.ts';
import { UPSTREAM_KEY, upModel } from '../support/test-document.ts';
import { answerAny, startSecure } from './start-secure.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startSecure({
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    limits: { free_per_minute: 2, paid_per_minute: 5, in_flight: 2 },
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('short', { context_tokens: 20, price: { input: 1, output: 1 } }),
        upModel('dear', { price: { input: 100_000, output: 100_000 } }),
        upModel('ended', { price: { input: 1, output: 1 }, retires_at: '2020-01-01', replaced_by: 'even' }),
        upModel('even', { price: { input: 1_000, output: 1_000 } }),
        ...['breaks', 'refuses', 'limits'].map((id) =>
          upModel(id, { price: { input: 1, output: 1 }, routes: [{ channel: 'up', model: id }] }),
        ),
      ],
      guards: { ...doc.guards, bad_keys_per_minute: 1 },
    }),
  });
});
afterAll(() => gateway.stop());

const SECRET_BODY = 'words-of-the-upstream';
/** What an upstream might say about itself. */
const leak = () =>
  `${SECRET_BODY} key ${UPSTREAM_KEY} at http://127.0.0.1:${gateway.upstream.port}/v1/x org-abcdefgh123 (/srv/up/app.py:7)`;

let callers = 0;
const address = () => ({ 'x-forwarded-for': `198.18.${callers >> 8}.${callers++ & 255}` });
const call = (path: string, options: CallOptions = {}) =>
  gateway.call(path, { ...options, headers: { ...address(), ...options.headers } });
const chat = (key: string, fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  gateway.chat(key, { max_tokens: 20, ...fields }, { headers });
const newKey = async () => (await gateway.register()).key;
const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(path, { key: await newKey(), body, headers });

/** The last of several. */
async function repeated(times: number, ask: () => Promise<Response>): Promise<Response> {
  for (let n = 1; n < times; n++) await (await ask()).text();
  return ask();
}

/** While `count` calls hang, one more. */
async function whileRunning(key: string, model: string, count: number): Promise<Response> {
  const gate = createGate();
  const held = { ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] };
  const before = gateway.upstream.requests.length;
  gateway.upstream.next(...Array.from({ length: count }, () => held));
  const running = Array.from({ length: count }, () => untilHeard(() => chat(key, { model, max_tokens: 900 })));
  await gateway.upstream.request(before + count - 1);
  const response = await chat(key, { model, max_tokens: 900 });
  gate.open();
  await Promise.all(running.map(async (one) => (await one).text()));
  return response;
}

const TURN = { model: 'even', input: 'Hi' };

/** The refusal of a message, as a response. */
async function onSocket(provoke: (client: SocketClient) => Promise<Answer>, at = gateway): Promise<Response> {
  const client = await openSocket(at.url, (await at.register()).key);
  const { status, headers, error } = await provoke(client);
  client.socket.close();
  return Response.json({ error }, { status, headers });
}

async function oldSocket(): Promise<Response> {
  const clock = createManualClock();
  const other = await startSecure({ clock });
  const response = await onSocket(async (client) => {
    for (let passed = 0; passed < 60; passed += 12) {
      await client.ask({ ...TURN, generate: false });
      await clock.advance(12 * 60_000);
    }
    return client.find('the last event', ({ type }) => type === 'error');
  }, other);
  await other.stop();
  return response;
}

async function slowBody(): Promise<Response> {
  const clock = createManualClock();
  const other = await startSecure({ clock });
  const { key } = await other.register();
  const head = `POST /api/redeem HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 9\r\n`;
  let answer: RawAnswer | undefined;
  void rawCall(other.port, `${head}\r\n{`, 20_000).then((whole) => {
    answer = whole;
  });
  const { status, json } = await eventually('the answer', async () => {
    await clock.advance(1_000);
    return answer;
  });
  await other.stop();
  return Response.json(json, { status });
}

async function brokenStore(): Promise<Response> {
  const key = await newKey();
  await call('/api/me', { key });
  const broken = spyOn(gateway.gateway.store.read, 'usagePage').mockImplementation(async () => {
    throw new Error(`SQLITE_CORRUPT in ${gateway.databaseFile}: ${leak()}`);
  });
  try {
    return await call('/api/usage', { key });
  } finally {
    broken.mockRestore();
  }
}

const failing = async (model: string, status: number, error: Record<string, unknown> = {}) => {
  gateway.upstream.otherwise(errorScript(status, { message: leak(), type: leak(), ...error }));
  const response = await chat(await newKey(), { model });
  gateway.upstream.otherwise(answerAny);
  return response;
};
const MESSAGES = [{ role: 'user', content: 'Hi' }];
const NO_WAIT = { 'x-svc-no-wait': '1' };

const PROVOKE: Record<FaultCode, () => Promise<Response>> = {
  invalid_request: () => post('/v1/chat/completions', '{"model":'),
  unsupported_endpoint: () => post('/v1/chat/completions', { model: 'paint', messages: MESSAGES }),
  context_length_exceeded: async () =>
    chat(await newKey(), { model: 'short', messages: [{ role: 'user', content: 'word '.repeat(100) }] }),
  content_rejected: () => failing('refuses', 400, { code: 'content_policy_violation' }),
  card_code_malformed: () => post('/api/redeem', { code: 'PC-1' }),
  previous_response_not_found: () => onSocket((client) => client.ask({ ...TURN, previous_response_id: 'resp_none' })),
  invalid_stream_id: () => onSocket((client) => client.ask({ ...TURN, stream_id: 'a b' })),
  websocket_stream_limit_reached: () =>
    onSocket(async (client) => {
      for (let n = 0; n < 32; n++) await client.ask({ ...TURN, generate: false, stream_id: `s${n}` });
      return client.ask({ ...TURN, stream_id: 'one.more' });
    }),
  websocket_connection_limit_reached: oldSocket,
  invalid_api_key: () => call('/api/me'),
  insufficient_balance: async () => chat(await newKey(), { model: 'dear' }),
  key_budget_exceeded: async () => {
    const { key } = await createKey(gateway, await newKey(), { daily_budget_ntd: 0.0001 });
    return chat(key, { model: 'even' });
  },
  balance_in_use: async () => whileRunning(await newKey(), 'even', 1),
  model_not_allowed: async () => {
    const { key } = await createKey(gateway, await newKey(), { models: ['auto:free'] });
    return chat(key, { model: 'even' });
  },
  key_not_permitted: async () => call('/api/keys', { key: (await createKey(gateway, await newKey())).key }),
  cross_site_refused: () => call('/api/agent/register', { body: {}, headers: { origin: 'https://a.example' } }),
  model_not_found: async () => chat(await newKey(), { model: 'nope' }),
  route_not_found: () => call('/none'),
  not_found: async () => call('/api/receipts/req_none', { key: await newKey() }),
  card_not_redeemable: () => post('/api/redeem', { code: unissuedCode() }),
  method_not_allowed: () => call('/v1/chat/completions'),
  request_timeout: slowBody,
  last_key: async () => {
    const { key, keyId } = await gateway.register();
    return call(`/api/keys/${keyId}`, { key, method: 'DELETE' });
  },
  quote_expired: () =>
    post('/v1/chat/completions', { model: 'even', messages: MESSAGES }, { 'x-svc-quote': 'qte_none' }),
  model_retired: async () => chat(await newKey(), { model: 'ended' }),
  request_too_large: () => post('/api/redeem', ' '.repeat(5_000)),
  idempotency_key_reused: async () => {
    const key = await newKey();
    const headers = { 'idempotency-key': 'fake-idempotency-key-0000' };
    await call('/api/keys', { key, headers, body: { name: 'a' } });
    return call('/api/keys', { key, headers, body: { name: 'b' } });
  },
  quote_mismatch: async () => {
    const key = await newKey();
    const body = { model: 'even', messages: MESSAGES };
    const quote = await (await call('/api/quote', { key, body: { endpoint: '/v1/chat/completions', body } })).json();
    return chat(key, { model: 'even' }, { 'x-svc-quote': quote.quote_id });
  },
  rate_limited: async () => {
    const key = await newKey();
    return repeated(6, () => chat(key, { model: 'demo-small', max_tokens: 1 }));
  },
  free_minute_limit: async () => {
    const key = await newKey();
    return repeated(3, () => chat(key, { model: 'auto:free' }, NO_WAIT));
  },
  too_many_in_flight: async () => whileRunning(await newKey(), 'limits', 2),
  auth_rate_limited: () => repeated(2, () => gateway.call('/api/me', { headers: { 'x-forwarded-for': '192.0.2.1' } })),
  redeem_rate_limited: async () => {
    const key = await newKey();
    return repeated(6, () => call('/api/redeem', { key, body: { code: unissuedCode() } }));
  },
  free_daily_limit: () =>
    limited({ free_per_day_zero: 1, free_per_day_positive: 1 }, (other, { key }) =>
      other.chat(key, { model: 'auto:free' }),
    ),
  registration_ip_limit: () => limited({ register_per_ip: 2 }, again),
  registration_site_limit: () => limited({ register_per_day: 2 }, again),
  internal_error: brokenStore,
  upstream_failed: () => failing('breaks', 500),
  unavailable: () => failing('limits', 429),
  loop_detected: async () => {
    await (await chat(await newKey(), { model: 'up-paid' })).text();
    const own = gateway.upstream.requests.at(-1)?.headers['x-svc-loop'] ?? '';
    return chat(await newKey(), { model: 'up-paid' }, { 'x-svc-loop': own });
  },
};

const again = (other: TestGateway) => other.call('/api/agent/register', { body: {} });

/** The second of two calls on a gateway of its own, for which no day ends between the two. */
async function limited(
  limits: Record<string, number>,
  ask: (other: TestGateway, account: TestAccount) => Promise<Response>,
): Promise<Response> {
  const other = await startSecure({ clock: createManualClock(), limits });
  try {
    const account = await other.register();
    const response = await repeated(2, () => ask(other, account));
    return new Response(await response.text(), response);
  } finally {
    await other.stop();
  }
}

describe('S36 every fault', () => {
  test.each(FAULT_CODES)('S36 %s tells only what is meant for the client', async (code) => {
    const response = await PROVOKE[code]();
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ error: { code } });
    expect(response.status).toBe(faultRow(code).status);
    const whole = `${text} ${JSON.stringify([...response.headers])}`;
    expect(whole).not.toMatch(/\.ts\b|node_modules|\bat \w+ \(|sqlite|postgres|\bbun\b|hono|\/src\/|\/srv\//i);
    const secrets = [
      UPSTREAM_KEY,
      `127.0.0.1:${gateway.upstream.port}`,
      SECRET_BODY,
      'org-abcdefgh123',
      gateway.dataDir,
    ];
    // Of a refusal that is about the request itself the upstream's words pass; its names do not.
    const hidden = code === 'content_rejected' ? secrets.filter((one) => one !== SECRET_BODY) : secrets;
    for (const secret of hidden) expect(whole).not.toContain(secret);
  });

  test('S36 was told to our own log instead, without content', () => {
    expect(gateway.log.text()).toContain('"code":"internal_error"');
    for (const secret of [UPSTREAM_KEY, SECRET_BODY, 'SQLITE_CORRUPT'])
      expect(gateway.log.text()).not.toContain(secret);
  });

  const broken = (): never => {
    throw new Error(`${SECRET_BODY} in ${gateway.dataDir}`);
  };
  test.each<[string, () => Promise<AddPages>]>([
    ['a page breaks', async () => (pages) => void pages.get('/broken', broken)],
    ['pages cannot be loaded', async () => broken()],
  ])('S36 also when %s: told as our own error, and its words stay out of the log', async (_, loadPages) => {
    const lines: string[] = [];
    const tools = {
      newId: () => 'req_1',
      publicUrl: 'http://gateway.example',
      countFault: () => {},
      log: (...told: unknown[]) => void lines.push(JSON.stringify(told)),
    };
    const app = createApp(tools as never, loadPages);
    const response = await app.fetch(new Request('http://gateway.example/broken'), NO_CONNECTION);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'internal_error', request_id: 'req_1' } });
    expect(lines).toHaveLength(1);
    for (const secret of [SECRET_BODY, gateway.dataDir]) expect(text + lines[0]).not.toContain(secret);
  });
});
