// What the forms of a channel do beside the usual way: failures in words, prices that are not known, models that exist, keys
// that stay secret, and a host that must not get a stored key unasked.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readNewDocument } from '../../../src/catalog/read-document.ts';
import { presetChannel, VENDOR_PRESETS } from '../../../src/vendors/presets.ts';
import type { SiteClient } from '../../site/site-client.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer, errorScript, jsonScript } from '../../support/openai-chat.ts';
import { operatorOf } from '../../support/operator.ts';
import { clientOf, fieldOf, strangerOf } from './operator-client.ts';

const KEY = 'sk-secret-of-the-vendor-0123456789abcdef';

let gateway: TestGateway;
let client: SiteClient;
let reader: SiteClient;
beforeAll(async () => {
  gateway = await startTestGateway();
  [client, reader] = await Promise.all([clientOf(gateway), clientOf(gateway, 'zh-TW')]);
});
afterAll(() => gateway.stop());
beforeEach(() => offer([]));

function offer(data: unknown[]): void {
  gateway.upstream.reset();
  gateway.upstream.otherwise(({ method }) => (method === 'GET' ? jsonScript(200, { data }) : chatAnswer()));
}

interface Sent {
  vendor?: string;
  name: string;
  key?: string;
  address?: string;
}

/** The path of the draft. */
async function connect({ vendor = 'other', name, key = KEY, address = gateway.upstream.baseUrl }: Sent) {
  const response = await client.post(`/connect/${vendor}`, { name, key, address, kind: 'openai' });
  expect([response.status, await response.text()]).toEqual([303, '']);
  return response.headers.get('location') ?? '';
}

const FORM = { rate: '30', markup: '10', shown: '', q: '' };
const row = (index: number, model: string, rest: Record<string, string>) => ({
  [`m${index}-use`]: model,
  ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [`m${index}-${name}`, value])),
});

async function save(draft: string): Promise<Response> {
  const html = await (await client.get(`${draft}/review`)).text();
  return client.post(`${draft}/review`, { base: fieldOf(html, 'base') });
}

async function newest() {
  const { yaml } = await (await operatorOf(gateway).call('/api/admin/document')).json();
  return parse(yaml);
}

