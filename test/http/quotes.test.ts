// POST /api/quote: what a call can cost, likely costs, and the refusal that it would meet, without any of it happening.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { QUOTES_PER_MINUTE } from '../../src/limits/guards.ts';
import type { Answer } from '../support/answer.ts';
import { messageAnswer } from '../support/anthropic-messages.ts';
import { createKey } from '../support/create-key.ts';
import { createGate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { pictureAnswer, vectorAnswer } from '../support/media-answers.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { responseAnswer } from '../support/openai-responses.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { DEMO_PRICES, type TestDocument, UP_PRICES, upModel, upstreamUrl } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = [{ role: 'user', content: 'Hello there.' }];
const clock = createShiftedClock({ standsStill: true });
let gateway: TestGateway;
let account: TestAccount;

const withModels = (standard: TestDocument): TestDocument => ({
  ...standard,
  channels: [...standard.channels, { name: 'own', kind: 'anthropic', base_url: upstreamUrl(standard) }],
  models: [
    ...standard.models,
    upModel('reads', { price: { input: 10, output: 40 }, routes: [{ channel: 'own', model: 'scripted-2026-01' }] }),
    upModel('vectors', { kinds: ['embeddings'], price: { input: 2 } }),
    upModel('paint', { kinds: ['images'], price: { image: 0.1 } }),
    upModel('paint-by-token', { kinds: ['images'], price: { input: 10, output: 40 }, max_output_tokens: 500 }),
    upModel('dear', { price: { input: 100_000, output: 100_000 } }),
    upModel('even', { price: { input: 1_000, output: 1_000 } }),
    upModel('short', { price: { input: 10, output: 40 }, context_tokens: 20 }),
    upModel('cheap', { price: { input: 0.1, output: 1 }, context_tokens: 2_000_000 }),
    upModel('told', { price: { input: 10, output: 40 } }),
    upModel('told-by-others', { price: { input: 10, output: 40 } }),
    upModel('never-asked', { price: { input: 10, output: 40 } }),
  ],
});

beforeAll(async () => {
  gateway = await startTestGateway({ clock, document: withModels, limits: { paid_per_minute: 5, in_flight: 2 } });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const ask = (endpoint: string, body: unknown, key = account.key) =>
  gateway.call('/api/quote', { key, body: { endpoint, body } });

async function quoteOf(endpoint: string, body: unknown, key = account.key): Promise<Answer> {
  const response = await ask(endpoint, body, key);
  const answer: Answer = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}

/** The held amount and the cost of a call that was answered. */
async function usageOf(response: Response): Promise<{ held: bigint; cost: bigint }> {
  expect(response.status).toBe(200);
  await response.text();
  const [row] = gateway.sql<{ held_nano: bigint; cost_nano: bigint }>(
    'SELECT held_nano, cost_nano FROM usage_records WHERE request_id = ?',
    response.headers.get('x-request-id') ?? '',
  );
  return { held: row?.held_nano ?? -1n, cost: row?.cost_nano ?? -1n };
}

describe('the figures', () => {
  test.each([
    ['chat', CHAT, { model: 'up-paid', max_tokens: 100, messages: MESSAGES }, chatAnswer()],
    ['chat without a bound', CHAT, { model: 'up-paid', messages: MESSAGES }, chatAnswer()],
    ['chat with choices', CHAT, { model: 'up-paid', max_tokens: 50, n: 3, messages: MESSAGES }, chatAnswer()],
    ['an alias', CHAT, { model: 'claude-up-paid', max_tokens: 100, messages: MESSAGES }, chatAnswer()],
    [
      'responses',
      '/v1/responses',
      { model: 'up-paid', max_output_tokens: 100, input: 'Hello there.' },
      responseAnswer(),
    ],
    ['messages', '/v1/messages', { model: 'reads', max_tokens: 100, messages: MESSAGES }, messageAnswer()],
    ['translated messages', '/v1/messages', { model: 'up-paid', max_tokens: 100, messages: MESSAGES }, chatAnswer()],
    ['embeddings', '/v1/embeddings', { model: 'vectors', input: 'Hello there.' }, vectorAnswer()],
    ['images', '/v1/images/generations', { model: 'paint', prompt: 'a cat', n: 2 }, pictureAnswer()],
    ['images by token', '/v1/images/generations', { model: 'paint-by-token', prompt: 'a cat' }, pictureAnswer()],
  ])('are what the call holds: %s', async (_name, endpoint, body, script) => {
    const quote = await quoteOf(endpoint, body);
    expect(quote.refusal).toBeNull();
    expect(quote.model).toBe(body.model === 'claude-up-paid' ? 'up-paid' : body.model);
    gateway.upstream.next(script);
    const { held, cost } = await usageOf(await gateway.call(endpoint, { key: account.key, body }));
    expect(quote.max_cost_nano).toBe(held.toString());
    expect(cost).toBeLessThanOrEqual(held);
    expect(BigInt(quote.likely_cost_nano)).toBeLessThanOrEqual(held);
  });

  test('add up: tokens times prices', async () => {
    const { input_tokens, output_tokens, ...quote } = await quoteOf(CHAT, {
      model: 'demo-small',
      max_tokens: 100,
      messages: MESSAGES,
    });
    expect(output_tokens).toEqual({ bound: 100 });
    expect(input_tokens.estimate).toBeWithin(3, input_tokens.upper + 1);
    const most = BigInt(input_tokens.upper) * DEMO_PRICES.input + 100n * DEMO_PRICES.output;
    expect(quote).toMatchObject({
      quote_id: expect.stringMatching(/^qte_[\w-]+$/),
      expires_at: new Date(clock.now() + 600_000).toISOString(),
      model: 'demo-small',
      max_cost_nano: most.toString(),
      max_cost_ntd: Number(most) / 1e9,
      price: { input: 8.125, cached_input: 0.813, cache_write_5m: 8.125, output: 65, image: null },
    });
  });

  test('of many choices count the output of all of them', async () => {
    const quote = await quoteOf(CHAT, { model: 'up-paid', max_tokens: 50, n: 3, messages: MESSAGES });
    expect(quote.output_tokens).toEqual({ bound: 150 });
  });

  test('of a free model are zero', async () => {
    const quote = await quoteOf(CHAT, { model: 'auto:free', messages: MESSAGES });
    expect(quote).toMatchObject({ max_cost_nano: '0', likely_cost_nano: '0', price: { input: 0, output: 0 } });
    expect(quote.refusal).toBeNull();
  });

  test('of a call that only warms a cache which its upstream does not have are zero', async () => {
    const body = { model: 'up-paid', max_tokens: 0, messages: MESSAGES };
    expect(await quoteOf('/v1/messages', body)).toMatchObject({ max_cost_nano: '0', refusal: null });
    const called = await gateway.call('/v1/messages', { key: account.key, body });
    expect(called.headers.get('x-svc-cost-ntd')).toBe('0');
  });

  test('are those of a shorter answer if the balance pays for no more, as the call is', async () => {
    const body = { model: 'even', max_tokens: 1_000, messages: MESSAGES };
    const quote = await quoteOf(CHAT, body);
    expect(quote.output_tokens.bound).toBeWithin(16, 1_000);
    const response = await gateway.call(CHAT, { key: account.key, body });
    expect(response.headers.get('x-svc-max-tokens')).toBe(String(quote.output_tokens.bound));
    expect((await usageOf(response)).held.toString()).toBe(quote.max_cost_nano);
  });

  test('of a large body are the same as of the call', async () => {
    const messages = [
      { role: 'user', content: 'word '.repeat(300_000) },
      { role: 'assistant', content: 'More?' },
      { role: 'user', content: '中文'.repeat(1_000) },
    ];
    const body = { model: 'cheap', max_tokens: 20, messages };
    const quote = await quoteOf(CHAT, body);
    const called = await gateway.call(CHAT, { key: account.key, body, headers: { 'x-svc-quote': quote.quote_id } });
    expect((await usageOf(called)).held.toString()).toBe(quote.max_cost_nano);
  });
});

describe('the likely cost', () => {
  const likelyOf = async (model: string, key = account.key) => {
    const body = { model, max_tokens: 500, messages: MESSAGES };
    const { likely_cost_nano, input_tokens } = await quoteOf(CHAT, body, key);
    return (BigInt(likely_cost_nano) - BigInt(input_tokens.estimate) * 10_000n) / 40_000n;
  };
  const answered = async (model: string, key: string, tokens: number) => {
    gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: 11, completion_tokens: tokens } }));
    expect((await gateway.chat(key, { model, max_tokens: 500 })).status).toBe(200);
  };

  test('is that of the whole output where there is no history', async () => {
    expect(await likelyOf('never-asked')).toBe(500n);
  });

  test('is by the mean of all accounts, then of the own one', async () => {
    const other = await gateway.register();
    await answered('told-by-others', other.key, 40);
    await answered('told-by-others', other.key, 60);
    // What is read over all accounts is kept for a while.
    clock.skip(600_000);
    expect(await likelyOf('told-by-others')).toBe(50n);
    await answered('told-by-others', account.key, 7);
    expect(await likelyOf('told-by-others')).toBe(7n);
    expect(await likelyOf('told-by-others', other.key)).toBe(50n);
  });

  test('counts answered calls alone, and never exceeds the bound', async () => {
    await answered('told', account.key, 400);
    gateway.upstream.next({ status: 400, body: ['{"error":{"message":"no"}}'] });
    expect((await gateway.chat(account.key, { model: 'told', max_tokens: 500 })).status).toBe(400);
    expect(await likelyOf('told')).toBe(400n);
    const bounded = await quoteOf(CHAT, { model: 'told', max_tokens: 100, messages: MESSAGES });
    expect(BigInt(bounded.likely_cost_nano)).toBe(BigInt(bounded.input_tokens.estimate) * 10_000n + 100n * 40_000n);
  });
});

