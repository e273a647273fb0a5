// Clients of Google's format: paths, keys, streams in both forms, faults in its envelope, the bill.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { readGeminiList, readGeminiStream, readGeminiWhole } from '../support/grammar/gemini-answer.ts';
import { png } from '../support/media-samples.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { spendAll } from '../support/spend-all.ts';
import { parseSse } from '../support/sse.ts';
import { upModel } from '../support/test-document.ts';

const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Hello there.' }] }] };
const pathOf = (method: string, model = 'up-paid') => `/v1beta/models/${model}:${method}`;

const MORE = [
  upModel('up:paid', { price: { input: 10, output: 40 } }),
  upModel('up-even', { price: { input: 1_000, output: 1_000 } }),
];

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({ ...standard, models: [...standard.models, ...MORE] }),
  });
  ({ key } = await gateway.register());
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

const ask = (method: string, body: unknown = HELLO, headers: Record<string, string> = { 'x-goog-api-key': key }) =>
  gateway.call(pathOf(method), { body, headers });
const faultOf = async (response: Response): Promise<Answer> => ((await response.json()) as Answer).error;

describe('an answer', () => {
  test('is whole, with the channel and the cost, and has a receipt', async () => {
    gateway.upstream.next(chatAnswer());
    const response = await ask('generateContent');
    expect(response.status).toBe(200);
    const told = readGeminiWhole(await response.json());
    expect(told).toMatchObject({ text: 'Hello there', ends: 'end', models: ['up-paid'] });
    expect(told.usage).toMatchObject({
      totalTokenCount: told.usage.promptTokenCount + told.usage.candidatesTokenCount,
    });
    expect(response.headers.get('x-svc-channel')).toBe('up');
    const [record] = (await gateway.get('/api/usage', key)).data;
    expect(record).toMatchObject({
      request_id: response.headers.get('x-request-id'),
      endpoint: '/v1beta/models/{model}:generateContent',
    });
    expect(String(record.cost_ntd)).toBe(String(Number(response.headers.get('x-svc-cost-ntd'))));
  });

  test('has the same form for a model whose id has a colon', async () => {
    gateway.upstream.next(chatAnswer());
    const response = await gateway.call(pathOf('generateContent', 'up:paid'), { key, body: HELLO });
    expect(readGeminiWhole(await response.json()).models).toEqual(['up:paid']);
  });

  test('is asked for in either spelling of a field', async () => {
    gateway.upstream.next(chatAnswer());
    const response = await ask('generateContent', {
      system_instruction: { parts: { text: 'Be brief.' } },
      contents: { parts: { text: 'Hi' } },
      generation_config: { max_output_tokens: 9, temperature: 0.5 },
    });
    expect(response.status).toBe(200);
    const { json } = await gateway.upstream.request(0);
    expect(json).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 9,
      temperature: 0.5,
    });
    expect(json.stream ?? false).toBe(false);
  });
});

describe('a large body', () => {
  test('is read as a small one is', async () => {
    gateway.upstream.next(chatAnswer());
    const text = 'word '.repeat(8_000);
    const response = await ask('generateContent', { contents: [{ role: 'user', parts: [{ text }] }] });
    expect(readGeminiWhole(await response.json()).text).toBe('Hello there');
    expect((await gateway.upstream.request(0)).json.messages[0].content).toBe(text);
  });

  test('with an image counts that as an image, not by its letters', async () => {
    const data = png(800, 600, Buffer.alloc(300_000)).toString('base64');
    const image = { inlineData: { mimeType: 'image/png', data } };
    const count = async (parts: object[]) =>
      ((await (await ask('countTokens', { contents: [{ role: 'user', parts }] })).json()) as Answer).totalTokens;
    expect((await count([image])) - (await count([{ text: '' }]))).toBeLessThan(2_000);
  });
});

describe('a body', () => {
  test.each(['up-paid', 'models/up-paid'])('may name the model of the URL (%s)', async (model) => {
    gateway.upstream.next(chatAnswer());
    expect((await ask('generateContent', { ...HELLO, model })).status).toBe(200);
  });

  test('that names another model is refused, and says why', async () => {
    const { code, message, details } = await faultOf(await ask('generateContent', { model: 'up-even', ...HELLO }));
    expect([code, details[0].metadata.param]).toEqual([400, 'model']);
    expect(message).toContain('another model than the URL');
  });

  test('that sets what the URL says is refused', async () => {
    const { code, message, details } = await faultOf(await ask('generateContent', { ...HELLO, stream: true }));
    expect([code, details[0].metadata.param]).toEqual([400, 'stream']);
    expect(message).toContain(':streamGenerateContent');
  });

  test('that only speaks of a model is no such body', async () => {
    gateway.upstream.next(chatAnswer());
    const contents = [{ role: 'user', parts: [{ text: 'Which "model" and "stream"?' }] }];
    expect((await ask('generateContent', { contents })).status).toBe(200);
  });
});

