// Embeddings for clients of Google's format: served by any embeddings model, billed as /v1/embeddings, nothing lost unsaid.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Answer } from '../support/answer.ts';
import { twoRoutes, useMediaGateway } from '../support/media-gateway.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

const INPUT = 2_000n;
const PRICED = { kinds: ['embeddings'], price: { input: 2 } };
const VECTORS = [
  [0.5, -1.25, 3],
  [1, 2, 3],
];
const PACKED = 'AAAAPwAAoL8AAEBA';

const media = useMediaGateway({
  channels: (url) => [openaiChannel('spare', url)],
  models: [
    upModel('vectors', PRICED),
    upModel('free-vectors', { ...PRICED, price: 'free' }),
    upModel('two-ways', { ...PRICED, routes: twoRoutes('spare') }),
  ],
});

const answer = (vectors: readonly unknown[], tokens: number | null = 4) =>
  jsonScript(200, {
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'scripted-2026-01',
    ...(tokens === null ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  });
const content = (...texts: string[]) => ({ content: { parts: texts.map((text) => ({ text })) } });
const embed = (body: unknown, method = 'embedContent', model = 'vectors', headers: Record<string, string> = {}) =>
  media.gateway.call(`/v1beta/models/${model}:${method}`, {
    headers: { 'x-goog-api-key': media.account.key, ...headers },
    body: body as Answer,
  });
const batch = (requests: unknown, model?: string) => embed({ requests }, 'batchEmbedContents', model);
const sent = () => media.gateway.upstream.requests.at(-1)?.json;

describe('one text', () => {
  test('is embedded, at the price of /v1/embeddings', async () => {
    media.gateway.upstream.next(answer([VECTORS[0]], 123));
    const response = await embed({ ...content('word '.repeat(100), 'more'), outputDimensionality: 3 });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      embedding: { values: VECTORS[0] },
      usageMetadata: { promptTokenCount: 123, totalTokenCount: 123 },
    });
    expect(media.gateway.upstream.requests.at(-1)?.path).toBe('/v1/embeddings');
    expect(sent()).toEqual({
      model: 'scripted-2026-01',
      input: [`${'word '.repeat(100)}\nmore`],
      dimensions: 3,
    });
    expect(response.headers.get('x-svc-channel')).toBe('up');
    expect(await media.receiptOf(response)).toMatchObject({
      endpoint: '/v1beta/models/{model}:embedContent',
      input_tokens: 123,
      cost_nano: String(123n * INPUT),
      estimated: false,
    });
  });

  test('comes as numbers, also from an upstream that packs them', async () => {
    media.gateway.upstream.next(answer([PACKED]));
    expect((await (await embed(content('Hi'))).json()) as Answer).toMatchObject({ embedding: { values: VECTORS[0] } });
  });

  test('may be asked for in the other spelling, and at /v1', async () => {
    media.gateway.upstream.next(answer([VECTORS[0]]));
    const response = await media.gateway.call('/v1/models/vectors:embedContent', {
      key: media.account.key,
      body: { model: 'models/vectors', ...content('Hi'), output_dimensionality: 2 },
    });
    expect(response.status).toBe(200);
    expect(sent().dimensions).toBe(2);
  });
});

describe('a batch', () => {
  test('is one call, and its vectors are in the order of the texts', async () => {
    const [first, second] = VECTORS;
    const data = [
      { index: 1, embedding: second },
      { index: 0, embedding: first },
    ];
    media.gateway.upstream.next(jsonScript(200, { data, usage: { prompt_tokens: 5, total_tokens: 5 } }));
    const response = await batch([
      { model: 'models/vectors', ...content('a') },
      { model: 'vectors', ...content('b') },
    ]);
    expect((await response.json()) as Answer).toMatchObject({ embeddings: VECTORS.map((values) => ({ values })) });
    expect(sent().input).toEqual(['a', 'b']);
    expect(await media.receiptOf(response)).toMatchObject({ cost_nano: String(5n * INPUT) });
  });

  test('of many vectors, whose answer is sent in parts', async () => {
    const vector = Array.from({ length: 3_072 }, (_, index) => (index + 1) / 4_096);
    media.gateway.upstream.next(answer(Array.from({ length: 60 }, () => vector)));
    const response = await batch(Array.from({ length: 60 }, (_, index) => content(`text ${index}`)));
    const { embeddings }: Answer = await response.json();
    expect(embeddings).toHaveLength(60);
    expect(embeddings[59].values).toEqual(vector);
  });

  test.each([
    ['fewer vectors than texts', answer([VECTORS[0]])],
    ['two vectors of one text', jsonScript(200, { data: [0, 0].map((index) => ({ index, embedding: VECTORS[0] })) })],
    ['a failure', errorScript(503, { message: 'down' })],
  ])('%s: the next channel serves, and one call is charged', async (_, script) => {
    media.gateway.upstream.next(script);
    media.gateway.upstream.otherwise(answer(VECTORS, 5));
    const response = await batch([content('a'), content('b')], 'two-ways');
    expect(response.status).toBe(200);
    const receipt = await media.receiptOf(response);
    expect(receipt.attempts.length).toBeGreaterThan(1);
    expect(receipt.cost_nano).toBe(String(5n * INPUT));
  });
});

