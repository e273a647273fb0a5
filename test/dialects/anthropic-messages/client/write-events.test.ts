// Events of no dialect as answers to a messages client.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { anthropicMessagesClient } from '../../../../src/dialects/anthropic-messages/client/adapter.ts';
import { anthropicMessages } from '../../../../src/dialects/anthropic-messages/dialect.ts';
import type { AnswerEvent, Block, StopReason } from '../../../../src/dialects/translate/answer-events.ts';
import { packReasoning, signOwn, tagToolId } from '../../../../src/dialects/translate/opaque.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import { NO_BUCKETS } from '../../../../src/store/rows.ts';
import type { Answer } from '../../../support/answer.ts';
import { contextOf } from '../../../support/conversation.ts';
import { readMessagesStream } from '../../../support/grammar/messages-stream.ts';

const CONTEXT = contextOf();
const { origin } = CONTEXT;

const block = (given: Block, words: readonly string[] = [], ...more: AnswerEvent[]): AnswerEvent[] => [
  { type: 'open', block: given },
  ...words.map((text): AnswerEvent => ({ type: 'delta', text })),
  ...more,
  { type: 'close' },
];
const text = (...words: string[]) => block({ kind: 'text' }, words);
const call = (id: string, ...bits: string[]) => block({ kind: 'tool', id, name: 'look' }, bits);
const stop = (reason: StopReason, sequence?: string): AnswerEvent => ({ type: 'stop', reason, sequence });

function framesOf(...events: AnswerEvent[]): Answer[] {
  const writer = anthropicMessagesClient.createEventWriter(CONTEXT);
  return events.flatMap((event) =>
    writer.write(event).map((frame) => {
      const json = JSON.parse(frame.data);
      expect(frame.event).toBe(json.type);
      return json;
    }),
  );
}

function wholeOf(...events: AnswerEvent[]): Answer {
  return JSON.parse(anthropicMessagesClient.writeWhole(events, CONTEXT));
}

/** What the client is sent in the end: the frames through the dialect's own reader and writer. */
function sentOf(events: readonly AnswerEvent[]): string {
  const request = anthropicMessages.request.read(
    readJsonObject('{"model":"some:model","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hi"}]}'),
  );
  const writer = anthropicMessagesClient.createEventWriter(CONTEXT);
  const reader = anthropicMessages.stream.createReader(request);
  const stream = anthropicMessages.stream.createWriter(request, { keepText: false });
  const sent = events
    .flatMap((event) => writer.write(event))
    .flatMap((frame) => reader.read(frame))
    .map((event) => stream.write(event));
  const usage = { buckets: { ...NO_BUCKETS, input: 5, output: 7 }, reasoning: 0 };
  return sent.join('') + stream.end({ usage, cost: undefined, isOurs: false });
}

describe('a stream', () => {
  test('one start, with our count of the input', () => {
    const [first, ...rest] = framesOf(...text('Hi'), stop('end'));
    expect(first).toEqual({
      type: 'message_start',
      message: {
        id: 'msg_0abc',
        type: 'message',
        role: 'assistant',
        model: 'some:model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 12, output_tokens: 0 },
      },
    });
    expect(rest).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null } },
    ]);
  });

  test('thoughts have a block and a signature of ours', () => {
    const frames = framesOf(...block({ kind: 'reasoning' }, ['h', 'm']), ...text('Hi'));
    expect(frames.slice(1, 6)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'h' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: signOwn(origin, 'hm') } },
      { type: 'content_block_stop', index: 0 },
    ]);
    expect(frames[6].index).toBe(1);
  });

  test('what a model wants back with its thoughts travels in the signature', () => {
    const signed = block({ kind: 'reasoning' }, [], { type: 'sign', signature: 'theirs' });
    const [, , { delta }] = framesOf(...signed);
    expect(delta.signature).toBe(packReasoning(origin, { text: '', signature: 'theirs' }));
    const [, { content_block: hidden }] = framesOf(...block({ kind: 'redacted', data: 'xyz' }));
    expect(hidden).toEqual({ type: 'redacted_thinking', data: packReasoning(origin, { text: '', redacted: 'xyz' }) });
  });

  test('calls, with what their model wants back in the id', () => {
    const frames = framesOf(
      ...call('c1', '{"a":', '1}'),
      ...block({ kind: 'tool', id: 'c2', name: 'look', signature: 'sig' }),
      ...call('functions.look:0'),
      stop('tool'),
    );
    const starts = frames.flatMap(({ content_block: begun }) => (begun ? [begun] : []));
    expect(starts.slice(0, 2)).toEqual([
      { type: 'tool_use', id: 'c1', name: 'look', input: {} },
      { type: 'tool_use', id: tagToolId('c2', { origin, value: 'sig' }), name: 'look', input: {} },
    ]);
    expect(frames.flatMap(({ delta }) => delta?.partial_json ?? []).join('')).toBe('{"a":1}');
    expect(frames.at(-1).delta.stop_reason).toBe('tool_use');

    const shown = starts[2].id;
    expect(shown).toMatch(/^[a-zA-Z0-9_-]+$/);
    const back = { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: shown }] }] };
    const { turns } = anthropicMessagesClient.readConversation(readJsonObject(JSON.stringify(back)));
    expect(turns[0]?.parts[0]).toMatchObject({ callId: 'functions.look:0' });
  });

  test('blocks without a word are none', () => {
    expect(framesOf(...text(), ...block({ kind: 'reasoning' }), ...text('Hi'))[1].index).toBe(0);
  });

  test('nothing after the end', () => {
    expect(framesOf(...text('Hi'), stop('end'), ...text('more'), stop('length'))).toHaveLength(5);
  });
});