describe('a quote', () => {
  const quoteFor = async (endpoint: string, body: object = HELLO) =>
    (await (await gateway.call('/api/quote', { key, body: { endpoint, body } })).json()) as Answer;

  test.each(['generateContent', 'streamGenerateContent', 'streamGenerateContent?alt=sse'])(
    'for %s holds for the call',
    async (method) => {
      const { quote_id, model, refusal } = await quoteFor(pathOf(method));
      expect([model, refusal]).toEqual(['up-paid', null]);
      gateway.upstream.next(method === 'generateContent' ? chatAnswer() : chatStream());
      const headers = { 'x-goog-api-key': key, 'x-svc-quote': quote_id };
      expect((await ask(method, HELLO, headers)).status).toBe(200);
      const other = { contents: [{ role: 'user', parts: [{ text: 'Something else.' }] }] };
      expect((await ask(method, other, headers)).status).toBe(422);
    },
  );

  test.each(['/v1beta/models/up-paid:predict', '/v1beta/models/%zz:generateContent'])(
    'for %p, which is no call, names those that there are',
    async (path) => {
      const { error } = await quoteFor(path);
      expect(error.message).toContain('/v1beta/models/{model}:generateContent');
    },
  );

  test.each(['auto:free', 'auto%3Afree'])('for %p, a model with a colon, is for that model', async (name) => {
    expect((await quoteFor(`/v1beta/models/${name}:generateContent`)).model).toBe('auto:free');
  });
});

test('the catalog names the call', async () => {
  const { data }: Answer = await gateway.get('/api/public/catalog', key);
  const { endpoints } = data.find(({ id }: Answer) => id === 'up-paid');
  expect(endpoints).toContain('/v1beta/models/up-paid:generateContent');
});

describe('a stream', () => {
  test('of a model that thinks unseen shows at once that it has begun', async () => {
    gateway.upstream.next(chatStream({ reasoning: ['Hm', '.'] }));
    const events = parseSse(await (await ask('streamGenerateContent?alt=sse')).text()).map(({ json }) => json);
    expect(events[0].candidates[0].content.parts).toEqual([{ text: '' }]);
    expect(JSON.stringify(events)).not.toContain('Hm');
  });

  test('comes as events with alt=sse, and its last chunk has the cost', async () => {
    gateway.upstream.next(chatStream());
    const response = await ask('streamGenerateContent?alt=sse');
    expect(response.headers.get('content-type')).toStartWith('text/event-stream');
    const told = readGeminiStream(await response.text());
    expect(told).toMatchObject({ text: 'Hello there', ends: 'end', complete: true });
    expect(BigInt(told.usage.cost_nano)).toBeGreaterThan(0n);
  });

  test('comes as one JSON list without it', async () => {
    gateway.upstream.next(chatStream());
    const response = await ask('streamGenerateContent');
    expect(response.headers.get('content-type')).toStartWith('application/json');
    expect(readGeminiList(await response.text())).toMatchObject({ text: 'Hello there', ends: 'end', complete: true });
  });
});

describe('the key', () => {
  test('may be in x-goog-api-key, in the query, or where other clients have it', async () => {
    for (const [query, headers] of [
      ['', { 'x-goog-api-key': key }],
      [`?key=${key}`, {}],
      ['', { authorization: `Bearer ${key}` }],
    ] as const) {
      gateway.upstream.next(chatAnswer());
      expect((await ask(`generateContent${query}`, HELLO, headers)).status).toBe(200);
    }
  });

  test('in the query is read here alone', async () => {
    const body = { model: 'up-paid', messages: [{ role: 'user', content: 'Hi' }] };
    expect((await gateway.call(`/v1/chat/completions?key=${key}`, { body })).status).toBe(401);
  });

  test('is in no line of the log, even of a call that fails', async () => {
    gateway.upstream.otherwise(errorScript(500, { message: 'no', type: 'x', code: null }));
    const before = gateway.log.lines().length;
    await (await ask(`generateContent?key=${key}`, HELLO, {})).text();
    await eventually('a line of the log', () => gateway.log.lines().length > before);
    expect(gateway.log.text()).not.toContain(key);
  });

  test('is in no fault', async () => {
    for (const path of [`/v1beta/nowhere?key=${key}`, `${pathOf('generateContent', 'none')}?key=${key}`]) {
      const text = await (await gateway.call(path, { body: HELLO })).text();
      expect(text).not.toContain(key);
    }
  });

  test('that is wrong gets 401 in Google’s envelope', async () => {
    const response = await ask('generateContent', HELLO, { 'x-goog-api-key': 'nothing' });
    expect(response.status).toBe(401);
    expect(await faultOf(response)).toMatchObject({
      code: 401,
      status: 'UNAUTHENTICATED',
      details: expect.arrayContaining([
        expect.objectContaining({
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'invalid_api_key',
          metadata: { request_id: response.headers.get('x-request-id') ?? '' },
        }),
      ]),
    });
  });
});

