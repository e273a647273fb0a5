// What an answer costs: what the upstream reports, checked; our own count where it reports nothing or nonsense; never
// more than the hold; nothing for nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import {
  type ChatOptions,
  chatAnswer,
  chatChunks,
  chatStream,
  jsonScript,
  sseScript,
  sseText,
} from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { readSse, usageOf } from '../support/sse.ts';
import { UP_PRICES } from '../support/test-document.ts';

interface Row {
  held_nano: bigint;
  cost_nano: bigint;
}

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** Plays one script to one call; returns the usage record of it. */
async function bill(script: Script, body: Record<string, unknown> = {}): Promise<Answer> {
  gateway.upstream.next(script);
  const response = await gateway.chat(account.key, { model: 'up-paid', max_tokens: 100, ...body });
  await response.text();
  expect(response.status).toBe(200);
  const { data } = await gateway.get('/api/usage', account.key);
  expect(data).toHaveLength(1);
  const { balance_nano, held_nano } = await gateway.get('/api/me', account.key);
  expect(BigInt(balance_nano)).toBe(1_000_000_000n - BigInt(data[0].cost_nano));
  expect(held_nano).toBe('0');
  expect(gateway.audit()).toEqual([]);
  return data[0];
}
const holdOf = (requestId: string): bigint =>
  gateway.sql<Row>('SELECT held_nano, cost_nano FROM usage_records WHERE request_id = ?', requestId)[0]?.held_nano ??
  0n;
const alarmsOf = (name: string, requestId: string) =>
  gateway.log.alarms(name).filter(({ request_id }) => request_id === requestId);
const KINDS: [kind: string, make: (options: ChatOptions) => Script, body: Record<string, unknown>][] = [
  ['whole', chatAnswer, {}],
  ['streamed', chatStream, { stream: true }],
];

