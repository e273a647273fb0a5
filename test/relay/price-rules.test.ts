// Prices by the size of the input, by service tier and by calls of tools: what is held, what is charged, and what the
// receipt says, through a gateway.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { signedIn } from '../site/site-client.ts';
import type { Answer } from '../support/answer.ts';
import { messageAnswer } from '../support/anthropic-messages.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { chatAnswer, chatStream, jsonScript } from '../support/openai-chat.ts';
import { responseObject } from '../support/openai-responses.ts';
import type { Script } from '../support/script.ts';
import { openaiChannel, UPSTREAM_KEY, upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

let upstream: ScriptedUpstream;
let gateway: TestGateway;

const TIERS = { flex: 0.5, priority: 2 };
const SEARCH = 300_000_000n;
const to = (channel: string, rest = {}) => [{ channel, model: 'scripted-2026-01', ...rest }];

beforeAll(async () => {
  upstream = await startUpstream();
  const plain = { input: 10, cached_input: 1, output: 40 };
  const tiered = { input: 10.001, output: 40, service_tiers: TIERS };
  const long = (tiers: unknown[]) => ({ routes: to('chat'), price: { ...plain, tiers } });
  const searching = { input: 10, output: 40, tools: { web_search: 0.3 } };
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        openaiChannel('chat', upstream.baseUrl, { endpoints: ['chat'] }),
        openaiChannel('responses', upstream.baseUrl, { endpoints: ['responses'] }),
        {
          ...{ name: 'messages', kind: 'anthropic', api_key: UPSTREAM_KEY },
          base_url: upstream.baseUrl.replace(/\/v1$/, ''),
        },
      ],
      models: [
        ...standard.models,
        upModel('above', long([{ above_input_tokens: 1_000, input: 20, output: 60.5 }])),
        upModel('from', long([{ from_input_tokens: 1_000, input: 20, cached_input: 2, output: 60 }])),
        upModel('steps', long([1_000, 1_500].map((from) => ({ from_input_tokens: from, input: from / 100 })))),
        upModel('tiered', { price: tiered, routes: to('chat') }),
        upModel('tiered-responses', { price: tiered, routes: to('responses') }),
        upModel('tiered-messages', { price: tiered, routes: to('messages') }),
        upModel('untiered', { price: { input: 10, output: 40 }, routes: to('chat') }),
        upModel('falls', { price: plain, routes: to('chat'), fallbacks: ['above', 'tiered'] }),
        upModel('falls-once', { price: plain, routes: to('chat'), fallbacks: ['tiered'] }),
        upModel('costly', {
          price: { input: 10, output: 40 },
          routes: to('chat', { cost: { input: 5, output: 20, service_tiers: TIERS } }),
        }),
        ...['chat', 'responses', 'messages'].map((name) =>
          upModel(`search-${name}`, { price: searching, routes: to(name) }),
        ),
        upModel('everything', {
          routes: to('responses'),
          price: {
            ...{ ...plain, service_tiers: TIERS, tools: { web_search: 0.3, file_search: 0.1 } },
            tiers: [{ above_input_tokens: 100, input: 25, cached_input: 3, output: 60 }],
          },
        }),
      ],
    }),
  });
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

/** Its upper bound is far above what the upstream reports below. */
const LONG = 'some words '.repeat(400);
const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const;
const BODIES = {
  chat: { messages: [{ role: 'user', content: LONG }], max_tokens: 100 },
  messages: { messages: [{ role: 'user', content: LONG }], max_tokens: 100 },
  responses: { input: LONG, max_output_tokens: 100 },
};

interface Ask {
  format?: keyof typeof PATHS;
  key?: string;
  headers?: Record<string, string>;
}

async function ask(body: Record<string, unknown>, script: Script, { format = 'chat', key, headers = {} }: Ask = {}) {
  const used = key ?? (await rich());
  upstream.next(script);
  const response = await gateway.call(PATHS[format], { key: used, headers, body: { ...BODIES[format], ...body } });
  await response.text();
  expect(response.status).toBe(200);
  const id = response.headers.get('x-request-id') ?? '';
  const receipt: Answer = await eventually('a receipt', async () => {
    const found: Answer = await gateway.get(`/api/receipts/${id}`, used);
    return found.lines ? found : undefined;
  });
  const lines = receipt.lines.map((line: Answer) => [
    line.bucket,
    line.quantity,
    BigInt(line.unit_price_nano),
    BigInt(line.amount_nano),
  ]);
  for (const [, quantity, unitPrice, amount] of lines) expect(BigInt(quantity) * unitPrice).toBe(amount);
  const sum = lines.reduce((total: bigint, line: [string, number, bigint, bigint]) => total + line[3], 0n);
  expect(sum).toBe(BigInt(receipt.cost_nano));
  return {
    id,
    receipt,
    lines: lines.map((line: unknown[]) => line.slice(0, 3)),
    sent: upstream.requests.at(-1),
    response,
  };
}

