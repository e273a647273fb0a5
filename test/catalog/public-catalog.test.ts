import { expect, test } from 'bun:test';
import { buildCatalog } from '../../src/catalog/catalog.ts';
import { publicCatalog } from '../../src/catalog/public-catalog.ts';
import { readDocument } from '../../src/catalog/read-document.ts';

const YAML = `
channels: [{name: hidden-channel, kind: openai, base_url: http://hidden-host.test/v1, api_key: sk-fake-hidden}]
models:
  - id: chatty
    name: Chatty
    aliases: [claude-chatty]
    context_tokens: 1000
    max_output_tokens: 500
    price: {input: 8.125, cached_input: 0.813, output: 65}
    routes: &routes [{channel: hidden-channel, model: hidden-model}]
  - {id: auto:free, price: free, routes: *routes}
  - {id: vectors, kinds: [embeddings], price: {input: 0.65}, routes: *routes}
  - {id: speaker, kinds: [speech], price: {character: 487.5}, routes: *routes}
  - {id: ranker, kinds: [rerank], price: {search: 65}, routes: *routes}
  - {id: judge, kinds: [moderation], price: {input: 1}, routes: *routes}
  - {id: painter, kinds: [images], price: {image: 1.3}, routes: *routes}
  - {id: token-painter, kinds: [images], price: {input: 162.5, output: 1300}, routes: *routes}
  - {id: dear-painter, kinds: [images], price: {input: 10, cached_input: 1, output: 20, image: 1.3}, routes: *routes}
  - {id: reader-painter, kinds: [images], price: {input: 10, image: 1.3}, routes: *routes}
  - {id: cheap-vectors, kinds: [embeddings], price: {input: 0.65, cached_input: 0.1, output: 2}, routes: *routes}
  - {id: both, kinds: [chat, images], price: {input: 10, output: 20, image: 1.3}, routes: *routes}
  - {id: free-vectors, kinds: [embeddings], price: free, routes: *routes}
  - {id: free-painter, kinds: [images], price: free, routes: *routes}
`;

const read = readDocument(YAML);
if (!read.ok) throw new Error('the document of this test is valid');
const shown = publicCatalog(buildCatalog(read.document, 3, Date.UTC(2026, 0, 2)));
const models = shown.data as Record<string, unknown>[];
const priceOf = (id: string) => models.find((model) => model.id === id)?.price;

test('its frame says what the numbers mean', () => {
  expect(shown).toMatchObject({
    object: 'list',
    currency: 'TWD',
    unit: 'NT$ per 1M tokens',
    revision: 3,
    updated_at: '2026-01-02T00:00:00.000Z',
  });
  expect(models.map(({ id }) => id)).toEqual([
    'chatty',
    'auto:free',
    'vectors',
    'speaker',
    'ranker',
    'judge',
    'painter',
    'token-painter',
    'dear-painter',
    'reader-painter',
    'cheap-vectors',
    'both',
    'free-vectors',
    'free-painter',
  ]);
});

test('a model has exactly the fields of the contract', () => {
  expect(models[0]).toEqual({
    id: 'chatty',
    name: 'Chatty',
    aliases: ['claude-chatty'],
    kinds: ['chat'],
    endpoints: expect.arrayContaining(['/v1/chat/completions']),
    context_tokens: 1_000,
    max_output_tokens: 500,
    free: false,
    price: {
      input: 8.125,
      cached_input: 0.813,
      cache_write_5m: 8.125,
      cache_write_1h: 8.125,
      output: 65,
      image: null,
    },
  });
});

test('free is 0 where a price would apply, and null where none does', () => {
  const nothing = { input: 0, cached_input: 0, cache_write_5m: 0, cache_write_1h: 0, output: 0 };
  expect(priceOf('auto:free')).toEqual({ ...nothing, image: null });
  expect(models[1]?.free).toBe(true);
  expect(priceOf('free-painter')).toMatchObject({ input: null, output: null, image: 0 });
  expect(priceOf('free-vectors')).toMatchObject({ input: 0, cached_input: null, output: null, image: null });
});

const NONE = { input: null, cached_input: null, cache_write_5m: null, cache_write_1h: null, output: null, image: null };

test('what does not apply to a kind is null', () => {
  expect(priceOf('painter')).toEqual({ ...NONE, image: 1.3 });
  expect(priceOf('token-painter')).toEqual({ ...NONE, input: 162.5, output: 1_300 });
});

test('whatever is set and can be charged is shown, also where another price is the usual one', () => {
  expect(priceOf('vectors')).toEqual({ ...NONE, input: 0.65 });
  expect(priceOf('cheap-vectors')).toEqual({ ...NONE, input: 0.65, cached_input: 0.1, output: 2 });
  expect(priceOf('dear-painter')).toEqual({ ...NONE, input: 10, output: 20, image: 1.3 });
  expect(priceOf('reader-painter')).toEqual({ ...NONE, input: 10, image: 1.3 });
  const written = { cached_input: 10, cache_write_5m: 10, cache_write_1h: 10 };
  expect(priceOf('both')).toEqual({ ...written, input: 10, output: 20, image: 1.3 });
});

test('every kind is served at its endpoint', () => {
  const endpoints = Object.fromEntries(models.map((model) => [model.id, model.endpoints]));
  expect(endpoints).toMatchObject({
    vectors: ['/v1/embeddings', '/v1beta/models/vectors:embedContent'],
    painter: ['/v1/images/generations', '/v1/images/edits', '/v1/images/variations'],
    speaker: ['/v1/audio/speech'],
    ranker: ['/v1/rerank'],
    judge: ['/v1/moderations'],
  });
});

test('nothing of the upstreams is in it', () => {
  expect(JSON.stringify(shown)).not.toMatch(/hidden/);
});
