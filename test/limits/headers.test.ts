// How a limit is told: in headers of every answer, in the names of who asks, in faults that say what to do, in /api/me.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { passTime } from '../support/pass-time.ts';

const NO_WAIT = { 'x-svc-no-wait': '1' };
const MESSAGES = [{ role: 'user', content: 'Hi' }];
const clock = createManualClock(Date.UTC(2026, 5, 10, 7, 0, 0));
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({ clock, limits: { free_per_minute: 3, free_per_day_positive: 5 } });
});
beforeEach(async () => {
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const call = (path: string, fields: Record<string, unknown> = {}) =>
  gateway.call(path, {
    key: account.key,
    body: { model: 'auto:free', max_tokens: 20, messages: MESSAGES, ...fields },
    headers: NO_WAIT,
  });
const openai = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}-requests`));
const anthropic = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`anthropic-ratelimit-requests-${name}`));
const NONE = [null, null, null];
const inSeconds = (seconds: number) => new Date(clock.now() + seconds * 1_000).toISOString();

describe('the names', () => {
  test.each([
    ['/v1/messages', {}],
    ['/v1/messages', { stream: true }],
  ])('of both families stand on %s %p', async (path, fields) => {
    const response = await call(path, fields);
    await response.text();
    expect(response.status).toBe(200);
    expect(openai(response)).toEqual(['3', '2', '60s']);
    expect(anthropic(response)).toEqual(['3', '2', inSeconds(60)]);
  });

  test('stand on token counts, which take nothing', async () => {
    for (let i = 0; i < 10; i++) {
      const response = await call('/v1/messages/count_tokens');
      expect(response.status).toBe(200);
      expect(openai(response)).toEqual(['3', '3', '0s']);
      expect(anthropic(response)).toEqual(['3', '3', inSeconds(0)]);
    }
  });

  test.each([
    ['/v1/chat/completions', {}],
    ['/v1/chat/completions', { stream: true }],
  ])('of the Anthropic format are not on %s %p', async (path, fields) => {
    const response = await call(path, fields);
    await response.text();
    expect(openai(response)).toEqual(['3', '2', '60s']);
    expect(anthropic(response)).toEqual(NONE);
  });

  test('of the Anthropic format are not on model lists, also for its clients', async () => {
    for (const path of ['/v1/models', '/v1/models/auto:free']) {
      const headers = { 'anthropic-version': '2023-06-01' };
      const response = await gateway.call(path, { key: account.key, headers });
      expect(openai(response)).toEqual(['3', '3', '0s']);
      expect(anthropic(response)).toEqual(NONE);
    }
  });

  test('stand on paid answers with the paid limit', async () => {
    gateway.upstream.next(chatAnswer());
    const response = await call('/v1/chat/completions', { model: 'up-paid' });
    expect(openai(response)).toEqual(['600', '599', '60s']);
    expect(anthropic(response)).toEqual(NONE);
    expect(anthropic(await call('/v1/messages', { model: 'demo-small' }))).toEqual(['600', '598', inSeconds(60)]);
  });

  test('give at most a minute for the paid minute, whatever part of a second it is', async () => {
    await clock.advance(250);
    expect(openai(await call('/v1/chat/completions', { model: 'demo-small' }))).toEqual(['600', '599', '60s']);
  });

  test('of a refusal follow the same rule', async () => {
    for (let i = 0; i < 3; i++) await call('/v1/messages');
    const onChat = await call('/v1/chat/completions');
    expect(onChat.status).toBe(429);
    expect(openai(onChat)).toEqual(['3', '0', '55s']);
    expect(anthropic(onChat)).toEqual(NONE);
    const onMessages = await call('/v1/messages');
    expect(onMessages.status).toBe(429);
    expect(openai(onMessages)).toEqual(['3', '0', '55s']);
    expect(anthropic(onMessages)).toEqual(['3', '0', inSeconds(60)]);
  });
});

test('the window with fewer requests remaining is reported, also after both have moved', async () => {
  const told: unknown[] = [];
  for (let i = 0; i < 5; i++) {
    if (i === 3) await passTime(gateway, clock, 60_000);
    told.push(openai(await call('/v1/chat/completions')).slice(0, 2));
  }
  expect(told).toEqual([
    ['3', '2'],
    ['3', '1'],
    ['3', '0'],
    ['5', '1'],
    ['5', '0'],
  ]);
});

test('of two windows that are used up the one that stays closed longer is reported', async () => {
  await call('/v1/chat/completions');
  await call('/v1/chat/completions');
  await passTime(gateway, clock, 60_000);
  await call('/v1/chat/completions');
  await call('/v1/chat/completions');
  const last = await call('/v1/messages');
  const untilMidnight = (Date.UTC(2026, 5, 10, 16) - clock.now()) / 1_000;
  expect(openai(last)).toEqual(['5', '0', `${Math.ceil(untilMidnight)}s`]);
  expect(anthropic(last)).toEqual(['5', '0', inSeconds(untilMidnight)]);
  expect(openai(await gateway.call('/v1/models', { key: account.key }))).toEqual(openai(last));
});

describe('a fault', () => {
  const faultOf = async (response: Response): Promise<Answer> => ((await response.json()) as Answer).error;

  test('of the minute says which limit, when it resets and what else there is', async () => {
    for (let i = 0; i < 3; i++) await call('/v1/chat/completions');
    await clock.advance(10_000);
    const refused = await call('/v1/chat/completions');
    expect(refused.headers.get('retry-after')).toBe('50');
    expect(refused.headers.has('x-should-retry')).toBe(false);
    const error = await faultOf(refused);
    expect(error).toMatchObject({ code: 'free_minute_limit', limit: 3, used: 3, resets_at: inSeconds(50) });
    expect(error.message).toContain('use a paid model');
    expect(error.actions.map(({ href }: Answer) => new URL(href).pathname)).toEqual(['/api/me', '/v1/models']);
  });

  test('that is remembered is returned to each caller in its own dialect, with its own id', async () => {
    for (let i = 0; i < 3; i++) await call('/v1/chat/completions');
    await clock.advance(10_000);
    const ids = new Set<string | null>();
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/chat/completions', '/v1/messages'] as const) {
      for (let again = 0; again < 3; again++) {
        const refused = await call(path);
        const isMessages = path === '/v1/messages';
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50']);
        expect(openai(refused)).toEqual(['3', '0', '50s']);
        expect(anthropic(refused)).toEqual(isMessages ? ['3', '0', inSeconds(50)] : [null, null, null]);
        const body: Answer = await refused.json();
        expect(body.error).toMatchObject({ code: 'free_minute_limit', limit: 3, used: 3, resets_at: inSeconds(50) });
        const id = refused.headers.get('request-id');
        expect(isMessages ? body.request_id : body.error.request_id).toBe(id);
        ids.add(id);
      }
    }
    expect(ids.size).toBe(12);
  });

  test('of the day forbids the retry and names midnight in Taipei', async () => {
    for (let i = 0; i < 5; i++) {
      if (i === 3) await passTime(gateway, clock, 60_000);
      await call('/v1/chat/completions');
    }
    const refused = await call('/v1/chat/completions');
    expect(refused.headers.has('retry-after')).toBe(false);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const error = await faultOf(refused);
    expect(error).toMatchObject({ code: 'free_daily_limit', limit: 5, used: 5, resets_at: '2026-06-10T16:00:00.000Z' });
    expect(error.message).toContain('midnight in Taipei');
    expect(error.actions.map(({ href }: Answer) => new URL(href).pathname)).toEqual([
      '/v1/models',
      '/api/redeem',
      '/api/me',
    ]);
  });
});

test('/api/me reports used, remaining and reset of both windows over time', async () => {
  const me = async () => (await gateway.get('/api/me', account.key)).free;
  const midnight = '2026-06-10T16:00:00.000Z';
  expect(await me()).toEqual({
    minute: { limit: 3, used: 0, remaining: 3, resets_at: inSeconds(0) },
    day: { limit: 5, used: 0, remaining: 5, resets_at: midnight },
  });
  await call('/v1/chat/completions');
  await clock.advance(2_500);
  await call('/v1/messages');
  expect(await me()).toEqual({
    minute: { limit: 3, used: 2, remaining: 1, resets_at: inSeconds(57.5) },
    day: { limit: 5, used: 2, remaining: 3, resets_at: midnight },
  });
  await call('/v1/chat/completions');
  await call('/v1/chat/completions');
  expect((await me()).minute).toEqual({ limit: 3, used: 3, remaining: 0, resets_at: inSeconds(57.5) });
  await passTime(gateway, clock, 57_500);
  expect(await me()).toMatchObject({ minute: { used: 2, remaining: 1 }, day: { used: 3, remaining: 2 } });
});