describe.each(KINDS)('%s', (_, make, body) => {
  test('cached, written and reasoning tokens are priced by their bucket', async () => {
    const usage = {
      prompt_tokens: 1_000,
      completion_tokens: 90,
      prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 100 },
      completion_tokens_details: { reasoning_tokens: 40 },
    };
    const record = await bill(make({ usage }), { messages: [{ role: 'user', content: 'x'.repeat(4_000) }], ...body });
    expect(record).toMatchObject({
      input_tokens: 200,
      cached_input_tokens: 700,
      cache_write_5m_tokens: 100,
      output_tokens: 90,
      reasoning_tokens: 40,
      estimated: false,
    });
    const { input, cached, write, output } = UP_PRICES;
    expect(record.cost_nano).toBe((200n * input + 700n * cached + 100n * write + 90n * output).toString());
  });

  test('without usage it is counted here, and flagged', async () => {
    const record = await bill(make({ usage: null, pieces: ['some', ' words', ' here'] }), body);
    expect(record).toMatchObject({ estimated: true, cached_input_tokens: 0, status: 'ok' });
    expect(record.input_tokens).toBeGreaterThan(0);
    expect(record.output_tokens).toBeWithin(2, 8);
    const { input, output } = UP_PRICES;
    expect(record.cost_nano).toBe(
      (BigInt(record.input_tokens) * input + BigInt(record.output_tokens) * output).toString(),
    );
    expect(alarmsOf('usage_invalid', record.request_id)).toEqual([]);
  });

  test('one short word without usage is one token', async () => {
    const record = await bill(make({ usage: null, pieces: ['a'] }), body);
    expect(record).toMatchObject({ estimated: true, output_tokens: 1 });
    const { input, output } = UP_PRICES;
    expect(record.cost_nano).toBe((BigInt(record.input_tokens) * input + output).toString());
  });

  test.each([
    ['left out', { prompt_tokens: 11 }],
    ['null', { prompt_tokens: 11, completion_tokens: null, total_tokens: null }],
    ['less than nothing by the total', { prompt_tokens: 11, total_tokens: 10 }],
    ['nothing by the total', { prompt_tokens: 11, total_tokens: 11 }],
  ])('a completion that is %s is counted here, and the prompt is as told', async (_what, usage) => {
    const record = await bill(make({ usage: usage as never, pieces: ['some', ' words', ' here'] }), body);
    expect(record).toMatchObject({ estimated: true, status: 'ok', input_tokens: 11 });
    expect(record.output_tokens).toBeWithin(2, 8);
    expect(alarmsOf('usage_invalid', record.request_id)).toEqual([]);
  });

  test('a completion that only the total includes is the rest of it', async () => {
    const record = await bill(make({ usage: { prompt_tokens: 11, total_tokens: 18 } as never }), body);
    expect(record).toMatchObject({ input_tokens: 11, output_tokens: 7, estimated: false });
  });

  test('usage of 0 beside output counts as absent: it is counted here, without an alarm', async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const record = await bill(make({ usage }), body);
    expect(record).toMatchObject({ estimated: true });
    expect(record.input_tokens).toBeGreaterThan(0);
    expect(record.output_tokens).toBeGreaterThan(0);
    expect(BigInt(record.cost_nano)).toBeGreaterThan(0n);
    expect(alarmsOf('usage_invalid', record.request_id)).toEqual([]);
  });

  test('so it does beside reasoning alone', async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 0 };
    const record = await bill(make({ usage, pieces: [], reasoning: ['thinking'] }), body);
    expect(record).toMatchObject({ estimated: true });
  });

  test('usage of 0 without output is 0', async () => {
    const record = await bill(make({ pieces: [], usage: { prompt_tokens: 0, completion_tokens: 0 } }), body);
    expect(record).toMatchObject({ cost_nano: '0', estimated: false, input_tokens: 0 });
  });

  test.each([0, 1, 2])('%d tokens for a long answer are an alarm, and counted here', async (completion_tokens) => {
    const usage = { prompt_tokens: 11, completion_tokens };
    const record = await bill(make({ pieces: ['word '.repeat(300)], usage }), { max_tokens: 1_000, ...body });
    expect(record.estimated).toBe(true);
    expect(record.output_tokens).toBeGreaterThan(200);
    expect(alarmsOf('usage_invalid', record.request_id)).toHaveLength(1);
  });

  test.each([
    ['a run of spaces', ' '.repeat(400), 3],
    ['spaces in two tokens', ' '.repeat(256), 2],
    ['an image as base64 in a text', `data:image/png;base64,${'A'.repeat(20_000)}`, 258],
    ['a short answer', 'Yes, of course.', 1],
  ])('few tokens for much text are believed: %s', async (_what, text, completion_tokens) => {
    const record = await bill(make({ pieces: [text], usage: { prompt_tokens: 11, completion_tokens } }), body);
    expect(record).toMatchObject({ estimated: false, output_tokens: completion_tokens });
  });

  const nonsense: [what: string, usage: unknown][] = [
    ['a negative count', { prompt_tokens: -1, completion_tokens: 5 }],
    ['counts as text', { prompt_tokens: '11', completion_tokens: '7' }],
    ['a count past every bound', { prompt_tokens: 11, completion_tokens: 1e18 }],
    ['a fraction', { prompt_tokens: 11.5, completion_tokens: 7 }],
    ['no prompt', { completion_tokens: 7 }],
    ['more cached than read', { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 6 } }],
    [
      'more cached and written than read',
      {
        prompt_tokens: 10,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 6, cache_write_tokens: 6 },
      },
    ],
    [
      'more reasoning than output',
      { prompt_tokens: 5, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 2 } },
    ],
    ['a negative detail', { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: -5 } }],
    [
      'more reasoning than output, by the total too',
      { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6, completion_tokens_details: { reasoning_tokens: 2 } },
    ],
    ['more hits of the cache than read', { prompt_tokens: 5, completion_tokens: 3, prompt_cache_hit_tokens: 6 }],
    ['a fraction of a hit', { prompt_tokens: 5, completion_tokens: 3, prompt_cache_hit_tokens: 1.5 }],
    ['negative cached tokens', { prompt_tokens: 5, completion_tokens: 3, cached_tokens: -1 }],
  ];
  test.each(nonsense)('%s is an alarm, and counted here', async (_what, usage) => {
    const record = await bill(make({ usage: usage as never }), body);
    expect(record.estimated).toBe(true);
    expect(record.input_tokens).toBeGreaterThan(0);
    expect(alarmsOf('usage_invalid', record.request_id)).toHaveLength(1);
    const cost = BigInt(record.cost_nano);
    expect(cost).toBeGreaterThan(0n);
    expect(cost).toBeLessThanOrEqual(holdOf(record.request_id));
  });

  test('usage above the hold costs the hold; the operator loses the rest, with an alarm', async () => {
    const record = await bill(make({ usage: { prompt_tokens: 5_000, completion_tokens: 90_000 } }), body);
    const claimed = 5_000n * UP_PRICES.input + 90_000n * UP_PRICES.output;
    const held = holdOf(record.request_id);
    expect(BigInt(record.cost_nano)).toBe(held);
    expect(
      gateway.sql(
        'SELECT debit, credit, amount_nano, account_id FROM entries WHERE kind = ? AND reference = ?',
        'write_off',
        record.request_id,
      ),
    ).toEqual([{ debit: 'house:write_off', credit: 'house:revenue', amount_nano: claimed - held, account_id: null }]);
    const cost_nano = String(claimed - held);
    expect(alarmsOf('usage_above_hold', record.request_id)).toMatchObject([
      { model: 'up-paid', channel: 'up', cost_nano },
    ]);
    expect(record.estimated).toBe(false);
  });

  test('a write-off below a cent is booked without an alarm', async () => {
    const record = await bill(make({ usage: { prompt_tokens: 11, completion_tokens: 200 } }), body);
    const [written] = gateway.sql<{ amount_nano: bigint }>(
      'SELECT amount_nano FROM entries WHERE kind = ? AND reference = ?',
      'write_off',
      record.request_id,
    );
    expect(Number(written?.amount_nano)).toBeWithin(1, 10_000_000);
    expect(alarmsOf('usage_above_hold', record.request_id)).toEqual([]);
  });

  test('more text than was asked for, without usage, costs the hold at most', async () => {
    const record = await bill(make({ usage: null, pieces: ['word '.repeat(3_000)] }), { ...body, max_tokens: 16 });
    expect(record.estimated).toBe(true);
    expect(BigInt(record.cost_nano)).toBe(holdOf(record.request_id));
  });

  test('an answer that stops without output costs nothing, and shows its usage', async () => {
    const record = await bill(make({ pieces: [], usage: { prompt_tokens: 11, completion_tokens: 2 } }), body);
    expect(record).toMatchObject({ cost_nano: '0', status: 'ok', channel: 'up', estimated: false });
    expect(record).toMatchObject({ input_tokens: 11, output_tokens: 2 });
    const { lines } = await gateway.get(`/api/receipts/${record.request_id}`, account.key);
    const off = -(11n * UP_PRICES.input + 2n * UP_PRICES.output);
    expect(lines.at(-1)).toMatchObject({ bucket: 'written_off', amount_nano: off.toString() });
  });

  test('an answer without output or usage costs nothing; its input is counted here', async () => {
    const record = await bill(make({ pieces: [], usage: null }), body);
    expect(record).toMatchObject({ cost_nano: '0', output_tokens: 0, estimated: true });
    expect(record.input_tokens).toBeGreaterThan(0);
  });

  test('a filtered answer without output costs nothing', async () => {
    const record = await bill(make({ pieces: [], finish: 'content_filter' }), body);
    expect(record.cost_nano).toBe('0');
  });

  test('reasoning alone that ran into its length is paid', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 50 } };
    const record = await bill(make({ pieces: [], finish: 'length', usage }), body);
    expect(record.cost_nano).toBe((11n * UP_PRICES.input + 50n * UP_PRICES.output).toString());
  });

  test('an answer that ran into its length unseen is paid, also where the upstream says nothing of reasoning', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 50 };
    const record = await bill(make({ pieces: [], finish: 'length', usage }), body);
    expect(record.cost_nano).toBe((11n * UP_PRICES.input + 50n * UP_PRICES.output).toString());
  });

  test('a prompt that fills the context costs nothing', async () => {
    const usage = { prompt_tokens: 9_000, completion_tokens: 0 };
    const record = await bill(make({ pieces: [], finish: 'length', usage }), body);
    expect(record).toMatchObject({ cost_nano: '0', status: 'ok' });
  });

  test('reasoning that is shown is output', async () => {
    const record = await bill(make({ pieces: [], reasoning: ['thinking'] }), body);
    expect(record.cost_nano).toBe((11n * UP_PRICES.input + 7n * UP_PRICES.output).toString());
  });
});

