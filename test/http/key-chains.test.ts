// Keys below keys through HTTP: the budgets, rates and models of every level, the session, and what responses report.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyFromSecret } from '../../src/accounts/keys/key-format.ts';
import { newKeyRow } from '../../src/accounts/keys/new-key-row.ts';
import { createHasher } from '../../src/kit/sealed.ts';
import type { KeyRow } from '../../src/store/rows.ts';
import type { Answer } from '../support/answer.ts';
import { createGate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';

interface TestKey {
  id: string;
  key: string;
}

const NTD = 1_000_000_000n;
let gateway: TestGateway;
let clock: ManualClock;
let account: TestAccount;
let count = 0;

beforeAll(async () => {
  clock = createManualClock(Date.UTC(2026, 0, 15, 4));
  gateway = await startTestGateway({ clock });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** A delegating key of the account, or one below another. */
async function addKey(fields: Partial<KeyRow> = {}, parent?: TestKey): Promise<TestKey> {
  const key = keyFromSecret(new Uint8Array(32).fill(++count));
  const hash = createHasher(readFileSync(join(gateway.dataDir, 'pepper'), 'utf8').trim(), 'key')(key);
  const given = { accountId: account.accountId, keyId: `key_chain${count}`, hash, last4: key.slice(-4) };
  const row = newKeyRow(
    { ...given, manage: false, createdAt: clock.now() },
    { delegate: true, parentId: parent?.id ?? null, ...(parent ? { dailyBudget: 100n * NTD } : {}), ...fields },
  );
  const result = await gateway.gateway.store.commit('createKey', { key: row, at: clock.now() });
  if (!result.ok) throw new Error(result.reason);
  return { id: row.keyId, key };
}

const chat = (key: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  gateway.chat(key, { model: 'up-paid', max_tokens: 100, ...body }, { headers });
const errorOf = async (response: Response) => ((await response.json()) as Answer).error;

describe('a budget of a key above', () => {
  test.each(['month', 'total', 'session'] as const)(
    'of the kind %s is named with its key and its amounts',
    async (kind) => {
      const top = await addKey({ limits: { [`${kind}Budget`]: 1_000n } });
      const low = await addKey({}, top);
      const refused = await chat(low.key);
      expect(refused.status).toBe(402);
      expect(await errorOf(refused)).toMatchObject({
        code: 'key_budget_exceeded',
        budget: kind,
        key_id: top.id,
        limit_nano: '1000',
        spent_nano: '0',
        held_nano: '0',
        left_nano: '1000',
        affordable_max_tokens: 0,
        ...(kind === 'month' ? { resets_at: '2026-01-31T16:00:00.000Z' } : {}),
      });
    },
  );

  test('is reported from 80 % on', async () => {
    const top = await addKey({ limits: { totalBudget: NTD / 10n } });
    const low = await addKey({}, top);
    const plain = await chat(low.key);
    expect(plain.status).toBe(200);
    expect(plain.headers.get('x-svc-budget-warning')).toBeNull();
    const [row] = gateway.sql<{ held_nano: bigint }>('SELECT held_nano FROM usage_records WHERE key_id = ?', low.id);
    const held = row?.held_nano ?? 0n;
    const limit = (held * 5n) / 4n;
    const tight = await addKey({ limits: { totalBudget: limit } });
    const { key } = await addKey({}, tight);
    const ntd = (nano: bigint) => String(Number(nano) / 1e9);
    // A whole answer reports what it cost, which is far less than what was held for it.
    const whole = await chat(key);
    expect(whole.headers.get('x-svc-budget-warning')).toBeNull();
    const cost = BigInt(Math.round(Number(whole.headers.get('x-svc-cost-ntd')) * 1e9));
    gateway.upstream.next(chatStream());
    const streamed = await chat(key, { stream: true });
    await streamed.text();
    expect(streamed.headers.get('x-svc-budget-warning')).toBe(
      `total; key=${tight.id}; spent=${ntd(cost)}; held=${ntd(held)}; limit=${ntd(limit)}`,
    );
    const used = await addKey({ limits: { totalBudget: held } });
    gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: 75, completion_tokens: 98, total_tokens: 173 } }));
    const last = await chat(used.key);
    expect(last.headers.get('x-svc-budget-warning')).toMatch(
      new RegExp(`^total; key=${used.id}; spent=0\\.\\d+; held=0; limit=${ntd(held)}$`),
    );
  });
});

