// Vendors are data: each preset makes a channel that serves calls, and each of its models is one that a document can have,
// with a source for its figures.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { convertUsd, knownUsd, readConversion } from '../../src/admin/actions/usd-prices.ts';
import { readNewDocument } from '../../src/catalog/read-document.ts';
import { type KnownModel, SOURCES_DATE } from '../../src/vendors/known-models.ts';
import { presetChannel, VENDOR_PRESETS, type VendorPreset } from '../../src/vendors/presets.ts';
import type { Answer } from '../support/answer.ts';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { jsonScript } from '../support/openai-chat.ts';
import { UPSTREAM_KEY, upstreamUrl } from '../support/test-document.ts';

/** Platforms sign requests or need a token first: their own tests call them. */
const CALLED = VENDOR_PRESETS.filter(({ kind }) => ['openai', 'anthropic', 'gemini'].includes(kind));
const has = (endpoint: string) => (preset: VendorPreset) =>
  preset.endpoints?.some((one) => one === endpoint) ?? endpoint === 'chat';
const idsOf = (presets: readonly VendorPreset[]) => presets.map(({ id }) => id);
const idOf = (preset: string) => `at-${preset}`;
const rerankOf = (preset: string) => `rerank-at-${preset}`;
const embeddingsOf = (preset: string) => `embeddings-at-${preset}`;

let gateway: ClientGateway;
beforeAll(async () => {
  gateway = await startClientGateway({
    document: (standard) => {
      const { origin } = new URL(upstreamUrl(standard));
      const model = (id: string, preset: string, rest: Record<string, unknown>) => ({
        id,
        routes: [{ channel: idOf(preset), model: 'scripted-2026-01' }],
        ...rest,
      });
      return {
        ...standard,
        channels: [
          ...standard.channels,
          ...CALLED.map((preset) => {
            const { pathname } = new URL(preset.baseUrl ?? preset.addressExample ?? '');
            const baseUrl = origin + pathname.replace(/\/$/, '');
            return presetChannel(preset, { name: idOf(preset.id), baseUrl, apiKey: UPSTREAM_KEY });
          }),
        ],
        models: [
          ...standard.models,
          ...CALLED.filter(has('chat')).map(({ id }) => model(idOf(id), id, { price: { input: 1, output: 1 } })),
          ...CALLED.filter(has('rerank')).map(({ id }) =>
            model(rerankOf(id), id, { kinds: ['rerank'], price: { input: 1, search: 65 } }),
          ),
          ...CALLED.filter(has('embeddings')).map(({ id }) =>
            model(embeddingsOf(id), id, { kinds: ['embeddings'], price: { input: 1 } }),
          ),
        ],
      };
    },
  });
});
beforeEach(() => gateway.answer(() => ({ pieces: ['Hello'] })));
afterAll(() => gateway.stop());

test.each(idsOf(CALLED.filter(has('chat'))))('a channel of the preset %s serves a chat', async (id) => {
  const response = await gateway.chat(gateway.key, { model: idOf(id) });
  const answer = (await response.json()) as Answer;
  expect(response.status, JSON.stringify(answer)).toBe(200);
  expect(answer.choices[0].message.content).toBe('Hello');
});

describe('rerank at a preset', () => {
  const results = [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.2 },
  ];
  const VENDORS: readonly [preset: string, path: string, answer: object, used: object][] = [
    [
      'cohere',
      '/v2/rerank',
      { id: 'r1', results, meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } } },
      { searches: 1 },
    ],
    ['jina', '/v1/rerank', { object: 'list', results, usage: { total_tokens: 23 } }, { input_tokens: 23 }],
  ];

  test('every preset with the endpoint is here', () => {
    expect(VENDORS.map(([preset]) => preset)).toEqual(idsOf(CALLED.filter(has('rerank'))));
  });

  test.each(VENDORS)('%s is called at %s, and its report is read', async (preset, path, answer, used) => {
    gateway.upstream.otherwise(jsonScript(200, answer));
    const body = { model: rerankOf(preset), query: 'refund', documents: ['a', 'b'] };
    const response = await gateway.call('/v1/rerank', { key: gateway.key, body });
    expect(response.status).toBe(200);
    expect((await response.json()) as Answer).toMatchObject({ results });
    const seen = gateway.upstream.requests.at(-1);
    expect([seen?.path, seen?.headers.authorization]).toEqual([path, `Bearer ${UPSTREAM_KEY}`]);
    expect(seen?.json).toEqual({ ...body, model: 'scripted-2026-01' });
    expect(await gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, gateway.key)).toMatchObject(used);
  });

  test.each(VENDORS)('embeddings at %s are below its address', async (preset) => {
    const data = [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }];
    gateway.upstream.otherwise(jsonScript(200, { object: 'list', data, usage: { prompt_tokens: 2, total_tokens: 2 } }));
    const body = { model: embeddingsOf(preset), input: 'a' };
    const response = await gateway.call('/v1/embeddings', { key: gateway.key, body });
    expect((await response.json()) as Answer).toMatchObject({ data });
    const address = VENDOR_PRESETS.find(({ id }) => id === preset)?.baseUrl ?? '';
    expect(gateway.upstream.requests.at(-1)?.path).toBe(`${new URL(address).pathname}/embeddings`);
  });
});

