// The MCP server, used by the client of its SDK over a socket, in both kinds of the protocol: each tool does what its call of
// the API does, with the same answers, faults, limits and charges.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { connectMcp, type McpClient, PROTOCOLS, type Protocol } from '../support/mcp-client.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
import { cutAt } from '../support/script.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { upModel } from '../support/test-document.ts';

const HELLO = { model: 'up-paid', prompt: 'Hi', max_tokens: 100 };
let gateway: TestGateway;
let account: TestAccount;
let open: McpClient[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [...standard.models, upModel('dear', { price: { input: 1_000, output: 100_000 } })],
    }),
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterEach(async () => {
  await Promise.all(open.map((client) => client.close()));
  open = [];
});
afterAll(() => gateway.stop());

async function connect(key?: string, protocol?: Protocol): Promise<McpClient> {
  const client = await connectMcp(gateway, key, protocol);
  open.push(client);
  return client;
}

/** The error of the API that a refused tool call carries. */
async function refusalOf(client: McpClient, name: string, given?: Record<string, unknown>): Promise<Answer> {
  const { isError, text, structured } = await client.tool(name, given);
  expect([isError, structured]).toEqual([true, undefined]);
  return JSON.parse(text).error;
}

const usageOf = async (key: string): Promise<Answer[]> => (await gateway.get('/api/usage', key)).data;

describe.each(Object.keys(PROTOCOLS) as Protocol[])('in the protocol of %s', (protocol) => {
  test('the tools are listed, each with schemas; only ask says that it costs money', async () => {
    const { client } = await connect(undefined, protocol);
    const { tools } = await client.listTools();
    const names = ['register', 'models', 'status', 'quote', 'balance', 'usage', 'redeem', 'create_key', 'ask'];
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { inputSchema, outputSchema } of tools) {
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object']);
    }
    expect(tools.filter(({ description = '' }) => description.includes('Costs money')).map(({ name }) => name)).toEqual(
      ['ask'],
    );
    expect(client.getNegotiatedProtocolVersion()).toBe(protocol);
  });

  test('without a key: an agent looks around, registers, and asks with the key it got', async () => {
    const stranger = await connect(undefined, protocol);
    const models = await stranger.tool('models');
    expect(models.structured).toEqual(await (await gateway.call('/api/public/catalog')).json());
    expect(JSON.parse(models.text)).toEqual(models.structured);
    const status = await stranger.tool('status');
    expect(status.structured.data.map(({ id }: Answer) => id)).toContain('up-paid');
    const { structured: registered } = await stranger.tool('register');
    expect(registered).toMatchObject({ trial_ntd: 1, balance_ntd: 1 });
    const own = await connect(registered.api_key, protocol);
    expect((await own.tool('balance')).structured).toMatchObject({ account_id: registered.account_id, balance_ntd: 1 });
  });

  test('ask is a paid call like any other: text, cost, channel, and a usage record', async () => {
    const client = await connect(account.key, protocol);
    const { texts, structured, isError } = await client.tool('ask', HELLO);
    const { balance_ntd: balance } = await gateway.get('/api/me', account.key);
    const [record, ...more] = await usageOf(account.key);
    expect(more).toEqual([]);
    expect(record).toMatchObject({ model: 'up-paid', channel: 'up', status: 'ok', endpoint: '/v1/chat/completions' });
    expect(record.cost_ntd).toBeGreaterThan(0);
    expect(structured).toEqual({
      text: 'Hello there',
      model: 'up-paid',
      finish_reason: 'stop',
      channel: 'up',
      cost_ntd: record.cost_ntd,
      balance_ntd: balance,
      request_id: record.request_id,
    });
    const { text, ...facts } = structured;
    expect([isError, texts[0], JSON.parse(texts[1] ?? '')]).toEqual([false, text, facts]);
    const { json } = await gateway.upstream.request(0);
    expect([json.messages, json.max_tokens]).toEqual([[{ role: 'user', content: 'Hi' }], 100]);
    expect(gateway.audit()).toEqual([]);
  });

  test('ask that is cancelled stops the upstream, and is closed', async () => {
    gateway.upstream.next(cutAt(chatAnswer(), 'head', 'stall'));
    const client = await connect(account.key, protocol);
    const cancelling = new AbortController();
    const asked = client.tool('ask', HELLO, cancelling.signal);
    const seen = await gateway.upstream.request(0);
    cancelling.abort('enough');
    await expect(asked).rejects.toThrow('enough');
    await eventually('the upstream to be left', () => seen.abortedAt);
    await eventually('the call to be closed', async () => (await usageOf(account.key)).length > 0);
    expect(await usageOf(account.key)).toMatchObject([{ status: 'client_gone' }]);
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
    // The client goes on with the same connection.
    expect((await client.tool('ask', HELLO)).structured.text).toBe('Hello there');
  });

  test('ask whose client is gone stops the upstream', async () => {
    gateway.upstream.next(cutAt(chatAnswer(), 'head', 'stall'));
    const client = await connect(account.key, protocol);
    const asked = client.tool('ask', HELLO).catch(() => {});
    const seen = await gateway.upstream.request(0);
    await client.close();
    await eventually('the upstream to be left', () => seen.abortedAt);
    await asked;
  });
});

