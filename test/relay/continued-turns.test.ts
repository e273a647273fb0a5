// Claude pauses a long turn, and goes on when it gets its blocks back. A client of another format cannot send these blocks,
// so the gateway does: the client gets one answer and pays for all turns.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import type { Answer } from '../support/answer.ts';
import { messageError } from '../support/anthropic-messages.ts';
import { eventScript, streamedTurn, type Turn, type TurnBlock, wholeTurn } from '../support/anthropic-turns.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { type Asked, costAt, type Lab, MAIN, startLab, TRIAL } from '../support/lab.ts';
import { jsonScript } from '../support/openai-chat.ts';
import { createReadOnClock } from '../support/read-on-clock.ts';
import { bodyLength, cutAt, type Script } from '../support/script.ts';
import { WIRE_CLIENTS, type WireClient } from '../support/wire-clients.ts';

const text = (words: string): TurnBlock => ({ type: 'text', text: words });
const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'early birds' } };
const FOUND = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const BLOCKS = [text('I search.'), SEARCH, FOUND];
const PAUSED: Turn = { content: BLOCKS, stop: 'pause_turn' };
const THOUGHT = { type: 'thinking', thinking: 'Which birds?', signature: 'c2lnbmVk' };
const CALL = { type: 'tool_use', id: 'toolu_9', name: 'look', input: { at: 'nest' } };
const TOOL = { name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } };
/** What is held for it covers the input of several turns. */
const LONG = 'Tell me of the birds that rise early. '.repeat(20);
const LONG_PROMPT = { messages: [{ role: 'user', content: LONG }] };
const NEVER = new Promise<never>(() => {});

const find = (wanted: WireClient['name']) => WIRE_CLIENTS.find(({ name }) => name === wanted) as WireClient;
/** Clients of the OpenAI formats on channels of Anthropic's. */
const CLIENTS = [find('chat'), find('responses')].map((client) => ({ ...client, channel: find('messages').channel }));
const WAYS = CLIENTS.flatMap((client) => [false, true].map((stream) => ({ client, name: client.name, stream })));

const labs = new Map<string, Lab>();
const labOf = ({ name }: WireClient) => labs.get(name) as Lab;
beforeAll(async () => {
  for (const client of CLIENTS) labs.set(client.name, await startLab(client, { routes: ['first'] }));
});
beforeEach(() => {
  for (const lab of labs.values()) lab.first.reset();
});
afterAll(async () => {
  for (const lab of labs.values()) await lab.stop();
});

const written = (turn: Turn, stream: boolean): Script => (stream ? streamedTurn(turn) : wholeTurn(turn));

/** What a client has of an answer, in words that both formats share. */
function shown(client: WireClient, stream: boolean, { json, answer, text: told }: Asked) {
  if (stream) {
    expect(answer.complete, told).toBe(true);
    expect(answer.error).toBeUndefined();
    const slots = Object.entries(answer.content);
    const of = (pattern: RegExp) => slots.filter(([slot]) => pattern.test(slot)).map(([, words]) => words);
    return {
      text: of(/^\d+\/(content$|text\/)/).join(''),
      calls: of(/arguments$/),
      finish: answer.finish,
      usage: answer.usage,
    };
  }
  if (client.name === 'chat') {
    const [{ message, finish_reason: finish }] = json.choices;
    const calls = (message.tool_calls ?? []).map((call: Answer) => call.function.arguments);
    return { text: message.content ?? '', calls, finish, usage: json.usage };
  }
  const parts = json.output.flatMap((item: Answer) => (item.type === 'message' ? item.content : []));
  const calls = json.output.filter((item: Answer) => item.type === 'function_call');
  return {
    text: parts.map((part: Answer) => part.text).join(''),
    calls: calls.map((call: Answer) => call.arguments),
    finish: json.status === 'incomplete' ? json.incomplete_details.reason : json.status,
    usage: json.usage,
  };
}

