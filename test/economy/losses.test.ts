// What stays free for customers and is billed by an upstream all the same is booked as a loss, with its reason, and an
// account has only so much of it on one day.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { createReadOnClock } from '../support/read-on-clock.ts';
import { readLossSums, ruleOf, sumOf } from './books.ts';
import { ask, readUntil, SPEECHES } from './clients.ts';
import {
  type Customer,
  costOf,
  counted,
  type Market,
  type MarketOptions,
  modelOf,
  NOTHING,
  PRICE,
  startMarket,
} from './market.ts';
import type { Plan, Speech } from './vendor.ts';

const PIECES = ['Al', 'pha', ' be', 'ta', ' gam', 'ma'];
const EVERY_WAY = SPEECHES.flatMap((speech) => [true, false].map((stream) => [speech, stream] as const));

let market: Market;
let customer: Customer;

async function start(options: MarketOptions = {}): Promise<void> {
  market = await startMarket(options);
  customer = await market.join();
}

/** Hangs up while the vendor has sent no output of a stream yet. */
async function leaveBeforeFirstByte(speech: Speech, plan: Plan = {}): Promise<void> {
  const at = market.vendor.calls.length;
  market.vendor.next({ pieces: PIECES, pauses: [{ after: 0, until: createGate().opened }], ...plan });
  const leaving = new AbortController();
  const call = ask(customer, speech, { stream: true }, leaving.signal);
  const { request } = await eventually('the vendor to be asked', () => market.vendor.calls[at]);
  leaving.abort();
  await expect(call).rejects.toThrow();
  await eventually('the upstream to be aborted', () => request.abortedAt);
}

const booked = async () => (await customer.losses()).map(({ reason, channel }) => [reason, channel]);

describe('free for the customer, and booked', () => {
  beforeAll(() => start());
  beforeEach(async () => {
    market.vendor.reset();
    customer = await market.join();
  });
  afterAll(() => market.stop());

  test.each(SPEECHES)('a hang-up before the first byte of a stream: %s', async (speech) => {
    await leaveBeforeFirstByte(speech, { hidden: 300 });
    expect(await customer.record()).toMatchObject({ status: 'client_gone', cost_nano: '0' });
    expect(await booked()).toEqual([['client_gone', `${speech}-1`]]);
    expect(sumOf(await customer.losses())).toBeGreaterThan(0n);
  });

  test.each(EVERY_WAY)('an answer without output: %s, stream %p', async (speech, stream) => {
    market.vendor.next({ pieces: [], input: 500 });
    expect((await ask(customer, speech, { stream })).status).toBe(200);
    const { request_id, cost_nano } = await customer.record();
    expect(cost_nano).toBe('0');
    expect(await customer.losses()).toMatchObject([
      {
        ...{ requestId: request_id, accountId: customer.accountId, model: `by-${speech}`, channel: `${speech}-1` },
        ...{ reason: 'empty_answer', amount: costOf({ input: 500, reasoning: 0, output: 0 }) },
      },
    ]);
    expect(ruleOf(await customer.receipt(request_id))).toBe('empty_answer');
  });

  test.each(SPEECHES)('a stream that breaks and cannot be resumed: %s', async (speech) => {
    market.vendor.next({ pieces: PIECES, breaksAfter: 4 });
    await (await ask(customer, speech, { stream: true })).text();
    const { request_id, cost_nano } = await customer.record();
    expect(cost_nano).toBe('0');
    expect(await booked()).toEqual([['stream_broken', `${speech}-1`]]);
    expect(sumOf(await customer.losses())).toBeGreaterThan(0n);
    expect(ruleOf(await customer.receipt(request_id))).toBe('upstream_failed');
  });

  test.each(EVERY_WAY)('a try that failed after the upstream had taken it: %s, stream %p', async (speech, stream) => {
    market.vendor.next({ pieces: PIECES, breaksAfter: 0 }, { pieces: PIECES });
    expect((await ask(customer, speech, { stream })).status).toBe(200);
    await customer.record();
    expect(await customer.paid()).toBe(costOf(market.vendor.calls[1]?.billed() ?? NOTHING));
    expect(await booked()).toEqual([['failed_attempt', `${speech}-1`]]);
    expect(sumOf(await customer.losses())).toBeGreaterThan(0n);
  });
});