/** A key of an account with enough for everything here. */
async function rich(amount = 100_000_000_000n): Promise<string> {
  const { key } = await gateway.register();
  const { code } = await issueCard(gateway, { amount });
  expect((await gateway.call('/api/redeem', { key, body: { code } })).status).toBe(200);
  return key;
}

const used = (input: number, cached = 0, extra: Record<string, unknown> = {}) => ({
  usage: {
    ...{ prompt_tokens: input + cached, completion_tokens: 7 },
    prompt_tokens_details: { cached_tokens: cached },
  },
  extra,
});

describe('a tier of the input', () => {
  test('above a threshold does not begin at it', async () => {
    const { lines } = await ask({ model: 'above' }, chatAnswer(used(900, 100)));
    expect(lines).toEqual([
      ['input', 900, 10_000n],
      ['cached_input', 100, 1_000n],
      ['output', 7, 40_000n],
    ]);
  });

  test('prices the whole request above it; a price that it leaves out stays', async () => {
    const { lines } = await ask({ model: 'above' }, chatAnswer(used(901, 100)));
    expect(lines).toEqual([
      ['input', 901, 20_000n],
      ['cached_input', 100, 1_000n],
      ['output', 7, 60_500n],
    ]);
  });

  test.each([
    [999, 10_000n, 1_000n, 40_000n],
    [1_000, 20_000n, 2_000n, 60_000n],
  ])('from a threshold on begins at it: %p', async (input, price, cachedPrice, outputPrice) => {
    const { lines } = await ask({ model: 'from', stream: true }, chatStream(used(input - 1, 1)));
    expect(lines).toEqual([
      ['input', input - 1, price],
      ['cached_input', 1, cachedPrice],
      ['output', 7, outputPrice],
    ]);
  });

  test.each([
    [1_499, 10_000n],
    [1_500, 15_000n],
  ])('is the last one that is reached: %p', async (input, price) => {
    const { lines } = await ask({ model: 'steps' }, chatAnswer(used(input)));
    expect(lines[0]).toEqual(['input', input, price]);
  });

  test.each([
    ['above', 1_000, null],
    ['above', 1_001, { above_input_tokens: 1_000 }],
    ['steps', 1_499, { from_input_tokens: 1_000 }],
    ['steps', 1_500, { from_input_tokens: 1_500 }],
  ])('is named by the receipt: %s, %p', async (model, input, tier) => {
    const key = await rich();
    const { id, receipt } = await ask({ model }, chatAnswer(used(input)), { key });
    expect(receipt.price_tier).toEqual(tier);
    const page = await (await (await signedIn(gateway, key)).get(`/account/receipts/${id}`)).text();
    const begin = Object.values(tier ?? {})[0]?.toLocaleString('en');
    expect(page.includes('Price for long input')).toBe(tier !== null);
    if (begin) expect(page).toContain(begin);
  });
});

describe('what is not charged is a loss at the prices of the request', () => {
  const lossesOf = (id: string) =>
    gateway.sql<Record<string, unknown>>('SELECT reason, amount_nano FROM losses WHERE request_id = ?', id);

  test('in its tier', async () => {
    const empty = { ...used(1_001), pieces: [] };
    const { id, receipt } = await ask({ model: 'above' }, chatAnswer(empty));
    expect(receipt.cost_nano).toBe('0');
    expect(lossesOf(id)).toEqual([{ reason: 'empty_answer', amount_nano: 1_001n * 20_000n + 7n * 60_500n }]);
  });

  test('with its searches', async () => {
    const usage = { input_tokens: 11, output_tokens: 7, server_tool_use: { web_search_requests: 2 } };
    const script = messageAnswer({ usage, pieces: [], stop: 'refusal' });
    const { id } = await ask({ model: 'search-messages' }, script, { format: 'messages' });
    expect(lossesOf(id)).toEqual([{ reason: 'empty_answer', amount_nano: 11n * 10_000n + 7n * 40_000n + 2n * SEARCH }]);
  });
});