describe('nothing happens', () => {
  test('no upstream is asked, and nothing is held, charged, counted or stored', async () => {
    const before = await gateway.get('/api/me', account.key);
    const tables = () =>
      ['holds', 'entries', 'usage_records', 'windows', 'budgets'].map((table) => gateway.sql(`SELECT * FROM ${table}`));
    const stored = tables();
    for (let n = 0; n < 10; n++) {
      await quoteOf(CHAT, { model: 'up-paid', messages: MESSAGES });
      await quoteOf(CHAT, { model: 'auto:free', messages: MESSAGES });
    }
    await Promise.all(Array.from({ length: 20 }, () => quoteOf(CHAT, { model: 'up-paid', messages: MESSAGES })));
    expect(await gateway.get('/api/me', account.key)).toEqual(before);
    expect(tables()).toEqual(stored);
    expect(gateway.upstream.requests).toHaveLength(0);
    expect(gateway.audit()).toEqual([]);
  });

  test('beside calls that run, each gets its own answer', async () => {
    const body = { model: 'up-paid', max_tokens: 100, messages: MESSAGES };
    const { max_cost_nano } = await quoteOf(CHAT, body);
    const [called, ...quotes] = await Promise.all([
      gateway.call(CHAT, { key: account.key, body }),
      ...Array.from({ length: 10 }, () => quoteOf(CHAT, body)),
    ]);
    expect((await usageOf(called)).held.toString()).toBe(max_cost_nano);
    for (const quote of quotes) expect(quote.max_cost_nano).toBe(max_cost_nano);
    expect(gateway.audit()).toEqual([]);
  });
});

