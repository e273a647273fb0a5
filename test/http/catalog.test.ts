// GET /api/public/catalog: prices for everyone, without a word about upstreams, and cheap to poll.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { type TestDocument, UPSTREAM_KEY } from '../support/test-document.ts';

let gateway: TestGateway;
const PATH = '/api/public/catalog';

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [
        ...standard.models,
        {
          id: 'embed',
          kinds: ['embeddings'],
          context_tokens: 8_192,
          price: { input: 0.65 },
          routes: [{ channel: 'up', model: 'embed-2026' }],
        },
        {
          id: 'paint',
          kinds: ['images'],
          price: { image: 1.3 },
          routes: [{ channel: 'up', model: 'paint-2026' }],
        },
      ],
    }),
  });
});
afterAll(() => gateway.stop());

const priced =
  (input: number) =>
  (standard: TestDocument): TestDocument => ({
    ...standard,
    models: standard.models.map((model) =>
      model.id === 'up-paid' ? { ...model, price: { input, output: 40 } } : model,
    ),
  });
const read = async (): Promise<Answer> => (await gateway.call(PATH)).json();
const entry = async (id: string): Promise<Answer> => (await read()).data.find((model: Answer) => model.id === id);

test('says in what unit it speaks and of which revision', async () => {
  const catalog = await read();
  expect(Object.keys(catalog)).toEqual(['object', 'currency', 'unit', 'revision', 'updated_at', 'data']);
  expect(catalog).toMatchObject({ object: 'list', currency: 'TWD', unit: 'NT$ per 1M tokens', revision: 1 });
  expect(Date.parse(catalog.updated_at)).toBeWithin(Date.now() - 60_000, Date.now() + 1);
});

describe('an entry', () => {
  test('of a paid model has its prices after fallback', async () => {
    expect(await entry('up-paid')).toEqual({
      id: 'up-paid',
      name: 'up-paid',
      aliases: ['claude-up-paid'],
      kinds: ['chat'],
      endpoints: expect.arrayContaining(['/v1/chat/completions']),
      context_tokens: 128_000,
      max_output_tokens: 1_000,
      free: false,
      price: { input: 10, cached_input: 1, cache_write_5m: 12.5, cache_write_1h: 10, output: 40.123, image: null },
    });
  });

  test('of a free model costs 0', async () => {
    expect(await entry('auto:free')).toMatchObject({
      free: true,
      price: { input: 0, cached_input: 0, cache_write_5m: 0, cache_write_1h: 0, output: 0, image: null },
    });
  });

  test('tells the bounds that GET /v1/models tells', async () => {
    const { key } = await gateway.register();
    const { data } = await gateway.get('/v1/models', key);
    const told = new Map(data.map((model: Answer) => [model.id, [model.max_input_tokens, model.max_tokens]]));
    for (const model of (await read()).data) {
      expect([model.id, [model.context_tokens, model.max_output_tokens]]).toEqual([model.id, told.get(model.id)]);
    }
    expect(told.get('auto:free')).toEqual([64_000, 4_096]);
  });

  test('of another kind has null where a price does not apply', async () => {
    expect((await entry('embed')).price).toMatchObject({ input: 0.65, output: null, image: null });
    expect((await entry('paint')).price).toMatchObject({ input: null, output: null, image: 1.3 });
  });
});

test('knows nothing of channels, upstream names and secrets', async () => {
  const text = await (await gateway.call(PATH)).text();
  for (const secret of ['scripted-2026-01', 'embed-2026', '127.0.0.1', UPSTREAM_KEY, '"up"', 'channel', 'route']) {
    expect(text).not.toContain(secret);
  }
});

describe('the ETag', () => {
  test('answers 304 without a body while nothing changed', async () => {
    const first = await gateway.call(PATH);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await gateway.call(PATH, { headers: { 'if-none-match': known } });
      expect(again.status, known).toBe(304);
      expect(again.headers.get('etag')).toBe(etag);
      expect(await again.text()).toBe('');
    }
  });

  test('answers 200 to one it does not know', async () => {
    expect((await gateway.call(PATH, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('is another one for other prices, also under the same number of a revision, as after a restore', async () => {
    const clock = createManualClock();
    const tags: string[] = [];
    for (const input of [10, 11, 10]) {
      const other = await startTestGateway({ clock, document: priced(input) });
      try {
        const response = await other.call(PATH, { headers: { 'if-none-match': tags.at(-1) ?? '' } });
        expect([response.status, ((await response.json()) as Answer).revision]).toEqual([200, 1]);
        tags.push(response.headers.get('etag') ?? '');
      } finally {
        await other.stop();
      }
    }
    // The same answer has the same tag, whichever process gives it.
    expect(tags[2]).toBe(tags[0]);
  });

  test('is another one after a change', async () => {
    const known = (await gateway.call(PATH)).headers.get('etag') ?? '';
    await gateway.apply(priced(12));
    const changed = await gateway.call(PATH, { headers: { 'if-none-match': known } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('content-type')).toBe('application/json;charset=utf-8');
    expect(await changed.json()).toMatchObject({ revision: 2 });
  });
});

test('HEAD answers as GET does, without the body', async () => {
  const response = await gateway.call(PATH, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(response.headers.has('etag')).toBe(true);
  expect(await response.text()).toBe('');
});
