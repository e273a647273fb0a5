// Ways in which a customer could have an answer made and leave the operator to pay for it, one test each. The vendor keeps
// its own bill; what the customer pays must cover it as the billing table says.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { assembleChat, assembleMessages } from '../support/assemble.ts';
import { assembleResponses } from '../support/assemble-responses.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { jsonScript, sseScript, sseText } from '../support/openai-chat.ts';
import { responseEvents, responseFrame } from '../support/openai-responses.ts';
import { createReadOnClock } from '../support/read-on-clock.ts';
import { ruleOf, sumOf } from './books.ts';
import { ask, readUntil, SPEECHES } from './clients.ts';
import {
  CONTEXT_TOKENS,
  type Customer,
  costOf,
  counted,
  MAX_OUTPUT_TOKENS,
  type Market,
  PRICE,
  startMarket,
} from './market.ts';
import type { Plan, Speech, VendorCall } from './vendor.ts';

const ASSEMBLE = { chat: assembleChat, messages: assembleMessages, responses: assembleResponses };

/** More tokens by the vendor's count than by the gateway's. */
const PIECES = ['Al', 'pha', ' be', 'ta', ' gam', 'ma', ' del', 'ta', ' is', ' the', ' end'];
const THOUGHT = 300;
/** Longer than the gateway takes to see that a client has left. */
const NOTICE_MS = 1_000;

let market: Market;
let customer: Customer;
let readsOn: () => number;

beforeAll(async () => {
  const { clock, timers } = createReadOnClock(systemClock);
  readsOn = timers;
  market = await startMarket({ clock });
});
beforeEach(async () => {
  market.vendor.reset();
  customer = await market.join();
});
afterAll(() => market.stop());

const lastCall = (): VendorCall => {
  const call = market.vendor.calls.at(-1);
  if (!call) throw new Error('the vendor was not asked');
  return call;
};

/** Leaves once `text` has come, then lets the vendor go on, and waits until the call is closed. */
async function leaveAt(
  open: (signal: AbortSignal) => Promise<Response>,
  text: string,
  goOn: () => void,
): Promise<void> {
  const leaving = new AbortController();
  await readUntil(await open(leaving.signal), text);
  const before = readsOn();
  leaving.abort();
  const { request } = lastCall();
  await eventually('the hang-up to be noticed', () => readsOn() > before || request.ended, NOTICE_MS).catch(() => {});
  goOn();
  await eventually('the vendor to be done', () => request.ended);
}

/** A stream of this plan, left after its first visible word. */
async function leaveAtFirstWord(speech: Speech, plan: Plan, fields: Record<string, unknown> = {}): Promise<void> {
  const gate = createGate();
  const pauses = [...(plan.pauses ?? []), { after: 1, until: gate.opened }];
  market.vendor.next({ pieces: PIECES, ...plan, pauses });
  await leaveAt((signal) => ask(customer, speech, { stream: true, ...fields }, signal), '"Al"', gate.open);
}

/** Input, reasoning and this much of the output are paid; the rest of the vendor's bill is booked as a loss. */
async function expectPaidFor(delivered: string): Promise<void> {
  await customer.record();
  const billed = lastCall().billed();
  const paid = await customer.paid();
  expect(paid).toBeGreaterThanOrEqual(costOf({ ...billed, output: counted(delivered) }));
  expect(paid).toBeLessThan(costOf(billed));
  const losses = await customer.losses();
  expect(losses.map(({ reason }) => reason)).toEqual(['undelivered']);
  expect(paid + sumOf(losses)).toBe(costOf(billed));
}

