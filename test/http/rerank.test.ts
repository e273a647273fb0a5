// POST /v1/rerank: one shape for clients, whichever vendor serves; priced by the search or by the token, exact to the nano.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Answer } from '../support/answer.ts';
import { twoRoutes, useMediaGateway } from '../support/media-gateway.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

/** NT$65 for a thousand searches, NT$2 for a million tokens. */
const SEARCH = 65_000_000n;
/** Of `dear-search`. */
const DEAR = 300_000_000n;
const TOKEN = 2_000n;
const DOCUMENTS = ['Open Settings.', { text: 'Closed on Sunday.' }, '關於退款'];
const RANKED = [
  { index: 2, relevance_score: 0.9 },
  { index: 0, relevance_score: 0.25 },
];

const media = useMediaGateway({
  channels: (url) => [openaiChannel('spare', url)],
  models: [
    upModel('by-search', { kinds: ['rerank'], price: { search: 65 } }),
    upModel('by-token', { kinds: ['rerank'], price: { input: 2 } }),
    upModel('dear-search', { kinds: ['rerank'], price: { search: 300 } }),
    upModel('two-ways', {
      kinds: ['rerank'],
      price: { search: 65 },
      routes: twoRoutes('spare'),
    }),
  ],
});

const cohere = (results: unknown, units: unknown = 1) =>
  jsonScript(200, {
    id: 'abc',
    results,
    meta: { api_version: { version: '2' }, billed_units: { search_units: units } },
  });
const jina = (results: unknown, tokens = 40) =>
  jsonScript(200, { model: 'jina-reranker', object: 'list', usage: { total_tokens: tokens }, results });
const rerank = (body: Record<string, unknown> = {}, path = '/v1/rerank') =>
  media.gateway.call(path, {
    key: media.account.key,
    body: { model: 'by-search', query: 'refund', documents: DOCUMENTS, ...body },
  });