test('only the call that is cancelled ends, not one of another client with the same key and the same number', async () => {
  gateway.upstream.next(cutAt(chatAnswer(), 'head', 'stall'), cutAt(chatAnswer(), 'head', 'stall'));
  const [one, other] = [await connect(account.key), await connect(account.key)];
  const cancelling = new AbortController();
  const cancelled = one.tool('ask', HELLO, cancelling.signal).catch(() => {});
  const first = await gateway.upstream.request(0);
  const running = other.tool('ask', HELLO).catch(() => {});
  const second = await gateway.upstream.request(1);
  cancelling.abort();
  await eventually('the first upstream to be left', () => first.abortedAt);
  await cancelled;
  expect(second.abortedAt).toBeUndefined();
  await other.close();
  await running;
});

describe('the arguments of ask', () => {
  test('messages are the conversation, and the prompt comes after them', async () => {
    const client = await connect(account.key);
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ];
    await client.tool('ask', { model: 'up-paid', messages, prompt: 'And on?', max_tokens: null });
    const { json } = await gateway.upstream.request(0);
    expect(json.messages).toEqual([...messages, { role: 'user', content: 'And on?' }]);
  });

  test('models and provider choose who answers, and a quote takes them, too', async () => {
    const client = await connect(account.key);
    const routing = { ...HELLO, model: 'up-paid', models: ['demo-small'], provider: { only: ['demo'] } };
    const { structured: quote } = await client.tool('quote', routing);
    expect(quote.model).toBe('demo-small');
    const { structured: answer } = await client.tool('ask', { ...routing, quote_id: quote.quote_id });
    expect(answer).toMatchObject({ model: 'demo-small', channel: 'demo' });
    expect(await refusalOf(client, 'ask', { ...routing, provider: { only: ['nope'] } })).toMatchObject({
      code: 'invalid_request',
      param: 'provider.only[0]',
    });
  });

  test('a quote of the same arguments fixes the price; one of others is refused', async () => {
    const client = await connect(account.key);
    const { structured: quote } = await client.tool('quote', HELLO);
    expect(quote).toMatchObject({ model: 'up-paid', refusal: null });
    const { structured: answer } = await client.tool('ask', { ...HELLO, quote_id: quote.quote_id });
    expect(answer.cost_ntd).toBeLessThanOrEqual(quote.max_cost_ntd);
    const other = await refusalOf(client, 'ask', { ...HELLO, prompt: 'Hello', quote_id: quote.quote_id });
    expect(other.code).toBe('quote_mismatch');
  });

  test('a session is that of session budgets', async () => {
    const { structured: quote } = await (await connect(account.key)).tool('quote', { ...HELLO, max_tokens: 16 });
    // It pays for the shortest answer, once.
    const { key } = await createKey(gateway, account.key, { budgets: { session_ntd: quote.max_cost_ntd } });
    const client = await connect(key);
    const inSession = (session: string) => ({ ...HELLO, session });
    expect((await client.tool('ask', inSession('one, ü'))).isError).toBe(false);
    expect(await refusalOf(client, 'ask', inSession('one, ü'))).toMatchObject({ budget: 'session' });
    const quoted = async (session: string) => (await client.tool('quote', inSession(session))).structured.refusal;
    expect([await quoted('one, ü'), await quoted('two')]).toMatchObject([{ budget: 'session' }, null]);
    expect((await client.tool('ask', inSession('two'))).isError).toBe(false);
  });
});