describe('reasoning that no event shows', () => {
  test('is paid when a stop sequence matched by the gateway ends the stream', async () => {
    market.vendor.next({ pieces: PIECES, hidden: THOUGHT });
    const stop_sequences = ['S1', 'S2', 'S3', 'S4', ' gamma'];
    const response = await ask(customer, 'messages', { model: 'by-chat', stop_sequences, stream: true });
    const answer = assembleMessages(await response.text());
    expect(answer).toMatchObject({ finish: 'stop_sequence', complete: true });
    expect(Object.values(answer.content)).toEqual(['Alpha beta']);
    await expectPaidFor('Alpha beta');
  });

  test.each(['chat', 'responses'] as const)(
    'is paid when the client hangs up at the first word: %s',
    async (speech) => {
      await leaveAtFirstWord(speech, { hidden: THOUGHT });
      const { input } = lastCall().billed();
      expect(await customer.record()).toMatchObject({ status: 'client_gone' });
      expect(await customer.paid()).toBe(costOf({ input, reasoning: THOUGHT, output: counted('Al') }));
      expect(lastCall().request.abortedAt).toBeUndefined();
    },
  );

  test('is paid where the vendor reports no breakdown: Claude with omitted thinking', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    await leaveAtFirstWord('messages', { hidden: THOUGHT }, { thinking, max_tokens: 1_500 });
    expect(await customer.record()).toMatchObject({ status: 'client_gone' });
    await expectPaidFor('Al');
  });

  test('is paid on a route of an unknown name that takes long to its first word', async () => {
    const pauses = [{ after: 0, until: Bun.sleep(2_100) }];
    await leaveAtFirstWord('chat', { hidden: THOUGHT, pauses }, { model: 'nameless' });
    await expectPaidFor('Al');
    // From then on the route is known for it.
    await leaveAtFirstWord('chat', { hidden: THOUGHT }, { model: 'nameless' });
    expect(await customer.records()).toHaveLength(2);
    const billed = market.vendor.calls.reduce((sum, call) => sum + costOf(call.billed()), 0n);
    expect((await customer.paid()) + sumOf(await customer.losses())).toBeGreaterThanOrEqual((billed * 2n) / 3n);
  });
});

describe('a whole answer, left at once', () => {
  /** Leaves when the vendor was asked, then lets it answer. */
  async function leaveWhole(
    speech: Speech,
    planOf: (gate: Promise<void>) => Plan,
    fields: Record<string, unknown> = {},
  ): Promise<void> {
    const gate = createGate();
    market.vendor.next(planOf(gate.opened));
    const leaving = new AbortController();
    const asking = ask(customer, speech, fields, leaving.signal).catch(() => undefined);
    await eventually('the vendor to be asked', () => market.vendor.calls.length > 0);
    const before = readsOn();
    leaving.abort();
    await asking;
    await eventually('the answer to be waited for', () => readsOn() > before);
    gate.open();
  }

  test.each([
    ['by-chat', 'chat', THOUGHT],
    ['by-responses', 'responses', THOUGHT],
  ] as const)('pays its input and reasoning, and the rest is booked: %s', async (model, speech, hidden) => {
    await leaveWhole(speech, (until) => ({ pieces: PIECES, hidden, pauses: [{ after: 0, until }] }), { model });
    const { request_id, ...record } = await customer.record();
    expect(record).toMatchObject({ status: 'client_gone', estimated: false, output_tokens: hidden });
    const billed = lastCall().billed();
    expect(await customer.paid()).toBe(costOf({ ...billed, output: 0 }));
    const losses = await customer.losses();
    expect(losses.map(({ reason }) => reason)).toEqual(['undelivered']);
    expect(sumOf(losses)).toBe(costOf({ input: 0, reasoning: 0, output: billed.output }));
    expect(ruleOf(await customer.receipt(request_id))).toBe('hung_up');
  });

  test('asks no other channel, and stays free, if the vendor then fails', async () => {
    await leaveWhole('chat', (until) => ({
      script: { ...jsonScript(500, {}), framing: 'chunked', body: [until, '{}'] },
    }));
    expect(await customer.record()).toMatchObject({ status: 'client_gone', cost_nano: '0' });
    expect([...market.vendor.calls, ...market.spare.calls]).toHaveLength(1);
  });
});

