// A compaction by the vendor itself: passed on where the channel's vendor has it, and later read only by the account that made it.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { compactingVendor } from '../support/compacting-vendor.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { jsonScript } from '../support/openai-chat.ts';
import { RESPONSE_USAGE, type ResponseOptions, responseAnswer } from '../support/openai-responses.ts';
import { openSocket, textOf } from '../support/response-socket.ts';
import type { Script } from '../support/script.ts';
import { sseEvents } from '../support/sse.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';

const WORDS = 'Look at the lighthouse.';
const CONVERSATION = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: WORDS }] },
  { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'It is white.' },
];
const TRIGGER = { type: 'compaction_trigger' };
const NEXT = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And now?' }] };
/** 11 and 7 tokens at NT$1 for a million. */
const COST = '0.000018';

const OPENAI = { quirks: 'openai', endpoints: ['chat', 'responses'] };
const VENDOR_KEY = 'vendor-secret-0123456789abcdef';
const PRICE = { input: 1, output: 1 };
/** A model of the vendor that can write more than the document allows. */
const KNOWN = 'gpt-6-luna';
const VENDOR_LIMIT = 128_000;
const on = (...channels: string[]) => ({
  price: PRICE,
  routes: channels.map((channel, index) => ({ channel, model: KNOWN, priority: index + 1 })),
});

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { VENDOR_KEY },
    document: (standard) => {
      const base = upstreamUrl(standard);
      return {
        ...standard,
        channels: [
          ...standard.channels,
          openaiChannel('first', base, { ...OPENAI, api_key: 'env:VENDOR_KEY' }),
          openaiChannel('sibling', base, { ...OPENAI, api_key: 'env:VENDOR_KEY' }),
          openaiChannel('literal', base, { ...OPENAI, api_key: VENDOR_KEY }),
          openaiChannel('stranger', base, OPENAI),
          openaiChannel('plain', base),
          openaiChannel('only-chat', base, { ...OPENAI, endpoints: ['chat'] }),
        ],
        models: [
          ...standard.models,
          upModel('alone', on('first')),
          upModel('elsewhere', on('stranger')),
          upModel('both', on('stranger', 'first')),
          upModel('same-key', on('stranger', 'literal')),
          upModel('unknown', { price: PRICE, routes: [{ channel: 'first', model: 'scripted-2026-01' }] }),
          upModel('codex', { price: PRICE, routes: [{ channel: 'first', model: 'gpt-5.1-codex-max' }] }),
          upModel('pro', { price: PRICE, routes: [{ channel: 'first', model: 'gpt-5-pro-2025-10-06' }] }),
          upModel('family', on('plain', 'sibling')),
          upModel('chat', on('only-chat')),
          upModel('backed', on('first', 'plain')),
          upModel('gratis', { ...on('first'), price: 'free', max_output_tokens: 100_000 }),
          upModel('dear', { ...on('first'), price: { input: 1, output: 1_000 }, max_output_tokens: 100_000 }),
        ],
      };
    },
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(compactingVendor);
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const post = (path: string, body: Record<string, unknown>, key = account.key, headers = {}) =>
  gateway.call(path, { key, body, headers });
const compact = (model: string, rest: Record<string, unknown> = {}) =>
  post('/v1/responses/compact', { model, input: CONVERSATION, ...rest });
const asked = () => gateway.upstream.requests.map(({ path }) => path.slice('/v1'.length));
/** Fails the vendor's own call alone. */
const withoutCompact = (script: Script) =>
  gateway.upstream.otherwise((request) => (request.path.endsWith('/compact') ? script : compactingVendor(request)));

