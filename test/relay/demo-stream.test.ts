// A stream of the demo channel: the order of its events, its usage when asked for, its end.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { readSse, textOf, usageOf } from '../support/sse.ts';
import { DEMO_PRICES } from '../support/test-document.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

async function stream(body: Record<string, unknown>) {
  const { key } = await gateway.register();
  const response = await gateway.chat(key, { stream: true, ...body });
  expect(response.status).toBe(200);
  return { response, key, events: await readSse(response) };
}
const WITH_USAGE = { stream_options: { include_usage: true } };

test('has the headers of a stream and of every answer', async () => {
  const { response } = await stream({ model: 'demo-small' });
  expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  expect(response.headers.get('cache-control')).toContain('no-cache');
  // Without it, nginx would gather the stream and pass it on in lumps.
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(response.headers.get('x-svc-channel')).toBe('demo');
  expect(response.headers.get('x-request-id')).toBe(response.headers.get('request-id'));
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('600');
  expect(response.headers.has('x-svc-cost-ntd')).toBe(false);
});

test('begins with the role, goes on with text, finishes, and ends with [DONE]', async () => {
  const { events } = await stream({ model: 'demo-small' });
  const chunks = events.slice(0, -1).map(({ json }) => json);
  expect(events.at(-1)?.data).toBe('[DONE]');
  expect(chunks[0].choices[0].delta).toMatchObject({ role: 'assistant' });
  expect(chunks.at(-1).choices[0].finish_reason).toBe('stop');
  expect(chunks.slice(0, -1).every(({ choices }: Answer) => choices[0].finish_reason === null)).toBe(true);
  expect(
    chunks.every(({ model, object }: Answer) => model === 'demo-small' && object === 'chat.completion.chunk'),
  ).toBe(true);
  expect(new Set(chunks.map(({ id }: Answer) => id)).size).toBe(1);
  expect(textOf(events)).toContain('demo channel');
});

test('says the same as the whole answer', async () => {
  const { key } = await gateway.register();
  const whole: Answer = await (await gateway.chat(key, { model: 'demo-small' })).json();
  const { events } = await stream({ model: 'demo-small' });
  expect(textOf(events)).toBe(whole.choices[0].message.content);
});

describe('usage', () => {
  test('comes once, at the end, with the exact cost in it', async () => {
    const { events, key } = await stream({ model: 'demo-small', max_tokens: 6, ...WITH_USAGE });
    expect(events.filter(({ json }) => json?.usage)).toHaveLength(1);
    const last = events.at(-2)?.json;
    expect(last.choices).toEqual([]);
    const { prompt_tokens, completion_tokens, cost_nano, cost_ntd } = last.usage;
    expect(completion_tokens).toBe(6);
    const cost = BigInt(prompt_tokens) * DEMO_PRICES.input + 6n * DEMO_PRICES.output;
    expect(cost_nano).toBe(cost.toString());
    expect(cost_ntd).toBe(Number(cost) / 1e9);
    const { data } = await gateway.get('/api/usage', key);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ cost_nano, stream: true, status: 'ok', estimated: false });
    expect((await gateway.get('/api/me', key)).balance_nano).toBe((1_000_000_000n - cost).toString());
  });

  test('comes to a client that asks for it as OpenRouter wants to be asked', async () => {
    const { events } = await stream({ model: 'demo-small', usage: { include: true } });
    expect(usageOf(events)).toMatchObject({ cost_nano: expect.any(String) });
  });

  test.each([
    {},
    { stream_options: null },
    { stream_options: { include_usage: false } },
    { usage: { include: false } },
    { usage: true },
  ])('does not come to a client that did not ask: %p', async (options) => {
    const { events, key } = await stream({ model: 'demo-small', ...options });
    expect(events.some(({ json }) => json !== undefined && 'usage' in json)).toBe(false);
    expect(events.every(({ json }) => json === undefined || json.choices.length > 0)).toBe(true);
    const { data } = await gateway.get('/api/usage', key);
    expect(BigInt(data[0].cost_nano)).toBeGreaterThan(0n);
  });

  test('of a free stream costs 0', async () => {
    const { events } = await stream({ model: 'auto:free', ...WITH_USAGE });
    expect(usageOf(events)).toMatchObject({ cost_ntd: 0, cost_nano: '0' });
  });
});

test('max_tokens ends it with the finish length', async () => {
  const { events } = await stream({ model: 'demo-small', max_tokens: 2 });
  expect(events.at(-2)?.json.choices[0].finish_reason).toBe('length');
  expect(events.filter(({ json }) => json?.choices?.[0]?.delta?.content)).toHaveLength(2);
});

test('n choices come each with its own index and finish', async () => {
  const { events } = await stream({ model: 'demo-small', n: 2, max_tokens: 3, ...WITH_USAGE });
  expect(textOf(events, 0)).not.toBe('');
  expect(textOf(events, 1)).toBe(textOf(events, 0));
  const finishes = events
    .flatMap(({ json }) => json?.choices ?? [])
    .filter(({ finish_reason }: Answer) => finish_reason);
  expect(finishes.map(({ index }: Answer) => index)).toEqual([0, 1]);
  expect(usageOf(events).completion_tokens).toBe(6);
});

test('Chinese arrives unbroken', async () => {
  const { events } = await stream({ model: 'auto:free', messages: [{ role: 'user', content: '繁體中文' }] });
  expect(textOf(events)).toStartWith('這是 AI 閘道的示範線路');
  expect(textOf(events)).not.toContain('\ufffd');
});

test('under an alias every event bears the name that was asked for', async () => {
  const { events } = await stream({ model: 'claude-auto', ...WITH_USAGE });
  expect(new Set(events.flatMap(({ json }) => (json ? [json.model] : [])))).toEqual(new Set(['claude-auto']));
});