describe('reports that come late or in other forms', () => {
  test('after a stop sequence that the gateway matched, the report is waited for as long as the vendor goes on', async () => {
    const pauses = [7, 8, 9].map((after) => ({ after, until: Bun.sleep(350 * (after - 6)) }));
    market.vendor.next({ pieces: PIECES, hidden: THOUGHT, pauses });
    const stop_sequences = ['S1', 'S2', 'S3', 'S4', ' gamma'];
    const fields = { model: 'by-chat', stop_sequences, stream: true };
    await (await ask(customer, 'messages', fields)).text();
    await customer.record();
    expect(await customer.paid()).toBeGreaterThanOrEqual(costOf({ input: 0, reasoning: THOUGHT, output: 0 }));
  });

  test('a reasoning item without words does not stand for the reasoning', async () => {
    const pieces = ['Al', ...Array(400).fill(' word'), ' cut', ...Array(900).fill(' rest')];
    const tokens = { input_tokens: 20, output_tokens: THOUGHT + pieces.length };
    const usage = { ...tokens, output_tokens_details: { reasoning_tokens: THOUGHT } };
    const item = { id: 'rs_1', type: 'reasoning', summary: [] };
    const events = responseEvents({ pieces, usage });
    const at = events.findIndex(({ type }) => type === 'response.output_item.added');
    const own = ['added', 'done'].map((end) => ({ type: `response.output_item.${end}`, output_index: 0, item }));
    const moved = events.map((event) => ('output_index' in event ? { ...event, output_index: 1 } : event));
    const frames = [...moved.slice(0, at), ...own, ...moved.slice(at)].map((event, sequence_number) =>
      responseFrame({ ...event, sequence_number }),
    );
    const cut = frames.findIndex((frame) => frame.includes('" cut"')) + 1;
    const gate = createGate();
    const body = [...frames.slice(0, cut), gate.opened, ...frames.slice(cut)];
    const headers = { 'content-type': 'text/event-stream' };
    market.vendor.next({ pieces, script: { headers, framing: 'chunked', body } });
    const fields = { stream: true, max_tokens: 2_000 };
    await leaveAt((signal) => ask(customer, 'responses', fields, signal), '" cut"', gate.open);
    const { output_tokens } = await customer.record();
    expect(output_tokens).toBeWithin(THOUGHT + 380, THOUGHT + 900);
  });

  test('images that are priced each and left before they came are booked', async () => {
    const never = createGate();
    const headers = { 'content-type': 'application/json' };
    market.vendor.next({ script: { headers, framing: 'chunked', body: ['{', never.opened] } });
    const leaving = new AbortController();
    const body = { model: 'by-picture', prompt: 'a cat', n: 4 };
    const asking = customer.open('/v1/images/generations', body, { signal: leaving.signal }).catch(() => undefined);
    await eventually('the vendor to be asked', () => market.vendor.calls.length > 0);
    leaving.abort();
    await asking;
    expect(await customer.record()).toMatchObject({ cost_nano: '0' });
    expect(sumOf(await customer.losses())).toBeGreaterThanOrEqual(40_000_000n);
    never.open();
  });

  test('images that were read and not delivered are booked once', async () => {
    const never = createGate();
    const image = (name: string) => sseText(JSON.stringify({ type: 'image_generation.completed', b64_json: name }));
    market.vendor.next({ script: sseScript([image('QUJD1'), image('QUJD2'), never.opened]) });
    const body = { model: 'by-picture', prompt: 'a cat', n: 3, stream: true };
    // The second one waits for the third, or for the end.
    await leaveAt(
      (signal) => customer.open('/v1/images/generations', body, { signal }),
      'QUJD1',
      () => {},
    );
    expect(await customer.record()).toMatchObject({ status: 'client_gone', images: 1, cost_nano: '10000000' });
    expect(sumOf(await customer.losses())).toBe(20_000_000n);
    never.open();
  });
});