describe('the refusal is the one that the call gets', () => {
  /** The quote, then the call: both are refused in the same words. */
  async function expectSame(
    body: Record<string, unknown>,
    { key = account.key, endpoint = CHAT } = {},
  ): Promise<Answer> {
    const { refusal, ...quote } = await quoteOf(endpoint, body, key);
    const response = await gateway.call(endpoint, { key, body, headers: { 'x-svc-no-wait': '1' } });
    const { error }: Answer = await response.json();
    const { status, retry_after, request_id, type, param, ...told } = refusal;
    expect(status).toBe(response.status);
    expect(retry_after?.toString() ?? null).toBe(response.headers.get('retry-after'));
    const { request_id: _id, type: _type, param: itsParam, ...expected } = error;
    expect(told).toEqual(expected);
    expect(param).toBe(itsParam ?? null);
    expect([request_id, type].every((one) => typeof one === 'string')).toBe(true);
    return { ...quote, refusal };
  }

  test('no balance', async () => {
    const quote = await expectSame({ model: 'dear', messages: MESSAGES });
    expect(quote.refusal).toMatchObject({ code: 'insufficient_balance', status: 402 });
    expect(quote.refusal.needed_nano).toMatch(/^\d+$/);
    // What it would hold if there were enough money.
    expect(BigInt(quote.max_cost_nano)).toBeGreaterThan(BigInt(quote.refusal.needed_nano));
    expect(quote.output_tokens).toEqual({ bound: 1_000 });
  });

  test('no budget', async () => {
    const { key } = await createKey(gateway, account.key, { daily_budget_ntd: 0.0001 });
    const { refusal } = await expectSame({ model: 'even', messages: MESSAGES }, { key });
    expect(refusal).toMatchObject({ code: 'key_budget_exceeded', resets_at: expect.any(String) });
  });

  test('a balance that running calls hold', async () => {
    const gate = createGate();
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
    const running = gateway.chat(account.key, { model: 'even', max_tokens: 900 });
    await gateway.upstream.request(0);
    const quote = await quoteOf(CHAT, { model: 'even', max_tokens: 900, messages: MESSAGES });
    expect(quote.refusal).toMatchObject({ code: 'balance_in_use', status: 402, retry_after: 2 });
    gate.open();
    await (await running).text();
  });

  test('a minute that is used up', async () => {
    for (let n = 0; n < 5; n++) {
      await (await gateway.chat(account.key, { model: 'demo-small', max_tokens: 1 })).text();
    }
    const { refusal } = await expectSame({ model: 'up-paid', messages: MESSAGES });
    expect(refusal).toMatchObject({ code: 'rate_limited', limit: 5, used: 5, resets_at: expect.any(String) });
    expect(refusal.retry_after).toBe(55);
  });

  test('free requests that are used up, in the Anthropic format', async () => {
    for (let n = 0; n < 6; n++) await (await gateway.chat(account.key, { model: 'auto:free' })).text();
    const body = { model: 'auto:free', max_tokens: 10, messages: MESSAGES };
    const { refusal } = await expectSame(body, { endpoint: '/v1/messages' });
    expect(refusal).toMatchObject({ code: 'free_minute_limit', limit: 6, used: 6 });
  });

  test('too many that run', async () => {
    const gate = createGate();
    const held = { ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] };
    gateway.upstream.next(held, held);
    const running = [1, 2].map(() => gateway.chat(account.key, { model: 'up-paid', max_tokens: 20 }));
    await gateway.upstream.request(1);
    const { refusal } = await expectSame({ model: 'up-paid', messages: MESSAGES });
    expect(refusal).toMatchObject({ code: 'too_many_in_flight', limit: 2, used: 2, retry_after: 2 });
    gate.open();
    for (const one of running) await (await one).text();
  });

  test('a prompt that is too long', async () => {
    const messages = [{ role: 'user', content: 'word '.repeat(100) }];
    const { refusal } = await expectSame({ model: 'short', messages });
    expect(refusal).toMatchObject({ code: 'context_length_exceeded', status: 400, param: 'messages' });
  });

  test('a model that the key may not use', async () => {
    const { key } = await createKey(gateway, account.key, { models: ['auto:free'] });
    const quote = await expectSame({ model: 'up-paid', max_tokens: 10, messages: MESSAGES }, { key });
    expect(quote.refusal).toMatchObject({ code: 'model_not_allowed', status: 403 });
    expect(BigInt(quote.max_cost_nano)).toBe(
      BigInt(quote.input_tokens.upper) * UP_PRICES.write + 16n * UP_PRICES.output,
    );
  });
});