test('the vendor compacts, its usage is charged, and its account reads the item later', async () => {
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }];
  const response = await compact('alone', { instructions: 'Be kind.', tools, user: 'someone', prompt_cache_key: 'k' });
  const compacted: Answer = await response.json();
  expect([response.status, response.headers.get('x-svc-cost-ntd')]).toEqual([200, COST]);
  expect(response.headers.get('x-svc-dropped')).toBe('user');
  expect(compacted).toMatchObject({ object: 'response.compaction', id: 'resp_001', usage: RESPONSE_USAGE });
  expect(compacted.output).toMatchObject([CONVERSATION[0], { type: 'compaction', id: 'cmp_001' }]);
  expect(compacted.output[1].encrypted_content).toStartWith('sealed:');
  const { path, json } = await gateway.upstream.request(0);
  expect(path).toBe('/v1/responses/compact');
  expect(json).toEqual({
    model: KNOWN,
    input: CONVERSATION,
    instructions: 'Be kind.',
    tools,
    prompt_cache_key: 'k',
  });

  const next = await post('/v1/responses', { model: 'alone', input: [...compacted.output, NEXT] });
  expect(textOf({ response: await next.json() })).toContain('It is white.');
  const { data } = await gateway.get('/api/usage', account.key);
  expect(data.at(-1)).toMatchObject({ status: 'ok', channel: 'first', endpoint: '/v1/responses/compact' });
  expect(gateway.audit()).toEqual([]);
});

test('a trigger is passed on as such a call, and its stream has the one item', async () => {
  const body = { model: 'alone', input: [...CONVERSATION, TRIGGER], stream: true, include: [], store: false };
  const events: Answer[] = (await Array.fromAsync(sseEvents(await post('/v1/responses', body)))).map(({ data }) =>
    JSON.parse(String(data)),
  );
  const ended = events.at(-1);
  expect(ended).toMatchObject({
    type: 'response.completed',
    response: { object: 'response', status: 'completed', model: 'alone', output: [{ type: 'compaction' }] },
  });
  expect((await gateway.upstream.request(0)).json).toEqual({ model: KNOWN, input: CONVERSATION });
  const next = await post('/v1/responses', { model: 'alone', input: [...(ended?.response.output ?? []), NEXT] });
  expect(textOf({ response: await next.json() })).toContain('It is white.');
});

test('a socket goes on from it', async () => {
  const client = await openSocket(gateway.url, account.key);
  const first = await client.ask({ model: 'alone', input: [...CONVERSATION, TRIGGER] });
  const next = await client.ask({ model: 'alone', input: [NEXT], previous_response_id: first.response.id });
  expect(textOf(next)).toContain('It is white.');
  // A vendor's item does not stand for what the user said.
  const said = CONVERSATION.filter(({ role }) => role === 'user');
  expect((await gateway.upstream.request(1)).json.input.slice(0, said.length)).toMatchObject(said);
  client.socket.close();
});

test('a later request goes to the account that made the item, whatever comes first otherwise', async () => {
  const { output }: Answer = await (await compact('alone')).json();
  const both = await post('/v1/responses', { model: 'both', input: [...output, NEXT] });
  expect([both.status, both.headers.get('x-svc-channel')]).toEqual([200, 'first']);
  const family = await post('/v1/responses', { model: 'family', input: [...output, NEXT] });
  expect([family.status, family.headers.get('x-svc-channel')]).toEqual([200, 'sibling']);
  // The key of this channel is written into the document.
  const sameKey = await post('/v1/responses', { model: 'same-key', input: [...output, NEXT] });
  expect([sameKey.status, sameKey.headers.get('x-svc-channel')]).toEqual([200, 'literal']);
  const again = await post('/v1/responses/compact', { model: 'both', input: [...output, NEXT] });
  expect([again.status, again.headers.get('x-svc-channel')]).toEqual([200, 'first']);
});

test('without such a channel the request is refused, and no upstream is asked', async () => {
  const { output }: Answer = await (await compact('alone')).json();
  gateway.upstream.reset();
  for (const model of ['elsewhere', 'chat', 'demo-small']) {
    const refused = await post('/v1/responses', { model, input: [...output, NEXT] });
    const { error } = await refused.json();
    expect([refused.status, error]).toMatchObject([400, { code: 'invalid_request', param: 'input[1]' }]);
    expect(error.message).toContain('only by the upstream that made it');
  }
  const of = await gateway.register();
  expect((await post('/v1/responses', { model: 'alone', input: [...output, NEXT] }, of.key)).status).toBe(400);
  expect(gateway.upstream.requests).toEqual([]);
});