describe('a session', () => {
  test('has the budget to itself, named by the header or as conversations are', async () => {
    const { key } = await addKey({ limits: { sessionBudget: 1n } });
    const refused = await errorOf(await chat(key, {}, { 'x-svc-session': 'a' }));
    expect(refused).toMatchObject({ budget: 'session' });
    const enough = await addKey({ limits: { sessionBudget: NTD / 10n } });
    for (const headers of [{ 'x-svc-session': 'a' }, { 'x-session-id': 'b' }, {}]) {
      expect((await chat(enough.key, {}, headers)).status).toBe(200);
    }
    const pages = gateway.sql<{ session_id: string; spent_nano: bigint }>(
      'SELECT session_id, spent_nano FROM session_budgets WHERE session_id LIKE ?',
      `${enough.id}:%`,
    );
    expect(pages).toHaveLength(3);
    for (const { session_id: id, spent_nano: spent } of pages) {
      expect(id.slice(enough.id.length + 1)).toMatch(/^([0-9a-f]{64})?$/);
      expect(spent).toBeGreaterThan(0n);
    }
  });

  test.each(['~', '!'.repeat(128)])('named %p is one, whatever else names the conversation', async (name) => {
    const { id, key } = await addKey({ limits: { sessionBudget: NTD / 10n } });
    for (const other of ['one', 'two']) {
      const headers = { 'x-svc-session': name, 'x-session-id': other };
      expect((await chat(key, { prompt_cache_key: other }, headers)).status).toBe(200);
    }
    const [count] = gateway.sql<{ n: bigint }>(
      'SELECT count(*) AS n FROM session_budgets WHERE session_id LIKE ?',
      `${id}:%`,
    );
    expect(Number(count?.n)).toBe(1);
  });

  test.each(['', ' ', 'with space', 'x'.repeat(129), 'ü'])('cannot be named %p', async (name) => {
    const refused = await chat(account.key, {}, { 'x-svc-session': name });
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: 'invalid_request', param: 'x-svc-session' });
  });
});