describe('input of a size that only the vendor knows: a file by URL', () => {
  const input = [
    {
      role: 'user',
      content: [
        { type: 'input_file', file_url: 'https://files.example/report.pdf' },
        { type: 'input_text', text: 'Summarise it.' },
      ],
    },
  ];

  const model = 'plain-responses';

  test('is paid as reported when the client hangs up', async () => {
    await leaveAtFirstWord('responses', { input: 9_000 }, { input, model });
    expect(await customer.record()).toMatchObject({ status: 'client_gone', input_tokens: 9_000 });
    await expectPaidFor('Al');
  });

  test('is paid as held when the client hangs up and no report comes', async () => {
    await leaveAtFirstWord('responses', { input: 9_000, report: 'none' }, { input, model });
    expect(await customer.record()).toMatchObject({ status: 'client_gone', estimated: true });
    expect(await customer.paid()).toBe(costOf({ input: CONTEXT_TOKENS, reasoning: 0, output: counted('Al') }));
  });
});

describe('an image priced by tokens, left after its third part', () => {
  const PAINTED = 1_500;
  const INPUT = 12;

  async function leaveImage(usage: Record<string, number> | undefined): Promise<void> {
    const gate = createGate();
    const part = (index: number) =>
      sseText(
        JSON.stringify({
          ...{ type: 'image_generation.partial_image', b64_json: `QUJD${index}` },
          partial_image_index: index,
        }),
      );
    const end = { type: 'image_generation.completed', b64_json: 'RU5E', ...(usage ? { usage } : {}) };
    market.vendor.next({
      input: INPUT,
      pieces: Array(PAINTED).fill('x'),
      script: sseScript([part(0), part(1), part(2), gate.opened, sseText(JSON.stringify(end))]),
    });
    const body = { model: 'by-pixels', prompt: 'a cat', stream: true, partial_images: 3 };
    await leaveAt((signal) => customer.open('/v1/images/generations', body, { signal }), 'QUJD2', gate.open);
  }

  test('is paid as reported', async () => {
    await leaveImage({ input_tokens: INPUT, output_tokens: PAINTED, total_tokens: INPUT + PAINTED });
    expect(await customer.record()).toMatchObject({ status: 'client_gone', output_tokens: PAINTED });
    expect(await customer.paid()).toBe(costOf({ input: INPUT, reasoning: 0, output: PAINTED }));
  });

  test('is paid as held when no report comes', async () => {
    await leaveImage(undefined);
    expect(await customer.record()).toMatchObject({ status: 'client_gone', output_tokens: MAX_OUTPUT_TOKENS });
    expect(await customer.paid()).toBeGreaterThanOrEqual(BigInt(MAX_OUTPUT_TOKENS) * PRICE.output);
  });
});

describe('60 answers that the client’s own stop sequence leaves empty are paid as reported', () => {
  const ROUNDS = 60;
  const INPUT = 40;
  const OUTPUT = 9;
  const chatUsage = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };
  const choice = { index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' };
  const chat = (fields: Record<string, unknown> = {}) => ({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm', usage: chatUsage },
    choices: [{ ...choice, ...fields }],
  });
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] },
    ...{ stop_reason: 'stop_sequence', stop_sequence: '1' },
    usage: { input_tokens: INPUT, output_tokens: OUTPUT },
  };
  const logprobs = { content: [{ token: '1', logprob: -0.1, bytes: [49], top_logprobs: [] }] };

  test.each<[string, Speech, Record<string, unknown>, unknown]>([
    ['messages: no content', 'messages', { stop_sequences: ['1'] }, message],
    ['chat: no content', 'chat', { stop: '1' }, chat()],
    ['chat: vLLM names the sequence', 'chat', { stop: ['1'] }, chat({ stop_reason: '1' })],
    ['chat: nothing but log probabilities', 'chat', { stop: ['1'], logprobs: true }, chat({ logprobs })],
  ])('%s', async (_what, speech, fields, body) => {
    const plan: Plan = { input: INPUT, pieces: Array(OUTPUT).fill('x'), script: jsonScript(200, body) };
    market.vendor.next(...Array<Plan>(ROUNDS).fill(plan));
    for (let round = 0; round < ROUNDS; round++) {
      expect((await ask(customer, speech, fields)).status).toBe(200);
    }
    expect(market.vendor.calls).toHaveLength(ROUNDS);
    const owed = costOf({ input: INPUT, reasoning: 0, output: OUTPUT });
    expect((await customer.records()).map(({ cost_nano }) => cost_nano)).toEqual(Array(ROUNDS).fill(String(owed)));
    expect(await customer.paid()).toBe(BigInt(ROUNDS) * owed);
  });
});