test('if the channel that made it fails, the request fails, though another channel could answer without it', async () => {
  const { output }: Answer = await (await compact('alone')).json();
  gateway.upstream.reset();
  const down = await post('/v1/responses', { model: 'backed', input: [...output, NEXT] });
  expect(down.status).toBe(502);
  const { data } = await gateway.get('/api/usage', account.key);
  expect(data[0]).toMatchObject({ status: 'upstream_failed', cost_ntd: 0 });
  const keys = gateway.upstream.requests.map(({ headers }) => headers.authorization);
  expect(new Set(keys)).toEqual(new Set([`Bearer ${VENDOR_KEY}`]));
});

test.each([
  ['a 404', { status: 404, body: ['{"error":{"message":"Not found"}}'] }],
  ['a 400', jsonScript(400, { error: { message: 'Unknown parameter: tools', param: 'tools' } })],
  ['a 500', { status: 500 }],
  ['an answer without a compaction', jsonScript(200, { object: 'response.compaction', output: [], usage: {} })],
] as const)('after %s of its own call, the model writes a summary', async (_, script) => {
  withoutCompact(script);
  const response = await compact('alone');
  const { output }: Answer = await response.json();
  expect([response.status, asked().at(-1)]).toEqual([200, '/responses']);
  gateway.upstream.reset();
  gateway.upstream.otherwise(compactingVendor);
  // A summary is understood everywhere.
  const next = await post('/v1/responses', { model: 'elsewhere', input: [...output, NEXT] });
  expect(textOf({ response: await next.json() })).toContain('It is white.');
  expect(gateway.audit()).toEqual([]);
});

test('another channel is asked first, which may write a summary', async () => {
  withoutCompact({ status: 400, body: ['{"error":{"message":"No."}}'] });
  const response = await compact('backed');
  expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'plain']);
  expect(asked()).toEqual(['/responses/compact', '/responses']);
});

test('where the hold does not pay for all output, and for a free model, a bounded summary is written', async () => {
  const dear = await compact('dear');
  expect([dear.status, asked()]).toEqual([200, ['/responses']]);
  const { json } = await gateway.upstream.request(0);
  expect(json.max_output_tokens).toBeLessThan(100_000);
  const free = await post('/v1/responses', { model: 'gratis', input: [...CONVERSATION, TRIGGER] });
  expect([free.status, asked()]).toEqual([200, ['/responses', '/responses']]);
});

test('a setting that the vendor does not take is sent with a request for a summary, if the caller is strict', async () => {
  const body = { model: 'alone', input: CONVERSATION, temperature: 0.5 };
  const strict = await post('/v1/responses/compact', body, account.key, { 'x-svc-strict': '1' });
  expect([strict.status, strict.headers.get('x-svc-dropped'), asked()]).toEqual([200, null, ['/responses']]);
  expect((await gateway.upstream.request(0)).json).toMatchObject({ temperature: 0.5 });
});

test('all that the model of the vendor can write is held, though the document has a lower limit', async () => {
  const usage = { input_tokens: 11, output_tokens: VENDOR_LIMIT, total_tokens: VENDOR_LIMIT + 11 };
  const item = { id: 'cmp_001', type: 'compaction', encrypted_content: 'long' };
  withoutCompact(jsonScript(200, { id: 'resp_001', object: 'response.compaction', output: [item], usage }));
  const body = { model: 'alone', input: CONVERSATION };
  const quoted = await post('/api/quote', { endpoint: '/v1/responses/compact', body });
  const quote: Answer = await quoted.json();
  expect(quote.output_tokens).toEqual({ bound: VENDOR_LIMIT });
  const response = await post('/v1/responses/compact', body, account.key, { 'x-svc-quote': quote.quote_id });
  expect([response.status, response.headers.get('x-svc-cost-ntd')]).toEqual([200, '0.128011']);
  expect(asked()).toEqual(['/responses/compact']);
  const records = gateway.sql('SELECT rule, held_nano FROM usage_records WHERE account_id = ?', account.accountId);
  expect(records).toEqual([{ rule: 'served', held_nano: BigInt(quote.max_cost_nano) }]);
  expect(gateway.sql('SELECT 1 FROM losses WHERE account_id = ?', account.accountId)).toEqual([]);
});

