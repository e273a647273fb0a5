// What is read to its end when the client leaves is not read without end: half a minute each, 64 at once, 16 of one account.
// The same holds for whole answers, which are waited for.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually, type Gate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { createReadOnClock, READ_TO_END_MS } from '../support/read-on-clock.ts';
import { cutAt, type Script } from '../support/script.ts';
import { type ServerEvent, sseEvents, textOf } from '../support/sse.ts';
import { UP_PRICES, withDrainedModel } from '../support/test-document.ts';
import type { SeenRequest } from '../support/upstream.ts';

const MAX_AT_ONCE = 64;
const MAX_OF_ACCOUNT = 16;
const [ROLE = '', FIRST_WORD = '', ...REST] = (chatStream().body ?? []) as string[];
const { clock, timers } = createReadOnClock(createManualClock());
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    limits: { paid_per_minute: 10_000, in_flight: 500 },
    document: withDrainedModel,
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

interface Streaming {
  seen: SeenRequest;
  /** Lets the upstream end. */
  gate: Gate;
  leave(): void;
}

/** A stream whose client has read its first word, and whose upstream says no more for now. */
async function startStream(from = account): Promise<Streaming> {
  const gate = createGate();
  const at = gateway.upstream.requests.length;
  gateway.upstream.next({ ...chatStream(), body: [ROLE, FIRST_WORD, gate.opened, ...REST] });
  const leaving = new AbortController();
  const body = { model: 'up-drained', stream: true, max_tokens: 20 };
  const response = await gateway.chat(from.key, body, { signal: leaving.signal });
  expect(response.status).toBe(200);
  // Not by a loop, which leaves when it ends.
  const events = sseEvents(response);
  const read = [];
  while (textOf(read) === '') read.push((await events.next()).value as ServerEvent);
  return { seen: await gateway.upstream.request(at), gate, leave: () => leaving.abort() };
}

/** Those that leave and are read on. */
async function leaveAll(streams: readonly Streaming[]): Promise<void> {
  const before = timers();
  for (const { leave } of streams) leave();
  await eventually('all to be read on', () => timers() - before === streams.length);
}

const records = (count: number, of = account): Promise<Answer[]> =>
  eventually('the records', async () => {
    const { data } = await gateway.get('/api/usage?limit=100', of.key);
    return data.length === count && data;
  });

test('a stream that does not end is left after half a minute, and paid as far as it was delivered', async () => {
  const stream = await startStream();
  await leaveAll([stream]);
  await clock.advance(READ_TO_END_MS - 1);
  expect(stream.seen.abortedAt).toBeUndefined();
  expect((await gateway.get('/api/usage', account.key)).data).toEqual([]);
  await clock.advance(1);
  const [record] = await records(1);
  await eventually('the upstream to be left', () => stream.seen.abortedAt);
  expect(record).toMatchObject({ status: 'client_gone', estimated: true });
  expect(record?.output_tokens).toBeWithin(1, 5);
  expect(BigInt(record?.cost_nano)).toBe(
    BigInt(record?.input_tokens) * UP_PRICES.input + BigInt(record?.output_tokens) * UP_PRICES.output,
  );
});

test.each([
  ['one more than 64', MAX_AT_ONCE],
  ['one more than 16 of one account', MAX_OF_ACCOUNT],
])('%s is left at once; when one of them has ended, another is read', async (_, most) => {
  const others: TestAccount[] = [];
  while (others.length * MAX_OF_ACCOUNT < most - MAX_OF_ACCOUNT) others.push(await gateway.register());
  const streams: Streaming[] = [];
  for (const other of others) {
    for (let n = 0; n < MAX_OF_ACCOUNT; n++) streams.push(await startStream(other));
  }
  const own: Streaming[] = [];
  while (own.length < MAX_OF_ACCOUNT) own.push(await startStream());
  const [more, later] = [await startStream(), await startStream()];
  await leaveAll([...streams, ...own]);

  more.leave();
  await eventually('the upstream to be left', () => more.seen.abortedAt);
  const [left] = await records(1);
  expect(left).toMatchObject({ status: 'client_gone', estimated: true });
  expect([...streams, ...own].filter(({ seen }) => seen.abortedAt !== undefined)).toEqual([]);

  own[0]?.gate.open();
  // The clock stands still: which of the two is listed first is not said.
  const ended = (await records(2)).find(({ request_id }) => request_id !== left?.request_id);
  expect(ended).toMatchObject({ status: 'client_gone', input_tokens: 11 });
  await leaveAll([later]);
  expect(later.seen.abortedAt).toBeUndefined();

  for (const { gate } of [...streams, ...own, later]) gate.open();
  await records(MAX_OF_ACCOUNT + 2);
  for (const other of others) await records(MAX_OF_ACCOUNT, other);
  expect(gateway.audit()).toEqual([]);
});

