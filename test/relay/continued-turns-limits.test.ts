// Where an answer that Claude pauses is not continued any further: the client left, time is over, or the hold does not pay.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { eventScript, streamedTurn, wholeTurn } from '../support/anthropic-turns.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { type Asked, costAt, type Lab, MAIN, startLab, TRIAL } from '../support/lab.ts';
import { CHAT, NEVER, PAUSED, shown, text, written } from '../support/paused-turns.ts';
import { createReadOnClock } from '../support/read-on-clock.ts';

test('a client that leaves before a whole answer stops the next turn', async () => {
  const lab = await startLab(CHAT, { routes: ['first'] });
  lab.first.next(wholeTurn(PAUSED), { body: [NEVER], framing: 'chunked' });
  const leaving = new AbortController();
  const response = lab.open({}, leaving.signal).catch(() => undefined);
  const seen = await lab.first.request(1);
  leaving.abort();
  await response;
  await eventually('the upstream to be left', () => seen.abortedAt !== undefined);
  expect((await lab.records())[0]).toMatchObject({ status: 'client_gone', cost_nano: '0' });
  expect(lab.first.requests).toHaveLength(2);
  await lab.stop();
});

test('a channel that goes on after a pause is not late', async () => {
  const lab = await startLab(CHAT, { main: { hedge: 300 } });
  try {
    const next = wholeTurn({ content: [text(' Early ones.')] });
    lab.first.next(wholeTurn(PAUSED), { ...next, framing: 'chunked', body: [600, ...(next.body ?? [])] });
    lab.second.otherwise(wholeTurn({ content: [text('Late ones.')] }));
    expect(shown(CHAT, false, await lab.ask()).text).toBe('I search. Early ones.');
    expect(lab.second.requests).toHaveLength(0);
  } finally {
    await lab.stop();
  }
});

describe('a channel that is read to its end', () => {
  let lab: Lab;
  const { clock, timers } = createReadOnClock(systemClock);
  beforeAll(async () => {
    lab = await startLab(CHAT, { clock, routes: ['first'], first: { drain_on_abort: true } });
  });
  beforeEach(() => lab.first.reset());
  afterAll(() => lab.stop());

  test.each([false, true])('a client that left before the pause causes no other turn, streamed: %p', async (stream) => {
    const gate = createGate();
    const script = written(PAUSED, stream);
    const parts = script.body ?? [];
    const begun = stream ? 3 : 0;
    lab.first.next({
      ...script,
      framing: 'chunked',
      body: [...parts.slice(0, begun), gate.opened, ...parts.slice(begun)],
    });
    const leaving = new AbortController();
    const opened = lab.open({ stream }, leaving.signal).catch(() => undefined);
    const seen = await lab.first.request(0);
    if (stream) await (await opened)?.body?.getReader().read();
    const before = timers();
    leaving.abort();
    await opened;
    await eventually('the rest to be read', () => timers() > before);
    gate.open();
    const [record] = await lab.records();
    expect(record).toMatchObject({ status: 'client_gone', input_tokens: 11 });
    expect(seen.abortedAt).toBeUndefined();
    expect(lab.first.requests).toHaveLength(1);
  });
});

describe('a free model', () => {
  let lab: Lab;
  const model = { id: 'given', max_output_tokens: 1_000, routes: [{ channel: 'first', model: 'scripted-2026-01' }] };
  beforeAll(async () => {
    lab = await startLab(CHAT, {
      models: [{ ...model, price: 'free' }],
      guards: { free_input_tokens: 100 },
      limits: { free_per_minute: 100, free_per_day_zero: 100, free_per_day_positive: 100 },
    });
  });
  beforeEach(() => lab.first.reset());
  afterAll(() => lab.stop());

  test.each([
    ['is continued', 11, 2],
    ['is not continued beyond the input that is free', 60, 1],
  ])('%s', async (_, input_tokens, requests) => {
    const paused = { content: [text('I search.')], stop: 'pause_turn', usage: { input_tokens, output_tokens: 7 } };
    lab.first.next(wholeTurn(paused), wholeTurn({ content: [text(' Early ones.')] }));
    const asked = await lab.ask({ model: 'given' });
    expect(asked.status, asked.text).toBe(200);
    expect(lab.first.requests).toHaveLength(requests);
    expect(asked.record).toMatchObject({ status: 'ok', cost_nano: '0' });
  });
});

