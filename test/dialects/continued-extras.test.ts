// What a chat stream tells beside words, such as citations, when a second run continues it: all that is new of it comes,
// and nothing that the client has comes again.

import { describe, expect, test } from 'bun:test';
import type { Continuation } from '../../src/dialects/dialect.ts';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { readJsonObject } from '../../src/kit/json/json.ts';
import type { Answer } from '../support/answer.ts';
import { parseSse } from '../support/sse.ts';

const request = openaiChat.request.read(
  readJsonObject(JSON.stringify({ model: 'm', stream: true, n: 2, messages: [{ role: 'user', content: 'Hi' }] })),
);

type Chunk = Record<string, unknown>;

/** The chunks that the client gets of the second run. */
function goOn(how: Continuation, first: readonly Chunk[], second: readonly Chunk[]): Answer[] {
  const writer = openaiChat.stream.createWriter(request, { keepText: true });
  const eventsOf = (chunks: readonly Chunk[]) => {
    const reader = openaiChat.stream.createReader(request);
    return chunks.flatMap((chunk) => reader.read({ event: undefined, data: JSON.stringify(chunk) }));
  };
  for (const event of eventsOf(first)) writer.write(event);
  const continued = writer.continue(how);
  const more = eventsOf(second).map(continued.write);
  expect(more).not.toContain('mismatch');
  return parseSse(more.join('')).map(({ json: { model: _, ...chunk } }) => chunk);
}

const chunk = (delta: Chunk, fields: Chunk = {}): Chunk => ({
  choices: [{ index: 0, delta, finish_reason: null, ...fields }],
});
const say = (content: string, more: Chunk = {}) => chunk({ content, ...more });
const cite = (...places: string[]) => ({ annotations: places.map((url) => ({ type: 'url_citation', url })) });
const ROLE = chunk({ role: 'assistant', content: '' });
const END = chunk({}, { finish_reason: 'stop' });

const EXTRAS: [what: string, extra: Chunk][] = [
  ['citations', chunk(cite('a'))],
  ['a signature', chunk({ content: '', reasoning_details: [{ type: 'reasoning.encrypted', data: 'c2ln' }] })],
  ['probabilities', chunk({}, { logprobs: { content: [{ token: 'o', logprob: -1 }] } })],
  ['a field of a delta that nobody knows', chunk({ mood: 'good' })],
  ['a field of a choice that nobody knows', chunk({}, { mood: { is: 'good' } })],
  ['an event that nobody knows', { type: 'mood', mood: 'good' }],
  ['a chunk without choices', { choices: [], mood: 'good' }],
];

describe.each(EXTRAS)('%s', (_, extra) => {
  test('after new words comes', () => {
    const second = [ROLE, say('one '), say('two'), extra, END];
    expect(goOn('fresh', [ROLE, say('one ')], second)).toEqual([say('two'), extra, END]);
    expect(goOn('prefill', [ROLE, say('one ')], [ROLE, say('two'), extra, END])).toEqual([say('two'), extra, END]);
  });

  test('after words that were all sent comes', () => {
    expect(goOn('fresh', [say('one')], [say('o'), say('ne'), extra, END])).toEqual([extra, END]);
  });

  test('that the client has does not come again', () => {
    expect(goOn('fresh', [say('one'), extra], [say('one'), extra, END])).toEqual([END]);
    expect(goOn('fresh', [say('one'), extra, say('two')], [say('one'), extra, say('two'), END])).toEqual([END]);
    expect(goOn('prefill', [say('one'), extra], [ROLE, extra, END])).toEqual([END]);
  });

  test('that comes a second time is another one', () => {
    const second = [say('one'), extra, extra, say('two'), extra, END];
    expect(goOn('fresh', [say('one'), extra], second)).toEqual([extra, say('two'), extra, END]);
  });
});

test('an empty chunk of the second run is not sent', () => {
  const empty = [ROLE, chunk({}), chunk({ content: null, tool_calls: [] }, { logprobs: null })];
  expect(goOn('fresh', [say('one')], [ROLE, say('one'), ...empty, END])).toEqual([END]);
  expect(goOn('prefill', [say('one')], [{ choices: [], about: 'the prompt' }, ...empty, END])).toEqual([END]);
});

test("lists continue where the client's end, however each run splits them", () => {
  expect(
    goOn('fresh', [say('one'), chunk(cite('a')), chunk(cite('b'))], [say('one', cite('a', 'b', 'c')), END]),
  ).toEqual([chunk(cite('c')), END]);
  const last = chunk(cite('a', 'b'), { finish_reason: 'stop' });
  expect(goOn('fresh', [say('one', cite('a'))], [say('one'), last])).toEqual([
    chunk(cite('b'), { finish_reason: 'stop' }),
  ]);
  expect(goOn('fresh', [say('one '), chunk(cite('a'))], [say('one two', cite('a'))])).toEqual([say('two')]);
});

test('one answer does not wait for the other', () => {
  const other = (delta: Chunk) => ({ choices: [{ index: 1, delta, finish_reason: null }] });
  const first = [say('one'), other({ content: 'eins' })];
  const second = [say('one'), chunk(cite('a')), other(cite('b')), other({ content: 'eins' }), other(cite('c'))];
  expect(goOn('fresh', first, second)).toEqual([chunk(cite('a')), other(cite('c'))]);
});

test('other members of a call keep the id that the client knows', () => {
  const call = (fields: Chunk) => chunk({ tool_calls: [{ index: 0, ...fields }] });
  const begin = (id: string) => call({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
  const signed = (id: string) => call({ id, function: { arguments: '' }, extra_content: { signature: 'c2ln' } });
  const empty = (id: string) => call({ id, function: { arguments: '' } });
  expect(goOn('fresh', [begin('a')], [begin('b'), empty('b'), signed('b')])).toEqual([
    call({ extra_content: { signature: 'c2ln' } }),
  ]);
  expect(goOn('fresh', [begin('a'), signed('a')], [begin('b'), signed('b')])).toEqual([]);
});