describe('an upstream that ignores its output bound', () => {
  const BOUND = 50;
  /** Where the gateway must have ended a stream that passes its bound, by its own count. */
  const MOST = 6 * BOUND;
  const FINISH = { chat: 'length', messages: 'max_tokens', responses: 'max_output_tokens' };

  test.each(SPEECHES)('is ended as if it had reached the bound: %s', async (speech) => {
    market.vendor.next({ pieces: Array(3_000).fill(' word') });
    const response = await ask(customer, speech, { stream: true, max_tokens: BOUND });
    const text = await response.text();
    expect(text).toContain(`"${FINISH[speech]}"`);
    expect(ASSEMBLE[speech](text)).toMatchObject({ complete: true, finish: FINISH[speech] });
    const delivered = counted(' word'.repeat(text.split('" word"').length - 1));
    expect(delivered).toBeGreaterThanOrEqual(BOUND);
    expect(delivered).toBeLessThanOrEqual(MOST);
    const { cost_nano, request_id } = await customer.record();
    expect(BigInt(cost_nano)).toBeGreaterThan(BigInt(BOUND) * PRICE.output);
    expect((await customer.losses()).map(({ reason }) => reason)).toEqual(['undelivered']);
    expect(ruleOf(await customer.receipt(request_id))).toBe('output_limit');
  });

  test.each([
    ['reasoning', { pieces: [' word'], thoughts: Array<string>(3_000).fill(' thought') }, '" thought"'],
    ['text after reasoning', { pieces: Array<string>(3_000).fill(' word'), thoughts: [' thought'] }, '" word"'],
  ])('closes what it opened in a response: %s', async (_, plan, last) => {
    market.vendor.next(plan);
    const text = await (await ask(customer, 'responses', { stream: true, max_tokens: BOUND })).text();
    expect(text).toContain(last);
    expect(assembleResponses(text)).toMatchObject({ complete: true, finish: 'max_output_tokens' });
    expect(text.split('event: response.output_item.done')).toHaveLength(
      text.split('event: response.output_item.added').length,
    );
  });

  test('gives one image where one was asked for, and one is paid', async () => {
    const data = Array.from({ length: 15 }, (_, index) => ({ b64_json: `QUJD${index}` }));
    market.vendor.next({ script: jsonScript(200, { created: 1, data }) });
    const body = { model: 'by-picture', prompt: 'a cat', n: 1 };
    const response = await customer.open('/v1/images/generations', body);
    expect((await response.json()).data).toHaveLength(1);
    expect(await customer.record()).toMatchObject({ images: 1, cost_nano: '10000000' });
    expect(market.gateway.log.alarms('usage_above_hold')).toEqual([]);
  });
});

