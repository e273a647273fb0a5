import { describe, expect, test } from 'bun:test';
import { buildCatalog, type Catalog } from '../../src/catalog/catalog.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import { quirksOf } from '../../src/vendors/quirks.ts';

function catalogOf(yaml: string): Catalog {
  const read = readDocument(yaml);
  if (!read.ok) throw new Error(read.faults.map(({ path, message }) => `${path}: ${message}`).join());
  return buildCatalog(read.document, 7, 1_000);
}

const CATALOG = catalogOf(`
channels:
  - {name: demo, kind: demo}
  - {name: a, kind: openai, base_url: http://a.test/v1//, api_key: env:A_KEY, timeouts: {first_token_ms: 9000}}
  - {name: b, kind: openai, base_url: http://b.test/v1, endpoints: [chat], quirks: vllm}
models:
  - {id: auto:free, aliases: [claude-auto, free], price: free, routes: [{channel: demo, model: demo}]}
  - id: paid
    name: Paid
    context_tokens: 1000
    max_output_tokens: 4000
    price: {input: 1, output: 2}
    routes:
      - {channel: b, model: last, priority: 3}
      - {channel: a, model: first, first_token_ms: 50}
      - {channel: a, model: second, priority: 2, weight: 5}
      - {channel: b, model: second-too, priority: 2}
limits: {in_flight: 3}
`);

describe('models', () => {
  test('are found by id and by alias, and by nothing else', () => {
    for (const name of ['auto:free', 'claude-auto', 'free']) expect(CATALOG.find(name)?.id).toBe('auto:free');
    for (const name of ['', 'AUTO:FREE', 'auto', 'demo', 'a', 'toString', '__proto__', 'constructor']) {
      expect(CATALOG.find(name)).toBeUndefined();
    }
  });

  test('are called by their id when they have no name', () => {
    expect(CATALOG.models.map(({ name }) => name)).toEqual(['auto:free', 'Paid']);
  });

  test('never put out more than their context holds', () => {
    expect(CATALOG.find('paid')?.maxOutputTokens).toBe(1_000);
  });
});

describe('routes', () => {
  test('stand by priority, in the order of the document within one', () => {
    expect(CATALOG.find('paid')?.routes.map(({ model, priority, weight }) => [model, priority, weight])).toEqual([
      ['first', 1, 1],
      ['second', 2, 5],
      ['second-too', 2, 1],
      ['last', 3, 1],
    ]);
  });

  test('have the first-token limit of their own, else of their channel', () => {
    expect(CATALOG.find('paid')?.routes.map(({ firstTokenMs }) => firstTokenMs)).toEqual([50, 9_000, 'auto', 'auto']);
  });

  test('carry the channel itself', () => {
    expect(CATALOG.find('paid')?.routes[0]?.channel).toBe(CATALOG.channels.get('a'));
  });
});

const ALL = [
  ...['chat', 'responses', 'embeddings', 'images', 'image_edits', 'image_variations'],
  ...['speech', 'transcription', 'audio_translation', 'rerank', 'moderation'],
];

test('channels have what the document says and sensible rest', () => {
  expect(CATALOG.channels.get('a')).toMatchObject({
    baseUrl: 'http://a.test/v1',
    apiKey: 'env:A_KEY',
    endpoints: ALL,
    timeouts: { connectMs: 2_000, firstTokenMs: 9_000, idleMs: 60_000, totalMs: 600_000 },
  });
  expect(CATALOG.channels.get('b')).toMatchObject({
    endpoints: ['chat'],
    quirks: quirksOf('vllm'),
    apiKey: undefined,
  });
  expect(CATALOG.channels.get('demo')).toMatchObject({ kind: 'demo', endpoints: ['chat', 'messages'] });
});

test.each([
  ['https://a.test/openai/deployments/gpt', {}, ALL.filter((endpoint) => endpoint !== 'responses')],
  [
    'https://a.test/openai/deployments/gpt?api-version=2024-10-21',
    {},
    ALL.filter((endpoint) => endpoint !== 'responses'),
  ],
  ['https://a.test/openai/deployments/gpt', { endpoints: ['chat', 'responses'] }, ['chat', 'responses']],
  ['https://a.test/openai/v1?from=/deployments/', {}, ALL],
])('the address of one model has responses only if that is said: %s %j', (base_url, fields, endpoints) => {
  const channel = { name: 'azure', kind: 'openai', quirks: 'azure', base_url, ...fields };
  const models = [{ id: 'm', price: 'free', routes: [{ channel: 'azure', model: 'm' }] }];
  expect(catalogOf(JSON.stringify({ channels: [channel], models })).channels.get('azure')).toMatchObject({ endpoints });
});

test('limits are those of the document, completed', () => {
  expect(CATALOG.limits).toMatchObject({ in_flight: 3, free_per_minute: 6 });
  expect(CATALOG.revision).toBe(7);
});

test.each([
  ['', 5_000_000_000n],
  ['guards: {loss_per_account_day: 0}', 0n],
  ['guards: {loss_per_account_day: 0.125}', 125_000_000n],
  ['guards: {loss_per_account_day: "20"}', 20_000_000_000n],
  ['guards: {loss_per_account_day: null}', null],
])('the guard of losses is an amount, 0 or none: %p', (guards, nano) => {
  const yaml = `
channels: [{name: demo, kind: demo}]
models: [{id: auto:free, price: free, routes: [{channel: demo, model: demo}]}]
${guards}
`;
  expect(catalogOf(yaml).guards.loss_per_account_day).toBe(nano);
});
