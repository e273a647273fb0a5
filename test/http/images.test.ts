// POST /v1/images/generations: billed by the images that come back, whole or streamed, by image or by token.

import { describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { useMediaGateway } from '../support/media-gateway.ts';
import { jsonScript, sseScript } from '../support/openai-chat.ts';
import { readSse, sseEvents } from '../support/sse.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

const PER_IMAGE = 100_000_000n;

const media = useMediaGateway({
  channels: (url) => [openaiChannel('read-on', url, { drain_on_abort: true })],
  models: [
    upModel('paint', { kinds: ['images'], price: { image: 0.1 } }),
    upModel('paint-dear', { kinds: ['images'], price: { image: 0.3 } }),
    upModel('paint-gold', { kinds: ['images'], price: { image: 1.1 } }),
    upModel('paint-and-read', { kinds: ['images'], price: { input: 10, image: 0.1 }, context_tokens: 60_000 }),
    upModel('paint-by-both', { kinds: ['images'], price: { input: 10, output: 20, image: 0.1 } }),
    upModel('paint-by-token', { kinds: ['images'], price: { input: 10, output: 40 } }),
    upModel('paint-to-the-end', {
      kinds: ['images'],
      price: { input: 10, output: 40 },
      routes: [{ channel: 'read-on', model: 'scripted-2026-01' }],
    }),
  ],
});

const paint = (body: Record<string, unknown>, signal?: AbortSignal) =>
  media.gateway.call('/v1/images/generations', {
    key: media.account.key,
    body: { model: 'paint', prompt: 'a cat', ...body },
    ...(signal ? { signal } : {}),
  });
const images = (data: unknown[], rest: Record<string, unknown> = {}) => jsonScript(200, { created: 1, data, ...rest });

describe('whole', () => {
  test.each([
    ['b64_json', { b64_json: 'QUJD' }],
    ['url', { url: 'https://images.example/1.png' }],
  ])('images as %s pass as they are', async (_name, image) => {
    media.gateway.upstream.next(images([image]));
    const response = await paint({});
    expect(await response.json()).toEqual({ created: 1, data: [image] });
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.1');
  });

  test('two of three asked for cost two, and that is no guess', async () => {
    media.gateway.upstream.next(images([{ b64_json: 'QUJD' }, { b64_json: 'REVG' }]));
    const receipt = await media.receiptOf(await paint({ n: 3 }));
    expect(receipt).toMatchObject({ images: 2, cost_nano: (2n * PER_IMAGE).toString(), estimated: false });
    expect(receipt.lines).toEqual([
      { bucket: 'input', quantity: receipt.input_tokens, unit_price_nano: '0', amount_nano: '0' },
      { bucket: 'image', quantity: 2, unit_price_nano: PER_IMAGE.toString(), amount_nano: (2n * PER_IMAGE).toString() },
    ]);
  });

  test('marks that the upstream counts around a short prompt are paid, not written off', async () => {
    const usage = { input_tokens: 9, output_tokens: 1_000, total_tokens: 1_009 };
    media.gateway.upstream.next(images([{ b64_json: 'QUJD' }], { usage }));
    const response = await paint({ model: 'paint-and-read', prompt: 'cat' });
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.10009');
    expect(media.gateway.log.alarms('usage_above_hold')).toEqual([]);
  });

  test.each([
    ['an image to begin from', { image: `data:image/png;base64,${'A'.repeat(80)}` }, 50_000],
    ['images by address', { images: ['https://x.test/a.png'] }, 50_000],
    ['further words', { negative_prompt: 'no dogs, no birds, no rain, no cars' }, 30],
  ])('%s counts as input: it is paid, not written off', async (_name, fields, input_tokens) => {
    media.gateway.upstream.next(images([{ b64_json: 'QUJD' }], { usage: { input_tokens, output_tokens: 0 } }));
    const { key } = await media.gateway.register();
    const body = { model: 'paint-and-read', prompt: 'cat', ...fields };
    const response = await media.gateway.call('/v1/images/generations', { key, body });
    expect(response.headers.get('x-svc-cost-ntd')).toBe(String(0.1 + input_tokens / 1e5));
    expect(media.gateway.log.alarms('usage_above_hold')).toEqual([]);
  });

  test('an empty image costs nothing', async () => {
    media.gateway.upstream.next(images([{ b64_json: '' }]));
    expect(await media.receiptOf(await paint({}))).toMatchObject({ images: 0, cost_nano: '0' });
  });

  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ b64_json: 'QUJD', index }));

  test.each([
    [1, 15],
    [2, 3],
    [3, 3],
  ])('of images beyond n: %d none is delivered or paid, of %d that came', async (n, came) => {
    const { key } = await media.gateway.register();
    media.gateway.upstream.next(images([{ b64_json: '' }, ...many(came)]));
    const body = { model: 'paint', prompt: 'a cat', n };
    const response = await media.gateway.call('/v1/images/generations', { key, body });
    const { data }: Answer = await response.json();
    expect(data).toEqual([{ b64_json: '' }, ...many(came).slice(0, n)]);
    const receipt = await media.gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, key);
    expect(receipt).toMatchObject({ images: n, cost_nano: (BigInt(n) * PER_IMAGE).toString() });
    expect(media.gateway.log.alarms('usage_above_hold')).toEqual([]);
  });

  test('of images beyond n the tokens are not paid either, and the answer says so', async () => {
    const usage = {
      input_tokens: 5,
      output_tokens: 3_000,
      total_tokens: 3_005,
      input_tokens_details: { text_tokens: 5 },
    };
    media.gateway.upstream.next(images(many(10), { usage }));
    const response = await paint({ model: 'paint-by-token' });
    const answer: Answer = await response.json();
    expect(answer.data).toHaveLength(1);
    expect(answer.usage).toEqual({ ...usage, output_tokens: 300, total_tokens: 305 });
    expect((await media.receiptOf(response)).cost_nano).toBe((5n * 10_000n + 300n * 40_000n).toString());
  });

  test('a model priced by token charges what was reported', async () => {
    media.gateway.upstream.next(images([{ b64_json: 'QUJD' }], { usage: { input_tokens: 5, output_tokens: 300 } }));
    const receipt = await media.receiptOf(await paint({ model: 'paint-by-token' }));
    expect(receipt.cost_nano).toBe((5n * 10_000n + 300n * 40_000n).toString());
  });

  /** By an account of its own, as a wallet is small. */
  async function receiptOfOne(model: string, usage?: Record<string, number>): Promise<Answer> {
    const { key } = await media.gateway.register();
    media.gateway.upstream.next(images([{ b64_json: 'QUJD' }], usage ? { usage } : {}));
    const response = await media.gateway.call('/v1/images/generations', { key, body: { model, prompt: 'a cat' } });
    return media.gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, key);
  }

  test('by image and by token: each line has the price that the catalog shows', async () => {
    const { lines } = await receiptOfOne('paint-by-both', { input_tokens: 5, output_tokens: 300 });
    const charged = lines.map(({ bucket, unit_price_nano }: Answer) => [bucket, unit_price_nano]);
    expect(charged).toEqual([
      ['input', '10000'],
      ['output', '20000'],
      ['image', PER_IMAGE.toString()],
    ]);
    const { data } = (await (await media.gateway.call('/api/public/catalog')).json()) as Answer;
    const { price } = data.find(({ id }: Answer) => id === 'paint-by-both');
    expect(price).toMatchObject({ input: 10, cached_input: null, output: 20, image: 0.1 });
    const page = await (await media.gateway.call('/pricing', { headers: { accept: 'text/markdown' } })).text();
    expect(page).toContain('| paint-by-both | 10 | – | – | 20 | 0.1 |');
  });

  test('a prompt that was counted here is estimated where it has a price', async () => {
    expect(await receiptOfOne('paint')).toMatchObject({ estimated: false, cost_nano: PER_IMAGE.toString() });
    const receipt = await receiptOfOne('paint-and-read');
    expect(receipt.estimated).toBe(true);
    expect(receipt.cost_nano).toBe((PER_IMAGE + 10_000n * BigInt(receipt.input_tokens)).toString());
    expect(await receiptOfOne('paint-by-token')).toMatchObject({ estimated: true });
  });

  test('what the wallet cannot pay whole is refused before the upstream is asked', async () => {
    const response = await paint({ model: 'paint-dear', n: 10 });
    expect(response.status).toBe(402);
    expect(media.gateway.upstream.requests).toEqual([]);
  });
});