describe('the other tools', () => {
  test('balance and usage answer as the API does', async () => {
    const client = await connect(account.key);
    await client.tool('ask', HELLO);
    await client.tool('ask', HELLO);
    // The times in the free allowances go on with the clock.
    const { free, ...balance } = (await client.tool('balance')).structured;
    expect(await gateway.get('/api/me', account.key)).toMatchObject(balance);
    expect(free.minute).toMatchObject({ limit: 6, used: 0 });
    const { structured: page } = await client.tool('usage', { limit: 1, model: 'up-paid' });
    expect(page).toEqual(await gateway.get('/api/usage?limit=1&model=up-paid', account.key));
    const { structured: rest } = await client.tool('usage', { cursor: page.next_cursor, format: 'csv' });
    expect(rest.data).toHaveLength(1);
  });

  test('redeem credits a card once', async () => {
    const client = await connect(account.key);
    const { code } = await issueCard(gateway);
    expect((await client.tool('redeem', { code })).structured).toMatchObject({ credited_ntd: 100, balance_ntd: 101 });
    expect((await client.tool('redeem', { code })).structured).toMatchObject({ credited_ntd: 0, balance_ntd: 101 });
  });

  test('create_key makes a child key, whose budget holds for ask', async () => {
    const client = await connect(account.key);
    const { structured: team } = await client.tool('create_key', { delegate: true, budgets: { month_ntd: 0.5 } });
    const delegate = await connect(team.api_key);
    const { structured: made } = await delegate.tool('create_key', { name: 'agent', budgets: { total_ntd: 0.0001 } });
    expect(made).toMatchObject({ parent_id: team.id, budgets: { total_ntd: 0.0001 } });
    const child = await connect(made.api_key);
    const refused = await refusalOf(child, 'ask', HELLO);
    expect(refused).toMatchObject({ code: 'key_budget_exceeded', budget: 'total', key_id: made.id });
    expect(refused.actions.length).toBeGreaterThan(0);
    expect(gateway.upstream.requests).toEqual([]);
  });

  test('status leaves out the history', async () => {
    const { structured } = await (await connect()).tool('status');
    const channels = structured.data.flatMap((model: Answer) => model.channels);
    expect(channels.length).toBeGreaterThan(3);
    expect(channels.map(({ history }: Answer) => history)).toEqual(channels.map(() => []));
  });
});

describe('a tool call that is refused carries the error of the API', () => {
  test.each(['balance', 'usage', 'quote', 'redeem', 'create_key', 'ask'])(
    '%s without a key, and the way to one',
    async (name) => {
      const refused = await refusalOf(await connect(), name, {});
      expect(refused).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' });
      expect(refused.actions).toEqual([
        { method: 'POST', href: `${gateway.url}/api/agent/register`, body: {}, why: expect.any(String) },
      ]);
    },
  );

  test.each([
    ['ask', { ...HELLO, model: 'none' }, { code: 'model_not_found' }],
    ['ask', {}, { code: 'invalid_request', param: 'model' }],
    ['ask', { model: 'up-paid' }, { code: 'invalid_request', param: 'messages' }],
    ['ask', { model: 'up-paid', messages: 'Hi' }, { code: 'invalid_request', param: 'messages' }],
    ['ask', { ...HELLO, model: 'dear' }, { code: 'insufficient_balance' }],
    ['ask', { ...HELLO, quote_id: 'none ü' }, { code: 'quote_expired' }],
    ['quote', { ...HELLO, model: 'none' }, { code: 'model_not_found' }],
    ['usage', { limit: 'many' }, { code: 'invalid_request', param: 'limit' }],
    ['redeem', { code: 7 }, { code: 'invalid_request', param: 'code' }],
    ['redeem', { code: 'PC-0000' }, { code: 'card_code_malformed' }],
    ['create_key', { budget: 1 }, { code: 'invalid_request', param: 'budget' }],
  ])('%s %j', async (name, given, expected) => {
    expect(await refusalOf(await connect(account.key), name, given)).toMatchObject(expected);
  });

  test('an upstream that fails', async () => {
    gateway.upstream.otherwise(errorScript(500, { message: 'secret' }));
    const refused = await refusalOf(await connect(account.key), 'ask', HELLO);
    expect(refused.code).toBe('upstream_failed');
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
  });

  test('a key that may only call models creates none', async () => {
    const { key } = await createKey(gateway, account.key);
    expect(await refusalOf(await connect(key), 'create_key', {})).toMatchObject({ code: 'key_not_permitted' });
  });

  test('a tool that does not exist is an error of the protocol', async () => {
    await expect((await connect()).tool('none')).rejects.toThrow('This tool does not exist');
  });
});

describe('limits', () => {
  const calls = (name: string, given: unknown = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  });
  let strict: TestGateway;
  beforeAll(async () => {
    strict = await startTestGateway({
      clock: createShiftedClock({ standsStill: true }),
      limits: { register_per_ip: 2 },
      env: { TRUSTED_PROXIES: '127.0.0.0/8' },
    });
  });
  afterAll(() => strict.stop());

  test('registrations count by the address of the client, with those of the API', async () => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const register = async (address: string): Promise<Answer> =>
      (await (await strict.call('/mcp', { ...from(address), body: calls('register') })).json()).result;
    await strict.call('/api/agent/register', { ...from('203.0.113.7'), body: {} });
    expect((await register('203.0.113.7')).structuredContent.balance_ntd).toBe(1);
    const refused = await register('203.0.113.7');
    expect([refused.isError, JSON.parse(refused.content[0].text).error.code]).toEqual([true, 'registration_ip_limit']);
    expect((await register('203.0.113.8')).isError).toBeUndefined();
  });

  test('large bodies that no model is asked for count against their account', async () => {
    const { key } = await strict.register();
    const send = async (values: number): Promise<string | undefined> => {
      const body = calls('models', { values: Array(values).fill(0) });
      const answer: Answer = await (await strict.call('/mcp', { key, body })).json();
      return answer.error?.code;
    };
    // 60 units each, and 1,200 in ten seconds.
    for (let sent = 0; sent < 20; sent++) expect(await send(60_000)).toBeUndefined();
    expect(await send(60_000)).toBe('rate_limited');
    // A small one is taken.
    expect(await send(10)).toBeUndefined();
  });
});

