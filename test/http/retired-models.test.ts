// A model with a date of retirement: headers before it; after it 410, or the successor that replaces it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../src/kit/clock.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, jsonScript } from '../support/openai-chat.ts';
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { type TestDocument, UP_PRICES, upModel } from '../support/test-document.ts';

const MESSAGES = [{ role: 'user', content: 'Hello there.' }];
const USED = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
const ROUTES = [{ channel: 'demo', model: 'demo' }];

let clock: ShiftedClock;
let gateway: TestGateway;
let account: TestAccount;
let retiresAt: number;
let appliedAt: number;
/** A request of the last moment before the date. */
let served: { id: string; key: string };

const withRetiring = (standard: TestDocument): TestDocument => {
  const date = { retires_at: new Date(retiresAt).toISOString() };
  return {
    ...standard,
    models: [
      ...standard.models,
      upModel('refused', {
        price: { input: 5, output: 5 },
        aliases: ['also-refused'],
        ...date,
        replaced_by: 'up-paid',
      }),
      upModel('ends', { price: { input: 5, output: 5 }, ...date }),
      upModel('replaced', {
        price: { input: 5, output: 5 },
        aliases: ['also-replaced'],
        ...date,
        replaced_by: 'up-paid',
        on_retired: 'replace',
      }),
      { id: 'spoken', price: { input: 5, output: 5 }, routes: ROUTES, ...date, replaced_by: 'demo-small' },
      upModel('vectors', { kinds: ['embeddings'], price: { input: 2 }, ...date }),
      {
        id: 'spoken-for',
        price: { input: 5, output: 5 },
        routes: ROUTES,
        ...date,
        replaced_by: 'demo-small',
        on_retired: 'replace',
      },
      upModel('backed', { price: { input: 5, output: 5 }, fallbacks: ['refused', 'replaced', 'up-paid'] }),
    ],
  };
};

beforeAll(async () => {
  clock = createShiftedClock({ standsStill: true });
  appliedAt = clock.now();
  retiresAt = appliedAt + HOUR_MS;
  gateway = await startTestGateway({ clock, document: withRetiring });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});

const chat = (model: string, key = account.key) => gateway.chat(key, { model, messages: MESSAGES, max_tokens: 50 });
const receiptOf = (response: Response) =>
  gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
const listed = async (): Promise<Answer[]> => (await gateway.get('/v1/models', account.key)).data;

const FORMATS: [string, Record<string, unknown>][] = [
  ['/v1/chat/completions', { messages: MESSAGES, max_tokens: 50 }],
  ['/v1/responses', { input: 'Hello there.', max_output_tokens: 50 }],
  ['/v1/messages', { messages: MESSAGES, max_tokens: 50 }],
];
const CALLS = FORMATS.flatMap(([path, body]) => [false, true].map((stream) => [path, { ...body, stream }] as const));