describe('usage that says less than was made', () => {
  const WORDS = Array<string>(300).fill(' word');

  test.each(SPEECHES.flatMap((speech) => [true, false].map((stream) => [speech, stream] as const)))(
    'zeros beside 300 words are counted here: %s, stream %p',
    async (speech, stream) => {
      market.vendor.next({ pieces: WORDS, report: 'zero' });
      await (await ask(customer, speech, { stream })).text();
      const record = await customer.record();
      expect(record).toMatchObject({ estimated: true, output_tokens: counted(WORDS.join('')) });
      expect(record.input_tokens).toBeGreaterThan(0);
      expect(await customer.paid()).toBe(
        costOf({ input: record.input_tokens, reasoning: 0, output: record.output_tokens }),
      );
    },
  );

  test.each(SPEECHES)('a few tokens for 300 words are not believed after a hang-up: %s', async (speech) => {
    const gate = createGate();
    const tokens = { chat: ['prompt_tokens', 'completion_tokens'], other: ['input_tokens', 'output_tokens'] };
    const [input, output] = speech === 'chat' ? tokens.chat : tokens.other;
    const usage = { [String(input)]: 40, [String(output)]: 7 };
    const pieces = [...WORDS, ' left', ' rest'];
    market.vendor.next({ pieces, usage, pauses: [{ after: WORDS.length + 1, until: gate.opened }] });
    const thinking = speech === 'messages' ? { thinking: { type: 'enabled', budget_tokens: 1_024 } } : {};
    const fields = { stream: true, max_tokens: 1_500, ...thinking };
    await leaveAt((signal) => ask(customer, speech, fields, signal), '" left"', gate.open);
    const record = await customer.record();
    expect(record).toMatchObject({ status: 'client_gone', estimated: true, input_tokens: 40 });
    expect(record.output_tokens).toBeGreaterThanOrEqual(counted(`${WORDS.join('')} left`));
    expect(market.gateway.log.alarms('usage_invalid')).toContainEqual(
      expect.objectContaining({ request_id: record.request_id, channel: `${speech}-1` }),
    );
  });

  /** By our count these are many times the tokens that they are. */
  const base64 = Buffer.from(Array.from({ length: 6_000 }, (_, index) => (index * index * 7) % 251)).toString('base64');
  test.each([
    ['a run of one character', '='.repeat(4_000)],
    ['base64', base64.slice(0, 4_000)],
    ['white space', ' \n\t'.repeat(1_300)],
    ['a table without words', '| --- '.repeat(600)],
  ])('a report that may be right holds after a hang-up: %s', async (_, text) => {
    const usage = {
      ...{ prompt_tokens: 10_000, completion_tokens: 70, total_tokens: 10_070 },
      prompt_tokens_details: { cached_tokens: 9_000 },
    };
    const pieces = [...(text.match(/.{1,3}/gs) ?? []), ' left', '.'];
    const fields = { stream: true, max_tokens: 5_000 };
    market.vendor.next({ pieces, usage });
    await (await ask(customer, 'chat', fields)).text();
    const served = await customer.record();
    expect(served).toMatchObject({ input_tokens: 1_000, cached_input_tokens: 9_000, output_tokens: 70 });
    const gate = createGate();
    market.vendor.next({ pieces, usage, pauses: [{ after: pieces.length - 1, until: gate.opened }] });
    await leaveAt((signal) => ask(customer, 'chat', fields, signal), '" left"', gate.open);
    const [left] = await eventually('both records', async () => {
      const records = await customer.records();
      return records.length === 2 && records;
    });
    expect(left).toMatchObject({ status: 'client_gone', input_tokens: 1_000, cached_input_tokens: 9_000 });
    expect(BigInt(left?.cost_nano ?? 0)).toBeLessThanOrEqual(BigInt(served.cost_nano));
  });

  test('reasoning beside the completion is paid where the total says so', async () => {
    const [prompt_tokens, completion_tokens, reasoning_tokens] = [40, 2, THOUGHT];
    const usage = {
      ...{ prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens + reasoning_tokens },
      completion_tokens_details: { reasoning_tokens },
    };
    market.vendor.next({ input: prompt_tokens, hidden: THOUGHT, pieces: [' a', ' b'], usage });
    await (await ask(customer, 'chat')).text();
    expect(await customer.record()).toMatchObject({ output_tokens: 2 + THOUGHT, reasoning_tokens: THOUGHT });
    expect(await customer.paid()).toBe(costOf(lastCall().billed()));
  });

  test('cache hits in DeepSeek’s own words are paid at the price of cached input', async () => {
    const usage = {
      ...{ prompt_tokens: 100, completion_tokens: 2, total_tokens: 102 },
      ...{ prompt_cache_hit_tokens: 80, prompt_cache_miss_tokens: 20 },
    };
    market.vendor.next({ input: 100, pieces: [' a', ' b'], usage });
    await (await ask(customer, 'chat')).text();
    expect(await customer.record()).toMatchObject({ input_tokens: 20, cached_input_tokens: 80 });
    expect(await customer.paid()).toBe(20n * PRICE.input + 80n * PRICE.cached + 2n * PRICE.output);
  });
});