describe('an upstream that does not list its models', () => {
  test.each([
    [
      401,
      { message: 'Incorrect API key provided', code: 'invalid_api_key' },
      'The upstream refused the key',
      '上游拒絕了金鑰',
    ],
    [404, { message: 'no such page' }, 'does not exist at the upstream', '上游沒有這個模型或位址'],
    [500, { message: 'oops' }, 'The upstream failed', '上游發生錯誤'],
  ])('%p is shown in words, in both languages', async (status, error, english, chinese) => {
    gateway.upstream.otherwise(errorScript(status, error));
    const draft = await connect({ name: `bad-${status}` });
    const html = await (await client.get(draft)).text();
    expect(html).toContain(english);
    expect(html).toContain(`status ${status}`);
    expect(html).not.toContain(KEY);
    expect(await (await reader.get(draft)).text()).toContain(chinese);
  });

  test('one that is not there', async () => {
    const draft = await connect({ name: 'nowhere', address: `http://127.0.0.1:${await freePort()}/v1` });
    expect(await (await client.get(draft)).text()).toContain('The connection failed or was lost');
  });

  test('another service: nothing of its page is shown', async () => {
    gateway.upstream.otherwise({ status: 200, body: ['<h1>internal-wiki-secret</h1>'] });
    const html = await (await client.get(await connect({ name: 'wiki' }))).text();
    expect(html).toContain('not in the expected format');
    expect(html).not.toContain('internal-wiki-secret');
  });

  test('a redirect is not followed', async () => {
    gateway.upstream.otherwise({ status: 302, headers: { location: `${gateway.upstream.baseUrl}/else` }, body: [''] });
    const html = await (await client.get(await connect({ name: 'moved' }))).text();
    expect(html).toContain('not in the expected format');
    expect(gateway.upstream.requests).toHaveLength(1);
  });

  test('its models can be typed and tested', async () => {
    gateway.upstream.otherwise(({ method }) =>
      method === 'GET' ? errorScript(404, { message: 'none' }) : chatAnswer(),
    );
    const draft = await connect({ name: 'typed' });
    const asked = await client.post(draft, { ...FORM, more: 'my/Model-1' });
    expect(asked.status).toBe(422);
    const html = await asked.text();
    expect(html).toContain('value="my/Model-1"');
    expect(html).toContain('value="model-1"');
    const sent = await client.post(draft, {
      ...FORM,
      ...row(0, 'my/Model-1', { id: 'model-1', input: '1', output: '2' }),
    });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${draft}/review`]);
    expect(gateway.upstream.requests.at(-1)?.json.model).toBe('my/Model-1');
    expect((await save(draft)).headers.get('location')).toBe('/channels/typed');
    const { models, channels } = await newest();
    expect(channels.at(-1)).toMatchObject({ name: 'typed', api_key: '<kept>' });
    expect(models.at(-1)).toEqual({
      id: 'model-1',
      price: { input: 33, output: 66 },
      routes: [{ channel: 'typed', model: 'my/Model-1', cost: { input: 30, output: 60 } }],
    });
  });
});

describe('what is listed', () => {
  test('prices, limits and features of the list are used, and what is no text model is left out', async () => {
    offer([
      {
        id: 'lab/tiny',
        context_length: 32_000,
        top_provider: { max_completion_tokens: 4_000 },
        architecture: { input_modalities: ['text', 'image', 'video'] },
        supported_parameters: ['temperature', 'tools', 'reasoning'],
        capabilities: { pdf_input: { supported: true }, image_input: { supported: false }, constructor: null },
        pricing: { prompt: '0.00000125', completion: '0.00001' },
      },
      { id: 'lab/tts-1' },
      { id: '<script>alert(1)</script>' },
    ]);
    const draft = await connect({ name: 'priced' });
    const html = await (await client.get(draft)).text();
    expect(html).toContain('1 model offered');
    expect(html).not.toContain('alert(1)');
    expect(/name="m0-input" value="([^"]*)"/.exec(html)?.[1]).toBe('1.25');
    await client.post(draft, { ...FORM, ...row(0, 'lab/tiny', { id: 'tiny', input: '1.25', output: '10' }) });
    await save(draft);
    expect((await newest()).models.at(-1)).toMatchObject({
      id: 'tiny',
      context_tokens: 32_000,
      max_output_tokens: 4_000,
      features: ['tools', 'reasoning', 'vision', 'pdf'],
      price: { input: 41.25, output: 330 },
    });
  });

  test('a price of the list comes before a known one', async () => {
    offer([{ id: 'deepseek/deepseek-chat', pricing: { prompt: '0.0000009', completion: '0.000002' } }]);
    const draft = await connect({ vendor: 'openrouter', name: 'router' });
    const html = await (await client.get(draft)).text();
    expect(/name="m0-input" value="([^"]*)"/.exec(html)?.[1]).toBe('0.9');
    expect(html).toContain('price from the vendor’s list');
    const values = { id: 'deepseek-v3', input: '0.9', output: '2' };
    await client.post(draft, { ...FORM, ...row(0, 'deepseek/deepseek-chat', values) });
    await save(draft);
    expect((await newest()).models.at(-1)).toMatchObject({ id: 'deepseek-v3', price: { input: 29.7, output: 66 } });
  });

  test('known models come first, in the order of the preset: chat before the rest', async () => {
    offer([{ id: 'a-new-model' }, { id: 'text-embedding-3-small' }, { id: 'gpt-6.1-sol' }]);
    const html = await (await client.get(await connect({ vendor: 'openai', name: 'ordered' }))).text();
    const names = [...html.matchAll(/name="m\d+-use" value="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual(['gpt-6.1-sol', 'text-embedding-3-small', 'a-new-model']);
  });

  test('a model for embeddings needs only the price of its input', async () => {
    offer([{ id: 'lab/embed-1' }]);
    const draft = await connect({ name: 'vectors' });
    const html = await (await client.get(draft)).text();
    const fieldValue = (field: string) => new RegExp(`name="m0-${field}" value="([^"]*)"`).exec(html)?.[1];
    expect([fieldValue('input'), fieldValue('output')]).toEqual(['', '0']);
    const output = fieldValue('output') ?? '';
    const sent = await client.post(draft, { ...FORM, ...row(0, 'lab/embed-1', { id: 'embed-1', input: '1', output }) });
    expect(sent.headers.get('location')).toBe(`${draft}/review`);
    await save(draft);
    expect((await newest()).models.at(-1)).toEqual({
      id: 'embed-1',
      kinds: ['embeddings'],
      price: { input: 33 },
      routes: [{ channel: 'vectors', model: 'lab/embed-1', cost: { input: 30 } }],
    });
  });

  test('a model that is not priced by tokens is neither offered nor taken as a chat model', async () => {
    offer([{ id: 'whisper-1' }, { id: 'rerank-v4' }, { id: 'm-1', type: 'image' }, { id: 'omni-moderation' }]);
    const draft = await connect({ name: 'mixed' });
    const html = await (await client.get(draft)).text();
    expect([...html.matchAll(/name="m\d+-use" value="([^"]*)"/g)].map(([, model]) => model)).toEqual([
      'omni-moderation',
    ]);
    const wrong = await client.post(draft, {
      ...FORM,
      ...row(0, 'whisper-1', { id: 'whisper-1', input: '1', output: '1' }),
    });
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('prices for tokens only')]);
    const moderation = row(0, 'omni-moderation', { id: 'omni-moderation', input: '0.5', output: '0' });
    await client.post(draft, { ...FORM, ...moderation });
    await save(draft);
    expect((await newest()).models.at(-1)).toMatchObject({ kinds: ['moderation'], price: { input: 16.5 } });
  });

  test('of a long list, what is searched for is shown, and what was chosen stays', async () => {
    offer(Array.from({ length: 400 }, (_, index) => ({ id: `model-${String(index).padStart(3, '0')}` })));
    const draft = await connect({ name: 'long' });
    const first = await (await client.get(draft)).text();
    expect(first.length).toBeLessThan(60_000);
    expect(first).toContain('12 of 400 models are shown');
    const chosen = row(0, 'model-007', { id: 'seven', input: '1', output: '1' });
    const searched = await client.post(draft, { ...FORM, ...chosen, q: 'model-399' });
    expect(searched.headers.get('location')).toBe(`${draft}?q=model-399`);
    const found = await (await client.get(`${draft}?q=model-399`)).text();
    expect(found).toContain('value="seven"');
    expect(found).toContain('model-399');
    expect(gateway.upstream.requests).toHaveLength(1);
  });

  test('a model that exists gets a route behind its own, and keeps its price', async () => {
    offer([{ id: 'up-paid' }]);
    const draft = await connect({ name: 'second' });
    expect(await (await client.get(draft)).text()).toContain('already offered');
    await client.post(draft, { ...FORM, ...row(0, 'up-paid', { id: 'up-paid', input: '1', output: '1' }) });
    await save(draft);
    const { price, routes } = (await newest()).models.find(({ id }: { id: string }) => id === 'up-paid');
    expect(price.output).toBe(40.123);
    expect(routes).toEqual([
      { channel: 'up', model: 'scripted-2026-01' },
      { channel: 'second', model: 'up-paid', priority: 2, cost: { input: 30, output: 30 } },
    ]);
  });

  test('one of an own server is free, and chosen at once', async () => {
    offer([{ id: 'llama9' }]);
    const draft = await connect({ vendor: 'ollama', name: 'ollama', key: '' });
    const html = await (await client.get(draft)).text();
    expect(html).toMatch(/value="llama9" checked/);
    await client.post(draft, { ...FORM, ...row(0, 'llama9', { id: 'llama9', input: '0', output: '0' }) });
    expect(gateway.upstream.requests.at(-1)?.headers.authorization).toBeUndefined();
    await save(draft);
    const { models, channels } = await newest();
    expect(models.at(-1)).toMatchObject({ id: 'llama9', price: 'free' });
    expect(channels.at(-1)).toEqual({
      ...{ name: 'ollama', kind: 'openai', base_url: gateway.upstream.baseUrl },
      ...{ endpoints: ['chat', 'embeddings'], quirks: 'ollama' },
    });
  });

  test('a test that fails says why and what to do, and the channel can be saved nevertheless', async () => {
    gateway.upstream.otherwise(({ method }) =>
      method === 'GET' ? jsonScript(200, { data: [{ id: 'm' }] }) : errorScript(429, { message: 'Slow down' }),
    );
    const draft = await connect({ name: 'limited' });
    await client.post(draft, { ...FORM, ...row(0, 'm', { id: 'limited-m', input: '1', output: '1' }) });
    const html = await (await client.get(`${draft}/review`)).text();
    for (const text of ['The upstream limits the rate', 'Slow down', 'Ask the vendor', 'Save nevertheless']) {
      expect(html).toContain(text);
    }
    expect((await save(draft)).status).toBe(303);
  });
});