describe('a whole answer', () => {
  const BOUND = 20;

  async function startWhole(script: Script): Promise<Pick<Streaming, 'seen' | 'leave'>> {
    const at = gateway.upstream.requests.length;
    gateway.upstream.next(script);
    const leaving = new AbortController();
    const call = gateway.chat(
      account.key,
      { model: 'up-drained', max_tokens: BOUND, n: 2 },
      { signal: leaving.signal },
    );
    call.catch(() => {});
    return { seen: await gateway.upstream.request(at), leave: () => leaving.abort() };
  }

  const lost = () =>
    gateway.sql<{ reason: string; amount_nano: bigint }>(
      'SELECT reason, amount_nano FROM losses WHERE account_id = ?',
      account.accountId,
    );

  async function waitForAll(answers: readonly Pick<Streaming, 'leave'>[]): Promise<void> {
    const before = timers();
    for (const { leave } of answers) leave();
    await eventually('all to be waited for', () => timers() - before === answers.length);
  }

  test.each([
    ['not a byte', cutAt(chatAnswer(), 'head', 'stall')],
    ['a half', cutAt(chatAnswer(), 40, 'stall')],
  ])('of which %s has come is left after half a minute, and is free', async (_, script) => {
    const answer = await startWhole(script);
    await waitForAll([answer]);
    await clock.advance(READ_TO_END_MS - 1);
    expect(answer.seen.abortedAt).toBeUndefined();
    await clock.advance(1);
    const [record] = await records(1);
    await eventually('the upstream to be left', () => answer.seen.abortedAt);
    expect(record).toMatchObject({ status: 'client_gone', cost_nano: '0', channel: null });
    expect(lost()).toMatchObject([{ reason: 'client_gone' }]);
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
  });

  test('that comes in time is not left, and its input is paid', async () => {
    const gate = createGate();
    const { body = [], ...rest } = chatAnswer({ pieces: ['Hello'] });
    const answer = await startWhole({ ...rest, framing: 'chunked', body: [gate.opened, ...body] });
    await waitForAll([answer]);
    gate.open();
    const [record] = await records(1);
    expect(answer.seen.abortedAt).toBeUndefined();
    expect(record).toMatchObject({ status: 'client_gone', estimated: false, input_tokens: 11, output_tokens: 0 });
    expect(BigInt(record?.cost_nano)).toBe(11n * UP_PRICES.input);
  });

  test('one more than 16 of one account is left at once, and booked with all that it may have become', async () => {
    const answers = [];
    for (let n = 0; n < MAX_OF_ACCOUNT; n++) answers.push(await startWhole(cutAt(chatAnswer(), 'head', 'stall')));
    const more = await startWhole(cutAt(chatAnswer(), 'head', 'stall'));
    await waitForAll(answers);
    more.leave();
    await eventually('the upstream to be left', () => more.seen.abortedAt);
    await records(1);
    const [loss] = lost();
    expect(loss?.reason).toBe('client_gone');
    expect(loss?.amount_nano).toBeGreaterThan(BigInt(2 * BOUND) * UP_PRICES.output);
    expect(answers.filter(({ seen }) => seen.abortedAt !== undefined)).toEqual([]);
    await clock.advance(READ_TO_END_MS);
    await records(MAX_OF_ACCOUNT + 1);
    expect(gateway.audit()).toEqual([]);
  });
});