test('the reason of the end, in a stream and whole', () => {
  const reasons: [events: AnswerEvent[], expected: string][] = [
    [[...text('Hi'), stop('end')], 'end_turn'],
    [[...text('Hi'), stop('length')], 'max_tokens'],
    [[...text('Hi'), stop('filter')], 'refusal'],
    [[...text('Hi'), stop('end', 'END')], 'stop_sequence'],
    [[...text('Hi'), stop('tool')], 'end_turn'],
    [[...call('c', '{}'), stop('end')], 'tool_use'],
    [[...block({ kind: 'refusal' }, ['No.']), stop('end')], 'refusal'],
  ];
  for (const [events, expected] of reasons) {
    expect(framesOf(...events).at(-1).delta.stop_reason).toBe(expected);
    expect(wholeOf(...events).stop_reason).toBe(expected);
  }
  expect(wholeOf(...text('Hi'), stop('end', 'END')).stop_sequence).toBe('END');
});

describe('a whole answer', () => {
  test('its blocks', () => {
    const citation = { url: 'https://x', title: 'X', start: 0, end: 2 };
    const message = wholeOf(
      ...block({ kind: 'reasoning' }, ['hm']),
      ...text(),
      ...block({ kind: 'text' }, ['Hi'], { type: 'cite', citation }),
      ...block({ kind: 'refusal' }, ['No.']),
      ...call('c1'),
      stop('tool'),
      { type: 'done' },
    );
    expect(message).toEqual({
      id: 'msg_0abc',
      type: 'message',
      role: 'assistant',
      model: 'some:model',
      content: [
        { type: 'thinking', thinking: 'hm', signature: signOwn(origin, 'hm') },
        { type: 'text', text: 'Hi' },
        { type: 'text', text: 'No.' },
        { type: 'tool_use', id: 'c1', name: 'look', input: {} },
      ],
      stop_reason: 'refusal',
      stop_sequence: null,
    });
  });

  test('arguments keep every character; what is no object is put into one', () => {
    const write = (args: string) => anthropicMessagesClient.writeWhole([...call('c', args), stop('tool')], CONTEXT);
    const args = '{"10":1, "2":12345678901234567890,"a":1.0}';
    expect(write(args)).toContain(`"input":${args}`);
    expect(write('{bad')).toContain('"input":{"_raw":"{bad"}');
    expect(write('[1]')).toContain('"input":{"_raw":"[1]"}');
  });
});

test('whatever legal events come, the client gets a legal stream that says the same as the whole answer', () => {
  const words = fc.array(fc.string(), { maxLength: 3 });
  const signature = fc.option(fc.string({ minLength: 1 }), { nil: undefined });
  const anyBlock = fc.oneof(
    words.map((bits) => text(...bits)),
    fc
      .tuple(words, signature)
      .map(([bits, value]) =>
        block(
          { kind: 'reasoning' },
          bits,
          ...(value === undefined ? [] : [{ type: 'sign', signature: value } as const]),
        ),
      ),
    fc.string().map((data) => block({ kind: 'redacted', data })),
    words.map((bits) => block({ kind: 'refusal' }, bits)),
    fc
      .tuple(fc.uuid(), fc.dictionary(fc.string(), fc.integer()), signature)
      .map(([id, args, value]) =>
        block({ kind: 'tool', id: `call:${id}`, name: 'look', signature: value }, [...JSON.stringify(args)]),
      ),
  );
  const ending = fc.constantFrom<StopReason>('end', 'length', 'tool', 'filter');
  fc.assert(
    fc.property(fc.array(anyBlock, { maxLength: 6 }), ending, (blocks, reason) => {
      const events = [...blocks.flat(), stop(reason)];
      const told = readMessagesStream(sentOf(events));
      const whole = wholeOf(...events);
      const joined = (type: string, field: string) =>
        whole.content.flatMap((part: Answer) => (part.type === type ? [part[field]] : [])).join('');
      expect(told.complete).toBe(true);
      expect(told.text).toBe(joined('text', 'text'));
      expect(told.reasoning).toBe(joined('thinking', 'thinking'));
      expect(told.usage.output_tokens).toBe(7);
      const calls = whole.content.filter(({ type }: Answer) => type === 'tool_use');
      expect(told.calls.map(({ id, arguments: args }) => [id, JSON.parse(args)])).toEqual(
        calls.map(({ id, input }: Answer) => [id, input]),
      );
    }),
    { seed: 7 },
  );
});
