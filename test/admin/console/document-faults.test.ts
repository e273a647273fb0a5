// The faults of a document on the page where it is edited: with the line of the text, and in the reader's language.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { documentFaultText } from '../../../src/admin/console/words/document-faults.ts';
import { lineFinder } from '../../../src/catalog/fault-lines.ts';
import { YAML_REASONS } from '../../../src/catalog/fault-words.ts';
import { readNewDocument } from '../../../src/catalog/read-document.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { clientOf } from './operator-client.ts';

const TEXT = `channels:
  - name: demo
    kind: demo
  - name: up
    kind: opnai
    base_url: ftp://host
models:
  - id: auto:free
    prise: free
    routes:
      - {channel: demo, model: demo}
      - channel: none
        model: x
`;

describe('the line of a path', () => {
  const lineOf = lineFinder(TEXT);
  test.each([
    ['channels[1].kind', 5],
    ['channels[1].base_url', 6],
    ['models[0].prise', 9],
    // What is missing belongs to its table.
    ['models[0].price', 8],
    ['models[0].routes[0].channel', 11],
    ['models[0].routes[1].channel', 12],
    ['line 3', 3],
    ['models', 7],
  ])('%s is in line %p', (path, line) => expect(lineOf(path)).toBe(line));

  test('the whole document has none', () => expect(lineOf('document')).toBeUndefined());
  test('a text that is no YAML has those of its errors', () => {
    expect(lineFinder('a: [1\nb: 2')('line 2')).toBe(2);
    expect(lineFinder('')('models[0]')).toBeUndefined();
  });
});

const MODEL = { id: 'auto:free', price: 'free', routes: [{ channel: 'demo', model: 'demo' }] };
const DEMO = { name: 'demo', kind: 'demo' };
const PAID = { ...MODEL, id: 'paid', price: { input: 1, output: 1 } };
const up = (rest: object) => ({ name: 'up', kind: 'openai', base_url: 'https://h', ...rest });

/** Documents with every kind of fault. */
const WRONG: readonly unknown[] = [
  null,
  [],
  {},
  { channels: [], models: [] },
  { channels: 'x', models: [MODEL], limits: { in_flight: 1.5, free_per_minute: -1 }, guards: { usage_months: 9_999 } },
  { channels: [DEMO, DEMO, { name: 'No', kind: 'x' }, { name: 'gateway', kind: 'openai' }], models: [MODEL] },
  { channels: [DEMO, up({ api_key: '', endpoints: [], timeouts: { first_token_ms: 0 } })], models: [MODEL] },
  { channels: [DEMO, up({ api_key: 'env:' })], models: [MODEL] },
  { channels: [DEMO, up({ api_key: 'file:' })], models: [MODEL] },
  { channels: [DEMO, up({ api_key: '金' })], models: [MODEL] },
  { channels: [DEMO, up({ base_url: 'https://a:b@h' })], models: [MODEL] },
  { channels: [DEMO, up({ kind: 'anthropic', anthropic_base_url: 'https://h' })], models: [MODEL] },
  { channels: [DEMO, up({ endpoints: ['messages'] })], models: [MODEL] },
  {
    channels: [DEMO],
    models: [
      { ...MODEL, price: { input: 0, output: 1.23456, image: 9_999_999 }, retires_at: 'soon', extra: 1 },
      { ...PAID, id: 'Paid Model', aliases: ['auto:free'], routes: [], hedge: 0, fallbacks: ['paid'] },
      { ...PAID, fallbacks: ['paid', 'none', 'auto:free'], routes: [{ channel: 'none', model: '' }] },
      { ...PAID, id: 'a', price: {}, kinds: ['chat', 'images'] },
      { ...PAID, id: 'b', price: {}, kinds: ['embeddings'], replaced_by: 'none' },
      { ...PAID, id: 'c', replaced_by: 'c', retires_at: '2026-12-11', on_retired: 'replace' },
      { ...PAID, id: 'd', on_retired: 'replace' },
      { ...PAID, id: 'e', replaced_by: 'f', retires_at: '2026-12-11' },
      { ...PAID, id: 'f', replaced_by: 'e', retires_at: '2026-12-11' },
      { ...PAID, id: 'g', replaced_by: 'auto:free', retires_at: '2026-12-11', on_retired: 'replace', name: '' },
      { ...PAID, id: 'h', price: true, context_tokens: 'many', name: 'n'.repeat(101) },
    ],
  },
  {
    channels: [DEMO],
    models: [
      { ...MODEL, retires_at: '2026-12-11' },
      {
        ...PAID,
        price: {
          ...{
            input: 'x',
            output: {},
            cached_input: -1,
            service_tiers: { default: 1, Flex: 0.5, ok: 0 },
            tools: { no: 1 },
          },
          tiers: [{ above_input_tokens: 9 }, { input: 1 }, { above_input_tokens: 2, input: 1 }],
          changes: [
            { effective_at: '2027-01-02', input: 1 },
            { effective_at: '2027-01-01', input: 1 },
          ],
        },
        routes: [{ channel: 'demo', model: 'x', cost: { input: -1 } }],
      },
    ],
  },
  {
    channels: [DEMO, up({ kind: 'bedrock', base_url: 'https://bedrock-mantle.us-east-1.api.aws' })],
    models: [MODEL, { ...PAID, routes: [{ channel: 'up', model: 'amazon.nova-pro-v1:0' }] }],
  },
  { channels: [DEMO], models: [MODEL, { ...PAID, kinds: ['embeddings'], price: { input: 1 } }] },
];