test('a drain waits for ask, and its answer arrives', async () => {
  const draining = await startTestGateway();
  try {
    const gate = createGate();
    const answer = chatAnswer();
    draining.upstream.next({ ...answer, body: [gate.opened, ...(answer.body ?? [])] });
    const client = await connectMcp(draining, (await draining.register()).key);
    const asked = client.tool('ask', HELLO);
    await draining.upstream.request(0);
    const drained = draining.gateway.drain(60_000);
    await eventually('new calls to be refused', async () => (await draining.call('/readyz')).status === 503);
    gate.open();
    expect((await asked).structured.text).toBe('Hello there');
    await drained;
  } finally {
    await draining.stop();
  }
});

describe('over HTTP', () => {
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const callsTool = (name: string, given: unknown) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  });

  test('a wrong key is refused with 401, and the way to another', async () => {
    const response = await gateway.call('/mcp', { key: `${account.key.slice(0, -4)}aaaa`, body: LIST });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${gateway.url}/.well-known/oauth-protected-resource"`,
    );
    expect((await response.json()).error.code).toBe('invalid_api_key');
  });

  test.each(['GET', 'DELETE'])('%s is refused: there is no session and no stream of the server', async (method) => {
    const response = await gateway.call('/mcp', { method, headers: { accept: 'text/event-stream' } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    // DNS rebinding: the page is of the same site as the address that it called.
    { origin: 'http://evil.example', host: 'evil.example', 'sec-fetch-site': 'same-origin' },
  ])('a web page of another site is refused: %j', async (headers) => {
    const response = await gateway.call('/mcp', { key: account.key, body: LIST, headers });
    expect(response.status).toBe(403);
    expect((await response.json()).error.code).toBe('cross_site_refused');
  });

  test('a client that takes no events gets JSON', async () => {
    const response = await gateway.call('/mcp', { body: LIST });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await response.json()).result.tools).toHaveLength(9);
  });

  test('text with any separator arrives whole, as JSON and as an event', async () => {
    const said = 'one\u2028two\u2029three\r\nfour\n\ndata: five';
    gateway.upstream.otherwise(chatAnswer({ pieces: [said] }));
    const response = await gateway.call('/mcp', { key: account.key, body: callsTool('ask', HELLO) });
    expect((await response.json()).result.structuredContent.text).toBe(said);
    expect((await (await connect(account.key)).tool('ask', HELLO)).text).toBe(said);
  });

  test('an argument of a kind that no query has is refused by the call', async () => {
    const given = { limit: { toString: 1 } };
    const response = await gateway.call('/mcp', { key: account.key, body: callsTool('usage', given) });
    const { isError, content } = (await response.json()).result;
    expect([isError, JSON.parse(content[0].text).error.param]).toEqual([true, 'limit']);
  });

  test('bodies are limited: 16 KiB without a key, 1 MiB with one', async () => {
    const body = (bytes: number) => JSON.stringify(callsTool('models', {})).padEnd(bytes);
    const status = async (bytes: number, key?: string) =>
      (await gateway.call('/mcp', { key, body: body(bytes) })).status;
    expect(await status(16 * 1024)).toBe(200);
    expect(await status(16 * 1024 + 1)).toBe(413);
    expect(await status(1024 * 1024, account.key)).toBe(200);
    expect(await status(1024 * 1024 + 1, account.key)).toBe(413);
  });

  test.each([
    ['no JSON', '{', 400],
    ['a list of messages', [LIST, LIST], 400],
    ['no message', { hello: 1 }, 400],
  ])('%s is refused', async (_, body, status) => {
    const response = await gateway.call('/mcp', { body });
    expect([response.status, typeof (await response.json()).error.message]).toEqual([status, 'string']);
  });

  test('a version of the protocol that does not exist is refused', async () => {
    const headers = { 'mcp-protocol-version': '1999-01-01' };
    expect((await gateway.call('/mcp', { body: LIST, headers })).status).toBe(400);
  });
});