describe('the answer', () => {
  test.each([
    ['Cohere', cohere(RANKED)],
    ['Jina', jina(RANKED.map((one) => ({ ...one, document: { text: 'theirs' } })))],
    ['Voyage', jsonScript(200, { object: 'list', data: RANKED, usage: { total_tokens: 40 } })],
  ])('of %s has the same shape, without documents', async (_name, script) => {
    media.gateway.upstream.next(script);
    const response = await rerank();
    expect(response.status).toBe(200);
    const answer: Answer = await response.json();
    expect(answer).toMatchObject({ object: 'list', model: 'by-search', results: RANKED });
    expect(answer.results[0]).toEqual(RANKED[0]);
    expect(answer.meta.billed_units.search_units).toBe(1);
    expect(answer.usage.total_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-svc-channel')).toBe('up');
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.065');
  });

  test('has the documents of the request, if they are asked for', async () => {
    media.gateway.upstream.next(cohere(RANKED));
    const { results }: Answer = await (await rerank({ return_documents: true })).json();
    expect(results.map(({ document }: Answer) => document)).toEqual([{ text: '關於退款' }, { text: 'Open Settings.' }]);
  });

  test('has at most top_n results, even from an upstream that ignores it', async () => {
    media.gateway.upstream.next(cohere(RANKED));
    expect((await (await rerank({ top_n: 1 })).json()) as Answer).toMatchObject({ results: [RANKED[0]] });
  });

  test('has at most top_k results, as clients of Voyage call it', async () => {
    media.gateway.upstream.next(cohere(RANKED));
    expect((await (await rerank({ top_k: 1 })).json()) as Answer).toMatchObject({ results: [RANKED[0]] });
    const { json } = media.gateway.upstream.requests.at(-1) ?? {};
    expect([json.top_n, json.top_k]).toEqual([1, undefined]);
  });

  test('is the same at the path that Cohere clients call', async () => {
    media.gateway.upstream.next(cohere(RANKED));
    const response = await rerank({}, '/v2/rerank');
    expect((await response.json()) as Answer).toMatchObject({ results: RANKED });
    expect(await media.receiptOf(response)).toMatchObject({ endpoint: '/v2/rerank', cost_nano: SEARCH.toString() });
  });
});

test('an upstream gets texts, and no field that only some know', async () => {
  media.gateway.upstream.next(cohere(RANKED));
  await rerank({ top_n: 2, return_documents: true });
  expect(media.gateway.upstream.requests.at(-1)).toMatchObject({ path: '/v1/rerank' });
  expect(media.gateway.upstream.requests.at(-1)?.json).toEqual({
    model: 'scripted-2026-01',
    query: 'refund',
    documents: ['Open Settings.', 'Closed on Sunday.', '關於退款'],
    top_n: 2,
  });
});

describe('documents of several fields', () => {
  const FIELDS = [
    { title: 'Refunds', body: 'Within 7 days.', id: 1 },
    { body: 'Closed on Sunday.', id: 2 },
    'a plain text',
  ];

  test('are ranked by the texts that rank_fields names, in its order', async () => {
    media.gateway.upstream.next(cohere(RANKED));
    const response = await rerank({ documents: FIELDS, rank_fields: ['body', 'title'], return_documents: true });
    const { results }: Answer = await response.json();
    expect(results.map(({ document }: Answer) => document)).toEqual([{ text: 'a plain text' }, FIELDS[0]]);
    const { json } = media.gateway.upstream.requests.at(-1) ?? {};
    expect(json.documents).toEqual(['Within 7 days.\nRefunds', 'Closed on Sunday.', 'a plain text']);
    expect(json).not.toHaveProperty('rank_fields');
  });

  test('count by these texts alone', async () => {
    const upperOf = async (body: Record<string, unknown>) => {
      const asked = { endpoint: '/v1/rerank', body: { model: 'by-token', query: 'refund', ...body } };
      const quote: Answer = await (
        await media.gateway.call('/api/quote', { key: media.account.key, body: asked })
      ).json();
      return quote.input_tokens.upper;
    };
    const documents = [{ body: 'Within 7 days.', other: 'word '.repeat(1_000) }];
    expect(await upperOf({ documents, rank_fields: ['body'] })).toBe(await upperOf({ documents: ['Within 7 days.'] }));
  });
});

describe('the charge', () => {
  test('by the search is what Cohere reported', async () => {
    media.gateway.upstream.next(cohere(RANKED, 1));
    const receipt = await media.receiptOf(await rerank());
    expect(receipt).toMatchObject({ searches: 1, cost_nano: SEARCH.toString(), estimated: false, rule: 'served' });
    expect(receipt.lines).toContainEqual({
      bucket: 'search',
      quantity: 1,
      unit_price_nano: SEARCH.toString(),
      amount_nano: SEARCH.toString(),
    });
  });

  test('by the token is what Jina reported', async () => {
    media.gateway.upstream.next(jina(RANKED, 23));
    const receipt = await media.receiptOf(await rerank({ model: 'by-token' }));
    expect(receipt).toMatchObject({ input_tokens: 23, cost_nano: (23n * TOKEN).toString(), estimated: false });
  });

  test('of a search that no report counts is an estimate: one for a hundred parts of documents', async () => {
    media.gateway.upstream.next(jina([{ index: 0, relevance_score: 1 }]));
    const documents = Array.from({ length: 101 }, () => 'short');
    expect(await media.receiptOf(await rerank({ documents }))).toMatchObject({
      searches: 2,
      cost_nano: (2n * SEARCH).toString(),
      estimated: true,
    });
  });

  test('never exceeds the hold', async () => {
    media.gateway.upstream.next(cohere(RANKED, 50));
    const response = await rerank();
    expect(await media.receiptOf(response)).toMatchObject({
      searches: 50,
      cost_nano: SEARCH.toString(),
      rule: 'above_hold',
    });
    expect(media.gateway.log.alarms('usage_above_hold')).toHaveLength(1);
  });

  test.each([63, 1e9, 1e300, -5, 0.5])('of %d reported searches is an estimate, and an alarm', async (units) => {
    const before = media.gateway.log.alarms('usage_invalid').length;
    media.gateway.upstream.next(cohere(RANKED, units));
    const response = await rerank({ model: 'dear-search' });
    expect([response.status, await media.receiptOf(response)]).toMatchObject([
      200,
      { searches: 1, cost_nano: String(DEAR), rule: 'served', status: 'ok', estimated: true },
    ]);
    expect(media.gateway.log.alarms('usage_invalid')).toHaveLength(before + 1);
    expect(media.gateway.audit()).toEqual([]);
  });

  test('above the hold is the operator’s loss, and the account goes on', async () => {
    media.gateway.upstream.next(cohere(RANKED, 2), cohere(RANKED));
    const response = await rerank({ model: 'dear-search' });
    expect([response.status, await media.receiptOf(response)]).toMatchObject([
      200,
      { cost_nano: String(DEAR), rule: 'above_hold', status: 'ok' },
    ]);
    const [loss] = media.gateway.sql(
      'SELECT reason, amount_nano FROM losses WHERE account_id = ?',
      media.account.accountId,
    );
    expect(loss).toEqual({ reason: 'above_hold', amount_nano: DEAR });
    expect((await rerank({ model: 'dear-search' })).status).toBe(200);
    expect(media.gateway.audit()).toEqual([]);
  });

  test.each([
    ['max_tokens_per_doc', 50_000],
    ['max_chunks_per_doc', 100],
  ])('by %s is held for', async (name, value) => {
    const documents = Array.from({ length: 40 }, () => 'word '.repeat(10_000));
    const quoteFor = async (rest: Record<string, unknown>): Promise<Answer> => {
      const body = { model: 'by-search', query: 'q', documents, ...rest };
      const response = await media.gateway.call('/api/quote', {
        key: media.account.key,
        body: { endpoint: '/v1/rerank', body },
      });
      return response.json();
    };
    const [usual, longer] = [await quoteFor({}), await quoteFor({ [name]: value })];
    expect(BigInt(longer.max_cost_nano)).toBeGreaterThan(BigInt(usual.max_cost_nano) * 2n);
  });

  test.each([['no result', []]])('of an answer with %s is nothing', async (_name, results) => {
    media.gateway.upstream.next(cohere(results));
    expect(await media.receiptOf(await rerank())).toMatchObject({ cost_nano: '0', rule: 'empty_answer', status: 'ok' });
  });

  test('is what was reported, or held if that is less, whatever was sent and reported', async () => {
    const documents = fc.array(fc.string({ maxLength: 40 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(documents, fc.integer({ min: 1, max: 3 }), async (documents, units) => {
        media.gateway.upstream.next(cohere([{ index: 0, relevance_score: 0.5 }], units));
        const { key } = await media.gateway.register();
        const body = { model: 'by-search', query: 'q', documents };
        const response = await media.gateway.call('/v1/rerank', { key, body });
        const receipt = await media.gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, key);
        expect(receipt.cost_nano).toBe(SEARCH.toString());
        expect((await media.gateway.get('/api/me', key)).held_nano ?? '0').toBe('0');
      }),
      { numRuns: 25 },
    );
  });
});

describe('what is no answer', () => {
  test.each([
    ['an index beyond the documents', [{ index: 3, relevance_score: 1 }]],
    ['one document twice', [RANKED[0], RANKED[0]]],
    ['no score', [{ index: 0 }]],
    ['no list', 'none'],
  ])('%s: another channel is tried', async (_name, results) => {
    media.gateway.upstream.next(cohere(results), cohere(RANKED));
    const response = await rerank({ model: 'two-ways' });
    expect(response.status).toBe(200);
    const receipt = await media.receiptOf(response);
    expect(receipt.attempts.map(({ outcome }: Answer) => outcome)).toEqual(['not_an_answer', 'ok']);
    expect(receipt.cost_nano).toBe(SEARCH.toString());
  });
});

test('a channel that fails is replaced', async () => {
  media.gateway.upstream.next(
    errorScript(503, { message: 'down' }),
    errorScript(503, { message: 'down' }),
    cohere(RANKED),
  );
  const response = await rerank({ model: 'two-ways' });
  expect(response.status).toBe(200);
  expect((await media.receiptOf(response)).cost_nano).toBe(SEARCH.toString());
});

test.each([
  ['query', { query: '' }],
  ['query', { query: 7 }],
  ['documents', { documents: [] }],
  ['documents', { documents: 'one' }],
  ['documents', { documents: Array.from({ length: 2049 }, () => 'x') }],
  ['documents[1]', { documents: ['a', { image: 'https://x.test/a.png' }] }],
  ['documents[0]', { documents: [null] }],
  ['top_n', { top_n: 0 }],
  ['top_k', { top_k: 'all' }],
  ['top_k', { top_n: 2, top_k: 1 }],
  ['rank_fields', { rank_fields: 'text' }],
  ['rank_fields', { rank_fields: [] }],
  ['documents[1]', { documents: ['a', { title: 'b' }], rank_fields: ['body'] }],
  ['documents[0]', { documents: [{ body: 7 }], rank_fields: ['body'] }],
  ['return_documents', { return_documents: 'yes' }],
  ['max_tokens_per_doc', { max_tokens_per_doc: -1 }],
])('%s is refused by its name: %j', async (param, body) => {
  const response = await rerank(body);
  expect(response.status).toBe(400);
  expect((await response.json()) as Answer).toMatchObject({ error: { param, code: 'invalid_request' } });
});

test('a quote is what the call holds', async () => {
  const body = { model: 'by-search', query: 'refund', documents: DOCUMENTS };
  const quote = await (
    await media.gateway.call('/api/quote', { key: media.account.key, body: { endpoint: '/v1/rerank', body } })
  ).json();
  expect(quote).toMatchObject({ max_cost_nano: SEARCH.toString(), likely_cost_nano: SEARCH.toString() });
});