const ENDS: Record<string, { end: string; length: RegExp; tool: RegExp }> = {
  chat: { end: 'stop', length: /^length$/, tool: /^tool_calls$/ },
  responses: { end: 'completed', length: /max_output_tokens|incomplete/, tool: /completed/ },
};
const endsOf = ({ name }: WireClient) => ENDS[name] as (typeof ENDS)[string];
const lastMessage = ({ json }: { json: Answer }) => json.messages.at(-1);

describe.each(WAYS)('$name, streamed: $stream', ({ client, stream }) => {
  const ask = (fields: Record<string, unknown> = {}) => labOf(client).ask({ stream, ...fields });
  const play = (...turns: Turn[]) => labOf(client).first.next(...turns.map((turn) => written(turn, stream)));

  test('gets both turns as one answer and pays for both', async () => {
    play(PAUSED, { content: [text(' Early ones.')], usage: { input_tokens: 31, output_tokens: 5 } });
    const asked = await ask(LONG_PROMPT);
    const got = shown(client, stream, asked);
    expect(got).toMatchObject({ text: 'I search. Early ones.', finish: endsOf(client).end });
    const { first } = labOf(client);
    expect(first.requests).toHaveLength(2);
    const [before, after] = first.requests.map(({ json }) => json);
    expect(after).toEqual({
      ...before,
      max_tokens: before.max_tokens - 7,
      messages: [...before.messages, { role: 'assistant', content: BLOCKS }],
    });
    expect(asked.record).toMatchObject({
      status: 'ok',
      rule: 'served',
      estimated: false,
      input_tokens: 42,
      output_tokens: 12,
      cost_nano: costAt(MAIN, 42, 12),
    });
    expect(asked.attempts).toEqual([['first', 'ok']]);
    const [input, output] = client.name === 'chat' ? ['prompt', 'completion'] : ['input', 'output'];
    expect(got.usage).toMatchObject({ [`${input}_tokens`]: 42, [`${output}_tokens`]: 12 });
  });

  test('two pauses: each request has all blocks before it', async () => {
    const more = [text(' More.'), { ...SEARCH, id: 'srvtoolu_2' }];
    play(
      PAUSED,
      { content: more, stop: 'pause_turn', usage: { input_tokens: 20, output_tokens: 3 } },
      { content: [text(' Done.')], usage: { input_tokens: 30, output_tokens: 2 } },
    );
    const asked = await ask(LONG_PROMPT);
    expect(shown(client, stream, asked).text).toBe('I search. More. Done.');
    expect(labOf(client).first.requests.map((request) => lastMessage(request).content)).toEqual([
      expect.anything(),
      BLOCKS,
      [...BLOCKS, ...more],
    ]);
    expect(labOf(client).first.requests.map(({ json }) => json.max_tokens)).toEqual([200, 193, 190]);
    expect(asked.record).toMatchObject({ estimated: false, cost_nano: costAt(MAIN, 61, 12) });
  });

  test('thoughts before the pause go back with their signatures', async () => {
    play({ content: [THOUGHT, ...BLOCKS], stop: 'pause_turn' }, { content: [text(' Early ones.')] });
    const asked = await ask();
    expect(shown(client, stream, asked).text).toBe('I search. Early ones.');
    expect(lastMessage(labOf(client).first.requests[1] as { json: Answer })).toEqual({
      role: 'assistant',
      content: [THOUGHT, ...BLOCKS],
    });
  });

  test('a call after the pause', async () => {
    play(PAUSED, { content: [text(' I look.'), CALL], stop: 'tool_use' });
    const tools = [client.name === 'chat' ? { type: 'function', function: TOOL } : { type: 'function', ...TOOL }];
    const got = shown(client, stream, await ask({ tools }));
    expect(got).toMatchObject({ text: 'I search. I look.', calls: [JSON.stringify(CALL.input)] });
    expect(got.finish).toMatch(endsOf(client).tool);
  });

  test('a call beside the pause ends the answer: only its result could continue it', async () => {
    play({ content: [text('I look.'), CALL], stop: 'pause_turn' });
    const tools = [client.name === 'chat' ? { type: 'function', function: TOOL } : { type: 'function', ...TOOL }];
    expect(shown(client, stream, await ask({ tools })).calls).toEqual([JSON.stringify(CALL.input)]);
    expect(labOf(client).first.requests).toHaveLength(1);
  });

  test('a pause before the first word', async () => {
    play({ content: [SEARCH, FOUND], stop: 'pause_turn' }, { content: [text('Early ones.')] });
    const asked = await ask();
    expect(shown(client, stream, asked)).toMatchObject({ text: 'Early ones.', finish: endsOf(client).end });
    expect(asked.record.cost_nano).toBe(costAt(MAIN, 22, 14));
  });

  test('pauses without end are followed four times', async () => {
    labOf(client).first.otherwise(written({ content: [text('again ')], stop: 'pause_turn' }, stream));
    const asked = await ask();
    const got = shown(client, stream, asked);
    expect(got.text).toBe('again '.repeat(5));
    expect(got.finish).toMatch(endsOf(client).length);
    expect(labOf(client).first.requests).toHaveLength(5);
    expect(asked.record).toMatchObject({ estimated: false, cost_nano: costAt(MAIN, 55, 35) });
  });

  test('nothing is left of the output bound', async () => {
    play({ ...PAUSED, usage: { input_tokens: 11, output_tokens: 200 } });
    const asked = await ask();
    expect(shown(client, stream, asked).finish).toMatch(endsOf(client).length);
    expect(labOf(client).first.requests).toHaveLength(1);
    expect(asked.record.cost_nano).toBe(costAt(MAIN, 11, 200));
  });

  test.each([
    ['refused', messageError(400, { type: 'invalid_request_error', message: 'no' }), 'request_refused'],
    ['overloaded', messageError(529, { type: 'overloaded_error', message: 'busy' }), 'upstream_error'],
    ['hung up on', cutAt(wholeTurn(PAUSED), 'head', 'fin'), 'network_error'],
    ['not finished', jsonScript(200, { type: 'message', content: [text(' E')], stop_reason: null }), 'not_an_answer'],
    ['answered with something else', { status: 200, body: ['<html>'] }, 'not_an_answer'],
  ] satisfies [string, Script, string][])(
    'the next turn is %s: what came is delivered and paid',
    async (_, script, outcome) => {
      const { first } = labOf(client);
      first.next(written(PAUSED, stream), script);
      const asked = await ask();
      const got = shown(client, stream, asked);
      expect(got.text).toBe('I search.');
      expect(got.finish).toMatch(endsOf(client).length);
      expect(asked.record).toMatchObject({ status: 'ok', estimated: false, cost_nano: costAt(MAIN, 11, 7) });
      expect(asked.attempts).toEqual([
        ['first', 'ok'],
        ['first', outcome],
      ]);
      expect(first.requests).toHaveLength(2);
    },
  );

  test.each([null, { input_tokens: 0, output_tokens: 0 }])(
    'a pause that reports %p: what the hold still covers is unknown',
    async (usage) => {
      play({ ...PAUSED, usage });
      const asked = await ask();
      expect(shown(client, stream, asked).finish).toMatch(endsOf(client).length);
      expect(labOf(client).first.requests).toHaveLength(1);
      expect(asked.record.estimated).toBe(true);
    },
  );

  test('a next turn without a report: its output is counted here', async () => {
    play(PAUSED, { content: [text(' Early ones.')], usage: null });
    const asked = await ask();
    expect(shown(client, stream, asked)).toMatchObject({ text: 'I search. Early ones.', finish: endsOf(client).end });
    expect(asked.record).toMatchObject({ estimated: true, input_tokens: 11 });
    expect(asked.record.output_tokens).toBeGreaterThan(3);
  });
});

