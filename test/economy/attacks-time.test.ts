// How long a stream may take: as long as it keeps delivering, up to one hour, which the customer pays as far as it went.

import { afterEach, expect, test } from 'bun:test';
import { assembleChat } from '../support/assemble.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { createReadOnClock, READ_TO_END_MS } from '../support/read-on-clock.ts';
import { ruleOf, sumOf } from './books.ts';
import { ask } from './clients.ts';
import { type Customer, costOf, counted, type Market, NOTHING, startMarket } from './market.ts';

const TOTAL_MS = 300;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Less than the node's lease lasts. */
const STEP_MS = 9_000;

let market: Market;
let customer: Customer;
let clock: ManualClock;
let readsOn: () => number;
/** What the gateway has read of the vendor's answers. */
let read: string;
afterEach(() => market.stop());

async function start(timeouts: Record<string, number>): Promise<void> {
  const manual = createReadOnClock(createManualClock());
  clock = manual.clock;
  readsOn = manual.timers;
  read = '';
  market = await startMarket({ clock, channels: { timeouts }, fetch: noteRead });
  customer = await market.join();
}

/** Each part counts once the gateway has asked for it. */
async function noteRead(...call: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...call);
  const parts = response.body?.getReader();
  if (!parts) return response;
  const decoder = new TextDecoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await parts.read();
        if (done) return controller.close();
        read += decoder.decode(value, { stream: true });
        controller.enqueue(value);
      },
      cancel: (reason) => parts.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

/** In steps, each with an answer of the store, so that renewals of the node's lease keep up. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await clock.advance(Math.min(left, STEP_MS));
    await customer.held();
  }
}

interface Streaming {
  text(): string;
  hasEnded(): boolean;
  /** Lets the vendor send the next piece, and waits until the client has it. */
  next(): Promise<void>;
  /** Lets the vendor send all the rest. */
  finish(): void;
  leave(): void;
}

/** A stream of so many pieces that the test lets go one by one; the first comes at once. */
async function startStream(pieces: number, hidden = 0): Promise<Streaming> {
  const gates = Array.from({ length: pieces }, createGate);
  const pauses = gates.slice(1).map(({ opened }, index) => ({ after: index + 1, until: opened }));
  market.vendor.next({ pieces: gates.map((_, index) => ` w${index}`), pauses, hidden });
  const leaving = new AbortController();
  const fields = { stream: true, stream_options: { include_usage: true } };
  const response = await ask(customer, 'chat', fields, leaving.signal);
  let [text, ended, sent] = ['', false, 0];
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  })()
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  const arrived = (index: number) =>
    eventually(`piece ${index}`, () => ended || text.includes(JSON.stringify(` w${index}`)));
  await arrived(0);
  return {
    text: () => text,
    hasEnded: () => ended,
    async next() {
      gates[++sent]?.open();
      await arrived(sent);
    },
    finish() {
      for (const { open } of gates) open();
    },
    leave: () => leaving.abort(),
  };
}

test('a stream that keeps delivering is not ended by total_ms', async () => {
  await start({ total_ms: TOTAL_MS, idle_ms: 1_000 });
  const stream = await startStream(6);
  for (let piece = 1; piece < 6; piece++) {
    await clock.advance(TOTAL_MS - 50);
    await stream.next();
  }
  await eventually('the end', stream.hasEnded);
  expect(assembleChat(stream.text())).toMatchObject({ complete: true, content: { '0/content': ' w0 w1 w2 w3 w4 w5' } });
  await customer.record();
  expect(await customer.paid()).toBe(costOf(market.vendor.calls[0]?.billed() ?? NOTHING));
});

test('one that falls silent for idle_ms is ended, long after total_ms', async () => {
  await start({ total_ms: TOTAL_MS, idle_ms: 1_000 });
  const stream = await startStream(6);
  for (let piece = 1; piece < 4; piece++) {
    await clock.advance(TOTAL_MS - 50);
    await stream.next();
  }
  expect(stream.hasEnded()).toBe(false);
  await clock.advance(1_000);
  await eventually('the end', async () => {
    await clock.advance(100);
    return stream.hasEnded();
  });
  const { error, content } = assembleChat(stream.text());
  expect(content['0/content']).toBe(' w0 w1 w2 w3');
  expect(error).toBeDefined();
  expect(await customer.paid()).toBe(0n);
});

test('one hour ends it, and what was delivered is paid', async () => {
  await start({ total_ms: 10 * MINUTE_MS, idle_ms: 10 * MINUTE_MS });
  const stream = await startStream(20, 300);
  for (let piece = 1; piece < 12; piece++) {
    await pass(5 * MINUTE_MS);
    await stream.next();
    expect(stream.hasEnded()).toBe(false);
  }
  const before = readsOn();
  await pass(5 * MINUTE_MS + STEP_MS);
  expect(clock.monotonic()).toBeGreaterThan(HOUR_MS);
  await eventually('the hour to be noticed', () => stream.hasEnded() || readsOn() > before);
  stream.finish();
  const delivered = Array.from({ length: 12 }, (_, index) => ` w${index}`).join('');
  await eventually('the end', stream.hasEnded);
  expect(stream.text()).not.toContain('"finish_reason":"stop"');
  const { request_id } = await customer.record();
  const { input = 0 } = market.vendor.calls[0]?.billed() ?? {};
  expect(await customer.paid()).toBe(costOf({ input, reasoning: 300, output: counted(delivered) }));
  expect(ruleOf(await customer.receipt(request_id))).toBe('time_limit');
}, 30_000);

test('a vendor that goes on after a hang-up is stopped after half a minute, and what it made until then is paid or booked', async () => {
  await start({});
  const stream = await startStream(60);
  const before = readsOn();
  stream.leave();
  await eventually('the stream to be read on', () => readsOn() > before);
  for (let piece = 1; piece < 40; piece++) await stream.next();
  const [call] = market.vendor.calls;
  await eventually('the gateway to have read them', () => read.includes(JSON.stringify(' w39')));
  await clock.advance(READ_TO_END_MS);
  await eventually('the vendor to be stopped', () => call?.request.abortedAt);
  await customer.record();
  const { input } = call?.billed() ?? NOTHING;
  const sent = Array.from({ length: 40 }, (_, index) => ` w${index}`).join('');
  const [paid, losses] = [await customer.paid(), await customer.losses()];
  expect(paid).toBeGreaterThan(costOf({ input: Math.floor(input / 2), reasoning: 0, output: counted(' w0') }));
  expect(losses.map(({ reason }) => reason)).toEqual(['undelivered']);
  expect(sumOf(losses)).toBeGreaterThanOrEqual(costOf({ input: 0, reasoning: 0, output: counted(sent) - 10 }));
});