describe('fields that are wrong', () => {
  test.each<[string, Record<string, string>, string, string]>([
    ['name', { name: 'No Spaces' }, 'beginning with a letter', '並以字母或數字開頭'],
    ['name', { name: 'up' }, 'Another channel has this name', '已有同名的線路'],
    ['address', { address: 'ftp://host' }, 'Enter an http or https address', '請輸入 http 或 https 位址'],
    ['address', { address: 'https://me:pw@host/v1' }, 'without a user name', '不可包含帳號或密碼'],
    ['key', { key: 'env:' }, 'names no variable', '沒有指定變數名稱'],
  ])('%s: %p', async (field, wrong, english, chinese) => {
    const sent = { name: 'fine', address: gateway.upstream.baseUrl, key: KEY, ...wrong };
    for (const [visitor, text] of [
      [client, english],
      [reader, chinese],
    ] as const) {
      const response = await visitor.post('/connect/openai', sent);
      const html = await response.text();
      expect([response.status, html.includes(text)]).toEqual([422, true]);
      expect(html).toContain(`aria-describedby="${field}-fault"`);
      expect(html).not.toContain(KEY);
    }
    expect(gateway.upstream.requests).toHaveLength(0);
  });
});

describe('an existing channel', () => {
  test('another host needs the key again', async () => {
    const elsewhere = `http://127.0.0.1:${await freePort()}/v1`;
    const response = await client.post('/channels/up/edit', { address: elsewhere, key: '' });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('Enter the key again');
  });

  test('a new key replaces the old one, and routes stay', async () => {
    const before = await newest();
    const response = await client.post('/channels/up/edit', {
      address: gateway.upstream.baseUrl,
      key: 'sk-next-0123456789',
    });
    const draft = response.headers.get('location') ?? '';
    expect((await client.post(draft, FORM)).headers.get('location')).toBe(`${draft}/review`);
    expect(await (await client.get(`${draft}/review`)).text()).toContain('No model is added');
    await save(draft);
    expect((await newest()).models).toEqual(before.models);
    await client.post('/channels/up/test', {});
    expect(gateway.upstream.requests.at(-1)?.headers.authorization).toBe('Bearer sk-next-0123456789');
  });

  test('what others changed in it meanwhile stays', async () => {
    const response = await client.post('/channels/second/edit', { address: `${gateway.upstream.baseUrl}/`, key: '' });
    await client.post('/channels/second/disable', { confirmed: 'yes', lost: '' });
    const draft = response.headers.get('location') ?? '';
    await client.post(draft, FORM);
    expect((await save(draft)).status).toBe(303);
    const second = (await newest()).channels.find(({ name }: { name: string }) => name === 'second');
    expect(second).toMatchObject({ enabled: false, base_url: `${gateway.upstream.baseUrl}/`, api_key: '<kept>' });
  });

  test('is removed with the models that only it serves, if the page named them', async () => {
    const refused = await client.post('/channels/typed/remove', { confirmed: 'yes', lost: '' });
    const html = await refused.text();
    expect(html).toContain('have no other route, and are removed or refused: model-1');
    const removed = await client.post('/channels/typed/remove', { confirmed: 'yes', lost: fieldOf(html, 'lost') });
    expect(removed.headers.get('location')).toBe('/channels');
    const { channels, models } = await newest();
    expect(channels.map(({ name }: { name: string }) => name)).not.toContain('typed');
    expect(models.map(({ id }: { id: string }) => id)).not.toContain('model-1');
  });
});

