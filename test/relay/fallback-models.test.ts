// Which models may step in for the one that a call names.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { pictureAnswer } from '../support/media-answers.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { bodyLength, cutAt, type Script } from '../support/script.ts';
import { readSse, textOf } from '../support/sse.ts';
import { openaiChannel, upstreamUrl } from '../support/test-document.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => {
      const base = upstreamUrl(standard);
      const endpoints = ['chat', 'images'];
      const price = { input: 10, output: 40, image: 0.1 };
      return {
        ...standard,
        channels: [
          ...standard.channels,
          openaiChannel('first', base, { endpoints }),
          openaiChannel('second', base, { endpoints }),
          { name: 'claude', kind: 'anthropic', base_url: base },
          openaiChannel('off', base, { endpoints, enabled: false }),
        ],
        models: [
          ...standard.models,
          {
            id: 'paints',
            kinds: ['chat', 'images'],
            price,
            routes: [{ channel: 'first', model: 'm-paints' }],
            fallbacks: ['talks'],
          },
          {
            id: 'strict',
            price,
            routes: [{ channel: 'claude', model: 'claude-sonnet-5' }],
            fallbacks: ['short'],
          },
          { id: 'short', context_tokens: 100, price, routes: [{ channel: 'second', model: 'm-short' }] },
          { id: 'talks', kinds: ['chat'], price, routes: [{ channel: 'second', model: 'm-talks' }] },
          { id: 'switched', price, routes: [{ channel: 'off', model: 'm-switched' }], fallbacks: ['talks'] },
          {
            id: 'large',
            max_output_tokens: 8_000,
            price,
            routes: [{ channel: 'first', model: 'm-large' }],
            fallbacks: ['tiny', 'small'],
          },
          { id: 'tiny', max_output_tokens: 1_024, price, routes: [{ channel: 'second', model: 'm-tiny' }] },
          { id: 'small', max_output_tokens: 2_000, price, routes: [{ channel: 'second', model: 'm-small' }] },
          {
            id: 'thinks',
            max_output_tokens: 8_000,
            price,
            routes: [{ channel: 'first', model: 'm-large' }],
            fallbacks: ['tiny'],
          },
          {
            id: 'big',
            price,
            routes: [{ channel: 'first', model: 'm-big' }],
            fallbacks: ['middle', 'little'],
          },
          {
            id: 'middle',
            price,
            routes: [
              { channel: 'first', model: 'm-middle', priority: 1 },
              { channel: 'second', model: 'm-middle', priority: 2 },
            ],
          },
          { id: 'little', price, routes: [{ channel: 'first', model: 'm-little' }] },
          // One for each test: a breaker that opened in one must not decide another.
          ...Array.from({ length: 6 }, (_, n) => ({
            id: `one-channel-${n}`,
            price,
            routes: [{ channel: 'first', model: `m-one-${n}` }],
            fallbacks: ['little'],
          })),
          { id: 'alone', price, routes: [{ channel: 'off', model: 'm-alone' }] },
        ],
      };
    },
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

test('one that does not serve the endpoint of the call is not asked, though both serve another', async () => {
  gateway.upstream.otherwise(({ json }) =>
    json.model === 'm-paints' ? errorScript(500, { message: 'x' }) : pictureAnswer(),
  );
  const body = { model: 'paints', prompt: 'a cat' };
  const response = await gateway.call('/v1/images/generations', { key: account.key, body });
  expect(response.status).toBe(502);
  expect(new Set(gateway.upstream.requests.map(({ json }) => json.model))).toEqual(new Set(['m-paints']));
});

test('one serves a model whose channels are all switched off', async () => {
  gateway.upstream.otherwise(chatAnswer());
  const served = await gateway.chat(account.key, { model: 'switched', max_tokens: 10 });
  expect(served.status).toBe(200);
  expect(served.headers.get('x-svc-channel')).toBe('second');
  expect(((await served.json()) as Answer).model).toBe('talks');
  const alone = await gateway.chat(account.key, { model: 'alone', max_tokens: 10 });
  expect(alone.status).toBe(503);
  expect(((await alone.json()) as Answer).error.message).toContain('choose another model');
});

test('one that the prompt is too long for does not hide why the model itself cannot be asked', async () => {
  const ask = (words: number) =>
    gateway.chat(
      account.key,
      {
        model: 'strict',
        max_tokens: 10,
        seed: 1,
        messages: [{ role: 'user', content: 'word '.repeat(words) }],
      },
      { headers: { 'x-svc-strict': '1' } },
    );
  gateway.upstream.otherwise(chatAnswer());
  const served = await ask(3);
  expect(served.status).toBe(200);
  expect(served.headers.get('x-svc-channel')).toBe('second');
  const refused = await ask(500);
  expect(refused.status).toBe(400);
  expect(((await refused.json()) as Answer).error.param).toBe('seed');
});

