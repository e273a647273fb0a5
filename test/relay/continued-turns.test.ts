// Claude pauses a long turn, and goes on when it gets its blocks back. A client of another format cannot send these blocks,
// so the gateway does: the client gets one answer and pays for all turns.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { messageError } from '../support/anthropic-messages.ts';
import { eventScript, streamedTurn, type Turn, wholeTurn } from '../support/anthropic-turns.ts';
import { eventually } from '../support/eventually.ts';
import { costAt, type Lab, MAIN, startLab } from '../support/lab.ts';
import { jsonScript } from '../support/openai-chat.ts';
import {
  BLOCKS,
  CHAT,
  CLIENTS,
  endsOf,
  FOUND,
  lastMessage,
  NEVER,
  PAUSED,
  SEARCH,
  shown,
  text,
  written,
} from '../support/paused-turns.ts';
import { bodyLength, cutAt, inPieces, type Script } from '../support/script.ts';
import type { WireClient } from '../support/wire-clients.ts';

const THOUGHT = { type: 'thinking', thinking: 'Which birds?', signature: 'c2lnbmVk' };
const CALL = { type: 'tool_use', id: 'toolu_9', name: 'look', input: { at: 'nest' } };
const TOOL = { name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } };
/** What is held for it covers the input of several turns. */
const LONG = 'Tell me of the birds that rise early. '.repeat(20);
const LONG_PROMPT = { messages: [{ role: 'user', content: LONG }] };
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

const withComment = (script: Script): Script => ({ ...script, body: [': wait\n\n', 20, ...(script.body ?? [])] });

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

  test.each([
    ['nothing', null],
    ['zeros', { input_tokens: 0, output_tokens: 0 }],
  ])('a pause that reports %s: what the hold still covers is unknown', async (_, usage) => {
    play({ ...PAUSED, usage });
    const asked = await ask();
    expect(shown(client, stream, asked).finish).toMatch(endsOf(client).length);
    expect(labOf(client).first.requests).toHaveLength(1);
    expect(asked.record.estimated).toBe(true);
  });

  test('a next turn without a report: the prompt counts again, and its output is counted here', async () => {
    play(PAUSED, { content: [text(' Early ones.')], usage: null });
    const asked = await ask();
    expect(shown(client, stream, asked)).toMatchObject({ text: 'I search. Early ones.', finish: endsOf(client).end });
    expect(asked.record).toMatchObject({ estimated: true, input_tokens: 22 });
    expect(asked.record.output_tokens).toBeGreaterThanOrEqual(7);
  });
});

test('a begun answer of the client and the blocks of the pause are one message', async () => {
  const lab = labOf(CHAT);
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

describe.each(CLIENTS)('$name, a stream whose turns', (client) => {
  const NEXT: Turn = { content: [text(' Early ones.')], usage: { input_tokens: 31, output_tokens: 5 } };

  test.each<[string, Script, Script]>([
    ['come in small pieces', inPieces(streamedTurn(PAUSED), 7), inPieces(streamedTurn(NEXT), 7)],
    ['begin with a comment', streamedTurn(PAUSED), withComment(streamedTurn(NEXT))],
    ['come as JSON', wholeTurn(PAUSED), wholeTurn(NEXT)],
    ['come as a stream and as JSON', streamedTurn(PAUSED), wholeTurn(NEXT)],
  ])('%s', async (_, first, next) => {
    const lab = labOf(client);
    lab.first.next(first, next);
    const asked = await lab.ask({ stream: true });
    expect(shown(client, true, asked)).toMatchObject({ text: 'I search. Early ones.', finish: endsOf(client).end });
    expect(lab.first.requests).toHaveLength(2);
    expect(asked.record).toMatchObject({ estimated: false, cost_nano: costAt(MAIN, 42, 12) });
  });
});

test('a stream that another channel resumed is continued there', async () => {
  const client = CHAT;
  const lab = await startLab(client);
  try {
    const paused = streamedTurn(PAUSED);
    const begun = (paused.body ?? []).slice(0, 3);
    lab.first.otherwise(cutAt(paused, bodyLength({ body: begun }), 'rst', 50));
    lab.second.next(paused, streamedTurn({ content: [text(' Early ones.')] }));
    const asked = await lab.ask({ stream: true });
    expect(shown(client, true, asked)).toMatchObject({ text: 'I search. Early ones.', finish: 'stop' });
    expect(lab.second.requests.map((request) => lastMessage(request).role)).toEqual(['user', 'assistant']);
    expect(asked.record).toMatchObject({ estimated: false, cost_nano: costAt(MAIN, 22, 14) });
  } finally {
    await lab.stop();
  }
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

test('a stream that stays open after its pause is continued, and one without its end mark is not', async () => {
  const lab = labOf(CHAT);
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