describe('a service tier', () => {
  const said = (tier?: string) => used(11, 0, tier === undefined ? {} : { service_tier: tier });

  // 10,001 nano at half the price are 5,000.5.
  test.each([
    ['flex', undefined, 'flex', 5_001n, 20_000n],
    ['flex', 'flex', 'flex', 5_001n, 20_000n],
    ['flex', 'some-other-word', 'flex', 5_001n, 20_000n],
    ['flex', 'default', null, 10_001n, 40_000n],
    ['priority', 'priority', 'priority', 20_002n, 80_000n],
    ['priority', 'default', null, 10_001n, 40_000n],
    ['flex', 'priority', null, 10_001n, 40_000n],
    ['auto', 'flex', 'flex', 5_001n, 20_000n],
    ['auto', 'priority', null, 10_001n, 40_000n],
    [undefined, 'priority', null, 10_001n, 40_000n],
    [undefined, 'default', null, 10_001n, 40_000n],
  ])('%p, of which the upstream says %p, is charged as %p', async (named, tier, charged, input, output) => {
    const body = { model: 'tiered', ...(named === undefined ? {} : { service_tier: named }) };
    const whole = await ask(body, chatAnswer(said(tier)));
    const streamed = await ask({ ...body, stream: true }, chatStream(said(tier)));
    for (const { receipt, lines, sent } of [whole, streamed]) {
      expect(receipt.service_tier).toBe(charged);
      expect(lines).toEqual([
        ['input', 11, input],
        ['output', 7, output],
      ]);
      expect(sent?.json.service_tier).toBe(named);
    }
  });

  test('reaches Responses, also in a translation, and what that reports is charged', async () => {
    const script = (tier: string) => jsonScript(200, { ...responseObject(), service_tier: tier });
    const own = await ask({ model: 'tiered-responses', service_tier: 'priority' }, script('priority'), {
      format: 'responses',
    });
    const translated = await ask({ model: 'tiered-responses', service_tier: 'priority' }, script('priority'));
    for (const { receipt, lines, sent } of [own, translated]) {
      expect(sent?.json.service_tier).toBe('priority');
      expect(receipt.service_tier).toBe('priority');
      expect(lines[0]).toEqual(['input', 11, 20_002n]);
    }
  });

  test('that a translation leaves behind is not charged', async () => {
    const { receipt, sent, response } = await ask(
      { model: 'tiered-messages', service_tier: 'priority' },
      messageAnswer(),
    );
    expect(sent?.json).not.toHaveProperty('service_tier');
    expect(response.headers.get('x-svc-dropped')).toContain('service_tier');
    expect(receipt.service_tier).toBeNull();
  });

  test('is read from the usage of messages', async () => {
    const usage = { input_tokens: 11, output_tokens: 7, service_tier: 'flex' };
    const { receipt } = await ask({ model: 'tiered-messages' }, messageAnswer({ usage }), { format: 'messages' });
    expect(receipt.service_tier).toBe('flex');
  });

  test('without a price is as before: a dearer one is dropped, flex passes at the standard price', async () => {
    const dearer = await ask({ model: 'untiered', service_tier: 'priority' }, chatAnswer(said('default')));
    expect(dearer.sent?.json).not.toHaveProperty('service_tier');
    expect(dearer.response.headers.get('x-svc-dropped')).toBe('service_tier');
    const flex = await ask({ model: 'untiered', service_tier: 'flex' }, chatAnswer(said('flex')));
    expect(flex.sent?.json.service_tier).toBe('flex');
    expect(flex.lines[0]).toEqual(['input', 11, 10_000n]);
  });

  test('passes to a fallback whose price lists it, and only there', async () => {
    upstream.otherwise(({ json }) =>
      json.service_tier === 'priority' ? chatAnswer(said('priority')) : { status: 500 },
    );
    const { receipt } = await ask({ model: 'falls-once', service_tier: 'priority' }, { status: 500 });
    expect(receipt).toMatchObject({ model: 'tiered', service_tier: 'priority' });
    expect(upstream.requests[0]?.json).not.toHaveProperty('service_tier');
  });

  test('that is dearer than the named one is a loss of the service', async () => {
    const lossOf = (id: string) =>
      gateway.sql('SELECT reason, amount_nano FROM losses WHERE request_id = ?', id) as Record<string, unknown>[];
    const { id } = await ask({ model: 'costly' }, chatAnswer(said('priority')));
    expect(lossOf(id)).toEqual([{ reason: 'service_tier', amount_nano: 11n * 5_000n + 7n * 20_000n }]);
    const cheaper = await ask({ model: 'costly', service_tier: 'flex' }, chatAnswer(said('flex')));
    expect(lossOf(cheaper.id)).toEqual([]);
  });
});

