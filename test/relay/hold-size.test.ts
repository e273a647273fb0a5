// What a hold counts: every choice at full length, tools and images, the dearest of every price that may apply.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { encode } from 'gpt-tokenizer';
import { messageAnswer } from '../support/anthropic-messages.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { OPEN_FILES, png as pngBytes } from '../support/media-samples.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { type TestDocument, upModel, upstreamUrl } from '../support/test-document.ts';

const OUTPUT = 40_000n;
const INPUT = 10_000n;
const CONTEXT = 20_000;
let gateway: TestGateway;
let account: TestAccount;

const withModels = (standard: TestDocument): TestDocument => ({
  ...standard,
  channels: [...standard.channels, { name: 'own', kind: 'anthropic', base_url: upstreamUrl(standard) }],
  models: [
    ...standard.models,
    upModel('plain', { price: { input: 10, output: 40 } }),
    upModel('short', { price: { input: 10, output: 40 }, context_tokens: CONTEXT }),
    upModel('shorter', { price: { input: 10, output: 40 }, context_tokens: CONTEXT / 2, fallbacks: ['short'] }),
    upModel('reads', { price: { input: 10, output: 40 }, routes: [{ channel: 'own', model: 'scripted-2026-01' }] }),
    upModel('close-look', {
      price: { input: 1, output: 1 },
      routes: [{ channel: 'up', model: 'openai/gpt-4o-mini-2024-07-18' }],
    }),
    upModel('sees-all', { price: { input: 1, output: 1 }, routes: [{ channel: 'up', model: 'gpt-5.6-sol' }] }),
    upModel('sees-original', { price: { input: 1, output: 1 }, routes: [{ channel: 'up', model: 'gpt-5.4' }] }),
    upModel('sees-pixels', {
      price: { input: 1, output: 1 },
      routes: [{ channel: 'up', model: 'Qwen/Qwen2.5-VL-7B' }],
    }),
    upModel('far-look', { price: { input: 1, output: 1 } }),
    upModel('may-look-close', { price: { input: 1, output: 1 }, fallbacks: ['close-look'] }),
    upModel('dear-write', { price: { input: 10, cache_write_1h: 25, output: 40 } }),
    upModel('dear-cached', { price: { input: 10, cached_input: 15, output: 40 } }),
    upModel('dear-output', { price: { input: 1, output: 90 } }),
    upModel('dear-input', { price: { input: 30, output: 5 } }),
    upModel('falls-back', { price: { input: 10, output: 40 }, fallbacks: ['dear-output', 'dear-input'] }),
  ],
});