test('several answers of which one ran into its length unseen are paid, whichever ends last', async () => {
  const usage = { prompt_tokens: 11, completion_tokens: 50 };
  const end = (index: number, finish_reason: string) => ({ index, delta: {}, finish_reason });
  const chunk = (choices: unknown[], rest = {}) => sseText(JSON.stringify({ id: 'x', choices, ...rest }));
  const ends = [chunk([end(0, 'length')]), chunk([end(1, 'stop')]), chunk([], { usage }), sseText('[DONE]')];
  const record = await bill(sseScript(ends), { stream: true, n: 2 });
  expect(record.cost_nano).toBe((11n * UP_PRICES.input + 50n * UP_PRICES.output).toString());
});

test('a call of a tool is output', async () => {
  const message = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
  };
  const usage = { prompt_tokens: 11, completion_tokens: 7 };
  const script = jsonScript(200, {
    id: 'x',
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage,
  });
  expect((await bill(script)).cost_nano).toBe((11n * UP_PRICES.input + 7n * UP_PRICES.output).toString());
});

describe.each([
  ['an image', { content: '', images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }] }],
  ['audio', { audio: { id: 'audio_1', data: 'QUJD' } }],
])('%s is output', (_, said) => {
  const usage = { prompt_tokens: 11, completion_tokens: 90 };
  const cost = (11n * UP_PRICES.input + 90n * UP_PRICES.output).toString();

  test('whole', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: 'stop' }];
    expect((await bill(jsonScript(200, { id: 'x', model: 'm', choices, usage }))).cost_nano).toBe(cost);
  });

  test('streamed', async () => {
    const [role, finish, end] = chatChunks({ pieces: [], usage }).map((chunk) => sseText(JSON.stringify(chunk)));
    const chunk = sseText(JSON.stringify({ id: 'x', choices: [{ index: 0, delta: said, finish_reason: null }] }));
    const script = sseScript([role, chunk, finish, end, sseText('[DONE]')].map(String));
    expect((await bill(script, { stream: true })).cost_nano).toBe(cost);
  });
});