const call = (type: string, action?: string) => ({
  id: `ws_${action}`,
  type,
  ...(action && { action: { type: action } }),
});

/** A response in which tools were called, whole or streamed. */
function toolResponse(calls: Record<string, unknown>[], extra = {}) {
  const response = responseObject();
  return { ...response, output: [...calls, ...(response.output as unknown[])], ...extra };
}

describe('a fee for each search', () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }];

  test('of messages: as many as the usage reports', async () => {
    const usage = { input_tokens: 11, output_tokens: 7, server_tool_use: { web_search_requests: 2 } };
    const asked = await ask({ model: 'search-messages', tools }, messageAnswer({ usage }), { format: 'messages' });
    expect(asked.receipt.tool_calls).toEqual({ web_search: 2 });
    expect(asked.lines).toEqual([
      ['input', 11, 10_000n],
      ['output', 7, 40_000n],
      ['tool:web_search', 2, SEARCH],
    ]);
  });

  test('of Responses: the calls that searched, not those that opened a page; tools without a price are free', async () => {
    const calls = [
      call('web_search_call', 'search'),
      call('web_search_call', 'open_page'),
      call('web_search_call'),
      call('file_search_call'),
    ];
    const whole = await ask(
      { model: 'search-responses', tools: [{ type: 'web_search' }] },
      jsonScript(200, toolResponse(calls)),
      { format: 'responses' },
    );
    expect(whole.receipt.tool_calls).toEqual({ web_search: 2 });
    expect(whole.lines.at(-1)).toEqual(['tool:web_search', 2, SEARCH]);
  });

  test('of a streamed response', async () => {
    const calls = [call('web_search_call', 'search'), call('web_search_call', 'open_page')];
    const events = [
      { type: 'response.created', response: { id: 'resp_a', status: 'in_progress', output: [] } },
      ...calls.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item: { ...item, action: undefined } },
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.output_text.delta', output_index: 2, content_index: 0, item_id: 'm', delta: 'Found.' },
      { type: 'response.completed', response: toolResponse(calls) },
    ];
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const script: Script = { headers: { 'content-type': 'text/event-stream' }, framing: 'chunked', body };
    const streamed = await ask({ model: 'search-responses', stream: true, tools: [{ type: 'web_search' }] }, script, {
      format: 'responses',
    });
    expect(streamed.receipt.tool_calls).toEqual({ web_search: 1 });
  });

  test('of Responses: as xAI counts them', async () => {
    const usage = {
      ...{ input_tokens: 11, output_tokens: 7, total_tokens: 18 },
      server_side_tool_usage_details: { web_search_calls: 3, x_search_calls: 1 },
    };
    const counted = await ask(
      { model: 'search-responses', tools: [{ type: 'web_search' }] },
      jsonScript(200, toolResponse([call('web_search_call', 'search')], { usage })),
      { format: 'responses' },
    );
    expect(counted.receipt.tool_calls).toEqual({ web_search: 3 });
  });

  test('of chat: one if sources are cited, or as many as the usage reports', async () => {
    const cited = (usage: Record<string, unknown> = {}) =>
      jsonScript(200, {
        ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: 'Found.', annotations: [{ type: 'url_citation' }] },
          },
        ],
        usage: { prompt_tokens: 11, completion_tokens: 7, ...usage },
      });
    const body = { model: 'search-chat', web_search_options: {} };
    expect((await ask(body, cited())).receipt.tool_calls).toEqual({ web_search: 1 });
    const reported = cited({ server_tool_use: { web_search_requests: 4 } });
    const searched = await ask({ ...body, tools: [{ type: 'openrouter:web_search' }] }, reported);
    expect(searched.receipt.tool_calls).toEqual({ web_search: 4 });
    expect((await ask({ model: 'search-chat' }, chatAnswer())).receipt.tool_calls).toEqual({});
  });
});