describe('before the date', () => {
  test.each(CALLS)('%s %p says since when, until when and what comes instead', async (path, body) => {
    const response = await gateway.call(path, { key: account.key, body: { ...body, model: 'spoken' } });
    expect(response.status).toBe(200);
    await response.text();
    expect(response.headers.get('deprecation')).toBe(`@${Math.floor(appliedAt / 1000)}`);
    expect(response.headers.get('sunset')).toBe(new Date(retiresAt).toUTCString());
    expect(response.headers.get('link')).toBe(`<${gateway.url}/v1/models/demo-small>; rel="successor-version"`);
    expect(response.headers.get('x-svc-model')).toBeNull();
    expect(response.headers.get('access-control-expose-headers')).toContain('sunset');
  });

  test('so do embeddings', async () => {
    const usage = { prompt_tokens: 4, total_tokens: 4 };
    const data = [{ object: 'embedding', index: 0, embedding: [0.5] }];
    gateway.upstream.next(jsonScript(200, { object: 'list', data, model: 'scripted-2026-01', usage }));
    const response = await gateway.call('/v1/embeddings', {
      key: account.key,
      body: { model: 'vectors', input: 'Hi' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('sunset')).toBe(new Date(retiresAt).toUTCString());
  });

  test('without a successor there is no link, and other models have none of these headers', async () => {
    const { headers } = await chat('ends');
    expect([headers.has('deprecation'), headers.has('sunset'), headers.has('link')]).toEqual([true, true, false]);
    const { headers: others } = await chat('up-paid');
    expect([others.has('deprecation'), others.has('sunset'), others.has('link')]).toEqual([false, false, false]);
  });

  test('the date stays when another document is applied, and the headers end with the date', async () => {
    clock.skip(5_000);
    await gateway.apply((standard) => ({ ...withRetiring(standard), limits: { ...standard.limits, in_flight: 30 } }));
    expect((await chat('refused')).headers.get('deprecation')).toBe(`@${Math.floor(appliedAt / 1000)}`);
    await gateway.apply((standard) => standard);
    await gateway.apply(withRetiring);
    expect((await chat('refused')).headers.get('deprecation')).toBe(`@${Math.floor((appliedAt + 5_000) / 1000)}`);
  });

  test('the lists tell the date and the successor', async () => {
    const date = new Date(retiresAt).toISOString();
    const shown = (await listed()).filter(({ lifecycle }) => lifecycle === 'deprecated');
    expect(shown.map(({ id }) => id)).toEqual([
      'refused',
      'ends',
      'replaced',
      'spoken',
      'vectors',
      'spoken-for',
      'also-refused',
      'also-replaced',
    ]);
    expect(shown[0]).toMatchObject({ retires_at: date, deprecated_at: expect.any(String), replaced_by: 'up-paid' });
    expect(shown[1]).not.toHaveProperty('replaced_by');
    const { data }: Answer = await (await gateway.call('/api/public/catalog')).json();
    expect(data.find(({ id }: Answer) => id === 'refused')).toMatchObject({ retires_at: date, replaced_by: 'up-paid' });
    expect(data.find(({ id }: Answer) => id === 'up-paid')).not.toHaveProperty('retires_at');
  });

  test('a quote does not outlive the date', async () => {
    const body = { model: 'refused', messages: MESSAGES };
    const quote = async (): Promise<Answer> =>
      (await gateway.call('/api/quote', { key: account.key, body: { endpoint: '/v1/chat/completions', body } })).json();
    expect((await quote()).expires_at).toBe(new Date(clock.now() + 600_000).toISOString());
    clock.skip(retiresAt - clock.now() - 60_000);
    expect((await quote()).expires_at).toBe(new Date(retiresAt).toISOString());
  });

  test('a model serves until the last millisecond', async () => {
    clock.skip(retiresAt - clock.now() - 1);
    const response = await chat('replaced');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-model')).toBeNull();
    expect(await receiptOf(response)).toMatchObject({ model: 'replaced', cost_nano: (18n * 5_000n).toString() });
    served = { id: response.headers.get('x-request-id') ?? '', key: account.key };
  });
});

describe('after the date', () => {
  beforeAll(() => clock.skip(retiresAt - clock.now()));

  test.each(CALLS)('%s %p gets 410 with the date, the successor and a way on', async (path, body) => {
    const response = await gateway.call(path, { key: account.key, body: { ...body, model: 'refused' } });
    expect(response.status).toBe(410);
    const { error, type }: Answer = await response.json();
    if (path === '/v1/messages') expect([type, error.type]).toEqual(['error', 'not_found_error']);
    else expect(error.type).toBe('invalid_request_error');
    expect(error).toMatchObject({
      code: 'model_retired',
      param: 'model',
      retired_at: new Date(retiresAt).toISOString(),
      replaced_by: 'up-paid',
    });
    expect(error.message).toMatch(/^Model 'refused' was retired on \d{4}-\d\d-\d\d/);
    expect(error.message).toEndWith("Use 'up-paid' instead.");
    const [action] = error.actions;
    const shown = await gateway.call(new URL(action.href).pathname, { key: account.key });
    expect(((await shown.json()) as Answer).id).toBe('up-paid');
    expect(gateway.upstream.requests).toHaveLength(0);
  });

  test.each([
    [
      'a quote',
      '/api/quote',
      { endpoint: '/v1/chat/completions', body: { model: 'also-refused', messages: MESSAGES } },
    ],
    ['counting tokens', '/v1/messages/count_tokens', { model: 'refused', messages: MESSAGES }],
  ])('%s gets the same', async (_name, path, body) => {
    const response = await gateway.call(path, { key: account.key, body });
    expect(response.status).toBe(410);
    expect(((await response.json()) as Answer).error.code).toBe('model_retired');
  });

  test('a large body is refused before it is parsed', async () => {
    const messages = [{ role: 'user', content: 'word '.repeat(10_000) }];
    const response = await gateway.call('/v1/chat/completions', {
      key: account.key,
      body: { model: 'ends', messages },
    });
    expect(response.status).toBe(410);
    const { error }: Answer = await response.json();
    expect(error.message).toEndWith('Choose one from the list of models.');
    expect(error).not.toHaveProperty('replaced_by');
  });

  test.each(CALLS)('%s %p of a replaced model is answered in the name of the successor', async (path, body) => {
    const response = await gateway.call(path, { key: account.key, body: { ...body, model: 'spoken-for' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-model')).toBe('demo-small');
    expect(response.headers.get('link')).toContain('/v1/models/demo-small>');
    const text = await response.text();
    expect(text).toContain('"model":"demo-small"');
    expect(text).not.toContain('spoken-for');
  });

  test('a replaced model is served by its successor, at its price, which the header and the records name', async () => {
    for (const name of ['replaced', 'also-replaced']) {
      const response = await chat(name);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-svc-model')).toBe('up-paid');
      expect(response.headers.get('sunset')).toBe(new Date(retiresAt).toUTCString());
      const receipt = await receiptOf(response);
      expect(receipt).toMatchObject({ model: 'up-paid', cost_nano: USED.toString() });
      const sum = receipt.lines.reduce((total: bigint, line: Answer) => total + BigInt(line.amount_nano), 0n);
      expect(sum).toBe(USED);
    }
    expect(gateway.audit()).toEqual([]);
  });

  test('a quote for it is for the successor, also when another document is applied meanwhile', async () => {
    const body = { model: 'replaced', max_tokens: 50, messages: MESSAGES };
    const asked = await gateway.call('/api/quote', {
      key: account.key,
      body: { endpoint: '/v1/chat/completions', body },
    });
    const quote: Answer = await asked.json();
    expect(quote).toMatchObject({ model: 'up-paid', price: { input: 10 } });
    await gateway.apply((standard) => ({ ...withRetiring(standard), limits: { ...standard.limits, in_flight: 29 } }));
    const headers = { 'x-svc-quote': quote.quote_id };
    const response = await gateway.call('/v1/chat/completions', { key: account.key, body, headers });
    expect(response.status).toBe(200);
    expect(await receiptOf(response)).toMatchObject({ model: 'up-paid', cost_nano: USED.toString() });
  });

  test('a key that may not use the successor is refused, with both names', async () => {
    const { key } = await createKey(gateway, account.key, { models: ['up-free'] });
    const response = await chat('replaced', key);
    expect(response.status).toBe(403);
    const { error }: Answer = await response.json();
    expect(error.message).toStartWith("Model 'replaced' was retired and is replaced by 'up-paid', which is not on");
  });

  test('the list has no retired model, but the replaced names as further names of the successor', async () => {
    const models = await listed();
    const ids = models.map(({ id }) => id);
    for (const id of ['refused', 'also-refused', 'ends', 'spoken']) expect(ids).not.toContain(id);
    const named = models.filter(({ alias_of }) => alias_of === 'up-paid').map(({ id, lifecycle }) => [id, lifecycle]);
    expect(named).toEqual([
      ['claude-up-paid', 'active'],
      ['replaced', 'active'],
      ['also-replaced', 'active'],
    ]);
    expect(await gateway.get('/v1/models/replaced', account.key)).toMatchObject({ alias_of: 'up-paid' });
    expect((await gateway.call('/v1/models/refused', { key: account.key })).status).toBe(410);
    const { data }: Answer = await (await gateway.call('/api/public/catalog')).json();
    expect(data.map(({ id }: Answer) => id)).not.toContain('replaced');
  });

  test('a retired fallback is left out, a replaced one is its successor, once', async () => {
    const failed = { ...chatAnswer(), status: 503 };
    gateway.upstream.next(failed, failed, failed);
    const response = await chat('backed');
    expect(response.status).toBe(200);
    const { attempts, model } = await receiptOf(response);
    expect(model).toBe('up-paid');
    expect(new Set(attempts.map(({ model: tried }: Answer) => tried).filter(Boolean)).has('refused')).toBe(false);
  });

  test('a receipt from before the date still adds up', async () => {
    const { lines, cost_nano, model } = await gateway.get(`/api/receipts/${served.id}`, served.key);
    expect(model).toBe('replaced');
    expect(cost_nano).toBe((18n * 5_000n).toString());
    expect(lines.map(({ unit_price_nano: price }: Answer) => price)).toEqual(['5000', '5000']);
  });
});
