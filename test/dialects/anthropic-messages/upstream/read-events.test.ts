// Answers of an Anthropic upstream as events of no dialect.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { anthropicMessagesUpstream } from '../../../../src/dialects/anthropic-messages/upstream/adapter.ts';
import type { AnswerEvent } from '../../../../src/dialects/translate/answer-events.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import { targetOf } from '../../../support/conversation.ts';

const TARGET = targetOf('claude-opus-5');

function readStream(...events: (object | string)[]) {
  const reader = anthropicMessagesUpstream.createEventReader(TARGET);
  const read = events.flatMap((event) =>
    reader.read({ event: undefined, data: typeof event === 'string' ? event : JSON.stringify(event) }),
  );
  return { events: [...read, ...reader.end()], usage: reader.facts(false).usage };
}

function readWhole(text: string) {
  return anthropicMessagesUpstream.readWhole(readJsonObject(text), TARGET);
}

const START = { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } };
const STOP = { type: 'message_stop' };
const startOf = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block });
const deltaOf = (delta: object, index = 0) => ({ type: 'content_block_delta', index, delta });
const stopOf = (index = 0) => ({ type: 'content_block_stop', index });
const endOf = (stop_reason: string, more: object = {}) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, ...more },
  usage: { output_tokens: 5 },
});
const textBlock = (words: string, index = 0) => [
  startOf({ type: 'text', text: '' }, index),
  deltaOf({ type: 'text_delta', text: words }, index),
  stopOf(index),
];
const open = (kind: 'text' | 'reasoning' | 'refusal'): AnswerEvent => ({ type: 'open', block: { kind } });
const delta = (words: string): AnswerEvent => ({ type: 'delta', text: words });
const CLOSE: AnswerEvent = { type: 'close' };
const DONE: AnswerEvent = { type: 'done' };
const BROKEN: AnswerEvent = { type: 'broken' };

test('calls without an id, or with one of another, get the same of their own, streamed and whole', () => {
  const uses = [undefined, null, '', 7, 't1', 't1'].map((id) => ({ type: 'tool_use', id, name: 'look', input: {} }));
  const idsOf = (events: readonly AnswerEvent[] = []) =>
    events.flatMap((event) => (event.type === 'open' && event.block.kind === 'tool' ? [event.block.id] : []));
  const { events } = readStream(
    START,
    ...uses.flatMap((use, at) => [startOf(use, at), stopOf(at)]),
    endOf('tool_use'),
    STOP,
  );
  const whole = readWhole(JSON.stringify({ type: 'message', content: uses, stop_reason: 'tool_use' }));
  expect(idsOf(events)).toEqual(idsOf(whole?.events));
  expect(new Set(idsOf(events)).size).toBe(6);
  expect(idsOf(events)[4]).toBe('t1');
  for (const id of idsOf(events).filter((one) => one !== 't1')) expect(id).toMatch(/^call_\w{24}$/);
});

