// Usage in Anthropic's words: cached tokens beside the input, each by its price, and what was done beside the answer; nonsense is counted here.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { weighTokens } from '../../src/kit/tokens.ts';
import { MESSAGE_USAGE, messageAnswer, messageStream } from '../support/anthropic-messages.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { wireClient } from '../support/wire-clients.ts';

const client = wireClient('messages');
let lab: Lab;
beforeAll(async () => {
  lab = await startLab(client, {
    main: { price: { input: 10, cached_input: 1, cache_write_5m: 12.5, cache_write_1h: 20, output: 40 } },
  });
});
beforeEach(() => lab.first.reset());
afterAll(() => lab.stop());

describe.each([
  ['whole', messageAnswer, false],
  ['streamed', messageStream, true],
] as const)('%s', (_, make, stream) => {
  test('read, written for five minutes and for an hour, and thinking', async () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 80,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 4 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 30 },
    };
    lab.first.next(make({ usage: stream ? { ...usage, output_tokens_details: undefined } : usage }));
    const { record, answer } = await lab.ask({ stream, system: 'x'.repeat(500) });
    expect(record).toMatchObject({
      input_tokens: 10,
      cached_input_tokens: 80,
      cache_write_5m_tokens: 6,
      cache_write_1h_tokens: 4,
      output_tokens: 50,
      estimated: false,
      cost_nano: String(10 * 10_000 + 80 * 1_000 + 6 * 12_500 + 4 * 20_000 + 50 * 40_000),
    });
    if (stream) expect(answer.usage).toMatchObject({ cache_read_input_tokens: 80, cost_nano: record.cost_nano });
  });

  test('a cache that is only warmed', async () => {
    const usage = { input_tokens: 3, cache_creation_input_tokens: 400, output_tokens: 0 };
    lab.first.next(make({ pieces: [], stop: 'max_tokens', usage }));
    const { record } = await lab.ask({ stream, max_tokens: 0, system: 'x'.repeat(2_000) });
    expect(record).toMatchObject({ cache_write_5m_tokens: 400, cost_nano: String(3 * 10_000 + 400 * 12_500) });
  });

  test.each(['max_tokens', 'end_turn'])('thinking that is not shown, up to %s', async (stop) => {
    const usage = { input_tokens: 11, output_tokens: 90 };
    lab.first.next(make({ pieces: [], thinking: [''], stop, usage }));
    const { record } = await lab.ask({ stream });
    expect(record.cost_nano).toBe(String(11 * 10_000 + 90 * 40_000));
  });

  const message = { type: 'message', input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 0 };
  const compaction = {
    type: 'compaction',
    input_tokens: 100,
    cache_read_input_tokens: 30,
    cache_creation_input_tokens: 20,
    cache_creation: { ephemeral_1h_input_tokens: 5 },
    output_tokens: 25,
  };

  test('work beside the answer that only the iterations report is paid', async () => {
    const thoughts = { output_tokens_details: { thinking_tokens: 4 } };
    lab.first.next(
      make({ usage: { input_tokens: 11, output_tokens: 7, ...thoughts, iterations: [compaction, message] } }),
    );
    const { record, answer } = await lab.ask({ stream, system: 'x'.repeat(500) });
    expect(record).toMatchObject({
      input_tokens: 111,
      cached_input_tokens: 30,
      cache_write_5m_tokens: 15,
      cache_write_1h_tokens: 5,
      output_tokens: 32,
      // Which the iterations need not tell.
      reasoning_tokens: 4,
      estimated: false,
      cost_nano: String(111 * 10_000 + 30 * 1_000 + 15 * 12_500 + 5 * 20_000 + 32 * 40_000),
    });
    if (stream) expect(answer.usage).toMatchObject({ output_tokens: 7, cost_nano: record.cost_nano });
  });

  test.each([
    ['the same', [message]],
    ['less', [{ ...message, input_tokens: 1 }]],
    ['nothing', []],
    ['nothing that is a list', { count: 1 }],
  ])('iterations that tell %s change nothing', async (_what, iterations) => {
    lab.first.next(make({ usage: { input_tokens: 11, output_tokens: 7, iterations } }));
    const { record } = await lab.ask({ stream });
    expect(record).toMatchObject({ input_tokens: 11, output_tokens: 7, estimated: false });
  });

  test('what they report above the hold is written off', async () => {
    const usage = {
      input_tokens: 11,
      output_tokens: 7,
      iterations: [{ ...compaction, input_tokens: 180_000 }, message],
    };
    lab.first.next(make({ usage }));
    const { record } = await lab.ask({ stream });
    const [row] = lab.gateway.sql<{ held_nano: bigint }>(
      'SELECT held_nano FROM usage_records WHERE request_id = ?',
      record.request_id,
    );
    expect(record).toMatchObject({ input_tokens: 180_011, cost_nano: String(row?.held_nano) });
    const raised = lab.gateway.log
      .alarms('usage_above_hold')
      .filter(({ request_id }) => request_id === record.request_id);
    expect(raised).toHaveLength(1);
  });

  const nonsense: [what: string, usage: Record<string, unknown>][] = [
    ['a negative count', { input_tokens: -1, output_tokens: 5 }],
    ['counts as text', { input_tokens: '11', output_tokens: '7' }],
    ['a fraction', { input_tokens: 11, output_tokens: 7.5 }],
    ['a count past every bound', { input_tokens: 11, output_tokens: 1e18 }],
    [
      'more written for an hour than at all',
      {
        input_tokens: 1,
        output_tokens: 5,
        cache_creation_input_tokens: 1,
        cache_creation: { ephemeral_1h_input_tokens: 2 },
      },
    ],
    ['an iteration below zero', { ...MESSAGE_USAGE, iterations: [message, { ...compaction, input_tokens: -1 }] }],
    ['an iteration that is none', { ...MESSAGE_USAGE, iterations: [message, 5] }],
    [
      'iterations past every bound',
      { ...MESSAGE_USAGE, iterations: [7e8, 7e8].map((n) => ({ ...message, input_tokens: n })) },
    ],
  ];
  test.each(nonsense)('%s is an alarm, and counted here', async (_what, usage) => {
    lab.first.next(make({ usage }));
    const { record } = await lab.ask({ stream });
    expect(record.estimated).toBe(true);
    expect(BigInt(record.cost_nano)).toBeGreaterThan(0n);
    const raised = lab.gateway.log.alarms('usage_invalid').filter(({ request_id }) => request_id === record.request_id);
    expect(raised).toHaveLength(1);
  });
});