test('a begun answer of the client and the blocks of the pause are one message', async () => {
  const lab = labOf(CLIENTS[0] as WireClient);
  lab.first.next(wholeTurn(PAUSED), wholeTurn({ content: [text(' Early ones.')] }));
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Well:' },
  ];
  await lab.ask({ messages });
  const [before, after] = lab.first.requests.map((request) => request.json.messages);
  const begun = before.at(-1).role === 'assistant' ? before.at(-1).content : [];
  expect(after.at(-1)).toEqual({ role: 'assistant', content: [...begun, ...BLOCKS] });
  expect(after.slice(0, -1)).toEqual(begun.length > 0 ? before.slice(0, -1) : before);
});

describe.each(CLIENTS)('$name, a stream whose next turn breaks', (client) => {
  const NEXT = streamedTurn({ content: [text(' Early ones')], usage: { input_tokens: 31, output_tokens: 5 } });
  const ERROR = eventScript([{ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }]);
  const begun = (NEXT.body ?? []).slice(0, 3);

  test.each<[string, Script]>([
    ['by an error', { ...NEXT, body: [...begun, ...(ERROR.body ?? [])] }],
    ['by a hang-up', cutAt(NEXT, bodyLength({ body: begun }), 'fin', 50)],
    ['by a lost connection', cutAt(NEXT, bodyLength({ body: begun }), 'rst', 50)],
  ])('%s: what came is delivered and paid', async (_, script) => {
    const lab = labOf(client);
    lab.first.next(streamedTurn(PAUSED), script);
    const asked = await lab.ask({ stream: true });
    const got = shown(client, true, asked);
    expect(got.text).toBe('I search. Early ones');
    expect(got.finish).toMatch(endsOf(client).length);
    expect(lab.first.requests).toHaveLength(2);
    expect(asked.record).toMatchObject({ status: 'ok', estimated: true, input_tokens: 42 });
    expect(asked.record.output_tokens).toBeGreaterThanOrEqual(8);
    expect(asked.record.cost_nano).toBe(costAt(MAIN, 42, asked.record.output_tokens));
  });

  test('by an error before it begins: the paused turn is paid as reported', async () => {
    const lab = labOf(client);
    lab.first.next(streamedTurn(PAUSED), ERROR);
    const asked = await lab.ask({ stream: true });
    expect(shown(client, true, asked).finish).toMatch(endsOf(client).length);
    expect(asked.record).toMatchObject({ estimated: false, cost_nano: costAt(MAIN, 11, 7) });
  });

  test('by a client that leaves: it pays for both inputs and what it got', async () => {
    const lab = labOf(client);
    lab.first.next(streamedTurn(PAUSED), { ...NEXT, body: [...begun, NEVER] });
    const leaving = new AbortController();
    const response = await lab.open({ stream: true }, leaving.signal);
    let told = '';
    for await (const bytes of response.body ?? []) {
      told += new TextDecoder().decode(bytes);
      if (told.includes(' Early ones')) break;
    }
    leaving.abort();
    const [record] = await lab.records();
    expect(record).toMatchObject({ status: 'client_gone', estimated: true, input_tokens: 42 });
    expect(record?.cost_nano).toBe(costAt(MAIN, 42, record?.output_tokens));
    const seen = await lab.first.request(1);
    await eventually('the upstream to be left', () => seen.abortedAt !== undefined);
  });
});