test('every fault has Chinese words', () => {
  const messages = WRONG.flatMap((document) => {
    const read = readNewDocument(JSON.stringify(document));
    return read.ok ? [] : read.faults.map(({ message }) => message);
  });
  const reasons = Object.values(YAML_REASONS).map((reason) => `not valid YAML: ${reason}`);
  const all = [...new Set([...messages, ...reasons])];
  expect(all.length).toBeGreaterThan(60);
  const english = all.filter((message) => {
    const said = documentFaultText('zh-TW', message);
    return !/\p{Script=Han}/u.test(said) || /\b(must|needs|the|is)\b/.test(said);
  });
  expect(english).toEqual([]);
  expect(all.filter((message) => documentFaultText('en', message) !== message)).toEqual([]);
});

describe('on the page', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  test.each([
    ['en', 'line 5 · channels[1].kind', 'must be one of openai, anthropic, gemini, bedrock, vertex, azure, demo'],
    ['zh-TW', '第 5 行 · channels[1].kind', '必須是下列之一：openai, anthropic, gemini, bedrock, vertex, azure, demo'],
  ] as const)('in %s', async (language, place, reason) => {
    const client = await clientOf(gateway, language);
    const response = await client.post('/models/document', { yaml: TEXT, base: '1' });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain(`<code>${place}</code><span>${reason}</span>`);
  });

  test('stands beside the number of its line, which is marked', async () => {
    const client = await clientOf(gateway);
    const html = await (await client.post('/models/document', { yaml: TEXT, base: '1' })).text();
    const numbers = /<pre class="line-numbers"[^>]*>(.*?)<\/pre>/s.exec(html)?.[1] ?? '';
    expect(
      numbers
        .replaceAll(/<\/?mark>/g, '')
        .trimEnd()
        .split('\n'),
    ).toEqual(TEXT.split('\n').map((_, index) => `${index + 1}`));
    expect([...numbers.matchAll(/<mark>(\d+)/g)].map(([, line]) => line)).toEqual(['5', '6', '8', '9', '12']);
  });

  test('of a text that is no YAML', async () => {
    const client = await clientOf(gateway, 'zh-TW');
    const response = await client.post('/models/document', { yaml: 'channels:\n\t- name: x\n', base: '1' });
    expect(await response.text()).toMatch(/<code>第 2 行<\/code><span>不是有效的 YAML：/);
  });
});