test('an image that is none is no output', async () => {
  const message = { role: 'assistant', content: '', images: [] };
  const script = jsonScript(200, { id: 'x', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] });
  expect((await bill(script)).cost_nano).toBe('0');
});

test('an answer that cannot be written is not charged', async () => {
  gateway.upstream.next(chatAnswer({}));
  const broken = spyOn(openaiChat.answer, 'write').mockImplementation(() => {
    throw new Error('not to be written');
  });
  const response = await gateway.chat(account.key, { model: 'up-paid', max_tokens: 100 });
  broken.mockRestore();
  expect(response.status).toBe(500);
  const { data } = await gateway.get('/api/usage', account.key);
  expect(data).toMatchObject([{ status: 'internal_error', cost_nano: '0' }]);
  expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_nano: '1000000000', held_nano: '0' });
  expect(gateway.audit()).toEqual([]);
});

describe('a stream’s usage', () => {
  const run = async (options: ChatOptions) => {
    gateway.upstream.next(chatStream(options));
    const body = { model: 'up-paid', max_tokens: 100, stream: true, stream_options: { include_usage: true } };
    return usageOf(await readSse(await gateway.chat(account.key, body)));
  };

  test('shows what the upstream reported, and the cost beside it', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, x_unknown: { a: 1 } };
    expect(await run({ usage })).toEqual({ ...usage, cost_ntd: 0.000390861, cost_nano: '390861' });
  });

  test('shows our own count when the upstream reported none', async () => {
    const shown = await run({ usage: null });
    const { data } = await gateway.get('/api/usage', account.key);
    expect(shown).toMatchObject({
      prompt_tokens: data[0].input_tokens,
      completion_tokens: data[0].output_tokens,
      cost_nano: data[0].cost_nano,
    });
  });

  test('shows the capped cost when the upstream claimed too much', async () => {
    const shown = await run({ usage: { prompt_tokens: 11, completion_tokens: 900_000 } });
    const { data } = await gateway.get('/api/usage', account.key);
    expect(shown.cost_nano).toBe(data[0].cost_nano);
    expect(BigInt(shown.cost_nano)).toBe(holdOf(data[0].request_id));
  });
});