describe('the hold covers the dearest case', () => {
  const heldFor = async (body: Record<string, unknown>, script: Script, format: keyof typeof PATHS) => {
    const { id } = await ask(body, script, { format });
    const [row] = gateway.sql<{ held_nano: bigint }>('SELECT held_nano FROM usage_records WHERE request_id = ?', id);
    return row?.held_nano ?? 0n;
  };

  test('exactly: a wallet that has no more is neither lowered nor overdrawn, and nothing is written off', async () => {
    const body = {
      ...{ model: 'everything', service_tier: 'priority', max_output_tokens: 100, max_tool_calls: 3 },
      tools: [{ type: 'web_search' }, { type: 'file_search', vector_store_ids: ['v'] }],
    };
    const held = await heldFor(body, jsonScript(200, toolResponse([])), 'responses');
    const { key, accountId } = await gateway.register();
    const trial = BigInt((await gateway.get('/api/me', key)).balance_nano);
    expect(held).toBeGreaterThan(trial);
    const { code } = await issueCard(gateway, { amount: held - trial });
    await gateway.call('/api/redeem', { key, body: { code } });
    // All that a request may use of what was held: the context three times and the prompt, the output, three searches.
    const output = 100;
    const fees = 3n * SEARCH;
    const input = Number((held - fees - BigInt(output) * 120_000n) / 50_000n);
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    const calls = [1, 2, 3].map(() => call('web_search_call', 'search'));
    const script = jsonScript(200, toolResponse(calls, { usage, service_tier: 'priority' }));
    const { receipt, lines, sent } = await ask(body, script, { format: 'responses', key });
    expect(sent?.json.max_output_tokens).toBe(100);
    expect(lines).toEqual([
      ['input', input, 50_000n],
      ['output', output, 120_000n],
      ['tool:web_search', 3, SEARCH],
    ]);
    expect(BigInt(receipt.cost_nano)).toBe(held);
    expect(receipt.balance_after_nano).toBe('0');
    expect(gateway.sql('SELECT * FROM losses WHERE account_id = ?', accountId)).toEqual([]);
    expect(gateway.sql(`SELECT * FROM entries WHERE kind = 'write_off'`)).toEqual([]);
    expect(gateway.audit()).toEqual([]);
  });

  test('of the tiers, only those that the input can reach', async () => {
    const short = { model: 'above', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 };
    const held = await heldFor(short, chatAnswer(), 'chat');
    const long = await heldFor({ model: 'above' }, chatAnswer(), 'chat');
    const output = 100n;
    expect((held - output * 40_000n) % 10_000n).toBe(0n);
    expect(held).toBeLessThan(output * 60_500n);
    expect(long).toBeGreaterThan(1_000n * 20_000n + output * 60_500n);
  });

  test('also that of a fallback: of its tiers, its service tiers and its standard price', async () => {
    const body = { model: 'falls', service_tier: 'priority' };
    const own = await heldFor({ ...body, model: 'above' }, chatAnswer(), 'chat');
    const prompt = (own - 100n * 60_500n) / 20_000n;
    // 20,002 and 80,000 are the prices of `tiered` at twice the standard.
    expect(await heldFor(body, chatAnswer(), 'chat')).toBe(prompt * 20_002n + 100n * 80_000n);
    expect(upstream.requests.at(-1)?.json).not.toHaveProperty('service_tier');
  });

  test('a request that names no tier holds the standard price', async () => {
    const named = await heldFor({ model: 'tiered', service_tier: 'priority' }, chatAnswer(), 'chat');
    const flex = await heldFor({ model: 'tiered', service_tier: 'flex' }, chatAnswer(), 'chat');
    const none = await heldFor({ model: 'tiered' }, chatAnswer(), 'chat');
    // The words of the field itself are counted, too.
    expect(named).toBeGreaterThan(2n * none - 1n);
    expect(flex).toBeLessThan(named);
    expect(flex).toBeGreaterThan(none - 1n);
  });

  test.each([
    [3, 3n],
    [undefined, 5n],
  ])('max_uses %p of a search', async (uses, calls) => {
    const tool = { type: 'web_search_20250305', name: 'web_search', ...(uses && { max_uses: uses }) };
    const body = { tools: [tool], max_tokens: 100 };
    const priced = await heldFor({ ...body, model: 'search-messages' }, messageAnswer(), 'messages');
    const unpriced = await heldFor({ ...body, model: 'tiered-messages' }, messageAnswer(), 'messages');
    // The other model has another price of input: 10,001 in place of 10,000.
    const input = (unpriced - 100n * 40_000n) / 10_001n;
    expect(priced - 100n * 40_000n - input * 10_000n).toBe(calls * SEARCH);
  });
});
