// Limits on requests that are not about free calls per time: paid ones per minute, and how many run at once.

import { afterEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { passTime } from '../support/pass-time.ts';
import { untilHeard } from '../support/race.ts';
import { upModel } from '../support/test-document.ts';

let gateway: TestGateway;
afterEach(() => gateway.stop());

describe('paid calls per minute', () => {
  test('are counted exactly under a race, and reported', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock, limits: { paid_per_minute: 20, in_flight: 1_000 } });
    const { key } = await gateway.register();
    const ask = () => gateway.chat(key, { model: 'demo-small', max_tokens: 1 });
    const raced = await Promise.all(Array.from({ length: 50 }, ask));
    expect(raced.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = raced.find(({ status }) => status === 429) as Response;
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 56);
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({ code: 'rate_limited', type: 'rate_limit_error', limit: 20, used: 20 });

    // The free model has limits of its own.
    expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
    await passTime(gateway, clock, 59_000);
    expect((await ask()).status).toBe(429);
    await passTime(gateway, clock, 2_000);
    const again = await ask();
    expect(again.status).toBe(200);
    expect(again.headers.get('x-ratelimit-limit-requests')).toBe('20');
    expect(again.headers.get('x-ratelimit-remaining-requests')).toBe('19');
  });
});

describe.each([
  ['paid', 'up-paid', 'in_flight', 3],
  ['free', 'up-free', 'free_in_flight', 4],
])('%s calls in flight', (_, model, name, most) => {
  test('more are 429 until one ends', async () => {
    gateway = await startTestGateway({ limits: { in_flight: 3 } });
    const { key } = await gateway.register();
    const gate = createGate();
    const held = { ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] };
    gateway.upstream.next(...Array.from({ length: most }, () => held));
    const ask = () => gateway.chat(key, { model, max_tokens: 20 });
    const running = Array.from({ length: most }, () => untilHeard(ask));
    await gateway.upstream.request(most - 1);

    const refused = await ask();
    expect(refused.status, name).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(await refused.json()).toMatchObject({ error: { code: 'too_many_in_flight', limit: most, used: most } });
    expect(gateway.upstream.requests).toHaveLength(most);

    gate.open();
    for (const call of running) expect((await call).status).toBe(200);
    gateway.upstream.next(chatAnswer());
    const after = await eventually('a place', async () => {
      const response = await ask();
      return response.status === 200 && response;
    });
    expect(after.status).toBe(200);
  });
});