describe('a setting that no upstream takes', () => {
  const TASK = { ...content('Hi'), taskType: 'RETRIEVAL_QUERY', title: 'A title', input: 'x' };

  test.each(['vectors', 'free-vectors'])('is reported as dropped (%s)', async (model) => {
    media.gateway.upstream.next(answer([VECTORS[0]]));
    const response = await embed(TASK, 'embedContent', model);
    expect(response.headers.get('x-svc-dropped')?.split(',').toSorted()).toEqual(['input', 'taskType', 'title']);
    expect(sent()).toEqual({ model: 'scripted-2026-01', input: ['Hi'] });
  });

  test('is reported of any request of a batch, or refused if the client asks for that', async () => {
    media.gateway.upstream.next(answer(VECTORS));
    const response = await batch([content('a'), { ...content('b'), embedContentConfig: { autoTruncate: true } }]);
    expect(response.headers.get('x-svc-dropped')).toBe('autoTruncate');
    const strict = await embed(TASK, 'embedContent', 'vectors', { 'x-svc-strict': '1' });
    expect(strict.status).toBe(400);
  });
});

test.each([
  ['content', {}],
  ['content', { content: { parts: [] } }],
  ['content', { content: 'Hi' }],
  [
    'content.parts[1]',
    { content: { parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
  ],
  ['outputDimensionality', { ...content('Hi'), outputDimensionality: 'many' }],
])('%s is refused by its name: %j', async (param, body) => {
  const response = await embed(body);
  const { error }: Answer = await response.json();
  expect([response.status, error.details[0].metadata.param]).toEqual([400, param]);
});

test.each([
  ['requests', []],
  ['requests', 'Hi'],
  ['requests', Array.from({ length: 2_049 }, () => content('a'))],
  ['requests[1].content', [content('a'), {}]],
  ['requests[0].model', [{ model: 'models/free-vectors', ...content('a') }]],
  ['requests[1].outputDimensionality', [content('a'), { ...content('b'), outputDimensionality: 8 }]],
])('%s of a batch is refused by its name', async (param, requests) => {
  const response = await batch(requests);
  const { error }: Answer = await response.json();
  expect([response.status, error.details[0].metadata.param]).toEqual([400, param]);
});

test('a chat model is refused, and an embeddings model has no chat', async () => {
  for (const [method, model] of [
    ['embedContent', 'up-paid'],
    ['generateContent', 'vectors'],
  ] as const) {
    const response = await embed({ ...content('Hi'), contents: [{ parts: [{ text: 'Hi' }] }] }, method, model);
    const { error }: Answer = await response.json();
    expect([error.code, error.details[0].reason]).toEqual([400, 'unsupported_endpoint']);
  }
});

test('the list of models says what each is for', async () => {
  const { models } = await media.gateway.get('/v1beta/models', media.account.key);
  const methodsOf = (id: string) =>
    models.find(({ name }: Answer) => name === `models/${id}`).supportedGenerationMethods as string[];
  expect(methodsOf('vectors')).toEqual(['embedContent', 'batchEmbedContents']);
  expect(methodsOf('up-paid')).not.toContain('embedContent');
  expect(await media.gateway.get('/v1beta/models/vectors', media.account.key)).toMatchObject({
    name: 'models/vectors',
  });
});

test('the bill is what was reported, or held if that is less, as for the same texts at /v1/embeddings', async () => {
  const words = fc.array(fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(words, fc.integer({ min: 1, max: 400 }), async (texts, tokens) => {
      await media.renewAccount();
      const { key } = media.account;
      const body = { requests: texts.map((text) => content(text)) };
      const endpoint = '/v1beta/models/vectors:batchEmbedContents';
      const quoted = async (path: string, asked: unknown): Promise<Answer> =>
        (await media.gateway.call('/api/quote', { key, body: { endpoint: path, body: asked } })).json();
      const quote = await quoted(endpoint, body);
      const same = await quoted('/v1/embeddings', { model: 'vectors', input: texts });
      expect(quote.max_cost_nano).toBe(same.max_cost_nano);
      media.gateway.upstream.next(
        answer(
          texts.map(() => VECTORS[0]),
          tokens,
        ),
      );
      const response = await media.gateway.call(endpoint, { key, body, headers: { 'x-svc-quote': quote.quote_id } });
      expect(response.status).toBe(200);
      const receipt = await media.receiptOf(response);
      const most = BigInt(quote.max_cost_nano);
      const reported = BigInt(tokens) * INPUT;
      expect(BigInt(receipt.cost_nano)).toBeLessThanOrEqual(most);
      if (!receipt.estimated) expect(BigInt(receipt.cost_nano)).toBe(reported < most ? reported : most);
    }),
    { numRuns: 25 },
  );
});