beforeAll(async () => {
  gateway = await startTestGateway({ document: withModels });
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** What one answered call had held. */
async function holdOf(body: Record<string, unknown>, key = account.key): Promise<bigint> {
  return heldBy(await gateway.chat(key, { model: 'plain', max_tokens: 100, ...body }));
}

async function heldBy(response: Response): Promise<bigint> {
  expect(response.status).toBe(200);
  const [row] = gateway.sql<{ held_nano: bigint }>(
    'SELECT held_nano FROM usage_records WHERE request_id = ?',
    response.headers.get('x-request-id') ?? '',
  );
  return row?.held_nano ?? 0n;
}

describe('output', () => {
  test('is the client’s bound, token by token', async () => {
    expect((await holdOf({ max_tokens: 101 })) - (await holdOf({ max_tokens: 100 }))).toBe(OUTPUT);
  });

  test('is the smaller of two bounds, and never above the model’s most', async () => {
    const hundred = await holdOf({ max_tokens: 100 });
    expect(await holdOf({ max_tokens: 900, max_completion_tokens: 100 })).toBe(hundred);
    const most = hundred + 900n * OUTPUT;
    expect(await holdOf({ max_tokens: 999_999_999 })).toBe(most);
    expect(await holdOf({ max_tokens: undefined })).toBe(most);
  });

  test('is nothing where only a cache is warmed', async () => {
    gateway.upstream.next(messageAnswer(), messageAnswer());
    const ask = async (bound: number) => {
      const body = { model: 'reads', max_tokens: bound, messages: [{ role: 'user', content: 'Hi' }] };
      return heldBy(await gateway.call('/v1/messages', { key: account.key, body }));
    };
    expect((await ask(100)) - (await ask(0))).toBe(100n * OUTPUT);
  });

  test.each([2, 5, 10])('counts n = %d choices in full', async (n) => {
    expect((await holdOf({ n })) - (await holdOf({}))).toBe(BigInt(n - 1) * 100n * OUTPUT);
  });

  test('of many choices is clamped by the wallet, each choice alike', async () => {
    const response = await gateway.chat(account.key, { model: 'plain', max_tokens: 1_000, n: 128 });
    expect(response.status).toBe(200);
    const clamped = Number(response.headers.get('x-svc-max-tokens'));
    expect(clamped).toBeWithin(16, 1_000);
    expect(gateway.upstream.requests.at(-1)?.json).toMatchObject({ max_tokens: clamped, n: 128 });
    const { balance_nano } = await gateway.get('/api/me', account.key);
    expect(BigInt(clamped) * 128n * OUTPUT).toBeLessThan(BigInt(balance_nano) + 1_000_000n);
  });
});

describe('input', () => {
  /** Without padding, so that more base64 may follow. */
  const png = (width: number, height: number) =>
    `data:image/png;base64,${pngBytes(width, height).subarray(0, 30).toString('base64')}`;
  const UNKNOWN = 'https://x.test/a.png';

  test('counts tools, functions and formats at least as a tokenizer does', async () => {
    const plain = await holdOf({});
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string', description: '城市名稱,例如 Taipei' } },
    };
    for (const extra of [
      { tools: [{ type: 'function', function: { name: 'weather', description: 'Weather of a city', parameters } }] },
      { functions: [{ name: 'weather', parameters }] },
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: parameters } } },
    ]) {
      const tokens = BigInt(encode(JSON.stringify(Object.values(extra)[0])).length);
      expect((await holdOf(extra)) - plain).toBeGreaterThanOrEqual(tokens * INPUT);
    }
  });

  test('counts an image as an image, however long its base64 is, and each of them', async () => {
    const image = (bytes: number) => ({
      type: 'image_url',
      image_url: { url: `${png(800, 600)}${'A'.repeat(bytes)}` },
    });
    const ask = (...images: unknown[]) =>
      holdOf({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, ...images] }] });
    const none = await ask();
    const one = await ask(image(100));
    expect(one - none).toBeGreaterThanOrEqual(1_000n * INPUT);
    expect(await ask(image(2_000_000))).toBe(one);
    const three = (await ask(image(100), image(100), image(100))) - none;
    const rounding = 3n * INPUT;
    expect(three).toBeGreaterThanOrEqual(3n * (one - none) - rounding);
    expect(three).toBeLessThanOrEqual(3n * (one - none) + rounding);
  });

  const seeing = (model: string, ...details: (string | undefined)[]) => {
    const image = (detail: string | undefined) => ({
      type: 'image_url',
      image_url: { url: UNKNOWN, ...(detail === undefined ? {} : { detail }) },
    });
    return holdOf({ model, messages: [{ role: 'user', content: details.map(image) }] });
  };

  test.each(['close-look', 'may-look-close'])(
    'counts an image as the model does that bills most for it: %s',
    async (model) => {
      const held = await seeing(model, 'high', undefined);
      expect(held).toBeGreaterThanOrEqual(2n * 48_169n * 1_000n);
      expect(held).toBeLessThan(2n * 49_000n * 1_000n);
      expect(await seeing(model, 'low', 'low')).toBe(await seeing('far-look', 'low', 'low'));
      expect(await seeing(model, 'low')).toBeGreaterThanOrEqual(2_833n * 1_000n);
      expect(await seeing('far-look', 'high')).toBeLessThan(6_000n * 1_000n);
    },
  );

  test.each([
    // As was measured there: 11,930 more tokens.
    ['sees-all', png(4_000, 2_500), undefined, 11_930, 12_200],
    ['sees-all', png(4_032, 3_024), 'auto', 14_364, 14_700],
    ['sees-all', png(800, 600), undefined, 5_000, 5_300],
    ['sees-all', png(65_535, 65_535), 'original', 36_000, 36_400],
    ['sees-all', UNKNOWN, undefined, 36_000, 36_400],
    ['sees-all', UNKNOWN, 'high', 5_000, 5_300],
    ['sees-original', UNKNOWN, 'original', 12_000, 12_400],
    ['sees-original', UNKNOWN, undefined, 5_000, 5_300],
    ['sees-pixels', UNKNOWN, undefined, 16_384, 16_800],
    ['sees-pixels', png(2_800, 2_800), undefined, 10_000, 10_400],
  ] as const)('counts an image by its size where the model does: %s %s %s', async (model, url, detail, least, most) => {
    const image_url = { url, ...(detail === undefined ? {} : { detail }) };
    const content = [{ type: 'image_url', image_url }];
    const held = (await holdOf({ model, messages: [{ role: 'user', content }] })) / 1_000n - 100n;
    expect(Number(held)).toBeWithin(least, most);
  });

  const withPdf = (base64: string, model = 'plain') => {
    const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64}` };
    return holdOf({ model, messages: [{ role: 'user', content: [{ type: 'file', file }] }] });
  };

  test('of a PDF, which is packed, is the whole context, however small it is', async () => {
    const base64 = Buffer.from('%PDF-1.7\n1 0 obj<</Type/Page>>endobj').toString('base64');
    expect(await withPdf(base64, 'short')).toBe(BigInt(CONTEXT) * INPUT + 100n * OUTPUT);
  });

  const WORDS = 'word '.repeat(10_000);
  const LEAST = 10_000n * INPUT;

  test.each([
    ['as the name of a member', { messages: [{ role: 'user', content: 'Hi', extra: { [WORDS]: 1 } }] }],
    [
      'in an object that calls itself an image',
      { messages: [{ role: 'user', content: 'Hi', extra: { type: 'image', x: WORDS } }] },
    ],
    [
      'in an image part beside its url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' }, note: WORDS }] }] },
    ],
    ['in a field that nobody knows', { chat_template: WORDS }],
    ['in the name of a tool', { tools: [{ type: 'function', function: { name: WORDS } }] }],
  ])('counts words wherever they stand: %s', async (_where, body) => {
    expect(await holdOf(body)).toBeGreaterThanOrEqual(LEAST);
  });

  test('counts a file of text as text, which it becomes where files are not taken', async () => {
    const text = '{}[];'.repeat(2_000);
    const tokens = BigInt(encode(text).length);
    const ask = (file_data: string) =>
      holdOf({ messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.txt', file_data } }] }] });
    const base64 = Buffer.from(text).toString('base64');
    expect(await ask(`data:text/plain;base64,${base64}`)).toBeGreaterThanOrEqual(tokens * INPUT);
    expect(await ask(`data:text/plain,${text}`)).toBeGreaterThanOrEqual(tokens * INPUT);
    expect(await ask(base64)).toBeGreaterThanOrEqual(tokens * INPUT);
  });

  test.each([
    ['of the model', 'short'],
    ['of a fallback that takes more', 'shorter'],
  ])('of a file that the upstream fetches itself is the whole context %s', async (_whose, model) => {
    const file = { type: 'file', file: { file_id: 'file-1' } };
    const held = await holdOf({ model, messages: [{ role: 'user', content: [file] }] });
    expect(held).toBeGreaterThanOrEqual(BigInt(CONTEXT) * INPUT);
  });

  const WHOLE = BigInt(CONTEXT) * INPUT + 100n * OUTPUT;
  const withPart = (part: unknown, rest: object = {}) =>
    holdOf({ model: 'short', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part], ...rest }] });

  test.each([
    { type: 'video_url', video_url: { url: 'https://x.test/a.mp4' } },
    { type: 'video_url', video_url: { url: 'ms://an-uploaded-file' } },
    { type: 'video', video: ['https://x.test/1.png', 'https://x.test/2.png'] },
    { type: 'document_url', document_url: 'https://x.test/a.pdf' },
    { type: 'input_video', source: { file_id: 'file-1' } },
    { audio_url: { url: 'https://x.test/a.mp3' } },
    { type: 'of-no-kind-we-know', media: { parts: [{ uri: 'gs://x/a' }] } },
    { type: 'scan', scan: 'https://x.test/a' },
    { type: 'scan_url', scan_url: { url: 'https://x.test/a' } },
    { type: 'tool_result', tool_use_id: 't', content: [{ type: 'video', source: { url: 'https://x.test/a.mp4' } }] },
  ])('of a part of an unknown kind, with an address or an id, is the whole context too: %j', async (part) => {
    expect(await withPart(part)).toBe(WHOLE);
  });

  const asBase64 = (bytes: Buffer) => bytes.toString('base64');

  test.each(Object.entries(OPEN_FILES))('of %s is the whole context, whatever the part calls it', async (_, bytes) => {
    const url = `data:image/png;base64,${asBase64(bytes)}`;
    expect(await withPart({ type: 'image_url', image_url: { url } })).toBe(WHOLE);
    const file_data = `data:text/plain;base64,${asBase64(bytes)}`;
    expect(await withPart({ type: 'file', file: { filename: 'a.txt', file_data } })).toBe(WHOLE);
    const input_audio = { data: asBase64(bytes), format: 'wav' };
    expect(await withPart({ type: 'input_audio', input_audio })).toBe(WHOLE);
  });

  test('of its data, which is longer than the context would be as words, is that too', async () => {
    const url = `data:video/mp4;base64,${'AbC9'.repeat(100_000)}`;
    expect(await withPart({ type: 'video_url', video_url: { url } })).toBe(WHOLE);
  });

  test('of a file is found in a message that calls itself an image', async () => {
    const own = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    expect(await withPart({ type: 'file', file: { file_id: 'file-1' } }, own)).toBe(WHOLE);
  });

  const SCHEMA = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
  const BROWSER_STATE = {
    type: 'browser_state',
    tabs: [{ tab_id: '1', title: 'https://x.test', url: 'https://x.test', active: true }],
    state_changes: [{ type: 'download_started', download_id: 'd', url: 'https://x.test/a.pdf' }],
  };

  test.each([
    { type: 'text', text: 'https://x.test/a.mp4' },
    { type: 'text', text: 'Hi', annotations: [{ type: 'url_citation', url: 'https://x.test' }] },
    { type: 'tool_use', id: 'toolu_1', name: 'fetch', input: { url: 'https://x.test', file_id: 'f' } },
    { type: 'thinking', thinking: 'https://x.test', signature: 'AAAA' },
    { type: 'search_result', source: 'https://x.test', title: 'X', content: [{ type: 'text', text: 'Hi' }] },
    {
      type: 'web_search_tool_result',
      tool_use_id: 's',
      content: [{ type: 'web_search_result', url: 'https://x.test' }],
    },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'https://x.test' } },
    { type: 'tool_result', tool_use_id: 't', content: [BROWSER_STATE] },
    { type: 'tool_addition', tool: { type: 'tool_definition', definition: { name: 'look', input_schema: SCHEMA } } },
    { type: 'mcp_tool_listing', mcp_server_name: 'm', tools: [{ name: 'look', input_schema: SCHEMA }] },
    { type: 'link', url: 'https://x.test', site: { url: 'https://x.test' } },
    { type: 'of-no-kind-we-know', note: 'See https://x.test', id: 'n_1', text: 'https://x.test' },
  ])('of an address that is only told is its text: %j', async (part) => {
    expect(await withPart(part)).toBeLessThan(WHOLE / 4n);
  });

  test('of images counts each, also of those inside a document', async () => {
    gateway.upstream.next(messageAnswer(), messageAnswer(), messageAnswer());
    const ask = async (...content: unknown[]) => {
      const body = { model: 'reads', max_tokens: 100, messages: [{ role: 'user', content }] };
      return heldBy(await gateway.call('/v1/messages', { key: account.key, body }));
    };
    const image = { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } };
    const three = await ask(image, image, image);
    const source = { type: 'content', content: [image, image, image] };
    expect(three).toBeGreaterThanOrEqual(3n * 5_000n * INPUT);
    expect(await ask({ type: 'document', source })).toBeGreaterThanOrEqual(three);
    const content = [{ type: 'document', source }];
    expect(await ask({ type: 'tool_result', tool_use_id: 't', content })).toBeGreaterThanOrEqual(three);
  });
});

describe('prices', () => {
  const inputPart = async (model: string, key?: string) => (await holdOf({ model }, key)) - 100n * OUTPUT;

  test.each([
    ['dear-write', 25n],
    ['dear-cached', 15n],
  ])('of input count as the dearest way input can be billed: %s', async (model, price) => {
    expect((await inputPart(model)) * 10n).toBe((await inputPart('plain')) * price);
  });

  test('of fallbacks count too: the dearest input and the dearest output, though of two models', async () => {
    const tokens = (await inputPart('plain')) / INPUT;
    expect(await holdOf({ model: 'falls-back' })).toBe(tokens * 30_000n + 100n * 90_000n);
  });

  test('of fallbacks that the key may not use do not', async () => {
    const tokens = (await inputPart('plain')) / INPUT;
    const only = await createKey(gateway, account.key, { models: ['falls-back'] });
    expect(await holdOf({ model: 'falls-back' }, only.key)).toBe(tokens * INPUT + 100n * OUTPUT);
    const one = await createKey(gateway, account.key, { models: ['falls-back', 'dear-output'] });
    expect(await holdOf({ model: 'falls-back' }, one.key)).toBe(tokens * INPUT + 100n * 90_000n);
  });
});