const MODELS = VENDOR_PRESETS.flatMap((preset) =>
  (preset.models ?? []).map((model) => [`${preset.id}: ${model.id}`, preset, model] as const),
);
const CONVERSION = readConversion('32.5', '20');

describe.each(MODELS)('%s', (_name, preset, model) => {
  test('is accepted by a document, on a channel of the preset', () => {
    const { upstreamModel = model.id, kind = 'chat', contextTokens, maxOutputTokens, retiresAt } = model;
    const { sale, cost } = convertUsd(knownUsd(model), CONVERSION);
    const channel = presetChannel(preset, { baseUrl: preset.baseUrl ?? preset.addressExample, apiKey: 'env:KEY' });
    const document = {
      channels: [channel],
      models: [
        {
          ...{ id: model.id, name: model.name, kinds: [kind], price: sale ?? 'free', retires_at: retiresAt },
          ...{ context_tokens: contextTokens, max_output_tokens: maxOutputTokens },
          routes: [{ channel: preset.id, model: upstreamModel, cost }],
        },
      ],
    };
    expect(readNewDocument(JSON.stringify(document))).toMatchObject({ ok: true });
  });

  test('has prices above 0, or is free', () => {
    const { usd } = model;
    if (usd === 'free') return expect(knownUsd(model).prices).toEqual({ input: '0' });
    const { tiers = [], changes = [], ...prices } = usd;
    expect(Object.keys(prices)).not.toBeEmpty();
    for (const price of Object.values(prices)) expect(price).toBeGreaterThan(0);
    for (const list of [prices, ...tiers, ...changes]) {
      expect(list.cached_input ?? 0).toBeLessThan(list.input ?? 1);
      if (list.output !== undefined) expect(list.output).toBeGreaterThanOrEqual(list.input ?? 0);
    }
    return undefined;
  });

  test('has limits that fit each other', () => {
    const { kind, contextTokens, maxOutputTokens } = model;
    if (kind === undefined) expect(contextTokens).toBeGreaterThan(0);
    expect(maxOutputTokens ?? 0).toBeLessThanOrEqual(contextTokens ?? Number.POSITIVE_INFINITY);
  });

  test('has sources', () => {
    expect(model.sources.length).toBeGreaterThan(0);
    for (const source of model.sources) expect(new URL(source).protocol).toBe('https:');
  });
});

test('no preset has an id or a name at the vendor twice, and every successor is in its list', () => {
  for (const { models = [] } of VENDOR_PRESETS) {
    const names = (nameOf: (model: KnownModel) => string) => new Set(models.map(nameOf)).size;
    expect(names(({ id }) => id)).toBe(models.length);
    expect(names(({ id, upstreamModel = id }) => upstreamModel)).toBe(models.length);
    for (const { replacedBy } of models) {
      if (replacedBy !== undefined) expect(models.map(({ id }) => id)).toContain(replacedBy);
    }
  }
});

test("every vendor with list prices has models: not one's own server, nor Azure, whose customers name deployments", () => {
  const without = VENDOR_PRESETS.filter(({ isOwnServer, models = [] }) => !isOwnServer && models.length === 0);
  expect(idsOf(without)).toEqual(['azure']);
});

test('the day on which sources were read is a day', () => {
  expect(new Date(SOURCES_DATE).toISOString()).toStartWith(SOURCES_DATE);
  expect(Date.parse(SOURCES_DATE)).toBeLessThan(Date.now());
});