test('a change of somebody else is shown before anything is saved', async () => {
  offer([{ id: 'late' }]);
  const draft = await connect({ name: 'late' });
  await client.post(draft, { ...FORM, ...row(0, 'late', { id: 'late', input: '1', output: '1' }) });
  const base = fieldOf(await (await client.get(`${draft}/review`)).text(), 'base');
  await client.post('/channels/limited/disable', { confirmed: 'yes', lost: 'limited-m' });
  const refused = await client.post(`${draft}/review`, { base });
  expect([refused.status, (await refused.text()).includes('Somebody changed the configuration')]).toEqual([409, true]);
  expect((await save(draft)).status).toBe(303);
  expect((await client.get(`${draft}/review`)).status).toBe(404);
});

test('a form that comes after the session has ended keeps its fields, but not the key', async () => {
  const late = strangerOf(gateway);
  const asked = await late.post('/connect/openai', { name: 'too-late', address: 'https://host/v1', key: KEY });
  const html = await asked.text();
  expect([asked.status, html.includes('too-late'), html.includes(KEY)]).toEqual([401, true, false]);
  const again = await late.post('/sign-in', {
    ...{ token: operatorOf(gateway).token, next: '/connect/openai' },
    typed: fieldOf(html, 'typed').replaceAll('&amp;', '&'),
  });
  expect(await again.text()).toContain('value="too-late"');
});

