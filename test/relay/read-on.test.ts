// A channel that is read to its end when the client leaves is not read without end: half a minute each, 64 at once, 16 of one
// account.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually, type Gate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatStream } from '../support/openai-chat.ts';
import { createReadOnClock, READ_ON_MS } from '../support/read-on-clock.ts';
import { type ServerEvent, sseEvents, textOf } from '../support/sse.ts';
import { UP_PRICES, withDrainedModel } from '../support/test-document.ts';
import type { SeenRequest } from '../support/upstream.ts';

const MOST_AT_ONCE = 64;
const MOST_OF_ACCOUNT = 16;
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
  await clock.advance(READ_ON_MS - 1);
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
  ['one more than 64', MOST_AT_ONCE],
  ['one more than 16 of one account', MOST_OF_ACCOUNT],
])('%s is left at once; when one of them has ended, there is room again', async (_, most) => {
  const others: TestAccount[] = [];
  while (others.length * MOST_OF_ACCOUNT < most - MOST_OF_ACCOUNT) others.push(await gateway.register());
  const streams: Streaming[] = [];
  for (const other of others) {
    for (let n = 0; n < MOST_OF_ACCOUNT; n++) streams.push(await startStream(other));
  }
  const own: Streaming[] = [];
  while (own.length < MOST_OF_ACCOUNT) own.push(await startStream());
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
  await records(MOST_OF_ACCOUNT + 2);
  for (const other of others) await records(MOST_OF_ACCOUNT, other);
  expect(gateway.audit()).toEqual([]);
});