test('a route that only takes a translation holds for the limit of the document', async () => {
  const quoted = await post('/api/quote', {
    endpoint: '/v1/responses/compact',
    body: { model: 'chat', input: CONVERSATION },
  });
  expect((await quoted.json()).output_tokens).toEqual({ bound: 1_000 });
});

test.each([
  ['codex', 128_000],
  ['pro', 272_000],
])('a model of the vendor without a known price compacts, too: %s', async (model, bound) => {
  const body = { model, input: CONVERSATION };
  const quote: Answer = await (await post('/api/quote', { endpoint: '/v1/responses/compact', body })).json();
  expect(quote.output_tokens).toEqual({ bound });
  expect([(await compact(model)).status, asked()]).toEqual([200, ['/responses/compact']]);
});

test('if it is unknown how much the model can write, or the caller sets a limit, a summary is written', async () => {
  expect((await compact('unknown')).status).toBe(200);
  expect((await compact('alone', { max_output_tokens: 2_000 })).status).toBe(200);
  expect(asked()).toEqual(['/responses', '/responses']);
  expect((await gateway.upstream.request(0)).json.max_output_tokens).toBe(1_000);
});

test.each([
  ['only reasoned', { pieces: [], reasoning: ['Hm.'] }, 'failed'],
  ['only called a tool', { pieces: [], tools: [{ name: 'look', arguments: ['{}'], callId: 'c' }] }, 'failed'],
  ['was cut', { isCutShort: true }, 'cut at the output limit'],
] as readonly [string, ResponseOptions, string][])(
  'a summary that the model did not write, because it %s, is free',
  async (_, options, message) => {
    gateway.upstream.otherwise(() => responseAnswer(options));
    const response = await compact('unknown');
    const { error } = await response.json();
    expect([response.status, error.code]).toEqual([502, 'upstream_failed']);
    expect(error.message).toContain(message);
    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toMatchObject([{ status: 'upstream_failed', cost_ntd: 0 }]);
    const losses = gateway.sql('SELECT reason, amount_nano FROM losses WHERE account_id = ?', account.accountId);
    expect(losses).toEqual(asked().map(() => ({ reason: 'no_answer', amount_nano: 18_000n })));
    // With the same limit, another attempt would be cut as well.
    if (options.isCutShort) expect(asked()).toHaveLength(1);
    expect(response.headers.get('x-should-retry')).toBe(options.isCutShort ? 'false' : null);
    expect(gateway.audit()).toEqual([]);
  },
);

test('a quote holds for a compaction and for a trigger', async () => {
  for (const [endpoint, body] of [
    ['/v1/responses/compact', { model: 'alone', input: CONVERSATION }],
    ['/v1/responses', { model: 'alone', input: [...CONVERSATION, TRIGGER] }],
  ] as const) {
    const quoted = await post('/api/quote', { endpoint, body });
    const quote: Answer = await quoted.json();
    expect([quoted.status, quote]).toMatchObject([200, { model: 'alone', refusal: null }]);
    expect(Number(quote.max_cost_ntd)).toBeGreaterThan(Number(COST));
    const response = await post(endpoint, body, account.key, { 'x-svc-quote': quote.quote_id });
    expect([response.status, response.headers.get('x-svc-cost-ntd')]).toEqual([200, COST]);
  }
});

test('an item without content cannot be used: a summary is written, and it alone is charged', async () => {
  const empty = { type: 'compaction', id: 'cmp_001', encrypted_content: '' };
  const refusal = jsonScript(200, { object: 'response.compaction', output: [empty], usage: RESPONSE_USAGE });
  gateway.upstream.next(refusal, responseAnswer({ pieces: ['Seen.'] }));
  const response = await gateway.call('/v1/responses/compact', {
    key: account.key,
    body: { model: 'alone', input: CONVERSATION },
  });
  expect(response.status).toBe(200);
  expect(gateway.upstream.requests.map(({ path }) => path)).toEqual(['/v1/responses/compact', '/v1/responses']);
  expect(((await response.json()) as Answer).output.at(-1).encrypted_content).toMatch(/^sealed:/);
  expect(response.headers.get('x-svc-cost-ntd')).toBe(COST);
});