test('a form that has expired says so', async () => {
  const response = await reader.get('/connect/drafts/0123/review');
  expect([response.status, (await response.text()).includes('這份表單已經逾時')]).toEqual([404, true]);
});

test.each(VENDOR_PRESETS.map((preset) => [preset.id, preset] as const))('the preset %s', async (id, preset) => {
  const html = await (await client.get(`/connect/${id}`)).text();
  if (preset.baseUrl) expect(fieldOf(html, 'address')).toBe(preset.baseUrl);
  expect(html).toContain(`href="${preset.source}"`);
  const { baseUrl = preset.addressExample } = preset;
  const models = [{ id: 'auto:free', price: 'free', routes: [{ channel: 'demo', model: 'demo' }] }];
  const channels = [{ name: 'demo', kind: 'demo' }, presetChannel(preset, { baseUrl, apiKey: 'env:KEY' })];
  expect(readNewDocument(JSON.stringify({ channels, models }))).toMatchObject({ ok: true });
});

const PRICED = VENDOR_PRESETS.filter(({ models = [] }) => models.length > 0);

test.each(PRICED.map((preset) => [preset.id, preset] as const))(
  'every model of the preset %s can be chosen, and makes a valid configuration',
  async (vendor, { models = [], baseUrl, addressExample = '' }) => {
    const names = models.map(({ id, upstreamModel = id }) => upstreamModel);
    offer(names.map((id) => ({ id })));
    const { hostname, pathname } = new URL(baseUrl ?? addressExample);
    const { port } = new URL(gateway.upstream.baseUrl);
    // The form of Bedrock takes the region from the host.
    const host = vendor === 'bedrock' ? hostname.replace(/amazonaws\.com$/, 'localhost') : '127.0.0.1';
    const address = `http://${host}:${port}${pathname.replace(/\/$/, '')}`;
    const draft = await connect({ vendor, name: `all-of-${vendor}`, address });
    const sent = await client.post(draft, { ...FORM, more: names.join('\n') });
    expect(sent.headers.get('location')).toBe(`${draft}/review`);
    const review = await (await client.get(`${draft}/review`)).text();
    expect(review).not.toContain('The configuration would not be valid');
    for (const { id } of models) expect(review).toContain(id);
  },
);

