// A price that changes at a date: every call has the price of the moment at which it was admitted, and its receipt finds it.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '../../src/kit/clock.ts';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';

import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { type TestDocument, upModel } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
const BODY = { model: 'sold', max_tokens: 50, messages: [{ role: 'user', content: 'Hello there.' }] };
/** 11 tokens in and 7 out, by the input price in NT$; output costs four times as much. */
const costAt = (price: bigint) => ((11n + 4n * 7n) * price * 1_000n).toString();

let dataDir: string;
let clock: ShiftedClock;
let gateway: TestGateway;
let account: TestAccount;
let changesAt: number;

const withChange =
  (inFlight = 32) =>
  (standard: TestDocument): TestDocument => {
    const change = { effective_at: new Date(changesAt).toISOString(), input: 20, output: 80 };
    const model = upModel('sold', { price: { input: 10, output: 40, changes: [change] } });
    const dear = upModel('dear', {
      price: { input: 600, output: 600, changes: [{ ...change, input: 1, output: 1 }] },
    });
    return {
      ...standard,
      models: [...standard.models, dear, model],
      limits: { ...standard.limits, in_flight: inFlight },
    };
  };

async function start(): Promise<void> {
  gateway = await startTestGateway({ clock, document: withChange(), dataDir });
  gateway.upstream.otherwise(chatAnswer());
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'gateway-scheduled-'));
  clock = createShiftedClock({ standsStill: true });
  changesAt = clock.now() + HOUR_MS;
  await start();
  account = await gateway.register();
});
afterEach(async () => {
  await gateway.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const skipTo = (at: number) => clock.skip(at - clock.now());
const call = (headers: Record<string, string> = {}) => gateway.call(CHAT, { key: account.key, body: BODY, headers });
const quote = async (): Promise<Answer> =>
  (await gateway.call('/api/quote', { key: account.key, body: { endpoint: CHAT, body: BODY } })).json();
const idOf = (response: Response) => response.headers.get('x-request-id') ?? '';

/** The receipt, whose lines add up to its cost. */
async function receiptOf(id: string): Promise<Answer> {
  const receipt = await gateway.get(`/api/receipts/${id}`, account.key);
  const sum = receipt.lines.reduce((total: bigint, line: Answer) => total + BigInt(line.amount_nano), 0n);
  expect(sum.toString()).toBe(receipt.cost_nano);
  return receipt;
}

async function charged(response: Response): Promise<Answer> {
  expect(response.status).toBe(200);
  await response.text();
  return receiptOf(idOf(response));
}

test('the millisecond before has the old price, the moment itself the new one, within one revision', async () => {
  skipTo(changesAt - 1);
  const before = await charged(await call());
  clock.skip(1);
  const after = await charged(await call());
  expect([before.cost_nano, after.cost_nano]).toEqual([costAt(10n), costAt(20n)]);
  expect(after.revision).toBe(before.revision);
  expect(await receiptOf(before.request_id)).toEqual(before);
  expect(gateway.audit()).toEqual([]);
});

test('receipts of both sides stay after a restart and under a later revision', async () => {
  skipTo(changesAt - 1);
  const before = await charged(await call());
  clock.skip(1);
  const after = await charged(await call());
  await gateway.stop();
  await start();
  expect((await charged(await call())).cost_nano).toBe(costAt(20n));
  await gateway.apply((standard) => ({
    ...standard,
    models: [...standard.models, upModel('sold', { price: { input: 1, output: 4 } })],
  }));
  expect((await charged(await call())).cost_nano).toBe(costAt(1n));
  expect(await receiptOf(before.request_id)).toEqual(before);
  expect(await receiptOf(after.request_id)).toEqual(after);
});

test('a call that runs through the change keeps its price', async () => {
  skipTo(changesAt - 1);
  const gate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const running = untilHeard(() => call());
  await gateway.upstream.request(0);
  clock.skip(HOUR_MS / 60);
  gate.open();
  expect((await charged(await running)).cost_nano).toBe(costAt(10n));
});

/** Counts admissions that are refused for this reason: such a call waits. */
function countRefused(reason: string): () => number {
  const { store } = gateway.gateway;
  const { commit } = store;
  let refused = 0;
  store.commit = async (name, input) => {
    const result = await commit(name, input);
    if (name === 'admit' && (result as { reason?: string }).reason === reason) refused++;
    return result;
  };
  return () => refused;
}

test('a free call that waits for a slot through the change gets it', async () => {
  const refused = countRefused('free_minute_limit');
  changesAt = clock.now() + 59_500;
  await gateway.apply((standard) => {
    const document = withChange()(standard);
    return { ...document, limits: { ...document.limits, free_per_minute: 1 } };
  });
  const free = () => gateway.chat(account.key, { model: 'up-free' });
  expect((await free()).status).toBe(200);
  clock.skip(59_000);
  const waiting = free();
  await eventually('the call to wait', () => refused() > 0);
  clock.skip(1_000);
  expect((await waiting).status).toBe(200);
});

test('a call that waits for money through the change has the price of before, and its receipt finds it', async () => {
  const refused = countRefused('balance_in_use');
  skipTo(changesAt - 1);
  // Its prompt alone holds more than half of NT$1.
  const messages = [{ role: 'user', content: 'word '.repeat(230) }];
  const dear = { model: 'dear', max_tokens: 10, messages };
  const gate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const first = untilHeard(() => gateway.call(CHAT, { key: account.key, body: dear }));
  await gateway.upstream.request(0);
  const second = gateway.call(CHAT, { key: account.key, body: dear });
  await eventually('the second call to wait', () => refused() > 0);
  clock.skip(1_000);
  gate.open();
  await charged(await first);
  const receipt = await charged(await second);
  expect(receipt.cost_nano).toBe((18n * 600_000n).toString());
  expect(receipt.at).toBe(new Date(changesAt + 999).toISOString());
  expect(gateway.audit()).toEqual([]);
});

test('a clock that steps back over the change has the old price again', async () => {
  skipTo(changesAt);
  expect((await charged(await call())).cost_nano).toBe(costAt(20n));
  clock.skip(-1);
  expect((await charged(await call())).cost_nano).toBe(costAt(10n));
});

test('a quote keeps its price for ten minutes, through the change and a later revision', async () => {
  skipTo(changesAt - 60_000);
  const { quote_id, expires_at, price } = await quote();
  expect(expires_at).toBe(new Date(clock.now() + 600_000).toISOString());
  const change = { effective_at: new Date(changesAt).toISOString(), input: 20, output: 80 };
  expect(price).toMatchObject({ input: 10, changes: [change] });
  const quoted = async () => charged(await call({ 'x-svc-quote': quote_id }));
  const receipts = [await quoted()];
  skipTo(changesAt);
  const at = new Date(clock.now()).toISOString();
  receipts.push(await quoted());
  expect(await quote()).toMatchObject({ price: { input: 20 } });
  await gateway.apply(withChange(30));
  receipts.push(await quoted());
  expect(receipts.map(({ cost_nano }) => cost_nano)).toEqual([costAt(10n), costAt(10n), costAt(10n)]);
  // The records have the time of their call, not that of the price.
  expect(receipts.slice(1).map((receipt) => receipt.at)).toEqual([at, at]);
  expect((await charged(await call())).cost_nano).toBe(costAt(20n));
  skipTo(changesAt + 540_000);
  expect((await call({ 'x-svc-quote': quote_id })).status).toBe(409);
  await gateway.stop();
  await start();
  for (const receipt of receipts) expect(await receiptOf(receipt.request_id)).toEqual(receipt);
  expect(gateway.audit()).toEqual([]);
});

test('many quoted calls after the change count in the limits of the minute in which they are made', async () => {
  skipTo(changesAt - 60_000);
  const { quote_id } = await quote();
  skipTo(changesAt + 60_000);
  await gateway.apply((standard) => ({
    ...withChange()(standard),
    limits: { ...standard.limits, paid_per_minute: 2 },
  }));
  const statuses: number[] = [];
  for (let calls = 0; calls < 3; calls++) {
    const response = await call({ 'x-svc-quote': quote_id, 'x-svc-no-wait': '1' });
    statuses.push(response.status);
    await response.text();
  }
  expect(statuses).toEqual([200, 200, 429]);
});

test('a quote from after the change has the new price when another document is applied', async () => {
  skipTo(changesAt);
  const { quote_id } = await quote();
  await gateway.apply((standard) => ({
    ...standard,
    models: [...standard.models, upModel('sold', { price: { input: 90, output: 360 } })],
  }));
  expect((await charged(await call({ 'x-svc-quote': quote_id }))).cost_nano).toBe(costAt(20n));
});

test('the lists show the change until it comes, with another tag from then on', async () => {
  const catalog = () => gateway.call('/api/public/catalog');
  const first = await catalog();
  const { data }: Answer = await first.json();
  const change = { effective_at: new Date(changesAt).toISOString(), input: 20, output: 80 };
  expect(data.at(-1).price).toMatchObject({ input: 10, changes: [change] });
  expect((await gateway.get('/v1/models/sold', account.key)).price).toMatchObject({ input: 10, changes: [change] });
  skipTo(changesAt);
  const second = await catalog();
  expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
  const later: Answer = await second.json();
  expect(later.updated_at).toBe(new Date(changesAt).toISOString());
  expect(later.data.at(-1).price.input).toBe(20);
  expect(later.data.at(-1).price).not.toHaveProperty('changes');
});