describe('a stream', () => {
  test('thinking, text and a call, one after the other', () => {
    const { events } = readStream(
      START,
      { type: 'ping' },
      startOf({ type: 'thinking', thinking: '', signature: '' }),
      deltaOf({ type: 'thinking_delta', thinking: 'hm' }),
      deltaOf({ type: 'signature_delta', signature: 'c2ln' }),
      stopOf(),
      ...textBlock('Hi', 1),
      startOf({ type: 'redacted_thinking', data: 'xyz' }, 2),
      stopOf(2),
      startOf({ type: 'tool_use', id: 't1', name: 'look', input: {} }, 3),
      deltaOf({ type: 'input_json_delta', partial_json: '' }, 3),
      deltaOf({ type: 'input_json_delta', partial_json: '{"a": 1' }, 3),
      deltaOf({ type: 'input_json_delta', partial_json: '.0}' }, 3),
      stopOf(3),
      endOf('tool_use'),
      STOP,
    );
    expect(events).toEqual([
      open('reasoning'),
      delta('hm'),
      { type: 'sign', signature: 'c2ln' },
      CLOSE,
      open('text'),
      delta('Hi'),
      CLOSE,
      { type: 'open', block: { kind: 'redacted', data: 'xyz' } },
      CLOSE,
      { type: 'open', block: { kind: 'tool', id: 't1', name: 'look' } },
      delta('{"a": 1'),
      delta('.0}'),
      CLOSE,
      { type: 'stop', reason: 'tool' },
      DONE,
    ]);
  });

  test('a call without arguments has an empty object; one that came whole keeps its text', () => {
    const call = (input: string) => {
      const start = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":${input}}}`;
      return readStream(START, start, stopOf()).events;
    };
    expect(call('{}')[1]).toEqual(delta('{}'));
    expect(call('{"b":1.0, "1":12345678901234567890}')[1]).toEqual(delta('{"b":1.0, "1":12345678901234567890}'));
  });

  test('what the vendor ran itself is not shown as a call', () => {
    const { events } = readStream(
      START,
      startOf({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      deltaOf({ type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      stopOf(),
      startOf({ type: 'web_search_tool_result', tool_use_id: 's', content: [] }, 1),
      stopOf(1),
      startOf({ type: 'something_new' }, 2),
      deltaOf({ type: 'something_delta' }, 2),
      stopOf(2),
      ...textBlock('Hi', 3),
      endOf('tool_use'),
    );
    expect(events).toEqual([open('text'), delta('Hi'), CLOSE, { type: 'stop', reason: 'end' }]);
  });

  test('citations of the web, with their place in the text of the whole answer', () => {
    const citation = { type: 'web_search_result_location', url: 'https://x', title: 'X', cited_text: 'c' };
    const { events } = readStream(
      START,
      ...textBlock('Before ', 0),
      startOf({ type: 'text', text: '' }, 1),
      deltaOf({ type: 'citations_delta', citation }, 1),
      deltaOf({ type: 'citations_delta', citation: { type: 'char_location', document_index: 0 } }, 1),
      deltaOf({ type: 'text_delta', text: 'cited' }, 1),
      stopOf(1),
    );
    const cited = events.filter(({ type }) => type === 'cite');
    expect(cited).toEqual([{ type: 'cite', citation: { url: 'https://x', title: 'X', start: 7, end: 12 } }]);
  });

  test('thoughts in a block of text get one of their own', () => {
    const { events } = readStream(
      START,
      startOf({ type: 'text', text: 'a' }),
      deltaOf({ type: 'thinking_delta', thinking: 'hm' }),
      deltaOf({ type: 'text_delta', text: 'b' }),
      stopOf(),
    );
    expect(events).toEqual([
      open('text'),
      delta('a'),
      CLOSE,
      open('reasoning'),
      delta('hm'),
      CLOSE,
      open('text'),
      delta('b'),
      CLOSE,
    ]);
  });

  test('errors, and what is no event of this format, break it', () => {
    for (const bad of [
      { type: 'error', error: {} },
      'no json',
      '[1]',
      { hello: 1 },
      deltaOf({ type: 'text_delta', text: 'x' }, 4),
    ]) {
      expect(readStream(START, bad).events).toEqual([BROKEN]);
    }
  });

  test('comments say nothing', () => {
    const reader = anthropicMessagesUpstream.createEventReader(TARGET);
    expect(reader.read({ event: undefined, data: undefined })).toEqual([]);
  });
});

describe('the end', () => {
  const stopped = (reason: string, more = {}) =>
    readStream(START, ...textBlock('Hi'), endOf(reason, more)).events.slice(3);

  test('its reason', () => {
    expect(stopped('end_turn')).toEqual([{ type: 'stop', reason: 'end' }]);
    expect(stopped('max_tokens')).toEqual([{ type: 'stop', reason: 'length' }]);
    expect(stopped('model_context_window_exceeded')).toEqual([{ type: 'stop', reason: 'length' }]);
    expect(stopped('compaction')).toEqual([{ type: 'stop', reason: 'end' }]);
    expect(stopped('something_new')).toEqual([{ type: 'stop', reason: 'end' }]);
    expect(stopped('stop_sequence', { stop_sequence: 'END' })).toEqual([
      { type: 'stop', reason: 'end', sequence: 'END' },
    ]);
  });

  test('an empty sequence is none, and takes no reason away', () => {
    expect(stopped('max_tokens', { stop_sequence: '' })).toEqual([{ type: 'stop', reason: 'length' }]);
    expect(stopped('end_turn', { stop_sequence: '' })).toEqual([{ type: 'stop', reason: 'end' }]);
    expect(stopped('refusal', { stop_sequence: '' })).toEqual([{ type: 'stop', reason: 'filter' }]);
  });

  test('a refusal, with its words', () => {
    const details = { type: 'refusal', category: 'cyber', explanation: 'No.' };
    expect(stopped('refusal', { stop_details: details })).toEqual([
      { type: 'open', block: { kind: 'refusal', isVendors: true } },
      delta('No.'),
      CLOSE,
      { type: 'stop', reason: 'filter' },
    ]);
    expect(stopped('refusal', { stop_details: null })).toEqual([{ type: 'stop', reason: 'filter' }]);
  });

  test('a pause that nothing follows is one at its bound, or waits for the calls it made, and none before the first word', () => {
    expect(stopped('pause_turn')).toEqual([{ type: 'stop', reason: 'length' }]);
    expect(readStream(START, endOf('pause_turn')).events).toEqual([BROKEN]);
    expect(readWhole('{"type":"message","content":[],"stop_reason":"pause_turn"}')).toBeUndefined();
    const call = '{"type":"tool_use","id":"t","name":"look","input":{}}';
    const called = readWhole(`{"type":"message","content":[${call}],"stop_reason":"pause_turn"}`);
    expect(called?.events).toContainEqual({ type: 'stop', reason: 'tool' });
  });

  test('a pause and what follows it are one answer', () => {
    const { events, usage } = readStream(
      ...[START, ...textBlock('a'), endOf('pause_turn'), STOP],
      ...[START, ...textBlock('b'), endOf('end_turn'), STOP],
    );
    const words = [open('text'), delta('a'), CLOSE, open('text'), delta('b'), CLOSE];
    expect(events).toEqual([...words, { type: 'stop', reason: 'end' }, DONE]);
    expect(usage).toMatchObject({ buckets: { input: 20, output: 10 } });
  });

  test('an error in place of what follows a pause is one, and the paused turn keeps its report', () => {
    const { events, usage } = readStream(START, ...textBlock('a'), endOf('pause_turn'), STOP, { type: 'error' });
    expect(events.slice(0, 4)).toEqual([open('text'), delta('a'), CLOSE, BROKEN]);
    expect(usage).toMatchObject({ buckets: { input: 10, output: 5 } });
  });

  test('comes once, and closes what is open', () => {
    const { events } = readStream(START, startOf({ type: 'text', text: 'a' }), endOf('end_turn'), endOf('max_tokens'));
    expect(events).toEqual([open('text'), delta('a'), CLOSE, { type: 'stop', reason: 'end' }]);
  });
});

test.each<[what: string, content: object, ...deltas: object[]]>([
  ['a call', { type: 'tool_use', id: 't', name: 'n', input: {} }],
  ['a call that came whole', { type: 'tool_use', id: 't', name: 'n', input: { a: 1 } }],
  ['thoughts', { type: 'thinking', thinking: 'hm' }, { type: 'signature_delta', signature: 'c2' }],
  ['cited words', { type: 'text', text: 'a', citations: [{ url: 'https://x', title: 'X' }] }],
])('%s: nothing is made up for a body that ends inside it', (_, content, ...deltas) => {
  const reader = anthropicMessagesUpstream.createEventReader(TARGET);
  for (const event of [START, startOf(content), ...deltas.map((one) => deltaOf(one))]) {
    reader.read({ event: undefined, data: JSON.stringify(event) });
  }
  expect(reader.end()).toEqual([]);
});

test('a block that begins after the end is closed with the body', () => {
  const { events } = readStream(START, endOf('end_turn'), startOf({ type: 'text', text: 'a' }));
  expect(events).toEqual([{ type: 'stop', reason: 'end' }, open('text'), delta('a'), CLOSE]);
});

test('an empty reason is no end', () => {
  const { events } = readStream(START, endOf(''), ...textBlock('Hi'), endOf('end_turn'), STOP);
  expect(events).toEqual([open('text'), delta('Hi'), CLOSE, { type: 'stop', reason: 'end' }, DONE]);
});

test('usage: the last figures count, and nothing is added up', () => {
  const { usage } = readStream(
    { type: 'message_start', message: { usage: { input_tokens: 10, cache_read_input_tokens: 800, output_tokens: 1 } } },
    { type: 'message_delta', delta: {}, usage: { output_tokens: 20, input_tokens: null } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } },
  );
  expect(usage).toMatchObject({ buckets: { input: 10, cachedInput: 800, output: 50 } });
});

describe('a whole answer', () => {
  test('says what the stream would have said, with arguments in their own text', () => {
    const whole = readWhole(`{"type":"message","content":[
      {"type":"thinking","thinking":"hm","signature":"c2ln"},
      {"type":"text","text":"Hi","citations":[{"type":"web_search_result_location","url":"https://x","title":"X"}]},
      {"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1}},
      {"type":"tool_use","id":"t1","name":"look","input":{"b": 1.0,"1":12345678901234567890}}
    ],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":4}}`);
    expect(whole?.events).toEqual([
      open('reasoning'),
      delta('hm'),
      { type: 'sign', signature: 'c2ln' },
      CLOSE,
      open('text'),
      delta('Hi'),
      { type: 'cite', citation: { url: 'https://x', title: 'X', start: 0, end: 2 } },
      CLOSE,
      { type: 'open', block: { kind: 'tool', id: 't1', name: 'look' } },
      delta('{"b": 1.0,"1":12345678901234567890}'),
      CLOSE,
      { type: 'stop', reason: 'tool' },
      DONE,
    ]);
    expect(whole?.usage).toMatchObject({ buckets: { input: 3, output: 4 } });
  });

  test('what is no answer is none', () => {
    for (const reason of ['null', '""']) {
      expect(readWhole(`{"type":"message","content":[],"stop_reason":${reason}}`)).toBeUndefined();
    }
    for (const text of ['{}', '{"type":"error"}']) expect(readWhole(text)).toBeUndefined();
  });
});

test('whatever comes, blocks open and close one at a time', () => {
  const index = fc.nat(2);
  const block = fc.constantFrom<object>(
    { type: 'text', text: '' },
    { type: 'thinking', thinking: 'x' },
    { type: 'tool_use', id: 't', name: 'n', input: {} },
    { type: 'server_tool_use', id: 's', name: 'n' },
  );
  const bit = fc.constantFrom<object>(
    { type: 'text_delta', text: 'a' },
    { type: 'thinking_delta', thinking: 'b' },
    { type: 'input_json_delta', partial_json: '{' },
    { type: 'signature_delta', signature: 's' },
  );
  const event = fc.oneof(
    fc.tuple(block, index).map(([content, at]) => startOf(content, at)),
    fc.tuple(bit, index).map(([change, at]) => deltaOf(change, at)),
    index.map(stopOf),
    fc.constantFrom('end_turn', 'tool_use').map((reason) => endOf(reason)),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let isOpen = false;
      let isStopped = false;
      for (const { type } of readStream(START, ...events).events) {
        if (type === 'open') expect(isOpen).toBe(false);
        if (type === 'delta' || type === 'sign' || type === 'close') expect(isOpen).toBe(true);
        if (type === 'open') isOpen = true;
        if (type === 'close') isOpen = false;
        if (type === 'stop') isStopped = true;
      }
      if (isStopped) expect(isOpen).toBe(false);
    }),
    { seed: 7 },
  );
});