describe('a prompt too long', () => {
  const sentence = 'The quick brown fox jumps over the lazy dog number. ';
  const words = (count: number) => [{ role: 'user', content: 'word '.repeat(count) }];
  /** By which libraries know it, such as litellm. */
  const openaiSays = (most: number) => `This model's maximum context length is ${most} tokens.`;

  test('for the model is refused before any slot or money', async () => {
    gateway = await startTestGateway({
      document: (doc) => ({ ...doc, models: doc.models.map((model) => ({ ...model, context_tokens: 1_000 })) }),
    });
    const { key } = await gateway.register();
    const response = await gateway.chat(key, { model: 'up-paid', messages: words(20_000) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'context_length_exceeded', param: 'messages' } });
    expect(gateway.upstream.requests).toEqual([]);
    expect((await gateway.get('/api/usage', key)).data).toEqual([]);
  });

  // Claude Code takes the gap between the two figures for what it has to leave out.
  test.each([
    ['up-paid', 64_000, 20_000, 20_000],
    ['auto:free', 64_000, 128_000, 64_000],
    ['auto:free', 64_000, 20_000, 20_000],
    ['auto:free', null, 20_000, 20_000],
  ])('is told with its whole count: %s, a guard of %p, a context of %p', async (model, guard, context_tokens, most) => {
    gateway = await startTestGateway({
      document: (doc) => ({
        ...doc,
        models: doc.models.map((one) => ({ ...one, context_tokens })),
        guards: { free_input_tokens: guard },
      }),
    });
    const { key } = await gateway.register();
    const content = sentence.repeat(20_000);
    const body = { model, max_tokens: 20, messages: [{ role: 'user', content }] };
    const counted: Answer = await (await gateway.call('/v1/messages/count_tokens', { key, body })).json();
    expect(counted.input_tokens).toBeGreaterThan(200_000);
    const { error }: Answer = await (await gateway.call('/v1/messages', { key, body })).json();
    expect(error.message).toContain(
      `prompt is too long: ${counted.input_tokens} tokens > ${most} maximum. ${openaiSays(most)}`,
    );
  });

  /** What is told of a call of `main`, which has a context of 8,192, `longer` of 20,000 and `longest` of 128,000. */
  async function maximumTold(main: Record<string, unknown>, path: string, fields: Record<string, unknown>) {
    const model = (id: string, context_tokens: number, rest: Record<string, unknown>) =>
      upModel(id, { price: main.price, kinds: main.kinds, context_tokens, ...rest });
    gateway = await startTestGateway({
      document: (doc) => ({
        ...doc,
        models: [
          ...doc.models,
          model('main', 8_192, { max_output_tokens: 4_096, ...main }),
          model('longer', 20_000, {}),
          model('longest', 128_000, {}),
        ],
        guards: { free_input_tokens: 64_000 },
      }),
    });
    const { key } = await gateway.register();
    const response = await gateway.call(path, { key, body: { model: 'main', ...fields } });
    expect(response.status).toBe(400);
    expect(gateway.upstream.requests).toEqual([]);
    const { error }: Answer = await response.json();
    const [, tokens, most] = /too long: (\d+) tokens > (\d+) maximum\. /.exec(error.message) ?? [];
    expect(Number(tokens)).toBeGreaterThan(Number(most));
    expect(error.message).toContain(openaiSays(Number(most)));
    return Number(most);
  }

  const chatOf = (sentences: number) => ({ messages: [{ role: 'user', content: sentence.repeat(sentences) }] });
  const paid = { input: 10, output: 40 };

  test.each([
    ['the guard of free calls, where a fallback has room', 'free', ['longest'], 8_000, 64_000],
    ['the longest context of free models', 'free', ['longer'], 8_000, 20_000],
    ['the guard, where it is below the longest context', 'free', ['longest'], 40_000, 64_000],
    ['the longest context of paid models', paid, ['longer'], 8_000, 20_000],
    ['the context of a model without fallbacks', paid, [], 8_000, 8_192],
  ])('is told with %s', async (_, price, fallbacks, sentences, most) => {
    expect(await maximumTold({ price, fallbacks }, '/v1/chat/completions', chatOf(sentences))).toBe(most);
  });

  test('does not name the context of a fallback that cannot fit its thinking', async () => {
    const fields = { ...chatOf(3_000), max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 3_000 } };
    expect(await maximumTold({ price: paid, fallbacks: ['longest'] }, '/v1/messages', fields)).toBe(8_192);
  });

  test.each([
    ['the guard, where they are too many', Array.from({ length: 20 }, () => sentence.repeat(400)), 64_000],
    ['the context, where one is too long', ['short', sentence.repeat(4_000)], 8_192],
  ])('is told of texts to embed with %s', async (_, input, most) => {
    const main = { kinds: ['embeddings'], price: 'free' };
    expect(await maximumTold(main, '/v1/embeddings', { input })).toBe(most);
  });

  test.each([
    ['/v1/responses', { model: 'up-paid' }],
    ['/v1/embeddings', { model: 'vectors' }],
  ])('is told by the field of %s', async (path, fields) => {
    gateway = await startTestGateway({
      document: (doc) => {
        const vectors = upModel('vectors', { kinds: ['embeddings'], price: { input: 2 } });
        return { ...doc, models: [...doc.models, vectors].map((model) => ({ ...model, context_tokens: 1_000 })) };
      },
    });
    const { key } = await gateway.register();
    const response = await gateway.call(path, { key, body: { ...fields, input: 'word '.repeat(20_000) } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'context_length_exceeded', param: 'input' } });
  });

  test('for a free call is refused by the guard', async () => {
    gateway = await startTestGateway({ document: (doc) => ({ ...doc, guards: { free_input_tokens: 100 } }) });
    const { key } = await gateway.register();
    expect((await gateway.chat(key, { model: 'auto:free', messages: words(1_000) })).status).toBe(400);
    expect((await gateway.chat(key, { model: 'auto:free', messages: words(10) })).status).toBe(200);
    expect((await gateway.get('/api/me', key)).free.minute.used).toBe(1);
  });
});