describe('one on the same channel', () => {
  const failures: [what: string, n: number, failure: Script, tries: number][] = [
    ['500', 0, errorScript(500, { message: 'x' }), 2],
    ['429', 1, errorScript(429, { message: 'x' }), 1],
    ['404', 2, errorScript(404, { message: 'x' }), 1],
    ['a reset', 3, cutAt(chatAnswer(), 'head', 'rst'), 2],
    ['no answer', 4, { body: ['{}'] }, 1],
  ];
  test.each(failures)('is asked after %s', async (_, n, failure, tries) => {
    gateway.upstream.otherwise(({ json }) => (json.model === 'm-little' ? chatAnswer() : failure));
    const response = await gateway.chat(account.key, { model: `one-channel-${n}`, max_tokens: 10 });
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'first']);
    expect(((await response.json()) as Answer).model).toBe('little');
    const asked = gateway.upstream.requests.map(({ json }) => json.model);
    expect(asked).toEqual([...Array(tries).fill(`m-one-${n}`), 'm-little']);
  });

  test('comes after other channels of the same fallback, and six attempts are the bound', async () => {
    gateway.upstream.otherwise(errorScript(500, { message: 'x' }));
    const response = await gateway.chat(account.key, { model: 'big', max_tokens: 10 });
    expect(response.status).toBe(502);
    const { attempts } = await gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
    const asked = gateway.upstream.requests.map(({ json }, n) => [json.model, attempts[n]?.channel]);
    expect(asked).toEqual([
      ['m-big', 'first'],
      ['m-big', 'first'],
      ['m-middle', 'second'],
      ['m-middle', 'second'],
      ['m-middle', 'first'],
      ['m-little', 'first'],
    ]);
  });

  test('goes on with a stream that breaks', async () => {
    const whole = chatStream();
    gateway.upstream.otherwise(({ json }) =>
      json.model === 'm-little' ? whole : cutAt(whole, Math.floor((bodyLength(whole) * 2) / 3), 'rst', 30),
    );
    const response = await gateway.chat(account.key, { model: 'one-channel-5', stream: true, max_tokens: 10 });
    const events = await readSse(response);
    expect(events.at(-1)?.data).toBe('[DONE]');
    expect(textOf(events)).toBe(textOf(await readSse(new Response((whole.body ?? []).join('')))));
    expect(gateway.upstream.requests.at(-1)?.json.model).toBe('m-little');
  });
});

const KINDS = [
  ['whole', false],
  ['streamed', true],
] as const;

describe.each(KINDS)('one that gives less output: %s', (_, stream) => {
  /** The model that was asked for finds the prompt too long, which says nothing of its channel. */
  async function ask(model: string, body: Record<string, unknown>, headers: Record<string, string> = {}) {
    gateway.upstream.otherwise(({ json }) => {
      if (json.model === 'm-large') return errorScript(400, { code: 'context_length_exceeded' });
      return stream ? chatStream() : chatAnswer();
    });
    const response = await gateway.chat(account.key, { model, stream, ...body }, { headers });
    await response.text();
    return {
      status: response.status,
      sent: gateway.upstream.requests.map(({ json }) => [json.model, json.max_tokens, json.thinking?.budget_tokens]),
      told: [response.headers.get('x-svc-max-tokens'), response.headers.get('x-svc-dropped')],
    };
  }
  const thinking = (budget_tokens: number) => ({ type: 'enabled', budget_tokens });

  test('its bound is reported where it is below the client’s own', async () => {
    const clamped = await ask('large', { max_tokens: 5_000 });
    expect(clamped.sent.at(-1)).toEqual(['m-tiny', 1_024, undefined]);
    expect(clamped.told).toEqual(['1024', null]);
    expect((await ask('large', { max_tokens: 1_024 })).told).toEqual([null, null]);
    expect((await ask('large', {})).told).toEqual([null, null]);
  });

  test('a thinking budget that does not fit is lowered, and reported', async () => {
    const { sent, told } = await ask('large', { max_tokens: 6_000, thinking: thinking(4_000) });
    expect(sent).toEqual([
      ['m-large', 6_000, 4_000],
      ['m-small', 2_000, 1_333],
    ]);
    expect(told).toEqual(['2000', 'thinking.budget_tokens']);
  });

  test('one that would have to lower it is not asked for a strict client', async () => {
    const strict = { 'x-svc-strict': '1' };
    const lowered = await ask('large', { max_tokens: 6_000, thinking: thinking(2_000) }, strict);
    expect(lowered.sent).toEqual([['m-large', 6_000, 2_000]]);
    gateway.upstream.reset();
    const whole = await ask('large', { max_tokens: 6_000, thinking: thinking(1_999) }, strict);
    expect(whole.sent.at(-1)).toEqual(['m-small', 2_000, 1_999]);
    expect(whole.told).toEqual(['2000', null]);
  });

  test('one that cannot fit 1,024 tokens of thinking and an answer is not tried', async () => {
    const { sent } = await ask('thinks', { max_tokens: 6_000, thinking: thinking(2_000) });
    expect(sent).toEqual([['m-large', 6_000, 2_000]]);
  });

  test('it is tried if the client’s own bound fits', async () => {
    const { status, sent, told } = await ask('thinks', { max_tokens: 1_000, thinking: thinking(500) });
    expect(status).toBe(200);
    expect(sent.at(-1)).toEqual(['m-tiny', 1_000, 500]);
    expect(told).toEqual([null, null]);
  });
});