test('a client that leaves before a whole answer stops the next turn', async () => {
  const lab = labOf(CLIENTS[0] as WireClient);
  lab.first.next(wholeTurn(PAUSED), { body: [NEVER], framing: 'chunked' });
  const leaving = new AbortController();
  const response = lab.open({}, leaving.signal).catch(() => undefined);
  const seen = await lab.first.request(1);
  leaving.abort();
  await response;
  await eventually('the upstream to be left', () => seen.abortedAt !== undefined);
  expect((await lab.records())[0]).toMatchObject({ status: 'client_gone', cost_nano: '0' });
  expect(lab.first.requests).toHaveLength(2);
});

test('a stream that stays open after its pause is continued, and one without its end mark is not', async () => {
  const lab = labOf(CLIENTS[0] as WireClient);
  const paused = streamedTurn(PAUSED);
  lab.first.next(
    { ...paused, body: [...(paused.body ?? []), NEVER] },
    streamedTurn({ content: [text(' Early ones.')] }),
  );
  const continued = await lab.ask({ stream: true });
  expect(continued.answer.content['0/content']).toBe('I search. Early ones.');
  lab.first.next({ ...paused, body: [...(paused.body ?? []).slice(0, -1), NEVER] });
  const asked = await lab.ask({ stream: true });
  expect(asked.answer).toMatchObject({ finish: 'length', complete: true });
  expect(asked.record).toMatchObject({ estimated: false, cost_nano: costAt(MAIN, 11, 7) });
  expect(lab.first.requests).toHaveLength(3);
});