describe('without the money', () => {
  const refusal = async (daily_budget_ntd: number | null, body: Record<string, unknown>) => {
    const { key } = await createKey(media.gateway, (await media.gateway.register()).key, { daily_budget_ntd });
    const response = await media.gateway.call('/v1/images/generations', { key, body: { prompt: 'a cat', ...body } });
    expect(response.status).toBe(402);
    const { error } = (await response.json()) as Answer;
    expect(error).not.toHaveProperty('affordable_max_tokens');
    expect(error.available_nano).toBeString();
    expect(JSON.stringify(error.actions)).not.toContain('auto:free');
    return error;
  };

  test.each([
    ['the wallet', 'paint-dear', null, 'insufficient_balance', '. Lower n, or redeem a prepaid card to add balance.'],
    ['the budget', 'paint', 0.2, 'key_budget_exceeded', '. Lower n, or raise the budget '],
    ['the budget, by token', 'paint-by-token', 0.3, 'key_budget_exceeded', '. Lower n, or raise the budget '],
  ])('of %s for as many images it is told to lower n', async (_name, model, budget, code, words) => {
    const error = await refusal(budget, { model, n: 10 });
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });

  test.each([
    ['the wallet', 'paint-gold', 1, null, 'insufficient_balance', '. Redeem a prepaid card to add balance.'],
    ['the budget', 'paint', 1, 0.05, 'key_budget_exceeded', '. Raise the budget '],
    ['the budget', 'paint', 10, 0.05, 'key_budget_exceeded', '. Raise the budget '],
  ])('of %s for even one image of %s it is not (n: %d)', async (_name, model, n, budget, code, words) => {
    const error = await refusal(budget, { model, n });
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });
});