describe('rates of a key above', () => {
  test('of requests and tokens stand in the headers, and refuse with the key', async () => {
    const top = await addKey({ limits: { requestsPerMinute: 2, tokensPerMinute: 100_000 } });
    const low = await addKey({}, top);
    const first = await chat(low.key);
    expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('1');
    expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('100000');
    await chat(low.key);
    const refused = await chat(low.key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const error = await errorOf(refused);
    expect(error).toMatchObject({ code: 'rate_limited', key_id: top.id, limit: 2, used: 2 });
    expect(error.message).toContain(top.id);
    // Other keys of the account have their own.
    expect((await chat(account.key)).status).toBe(200);
    const messages = await gateway.call('/v1/messages', {
      key: (await addKey({ limits: { tokensPerMinute: 90_000 } })).key,
      body: { model: 'up-paid', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(messages.headers.get('anthropic-ratelimit-tokens-limit')).toBe('90000');
  });

  test('of tokens lower the output limit of one call, and count what was used in the end', async () => {
    const top = await addKey({ limits: { tokensPerMinute: 500 } });
    const { key } = await addKey({}, top);
    const response = await chat(key, { max_tokens: 5_000 });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('x-svc-max-tokens'))).toBeLessThan(500);
    expect(response.headers.get('x-ratelimit-remaining-tokens')).toBe('482');
    // The answer used 11 + 7 tokens: the rest is free again.
    const next = await chat(key);
    expect(next.status).toBe(200);
    const refused = await chat(key, { messages: [{ role: 'user', content: 'word '.repeat(2_000) }] });
    expect(refused.status).toBe(429);
    expect(await errorOf(refused)).toMatchObject({ code: 'rate_limited', key_id: top.id, limit: 500 });
  });

  test('of tokens leave a call without an output limit what is left of the minute', async () => {
    const { id, key } = await addKey({ limits: { tokensPerMinute: 300 } });
    const gate = createGate();
    const { requests } = gateway.upstream;
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
    const running = chat(key, { max_tokens: 50 });
    await gateway.upstream.request(requests.length);
    const lowered = await chat(key, { max_tokens: undefined });
    expect(lowered.status).toBe(200);
    const most = Number(lowered.headers.get('x-svc-max-tokens'));
    expect(most).toBeGreaterThanOrEqual(16);
    expect(most).toBeLessThan(170);

    // 18 tokens are used by it: what is left is not enough for the shortest useful answer to a longer prompt.
    const long = { max_tokens: 100, messages: [{ role: 'user', content: `${'a'.repeat(most - 18 - 14)}Hi` }] };
    const refused = await chat(key, long);
    expect(refused.status).toBe(429);
    const error = await errorOf(refused);
    const [, fitting] = /Retry in \d+ s, or lower max_tokens to (\d+)\.$/.exec(error.message) ?? [];
    expect(Number(fitting)).toBeWithin(1, 16);
    expect(error.affordable_max_tokens).toBe(Number(fitting));
    const [smaller, raise, me] = error.actions;
    expect(smaller.body).toMatchObject({ model: 'up-paid', max_tokens: Number(fitting) });
    expect(raise.body).toEqual({ rates: { tokens_per_minute: error.used + error.needed_tokens } });
    expect(new URL(me.href).pathname).toBe('/api/me');
    expect((await chat(key, { ...long, max_tokens: Number(fitting) })).status).toBe(200);
    const raised = await gateway.call(`/api/keys/${id}`, { key: account.key, method: 'PATCH', body: raise.body });
    expect(raised.status).toBe(200);
    gate.open();
    expect((await running).status).toBe(200);
  });

  test('say one time to wait everywhere, and which calls raise them', async () => {
    const top = await addKey({ limits: { requestsPerMinute: 1 } });
    const low = await addKey({ limits: { requestsPerMinute: 1 } }, top);
    await clock.advance(1);
    expect((await chat(low.key)).status).toBe(200);
    const refused = await chat(low.key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('55');
    expect(refused.headers.get('x-ratelimit-reset-requests')).toBe('55s');
    const error = await errorOf(refused);
    expect(error.message).toBe(`Key ${low.id} is limited to 1 request per minute. Retry in 55 s.`);
    const raises = error.actions.filter(({ method }: Answer) => method === 'PATCH');
    expect(raises.map(({ href }: Answer) => new URL(href).pathname)).toEqual([
      `/api/keys/${top.id}`,
      `/api/keys/${low.id}`,
    ]);
    for (const { href, body } of raises) {
      const { pathname } = new URL(href);
      expect((await gateway.call(pathname, { key: account.key, method: 'PATCH', body })).status).toBe(200);
    }
    expect((await chat(low.key)).status).toBe(200);
  });

  test('of running calls refuse the next', async () => {
    const top = await addKey({ limits: { inFlight: 1 } });
    const low = await addKey({}, top);
    const gate = createGate();
    const { requests } = gateway.upstream;
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
    const running = chat(low.key);
    await gateway.upstream.request(requests.length);
    const refused = await chat(low.key);
    expect(refused.status).toBe(429);
    const error = await errorOf(refused);
    expect(error).toMatchObject({ code: 'too_many_in_flight', key_id: top.id, limit: 1 });
    expect(error.message).toContain('is limited to 1 running request, and 1 is running.');
    gate.open();
    expect((await running).status).toBe(200);
    expect((await chat(low.key)).status).toBe(200);
    expect(gateway.audit()).toEqual([]);
  });
});

test('a key may use the models that it and every key above it allow', async () => {
  const top = await addKey({ models: ['up-paid', 'auto:free'] });
  const low = await addKey({}, top);
  expect((await chat(low.key)).status).toBe(200);
  const refused = await gateway.chat(low.key, { model: 'demo-small' });
  expect(refused.status).toBe(403);
  expect(await errorOf(refused)).toMatchObject({ code: 'model_not_allowed' });
  const { data } = await gateway.get('/v1/models', low.key);
  // Aliases of the two as well.
  expect(data.map(({ id }: Answer) => id).toSorted()).toEqual([
    'auto:free',
    'claude-auto',
    'claude-up-paid',
    'up-paid',
  ]);
});

test('a key ends with the key above it', async () => {
  const top = await addKey({ expiresAt: clock.now() + 1_000 });
  const low = await addKey({}, top);
  expect((await chat(low.key)).status).toBe(200);
  await clock.advance(1_000);
  expect((await chat(low.key)).status).toBe(401);
});
