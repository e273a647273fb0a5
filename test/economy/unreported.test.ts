// Output that no report of the vendor covers: it is counted here, and charged or booked.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createGate, eventually } from '../support/eventually.ts';
import { jsonScript, sseScript, sseText } from '../support/openai-chat.ts';
import { sumOf } from './books.ts';
import { ask } from './clients.ts';
import { type Customer, costOf, counted, type Market, modelOf, PRICE, startMarket } from './market.ts';

const COST = { input: 10, output: 40 };

let market: Market;
let customer: Customer;

beforeAll(async () => {
  const free = modelOf('free-thinker', 'chat', 'gpt-5-mini', { price: 'free' });
  const routes = [{ channel: 'chat-1', model: 'gpt-5-mini', cost: COST }];
  market = await startMarket({ models: [{ ...free, routes }] });
});
beforeEach(async () => {
  market.vendor.reset();
  customer = await market.join();
});
afterAll(() => market.stop());

const chunk = (delta: Record<string, unknown>, fields: Record<string, unknown> = {}) =>
  sseText(JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...fields }] }));
const usageChunk = (usage: Record<string, number>) => sseText(JSON.stringify({ id: 'c', choices: [], usage }));
const DONE = sseText('[DONE]');

/** The report may be of all that comes: what clearly goes beyond it is counted here. */
test.each([
  ['after the end', [chunk({}, { finish_reason: 'stop' })], []],
  ['before the end', [], [chunk({}, { finish_reason: 'stop' })]],
])('text that comes after the report of a chat stream is paid: %s', async (_, before, after) => {
  const late = Array.from({ length: 50 }, () => ' late words');
  const script = sseScript([
    ...[chunk({ role: 'assistant', content: 'Early.' }), ...before],
    usageChunk({ prompt_tokens: 40, completion_tokens: 7, total_tokens: 47 }),
    ...[...late.map((content) => chunk({ content })), ...after, DONE],
  ]);
  market.vendor.next({ script });
  const text = await (await ask(customer, 'chat', { stream: true })).text();
  expect(text.split('" late words"')).toHaveLength(late.length + 1);
  const record = await customer.record();
  const output = counted(`Early.${late.join('')}`);
  expect(record).toMatchObject({ input_tokens: 40, output_tokens: output });
  expect(await customer.paid()).toBe(costOf({ input: 40, reasoning: 0, output }));
});

test('a report that comes first may be of the whole answer, though our count is far higher', async () => {
  const line = Array.from({ length: 500 }, () => chunk({ content: '==' }));
  const report = usageChunk({ prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 });
  const end = [chunk({}, { finish_reason: 'stop' }), DONE];
  market.vendor.next({ script: sseScript([chunk({ content: 'A line:' }), report, ...line, ...end]) });
  await (await ask(customer, 'chat', { stream: true })).text();
  expect(await customer.record()).toMatchObject({ input_tokens: 40, output_tokens: 20 });
});

test('a report beside the last words is all there is', async () => {
  const usage = { prompt_tokens: 40, completion_tokens: 7, total_tokens: 47 };
  const last = { id: 'c', choices: [{ index: 0, delta: { content: ' end' }, finish_reason: 'stop' }], usage };
  market.vendor.next({ script: sseScript([chunk({ content: 'A' }), sseText(JSON.stringify(last)), DONE]) });
  await (await ask(customer, 'chat', { stream: true })).text();
  expect(await customer.record()).toMatchObject({ input_tokens: 40, output_tokens: 7 });
});

describe('media in a chat answer without a report', () => {
  const BYTES = 16_000;
  const data = Buffer.alloc(BYTES, 7).toString('base64');
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } };

  test.each([
    ['a picture', { images: [picture] }, 1_290],
    ['audio', { audio: { id: 'audio_1', data } }, 20],
  ])('%s', async (_, said, tokens) => {
    const message = { role: 'assistant', content: null, ...said };
    const whole = { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] };
    market.vendor.next(
      { script: jsonScript(200, whole) },
      { script: sseScript([chunk(said), chunk({}, { finish_reason: 'stop' }), DONE]) },
    );
    for (const stream of [false, true]) {
      await (await ask(customer, 'chat', { stream, max_tokens: 2_000 })).text();
      const [record] = await customer.records();
      expect(record).toMatchObject({ estimated: true, output_tokens: tokens });
      expect(BigInt(record.cost_nano)).toBe(BigInt(record.input_tokens) * PRICE.input + BigInt(tokens) * PRICE.output);
    }
  });
});

test('unseen reasoning of a free model with a cost is booked by its time, where no report says it', async () => {
  const WAIT_MS = 600;
  const gate = createGate();
  market.vendor.next({ pieces: [' Hi'], report: 'none', pauses: [{ after: 0, until: gate.opened }] });
  const asking = ask(customer, 'chat', { model: 'free-thinker', stream: true });
  await eventually('the vendor to be asked', () => market.vendor.calls.length > 0);
  await Bun.sleep(WAIT_MS);
  gate.open();
  await (await asking).text();
  const { input_tokens } = await customer.record();
  const losses = await customer.losses();
  expect(losses.map(({ reason }) => reason)).toEqual(['free_model']);
  expect(sumOf(losses)).toBeGreaterThanOrEqual(
    costOf({ input: input_tokens, reasoning: (WAIT_MS * 60) / 1_000, output: 1 }),
  );
  expect(await customer.paid()).toBe(0n);
});