describe('streamed', () => {
  const event = (type: string, rest: Record<string, unknown>) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const PARTIAL = event('image_generation.partial_image', { b64_json: 'AAAA', partial_image_index: 0 });
  const COMPLETED = event('image_generation.completed', {
    b64_json: 'QUJD',
    usage: { input_tokens: 3, output_tokens: 9 },
  });

  test('partial images pass, and the last event bears the cost', async () => {
    media.gateway.upstream.next(sseScript([PARTIAL, COMPLETED]));
    const response = await paint({ stream: true, partial_images: 1 });
    const events = await readSse(response);
    expect(events.map(({ event: name }) => name)).toEqual([
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(events.at(-1)?.json).toMatchObject({ b64_json: 'QUJD', usage: { cost_nano: PER_IMAGE.toString() } });
    expect(await media.receiptOf(response)).toMatchObject({ images: 1, cost_nano: PER_IMAGE.toString() });
  });

  const BLANK = event('image_generation.completed', { b64_json: '', usage: { input_tokens: 3, output_tokens: 0 } });
  const DONE = 'data: [DONE]\n\n';
  const namesOf = (events: Awaited<ReturnType<typeof readSse>>) => events.map(({ event: name }) => name);
  /** By an account of its own, as a wallet is small. */
  async function paintAlone(frames: readonly string[], body: Record<string, unknown>) {
    const { key } = await media.gateway.register();
    media.gateway.upstream.reset();
    media.gateway.upstream.next(sseScript([...frames]));
    const response = await media.gateway.call('/v1/images/generations', {
      key,
      body: { model: 'paint', prompt: 'a cat', stream: true, ...body },
    });
    const events = await readSse(response);
    const receipt = await media.gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, key);
    expect(media.gateway.upstream.requests).toHaveLength(1);
    return { events, receipt };
  }

  test.each([
    ['one of two', 2, 1, [PARTIAL, COMPLETED]],
    ['one of two, and an end mark', 2, 1, [PARTIAL, COMPLETED, DONE]],
    ['one of two, and what is no image', 2, 1, [COMPLETED, event('ping', {})]],
    ['two of three', 3, 2, [COMPLETED, PARTIAL, COMPLETED]],
    ['two of two', 2, 2, [COMPLETED, COMPLETED]],
    ['one of two, and a blank one', 2, 1, [BLANK, COMPLETED]],
  ])(
    '%s: what came is paid, told with the last of it, and no fault of the channel',
    async (_name, n, count, frames) => {
      const { events, receipt } = await paintAlone(frames, { n });
      const cost_nano = (BigInt(count) * PER_IMAGE).toString();
      expect(events.at(-1)).toMatchObject({ event: 'image_generation.completed', json: { usage: { cost_nano } } });
      expect(events.filter(({ data }) => data.includes('cost_nano'))).toHaveLength(1);
      expect(events).toHaveLength(frames.filter((frame) => frame !== DONE).length);
      expect(receipt).toMatchObject({ status: 'ok', images: count, cost_nano, attempts: [{ outcome: 'ok' }] });
    },
  );

  test.each([
    ['one of three', 1, [COMPLETED, COMPLETED, COMPLETED], 1],
    ['one of two, with parts of both', 1, [PARTIAL, COMPLETED, PARTIAL, COMPLETED, DONE], 2],
    ['two of four', 2, [COMPLETED, COMPLETED, COMPLETED, COMPLETED], 2],
  ])('%s: images beyond n are neither delivered nor paid', async (_name, n, frames, count) => {
    const { events, receipt } = await paintAlone(frames, { n });
    expect(events).toHaveLength(count);
    expect(events.filter(({ event: name }) => name === 'image_generation.completed')).toHaveLength(n);
    const cost_nano = (BigInt(n) * PER_IMAGE).toString();
    expect(events.at(-1)?.json).toMatchObject({ usage: { output_tokens: 9, cost_nano } });
    expect(receipt).toMatchObject({ status: 'ok', images: n, cost_nano, attempts: [{ outcome: 'ok' }] });
  });

  test('an answer without an image is an answer, and costs nothing', async () => {
    const { events, receipt } = await paintAlone([BLANK], {});
    expect(namesOf(events)).toEqual(['image_generation.completed']);
    expect(events[0]?.json).toMatchObject({ b64_json: '', usage: { cost_nano: '0' } });
    expect(receipt).toMatchObject({ status: 'ok', images: 0, cost_nano: '0', attempts: [{ outcome: 'ok' }] });
  });

  test('a second image that breaks off breaks the answer', async () => {
    const { events, receipt } = await paintAlone([COMPLETED, PARTIAL], { n: 2 });
    expect(events.at(-1)?.json).toMatchObject({ error: { code: 'upstream_failed' } });
    // One was painted, and is free all the same.
    expect(receipt).toMatchObject({ images: 1, cost_nano: '0', status: 'upstream_failed' });
  });

  test('a stream that breaks off says so and costs nothing', async () => {
    media.gateway.upstream.reset();
    media.gateway.upstream.next(sseScript([PARTIAL]));
    const response = await paint({ stream: true });
    const events = await readSse(response);
    expect(events.at(-1)?.json).toMatchObject({ error: { code: 'upstream_failed' } });
    expect(await media.receiptOf(response)).toMatchObject({ images: 0, cost_nano: '0', status: 'upstream_failed' });
    expect(media.gateway.upstream.requests).toHaveLength(1);
  });

  describe('the client leaves', () => {
    /** Until the gateway leaves. */
    const NO_END = new Promise<never>(() => {});

    /** Takes events until this one is there. */
    async function leaveAfter(name: string, body: Record<string, unknown>, onLeft?: () => void) {
      const leaving = new AbortController();
      const response = await paint({ stream: true, partial_images: 1, ...body }, leaving.signal);
      for await (const { event: seen } of sseEvents(response)) if (seen === name) break;
      leaving.abort();
      // Whoever is answered came after the leaving: by then the gateway knows of it.
      for (let n = 0; n < 2; n++) await media.gateway.call('/healthz');
      onLeft?.();
      return eventually('the receipt', async () => {
        const receipt = await media.receiptOf(response);
        return receipt.request_id ? receipt : undefined;
      });
    }

    test('with a part of the image: it is paid', async () => {
      media.gateway.upstream.next(sseScript([PARTIAL, PARTIAL, NO_END]));
      const receipt = await leaveAfter('image_generation.partial_image', {});
      expect(receipt).toMatchObject({ status: 'client_gone', images: 1, cost_nano: PER_IMAGE.toString() });
      expect(receipt.input_tokens).toBeGreaterThan(0);
    });

    test('with one image and nothing of the next: one is paid', async () => {
      const next = event('image_generation.partial_image', { b64_json: '' });
      media.gateway.upstream.next(sseScript([PARTIAL, COMPLETED, next, NO_END]));
      const receipt = await leaveAfter('image_generation.completed', { n: 2 });
      expect(receipt).toMatchObject({ status: 'client_gone', images: 1, cost_nano: PER_IMAGE.toString() });
    });

    test('with nothing: nothing is paid', async () => {
      const empty = event('image_generation.partial_image', { b64_json: '' });
      media.gateway.upstream.next(sseScript([empty, NO_END]));
      const receipt = await leaveAfter('image_generation.partial_image', {});
      expect(receipt).toMatchObject({ status: 'client_gone', images: 0, cost_nano: '0' });
    });

    test('where the channel is read to its end, tokens are paid as reported', async () => {
      const gate = createGate();
      media.gateway.upstream.next(sseScript([PARTIAL, gate.opened, COMPLETED]));
      const body = { model: 'paint-to-the-end' };
      const receipt = await leaveAfter('image_generation.partial_image', body, gate.open);
      const cost_nano = (3n * 10_000n + 9n * 40_000n).toString();
      expect(receipt).toMatchObject({ status: 'client_gone', images: 1, cost_nano, estimated: false });
    });
  });
});