describe('a quote that cannot be made gets the fault of the call, in the OpenAI envelope', () => {
  test.each([
    ['no such model', CHAT, { model: 'nowhere', messages: MESSAGES }, 404, 'model_not_found', 'model'],
    ['not for chat', CHAT, { model: 'vectors', messages: MESSAGES }, 400, 'unsupported_endpoint', 'model'],
    ['a field that is wrong', CHAT, { model: 'up-paid', messages: 'Hi' }, 400, 'invalid_request', 'messages'],
    ['no messages', '/v1/messages', { model: 'up-paid', max_tokens: 1 }, 400, 'invalid_request', 'messages'],
    ['an unknown endpoint', '/v1/none', { model: 'up-paid' }, 400, 'invalid_request', 'endpoint'],
    ['an endpoint that is not billed', '/v1/models', {}, 400, 'invalid_request', 'endpoint'],
    ['a body that is no object', CHAT, 'Hi', 400, 'invalid_request', 'body'],
    ['no body', CHAT, undefined, 400, 'invalid_request', 'body'],
  ])('%s', async (_name, endpoint, body, status, code, param) => {
    const response = await ask(endpoint, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code, param, type: expect.any(String) } });
    expect(gateway.upstream.requests).toHaveLength(0);
  });

  test.each([
    ['no JSON', '{"endpoint":', null],
    ['a field twice', `{"endpoint":"${CHAT}","body":{"model":"up-paid","model":"dear","messages":[]}}`, 'model'],
  ])('%s', async (_name, body, param) => {
    const response = await gateway.call('/api/quote', { key: account.key, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
  });

  test('no key', async () => {
    const response = await gateway.call('/api/quote', { body: { endpoint: CHAT, body: {} } });
    expect(response.status).toBe(401);
  });

  test('a body that the endpoint would not take', async () => {
    const response = await ask('/v1/embeddings', { model: 'vectors', input: 'x'.repeat(5 * 1024 * 1024) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } });
  });
});

test('an account that asks for too many quotes in a minute gets 429, and its calls go on', async () => {
  const body = { model: 'up-paid', max_tokens: 20, messages: MESSAGES };
  const asked = async () => {
    const response = await ask(CHAT, body);
    await response.body?.cancel();
    return response.status;
  };
  for (let n = 0; n < QUOTES_PER_MINUTE; n += 20) {
    expect(new Set(await Promise.all(Array.from({ length: 20 }, asked)))).toEqual(new Set([200]));
  }
  const refused = await ask(CHAT, body);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('55');
  const { error }: Answer = await refused.json();
  expect(error).toMatchObject({ code: 'rate_limited', limit: QUOTES_PER_MINUTE, used: QUOTES_PER_MINUTE });
  expect((await gateway.call(CHAT, { key: account.key, body })).status).toBe(200);
  clock.skip(60_000);
  expect((await ask(CHAT, body)).status).toBe(200);
});