describe('reasoning that no event showed, of a stream that broke', () => {
  beforeAll(() => start());
  beforeEach(async () => {
    market.vendor.reset();
    market.spare.reset();
    customer = await market.join();
  });
  afterAll(() => market.stop());

  /** Of a route that reasons for so long before its first word. */
  const THOUGHT_MS = 600;
  const LEAST = costOf({ input: 0, reasoning: (THOUGHT_MS * 60) / 1_000, output: 0 });
  /** Asks a vendor that thinks for so long, says a few words and breaks. */
  async function askBroken(...then: Plan[]): Promise<string> {
    const gate = createGate();
    market.vendor.next({ pieces: PIECES, breaksAfter: 4, pauses: [{ after: 0, until: gate.opened }] }, ...then);
    const asking = ask(customer, 'chat', { stream: true });
    await eventually('the vendor to be asked', () => market.vendor.calls.length > 0);
    await Bun.sleep(THOUGHT_MS);
    gate.open();
    return (await asking).text();
  }

  test('is booked where the stream could not be finished', async () => {
    await askBroken();
    await customer.record();
    expect(await booked()).toEqual([['stream_broken', 'chat-1']]);
    expect(sumOf(await customer.losses())).toBeGreaterThanOrEqual(LEAST);
  });

  test('is booked where another run replaced it', async () => {
    market.spare.next({ pieces: PIECES });
    expect(await askBroken({ pieces: PIECES })).toContain('[DONE]');
    await customer.record();
    expect(await booked()).toEqual([['replaced_run', 'chat-1']]);
    expect(sumOf(await customer.losses())).toBeGreaterThanOrEqual(LEAST);
  });
});

describe('of a gateway of its own', () => {
  afterEach(() => market.stop());

  test('a stream that a stopping gateway cuts', async () => {
    await start();
    market.vendor.next({ pieces: PIECES, pauses: [{ after: 2, until: createGate().opened }] });
    const response = await ask(customer, 'chat', { stream: true });
    await readUntil(response, '"pha"');
    await market.gateway.gateway.drain(0);
    expect(await booked()).toEqual([['gateway_cut', 'chat-1']]);
    expect(sumOf(await customer.losses())).toBeGreaterThan(0n);
  });

  test('a stream that is read on when the gateway stops is closed, and paid by an estimate', async () => {
    const { clock, timers } = createReadOnClock(systemClock);
    await start({ clock });
    market.vendor.next({ pieces: PIECES, hidden: 300, pauses: [{ after: 2, until: createGate().opened }] });
    const leaving = new AbortController();
    await readUntil(await ask(customer, 'chat', { stream: true }, leaving.signal), '"pha"');
    const before = timers();
    leaving.abort();
    await eventually('the stream to be read on', () => timers() > before);
    await market.gateway.gateway.drain(0);
    const [record] = market.gateway.sql<{ status: string; estimated: bigint; output: bigint; cost_nano: bigint }>(
      'SELECT status, estimated, output_tokens AS output, cost_nano FROM usage_records',
    );
    expect(record).toMatchObject({ status: 'client_gone', estimated: 1n });
    expect(record?.cost_nano).toBeGreaterThan(PRICE.output * (record?.output ?? 0n));
    expect(record?.output).toBeGreaterThanOrEqual(BigInt(counted('Alpha')));
    expect(market.gateway.sql('SELECT * FROM holds')).toEqual([]);
  });

  test('tool rounds beyond the hold: booked and alarmed, and not counted for the guard', async () => {
    await start({ guards: { loss_per_account_day: 0.1 } });
    const rounds = 200_000;
    market.vendor.next({ pieces: PIECES, input: rounds }, { pieces: [], input: 1_000 });
    const tool = { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 1 };
    const fields = { tools: [tool], max_tokens: 100 };
    expect((await ask(customer, 'messages', fields)).status).toBe(200);
    const { request_id, cost_nano } = await customer.record();
    const billed = costOf({ input: rounds, reasoning: 0, output: PIECES.length });
    expect(await customer.losses()).toMatchObject([{ reason: 'above_hold', amount: billed - BigInt(cost_nano) }]);
    expect(billed - BigInt(cost_nano)).toBeGreaterThan(100_000_000n);
    expect(market.gateway.log.alarms('usage_above_hold')).toMatchObject([{ request_id }]);
    // The guard of the account is not used up: an answer without output is free.
    await (await ask(customer, 'chat')).text();
    const [next] = await customer.records();
    expect(next?.cost_nano).toBe('0');
  });

  test('the operator reads the sums by reason', async () => {
    await start();
    market.vendor.next({ pieces: [], input: 500 });
    await ask(customer, 'chat');
    await customer.record();
    const amount = costOf({ input: 500, reasoning: 0, output: 0 });
    expect(await readLossSums(market.gateway)).toEqual({ byReason: { empty_answer: amount }, total: amount });
  });
});