test('a stream that reports its output only at the start is counted here', async () => {
  const pieces = Array.from({ length: 20 }, (_, index) => ` word${index}`);
  const stream = messageStream({ pieces, usage: { input_tokens: 11, output_tokens: undefined } });
  expect(String(stream.body?.[0])).toContain('"output_tokens":1');
  lab.first.next(stream);
  const { record } = await lab.ask({ stream: true });
  expect(record).toMatchObject({
    input_tokens: 11,
    output_tokens: Math.round(weighTokens(pieces.join(''))),
    estimated: true,
  });
});

test('a stream whose end has nulls keeps the usage of its start', async () => {
  const usage = { input_tokens: 3, cache_read_input_tokens: 80, output_tokens: 50 };
  const { body = [], ...rest } = messageStream({ usage });
  const nulls = '"usage":{"input_tokens":null,"cache_read_input_tokens":null,"output_tokens":50}';
  const ended = body.map((event) => String(event).replace('"usage":{"output_tokens":50}', nulls));
  expect(ended.join('')).toContain(nulls);
  lab.first.next({ ...rest, body: ended });
  const { record } = await lab.ask({ stream: true, system: 'x'.repeat(500) });
  expect(record).toMatchObject({ input_tokens: 3, cached_input_tokens: 80, output_tokens: 50, estimated: false });
});

test.each([{}, { output_tokens_details: { thinking_tokens: 5 } }])(
  'a whole answer that tells its input alone, %j: its output is counted here',
  async (more) => {
    const usage = { input_tokens: 3, cache_read_input_tokens: 80, ...more };
    lab.first.next(messageAnswer({ pieces: ['One two three'], usage }));
    const { record } = await lab.ask({ system: 'x'.repeat(500) });
    const output_tokens = Math.round(weighTokens('One two three'));
    expect(record).toMatchObject({ input_tokens: 3, cached_input_tokens: 80, output_tokens, estimated: true });
  },
);

describe('a stream that reports its input, and nothing at its end', () => {
  const told = (usage: Record<string, unknown>) => {
    const { body = [], ...rest } = messageStream({ pieces: ['One two three'], usage: {} });
    const [start = '', ...more] = body.map(String);
    const begun = start.replace(/"usage":\{[^}]*\}/, `"usage":${JSON.stringify({ ...usage, output_tokens: 1 })}`);
    const without = more.map((event) => event.replace(/,"usage":\{[^}]*\}/, ''));
    return { ...rest, body: [begun, ...without] };
  };
  const output = Math.round(weighTokens('One two three'));

  test('is charged that input by its buckets, and its output by our count', async () => {
    const written = { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 4 };
    const input = { input_tokens: 3, cache_read_input_tokens: 80, cache_creation_input_tokens: 10 };
    lab.first.next(told({ ...input, cache_creation: written }));
    const { record, answer } = await lab.ask({ stream: true, system: 'x'.repeat(500) });
    expect(record).toMatchObject({
      input_tokens: 3,
      cached_input_tokens: 80,
      cache_write_5m_tokens: 6,
      cache_write_1h_tokens: 4,
      output_tokens: output,
      estimated: true,
      cost_nano: String(3 * 10_000 + 80 * 1_000 + 6 * 12_500 + 4 * 20_000 + output * 40_000),
    });
    expect(answer.usage).toMatchObject({ ...input, cache_creation: written, output_tokens: output });
  });

  test.each(['cache_read_input_tokens', 'cache_creation_input_tokens'])('also if all of it is %s', async (name) => {
    lab.first.next(told({ input_tokens: 0, [name]: 80 }));
    const { record } = await lab.ask({ stream: true, system: 'x'.repeat(500) });
    const price = name === 'cache_read_input_tokens' ? 1_000 : 12_500;
    expect(record).toMatchObject({ input_tokens: 0, cost_nano: String(80 * price + output * 40_000) });
  });

  test.each([
    ['zeros that stand for nothing yet', { input_tokens: 0, cache_read_input_tokens: 0 }],
    ['nonsense', { input_tokens: -3 }],
    ['no count', {}],
  ])('is counted whole if its start has %s', async (_, usage) => {
    lab.first.next(told(usage));
    const { record } = await lab.ask({ stream: true });
    expect(record).toMatchObject({ cached_input_tokens: 0, output_tokens: output, estimated: true });
    expect(record.input_tokens).toBeGreaterThan(3);
  });
});