describe('models that are not priced by the token', () => {
  test('Cohere lists them at its own path; they are chosen at once, with the price of a search', async () => {
    offer([{ name: 'rerank-v3.5' }, { name: 'rerank-new' }, { name: 'embed-v4.0' }]);
    const address = `${new URL(gateway.upstream.baseUrl).origin}/compatibility/v1`;
    const draft = await connect({ vendor: 'cohere', name: 'cohere', address });
    expect(gateway.upstream.requests.at(-1)).toMatchObject({ method: 'GET', path: '/v1/models' });
    const html = await (await client.get(draft)).text();
    expect(html).toContain('One thousand searches: US$2');
    expect(html).toContain('from another site');
    expect(html).not.toContain('rerank-new');
    expect(html.match(/-use" value="rerank-v3.5" checked/g)).toHaveLength(1);
    expect(await (await reader.get(draft)).text()).toContain('每千次搜尋：US$2');
    const index = /name="m(\d+)-use" value="rerank-v3.5"/.exec(html)?.[1];
    await client.post(draft, {
      ...FORM,
      ...row(Number(index), 'rerank-v3.5', { id: 'rerank', input: '0', output: '0' }),
    });
    expect(gateway.upstream.requests.at(-1)).toMatchObject({ method: 'POST', path: '/v2/rerank' });
    expect(await (await client.get(`${draft}/review`)).text()).toContain('One thousand searches 66');
    await save(draft);
    const { models, channels } = await newest();
    expect(channels.at(-1)).toMatchObject({ name: 'cohere', quirks: 'cohere', endpoints: ['embeddings', 'rerank'] });
    expect(models.at(-1)).toEqual({
      ...{ id: 'rerank', kinds: ['rerank'], price: { search: 66 } },
      routes: [{ channel: 'cohere', model: 'rerank-v3.5', cost: { search: 60 } }],
    });
  });

  test('a vendor without a list offers its known models, and chooses none', async () => {
    gateway.upstream.otherwise(errorScript(404, { message: 'none' }));
    const html = await (await client.get(await connect({ vendor: 'jina', name: 'jina' }))).text();
    expect(html).toContain('value="jina-reranker-v2-base-multilingual"');
    expect(html).not.toContain('checked');
  });

  test('a model that the vendor does not charge is not chosen unasked', async () => {
    offer([{ id: 'omni-moderation-latest' }, { id: 'whisper-1' }, { id: 'tts-unknown' }]);
    const html = await (await client.get(await connect({ vendor: 'openai', name: 'media' }))).text();
    expect(html).toContain('2 models offered');
    expect(html).toMatch(/value="whisper-1" checked/);
    expect(html).toMatch(/value="omni-moderation-latest"(?! checked)/);
    expect(html).toContain('One second of audio: US$0.0001');
  });
});

test.each([
  ['openai', 'gpt-image-2', '8', '31'],
  ['openai', 'gpt-4o-transcribe', '3', '10'],
  ['jina', 'jina-reranker-v2-base-multilingual', '0.02', '0'],
])('an edited price of a token, of %s: %s is not free', async (vendor, id, input, output) => {
  offer([{ id }]);
  const draft = await connect({ vendor, name: `edited-${vendor}-${input.replace('.', '')}` });
  await client.post(draft, { ...FORM, ...row(0, id, { id: `${id}-edited`, input, output }) });
  await save(draft);
  expect((await newest()).models.at(-1).price).toMatchObject({ input: Number((Number(input) * 33).toFixed(3)) });
});

test('the notice of a saved channel is not made from the address', async () => {
  const html = await (await client.get('/channels/up?saved=000000000000000000000000')).text();
  expect(html).not.toContain('is saved');
});

test('the key is in no log, no action and no revision', () => {
  const stored = JSON.stringify(
    [gateway.sql('SELECT * FROM audit_log'), gateway.sql('SELECT * FROM revisions'), gateway.log.lines()],
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  );
  expect(stored).toContain('channels.add');
  expect(stored).not.toContain(KEY);
  expect(readFileSync(gateway.databaseFile).includes(KEY)).toBe(false);
});