describe('the guard loss_per_account_day', () => {
  afterEach(() => market.stop());

  const INPUT = 1_000;
  const LOSS = costOf({ input: INPUT, reasoning: 0, output: 0 });
  const ROUNDS = 6;
  /** NT$ for two losses and a half. */
  const TWO_AND_A_HALF = 0.025;

  async function askForNothing(rounds: number): Promise<bigint[]> {
    market.vendor.otherwise(() => ({ pieces: [], input: INPUT }));
    for (let round = 0; round < rounds; round++) await (await ask(customer, 'chat')).text();
    return (await customer.records()).map(({ cost_nano }) => BigInt(cost_nano)).toReversed();
  }

  test('beyond it an empty answer is paid as reported, the receipt says why, and an alarm names the account', async () => {
    await start({ guards: { loss_per_account_day: TWO_AND_A_HALF } });
    expect(await askForNothing(ROUNDS)).toEqual([0n, 0n, LOSS / 2n, LOSS, LOSS, LOSS]);
    expect(sumOf(await customer.losses())).toBe((5n * LOSS) / 2n);
    const rules = await Promise.all(
      (await customer.records()).map(async ({ request_id }) => ruleOf(await customer.receipt(request_id))),
    );
    expect(rules.toReversed()).toEqual([...Array(2).fill('empty_answer'), ...Array(4).fill('loss_guard')]);
    expect(market.gateway.log.alarms('account_losses')).toMatchObject([{ account_id: customer.accountId }]);
  });

  test('one loss that is more than the guard is charged only for what exceeds it', async () => {
    await start({ guards: { loss_per_account_day: 0.004 } });
    expect(await askForNothing(1)).toEqual([LOSS - 4_000_000n]);
    expect(sumOf(await customer.losses())).toBe(4_000_000n);
  });

  test('another account is not touched by it', async () => {
    await start({ guards: { loss_per_account_day: TWO_AND_A_HALF } });
    await askForNothing(ROUNDS);
    customer = await market.join();
    expect(await askForNothing(2)).toEqual([0n, 0n]);
  });

  test('it holds for answers that end at once, too', async () => {
    await start({ guards: { loss_per_account_day: TWO_AND_A_HALF } });
    market.vendor.otherwise(() => ({ pieces: [], input: INPUT }));
    await Promise.all(Array.from({ length: 20 }, async () => (await ask(customer, 'chat')).text()));
    await customer.records();
    expect(sumOf(await customer.losses())).toBe((5n * LOSS) / 2n);
    expect(await customer.paid()).toBe((35n * LOSS) / 2n);
  });

  test('0: no ending is free', async () => {
    await start({ guards: { loss_per_account_day: 0 } });
    expect(await askForNothing(2)).toEqual([LOSS, LOSS]);
    await leaveBeforeFirstByte('chat');
    const [record] = await eventually('the record', async () => {
      const records = await customer.records();
      return records.length === 3 && records;
    });
    expect(BigInt(record.cost_nano)).toBeGreaterThan(0n);
    expect(await customer.losses()).toEqual([]);
  });

  test('0: the error of a broken stream says what was charged', async () => {
    await start({ guards: { loss_per_account_day: 0 } });
    market.vendor.next({ pieces: PIECES, breaksAfter: 4 });
    const text = await (await ask(customer, 'chat', { stream: true })).text();
    const { cost_ntd } = await customer.record();
    expect(cost_ntd).toBeGreaterThan(0);
    expect(text).toContain(`NT$${cost_ntd} was charged`);
    expect(text).not.toContain('Nothing was charged');
  });

  test('0: a failure that the upstream reported no usage of is free, and booked', async () => {
    await start({ guards: { loss_per_account_day: 0 } });
    market.vendor.otherwise(() => ({ pieces: PIECES, breaksAfter: 0 }));
    market.spare.otherwise(() => ({ pieces: PIECES, breaksAfter: 0 }));
    const response = await ask(customer, 'chat', { stream: true });
    expect(response.status).toBe(502);
    expect(await response.text()).toContain('Nothing was charged');
    expect(await customer.record()).toMatchObject({ cost_nano: '0' });
    expect(sumOf(await customer.losses())).toBeGreaterThan(0n);
  });

  test('an answer with more values than can be read: asked once, told, and booked with its bound', async () => {
    await start();
    const values = `[${'0,'.repeat(5_000_000)}0]`;
    market.vendor.next({
      script: { headers: { 'content-type': 'application/json' }, body: [`{"choices":${values}}`] },
    });
    const response = await ask(customer, 'chat', { max_tokens: 100 });
    expect(response.status).toBe(400);
    expect(await customer.record()).toMatchObject({ cost_nano: '0' });
    expect([...market.vendor.calls, ...market.spare.calls]).toHaveLength(1);
    expect(sumOf(await customer.losses())).toBeGreaterThan(costOf({ input: 0, reasoning: 0, output: 99 }));
  });

  test('null: every one is, and is booked', async () => {
    await start({ guards: { loss_per_account_day: null } });
    expect(await askForNothing(ROUNDS)).toEqual(Array(ROUNDS).fill(0n));
    expect(sumOf(await customer.losses())).toBe(BigInt(ROUNDS) * LOSS);
    expect(market.gateway.log.alarms('account_losses')).toEqual([]);
  });

  test('it is NT$5 where the document says nothing', async () => {
    const dear = { context_tokens: 128_000, price: { input: 3_400, output: 3_400 } };
    await start({ models: [modelOf('dear', 'chat', 'gpt-5-mini', dear)] });
    market.vendor.otherwise(() => ({ pieces: [], input: 190 }));
    const messages = [{ role: 'user', content: 'then '.repeat(30) }];
    const paid: bigint[] = [];
    for (let round = 0; round < 8; round++) {
      expect((await ask(customer, 'chat', { model: 'dear', max_tokens: 16, messages })).status).toBe(200);
      await customer.records();
      paid.push(await customer.paid());
    }
    expect(paid.findIndex((amount) => amount > 0n)).toBe(7);
  });
});