describe('a free model', () => {
  let lab: Lab;
  const client = CLIENTS[0] as WireClient;
  const model = { id: 'given', max_output_tokens: 1_000, routes: [{ channel: 'first', model: 'scripted-2026-01' }] };
  beforeAll(async () => {
    lab = await startLab(client, {
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

test('a channel that goes on after a pause is not late', async () => {
  const client = CLIENTS[0] as WireClient;
  const lab = await startLab(client, { main: { hedge: 300 } });
  try {
    const next = wholeTurn({ content: [text(' Early ones.')] });
    lab.first.next(wholeTurn(PAUSED), { ...next, framing: 'chunked', body: [600, ...(next.body ?? [])] });
    lab.second.otherwise(wholeTurn({ content: [text('Late ones.')] }));
    expect(shown(client, false, await lab.ask()).text).toBe('I search. Early ones.');
    expect(lab.second.requests).toHaveLength(0);
  } finally {
    await lab.stop();
  }
});

describe('a channel that is read to its end', () => {
  let lab: Lab;
  const client = CLIENTS[0] as WireClient;
  const { clock, timers } = createReadOnClock(systemClock);
  beforeAll(async () => {
    lab = await startLab(client, { clock, routes: ['first'], first: { drain_on_abort: true } });
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

describe('limits of the channel', () => {
  let lab: Lab;
  const client = CLIENTS[0] as WireClient;
  beforeAll(async () => {
    lab = await startLab(client, { routes: ['first'], first: { timeouts: { idle_ms: 300, total_ms: 600 } } });
  });
  beforeEach(() => lab.first.reset());
  afterAll(() => lab.stop());

  test('a stream whose next turn is silent', async () => {
    lab.first.next(streamedTurn(PAUSED), { ...eventScript([]), body: [NEVER] });
    const asked = await lab.ask({ stream: true });
    expect(shown(client, true, asked)).toMatchObject({ text: 'I search.', finish: 'length' });
    expect(asked.record).toMatchObject({ status: 'ok', input_tokens: 11 });
  });

  test('a whole answer whose next turn takes too long', async () => {
    lab.first.next(wholeTurn(PAUSED), { body: [NEVER], framing: 'chunked' });
    const asked = await lab.ask();
    expect(shown(client, false, asked)).toMatchObject({ text: 'I search.', finish: 'length' });
    expect(asked.record).toMatchObject({ status: 'ok', cost_nano: costAt(MAIN, 11, 7) });
    expect(asked.attempts.at(-1)).toEqual(['first', 'too_slow']);
  });
});

describe('what the hold covers', () => {
  let lab: Lab;
  const client = CLIENTS[0] as WireClient;
  const price = { input: 10, cached_input: 1, cache_write_5m: 12.5, cache_write_1h: 20, output: 40 };
  beforeAll(async () => {
    lab = await startLab(client, { routes: ['first'], main: { price } });
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
    const got = shown(client, stream, asked);
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
  const client = CLIENTS[0] as WireClient;
  const prices = { input: 1_000_000n, output: 20_000_000n };
  const lab = await startLab(client, { routes: ['first'], main: { price: { input: 1_000, output: 20_000 } } });
  try {
    const bound = async () => (await lab.first.request(0)).json.max_tokens;
    lab.first.otherwise(({ json }) =>
      written({ ...PAUSED, usage: { input_tokens: 3, output_tokens: json.max_tokens - 10 } }, stream),
    );
    const asked = await lab.ask({ stream });
    expect(shown(client, stream, asked)).toMatchObject({ text: 'I search.', finish: 'length' });
    expect(await bound()).toBeLessThan(60);
    expect(lab.first.requests).toHaveLength(1);
    const cost = costAt(prices, 3, (await bound()) - 10);
    expect(asked.record).toMatchObject({ status: 'ok', rule: 'served', cost_nano: cost });
    expect(await lab.balance()).toBe(TRIAL - BigInt(cost));
  } finally {
    await lab.stop();
  }
});