describe('a fault', () => {
  test('names the field', async () => {
    const response = await ask('generateContent', { contents: [] });
    expect(await faultOf(response)).toMatchObject({
      code: 400,
      status: 'INVALID_ARGUMENT',
      details: expect.arrayContaining([expect.objectContaining({ fieldViolations: [expect.anything()] })]),
    });
  });

  test('for an unknown model is 404, with what is similar', async () => {
    const response = await gateway.call(pathOf('generateContent', 'up-piad'), { key, body: HELLO });
    expect(await faultOf(response)).toMatchObject({ code: 404, status: 'NOT_FOUND' });
  });

  test('of an empty wallet is 402 with our figures', async () => {
    const poor = await gateway.register();
    await spendAll(gateway, poor.key, 'up-even');
    const response = await gateway.call(pathOf('generateContent'), { key: poor.key, body: HELLO });
    expect(response.status).toBe(402);
    const { code, message, details } = await faultOf(response);
    expect(code).toBe(402);
    expect(message).toMatch(/NT\$/);
    expect(details[0]).toMatchObject({ reason: 'insufficient_balance', metadata: { request_id: expect.any(String) } });
    expect(Object.keys(details[0].metadata)).toContain('needed_ntd');
  });

  test('of a limit is 429, and says when to retry', async () => {
    const { key: own } = await gateway.register();
    const limited: Answer = await (
      await gateway.call('/api/keys', { key: own, body: { name: 'slow', rates: { requests_per_minute: 1 } } })
    ).json();
    gateway.upstream.otherwise(chatAnswer());
    const headers = { 'x-goog-api-key': limited.api_key ?? limited.key };
    expect((await ask('generateContent', HELLO, headers)).status).toBe(200);
    const response = await ask('generateContent', HELLO, { ...headers, 'x-svc-no-wait': '1' });
    expect(response.status).toBe(429);
    const { code, status, details } = await faultOf(response);
    expect([code, status, details[0].reason]).toEqual([429, 'RESOURCE_EXHAUSTED', 'rate_limited']);
    const retry = details.find((one: Answer) => one['@type'].endsWith('google.rpc.RetryInfo'));
    expect(Number.parseFloat(retry.retryDelay)).toBeGreaterThan(0);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('of the upstream in a stream that has not begun has its status', async () => {
    gateway.upstream.otherwise(errorScript(500, { message: 'no', type: 'x', code: null }));
    const response = await ask('streamGenerateContent?alt=sse');
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(await faultOf(response)).toMatchObject({ code: response.status, status: 'UNAVAILABLE' });
  });
});

test('models are listed, and one is shown', async () => {
  const { models }: Answer = await (
    await gateway.call('/v1beta/models', { headers: { 'x-goog-api-key': key } })
  ).json();
  const names = models.map(({ name }: Answer) => name);
  expect(names).toEqual(expect.arrayContaining(['models/up-paid', 'models/up:paid']));
  expect(models[0].supportedGenerationMethods).toContain('generateContent');
  for (const id of ['up-paid', 'up:paid']) {
    expect(await (await gateway.call(`/v1beta/models/${id}`, { key })).json()).toMatchObject({ name: `models/${id}` });
  }
  expect((await gateway.call('/v1beta/models/none', { key })).status).toBe(404);
});

test('the newer version in the path means the same', async () => {
  gateway.upstream.next(chatAnswer());
  const headers = { 'x-goog-api-key': key };
  const response = await gateway.call('/v1/models/up-paid:generateContent', { headers, body: HELLO });
  expect(readGeminiWhole(await response.json()).text).toBe('Hello there');
  const { models }: Answer = await (await gateway.call('/v1/models', { headers })).json();
  expect(models.map(({ name }: Answer) => name)).toContain('models/up-paid');
  const { data }: Answer = await (await gateway.call('/v1/models', { key })).json();
  expect(data.map(({ id }: Answer) => id)).toContain('up-paid');
});

test('tokens are counted, of contents or of a whole request', async () => {
  const count = async (body: unknown) => ((await (await ask('countTokens', body)).json()) as Answer).totalTokens;
  const few = await count(HELLO);
  expect(few).toBeGreaterThan(0);
  expect(await count({ generateContentRequest: { model: 'models/up-paid', ...HELLO } })).toBeGreaterThanOrEqual(few);
  expect(gateway.upstream.requests).toEqual([]);
});

test.each([
  '{"generateContentRequest":{"contents":[],"contents":[]}}',
  `{"generateContentRequest":{${Array.from({ length: 1_001 }, (_, index) => `"f${index}":1`).join()}}}`,
])('a whole request to be counted is checked like any body', async (body) => {
  const path = '/v1beta/models/up-paid:countTokens';
  expect((await gateway.call(path, { key, body })).status).toBe(400);
});
