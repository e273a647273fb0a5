// GET /api/me: what a key can see of itself, its wallet and its free calls.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';

const clock = createManualClock(Date.UTC(2026, 4, 20, 3, 0, 0));
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ clock });
});
afterAll(() => gateway.stop());

test('a fresh account has this and nothing else', async () => {
  const { key, accountId, keyId } = await gateway.register();
  const response = await gateway.call('/api/me', { key });
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  expect(await response.json()).toEqual({
    account_id: accountId,
    key: {
      id: keyId,
      name: null,
      last4: key.slice(-4),
      manage: true,
      delegate: false,
      parent_id: null,
      depth: 0,
      models: null,
      budgets: {
        ...{ day_ntd: null, day_nano: null, month_ntd: null, month_nano: null },
        ...{ total_ntd: null, total_nano: null, session_ntd: null, session_nano: null },
      },
      rates: { requests_per_minute: null, tokens_per_minute: null, in_flight: null },
      daily_budget_ntd: null,
      daily_budget_nano: null,
      expires_at: null,
      created_at: '2026-05-20T03:00:00.000Z',
      spent: { day_ntd: 0, day_nano: '0', month_ntd: 0, month_nano: '0', total_ntd: 0, total_nano: '0' },
      held_ntd: 0,
      held_nano: '0',
      left: { day_ntd: null, day_nano: null, month_ntd: null, month_nano: null, total_ntd: null, total_nano: null },
      resets_at: { day: '2026-05-20T16:00:00.000Z', month: '2026-05-31T16:00:00.000Z' },
      ancestors_left: null,
    },
    balance_ntd: 1,
    balance_nano: '1000000000',
    held_ntd: 0,
    held_nano: '0',
    available_ntd: 1,
    available_nano: '1000000000',
    balance_low_ntd: 5,
    balance_low_nano: '5000000000',
    free: {
      minute: { limit: 6, used: 0, remaining: 6, resets_at: '2026-05-20T03:00:00.000Z' },
      day: { limit: 300, used: 0, remaining: 300, resets_at: '2026-05-20T16:00:00.000Z' },
    },
    limits: {
      free_per_minute: 6,
      free_per_day_zero: 100,
      free_per_day_positive: 300,
      register_per_ip: 10_000,
      register_per_day: 10_000,
      paid_per_minute: 600,
      in_flight: 32,
      free_in_flight: 4,
    },
  });
});

test('free calls are counted in both windows', async () => {
  const { key } = await gateway.register();
  await gateway.chat(key, { model: 'auto:free' });
  gateway.upstream.next(chatAnswer());
  await gateway.chat(key, { model: 'up-free' });
  const { free, balance_ntd } = await gateway.get('/api/me', key);
  expect(free.minute).toEqual({ limit: 6, used: 2, remaining: 4, resets_at: '2026-05-20T03:01:00.000Z' });
  expect(free.day).toMatchObject({ limit: 300, used: 2, remaining: 298 });
  expect(balance_ntd).toBe(1);
});

test('a running call holds money, which is available again when it ends', async () => {
  const { key } = await gateway.register();
  const gate = createGate();
  gateway.upstream.reset();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const running = gateway.chat(key, { model: 'up-paid', max_tokens: 100 });
  await gateway.upstream.request(0);

  const during = await gateway.get('/api/me', key);
  expect(during.balance_nano).toBe('1000000000');
  expect(BigInt(during.held_nano)).toBeGreaterThan(100n * 40_123n);
  expect(BigInt(during.available_nano)).toBe(1_000_000_000n - BigInt(during.held_nano));

  gate.open();
  expect((await running).status).toBe(200);
  const after = await eventually('the hold to end', async () => {
    const me = await gateway.get('/api/me', key);
    return me.held_nano === '0' && me;
  });
  expect(after.available_nano).toBe(after.balance_nano);
  expect(BigInt(after.balance_nano)).toBe(1_000_000_000n - (11n * 10_000n + 7n * 40_123n));
});