describe('limits of the channel', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab(CHAT, { routes: ['first'], first: { timeouts: { idle_ms: 300, total_ms: 600 } } });
  });
  beforeEach(() => lab.first.reset());
  afterAll(() => lab.stop());

  test('a stream whose next turn is silent', async () => {
    lab.first.next(streamedTurn(PAUSED), { ...eventScript([]), body: [NEVER] });
    const asked = await lab.ask({ stream: true });
    expect(shown(CHAT, true, asked)).toMatchObject({ text: 'I search.', finish: 'length' });
    expect(asked.record).toMatchObject({ status: 'ok', input_tokens: 11 });
  });

  test('a whole answer whose next turn takes too long', async () => {
    lab.first.next(wholeTurn(PAUSED), { body: [NEVER], framing: 'chunked' });
    const asked = await lab.ask();
    expect(shown(CHAT, false, asked)).toMatchObject({ text: 'I search.', finish: 'length' });
    expect(asked.record).toMatchObject({ status: 'ok', cost_nano: costAt(MAIN, 11, 7) });
    expect(asked.attempts.at(-1)).toEqual(['first', 'too_slow']);
  });
});

describe('what the hold covers', () => {
  let lab: Lab;
  const price = { input: 10, cached_input: 1, cache_write_5m: 12.5, cache_write_1h: 20, output: 40 };
  beforeAll(async () => {
    lab = await startLab(CHAT, { routes: ['first'], main: { price } });
  });
  beforeEach(() => lab.first.reset());
  afterAll(() => lab.stop());
  const heldFor = async (asked: Asked) => {
    const id = asked.headers.get('x-request-id') ?? '';
    const [row] = lab.gateway.sql<{ held_nano: bigint }>(
      'SELECT held_nano FROM usage_records WHERE request_id = ?',
      id,
    );
    return row?.held_nano ?? 0n;
  };

  test.each([false, true])('cached and written input of all turns is added up, streamed: %p', async (stream) => {
    const first = {
      ...{ input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 7 },
      ...{ cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 }, output_tokens: 6 },
    };
    const next = { input_tokens: 2, cache_read_input_tokens: 12, cache_creation_input_tokens: 8, output_tokens: 9 };
    lab.first.next(
      written({ ...PAUSED, usage: first }, stream),
      written({ content: [text(' Early ones.')], usage: next }, stream),
    );
    const asked = await lab.ask({ stream });
    const cost = 5n * 10_000n + 17n * 1_000n + 11n * 12_500n + 4n * 20_000n + 15n * 40_000n;
    expect(asked.record).toMatchObject({ estimated: false, cost_nano: cost.toString() });
  });

  test.each([false, true])('a turn that it does not cover is not asked for, streamed: %p', async (stream) => {
    // All that is held for the prompt, at the dearest price, is used up, and nearly all of the output.
    lab.first.next(written({ ...PAUSED, usage: { input_tokens: 60, output_tokens: 190 } }, stream));
    const asked = await lab.ask({ stream });
    const got = shown(CHAT, stream, asked);
    expect(got).toMatchObject({ text: 'I search.', finish: 'length' });
    expect(lab.first.requests).toHaveLength(1);
    expect(asked.record).toMatchObject({ rule: 'served', cost_nano: costAt(MAIN, 60, 190) });
  });

  test('a turn that it covers in part is bound to that', async () => {
    lab.first.next(
      wholeTurn({ content: [text('I search.')], stop: 'pause_turn', usage: { input_tokens: 100, output_tokens: 10 } }),
      wholeTurn({ content: [text(' Early ones.')], usage: { input_tokens: 110, output_tokens: 20 } }),
    );
    const asked = await lab.ask();
    const [, next] = lab.first.requests.map(({ json }) => json);
    const held = await heldFor(asked);
    expect(next.max_tokens).toBeLessThan(190);
    const most = 100n * 10_000n + 10n * 40_000n + 110n * 20_000n + BigInt(next.max_tokens) * 40_000n;
    expect(most).toBeLessThanOrEqual(held);
    expect(BigInt(asked.record.cost_nano)).toBeLessThanOrEqual(held);
    expect(asked.record.cost_nano).toBe(costAt(MAIN, 210, 30));
  });
});

test.each([false, true])('a wallet that pays for one turn only, streamed: %p', async (stream) => {
  const prices = { input: 1_000_000n, output: 20_000_000n };
  const lab = await startLab(CHAT, { routes: ['first'], main: { price: { input: 1_000, output: 20_000 } } });
  try {
    const bound = async () => (await lab.first.request(0)).json.max_tokens;
    lab.first.otherwise(({ json }) =>
      written({ ...PAUSED, usage: { input_tokens: 3, output_tokens: json.max_tokens - 10 } }, stream),
    );
    const asked = await lab.ask({ stream });
    expect(shown(CHAT, stream, asked)).toMatchObject({ text: 'I search.', finish: 'length' });
    expect(await bound()).toBeLessThan(60);
    expect(lab.first.requests).toHaveLength(1);
    const cost = costAt(prices, 3, (await bound()) - 10);
    expect(asked.record).toMatchObject({ status: 'ok', rule: 'served', cost_nano: cost });
    expect(await lab.balance()).toBe(TRIAL - BigInt(cost));
  } finally {
    await lab.stop();
  }
});
