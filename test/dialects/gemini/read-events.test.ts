// What Gemini says becomes events: blocks that open and close, calls with their own text, one reason why it ended.

import { describe, expect, test } from 'bun:test';
import { createEventReader, readWhole } from '../../../src/dialects/gemini/read-events.ts';
import type { AnswerEvent } from '../../../src/dialects/translate/answer-events.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import { GEMINI_USAGE, type GeminiCall, type GeminiOptions, geminiAnswer, geminiChunks } from '../../support/gemini.ts';
import { target } from './target.ts';

function readStream(chunks: readonly string[], to = target()) {
  const reader = createEventReader(to);
  const events = chunks.flatMap((data) => reader.read({ event: undefined, data }));
  return { events: [...events, ...reader.end()], usage: reader.facts(false).usage };
}

function readAnswer(options: GeminiOptions) {
  return readWhole(readJsonObject(String(geminiAnswer(options).body?.[0])), target());
}

function blocks(events: readonly AnswerEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'open') return [event.block.kind];
    return event.type === 'delta' ? [event.text] : [event.type];
  });
}

const stopOf = (events: readonly AnswerEvent[]) => events.find((event) => event.type === 'stop');

test('text in parts is one block', () => {
  const { events, usage } = readStream(geminiChunks());
  expect(blocks(events)).toEqual(['text', 'Hello', ' there', 'close', 'stop']);
  expect(stopOf(events)).toEqual({ type: 'stop', reason: 'end' });
  expect(usage).toMatchObject({ buckets: { input: 11, output: 7 }, reasoning: 0 });
});

test('thoughts, words and calls are blocks of their own', () => {
  const calls = [{ name: 'look', args: '{"a":1}' }];
  const { events } = readStream(geminiChunks({ thoughts: ['Hm', '.'], pieces: ['Yes'], calls }));
  expect(blocks(events)).toEqual([
    ...['reasoning', 'Hm', '.', 'close', 'text', 'Yes', 'close'],
    ...['tool', '{"a":1}', 'close', 'stop'],
  ]);
});

test('a whole answer reads as the same events', () => {
  const options = { thoughts: ['Hm'], pieces: ['Yes'], calls: [{ name: 'look', args: '{}' }] };
  expect(readAnswer(options)).toEqual(readStream(geminiChunks(options)));
});

test('arguments keep their own text', () => {
  const args = '{"9":1, "1": 12345678901234567890,\n "e":"\\u00e9\\/"}';
  const calls = [{ name: 'look', args }];
  const deltas = (events: readonly AnswerEvent[] = []) =>
    events.flatMap((event) => (event.type === 'delta' ? [event.text] : []));
  expect(deltas(readStream(geminiChunks({ pieces: [], calls })).events)).toEqual([args]);
  expect(deltas(readAnswer({ pieces: [], calls })?.events)).toEqual([args]);
});

test('a call without arguments has an empty object', () => {
  const { events } = readStream(['{"candidates":[{"content":{"parts":[{"functionCall":{"name":"now"}}]}}]}']);
  expect(blocks(events)).toEqual(['tool', '{}', 'close']);
});

describe('ids of calls', () => {
  const ids = (calls: readonly GeminiCall[], requestId = 'req_01abc') =>
    readStream(geminiChunks({ pieces: [], calls }), target({ requestId })).events.flatMap((event) =>
      event.type === 'open' && event.block.kind === 'tool' ? [event.block.id] : [],
    );

  test('the vendor’s own is kept', () => expect(ids([{ name: 'look', args: '{}', id: 'fc9' }])).toEqual(['fc9']));

  test('one that is missing is made, the same in every run and different in every request', () => {
    const two = [
      { name: 'look', args: '{}' },
      { name: 'look', args: '{}' },
    ];
    expect(ids(two)).toEqual(['call_01abc_0', 'call_01abc_1']);
    expect(ids(two, 'req_02def')).toEqual(['call_02def_0', 'call_02def_1']);
  });

  test('one that another call has is made, too', () => {
    const call = { name: 'look', args: '{}', id: 'same' };
    expect(ids([call, call, call])).toEqual(['same', 'call_01abc_1', 'call_01abc_2']);
  });
});

describe('signatures', () => {
  test('of a call stay with it', () => {
    const calls = [{ name: 'look', args: '{}', signature: 'c2ln' }];
    const { events } = readStream(geminiChunks({ pieces: [], calls }));
    expect(events[0]).toMatchObject({ type: 'open', block: { kind: 'tool', signature: 'c2ln' } });
  });

  test.each([
    ['the thought itself', '{"text":"Hm","thought":true,"thoughtSignature":"c2ln"}', '{"text":"Yes"}'],
    ['the words after it', '{"text":"Hm","thought":true}', '{"text":"Yes","thoughtSignature":"c2ln"}'],
  ])('of thoughts close their block, if they came with %s', (_, ...parts) => {
    const { events } = readStream([`{"candidates":[{"content":{"parts":[${parts.join(',')}]}}]}`]);
    expect(blocks(events)).toEqual(['reasoning', 'Hm', 'sign', 'close', 'text', 'Yes']);
    expect(events).toContainEqual({ type: 'sign', signature: 'c2ln' });
  });

  test.each([
    ['some of them', '{"text":"Yes"}', '{"text":".","thoughtSignature":"c2ln"}'],
    ['the first of them', '{"text":"Yes","thoughtSignature":"c2ln"}', '{"text":"."}'],
    ['no more of them', '{"text":"Yes"}', '{"text":"."}', '{"text":"","thoughtSignature":"c2ln"}'],
  ])('of words close their block, if they came with %s', (_, ...parts) => {
    const end = '{"candidates":[{"finishReason":"STOP"}]}';
    const { events } = readStream([...parts.map((part) => `{"candidates":[{"content":{"parts":[${part}]}}]}`), end]);
    expect(blocks(events)).toEqual(['text', 'Yes', '.', 'sign', 'close', 'stop']);
    expect(events).toContainEqual({ type: 'sign', signature: 'c2ln' });
  });

  test('of nothing are nothing', () => {
    const parts = '{"text":"","thoughtSignature":"c2ln"}';
    const { events } = readStream([`{"candidates":[{"content":{"parts":[${parts}]},"finishReason":"STOP"}]}`]);
    expect(blocks(events)).toEqual(['stop']);
  });
});

describe('why it ended', () => {
  const calls = [{ name: 'look', args: '{}' }];

  test.each([
    ['STOP', {}, 'end'],
    ['STOP', { calls }, 'tool'],
    ['MAX_TOKENS', {}, 'length'],
    ['MAX_TOKENS', { calls }, 'length'],
    ['RECITATION', { pieces: [] }, 'filter'],
    ['MALFORMED_FUNCTION_CALL', {}, 'end'],
    ['MALFORMED_FUNCTION_CALL', { pieces: [], calls }, 'tool'],
    ['OTHER', {}, 'end'],
    ['STOP', { pieces: [] }, 'end'],
    ['SOMETHING_NEW', {}, 'end'],
  ] as const)('%s with %j: %s', (finish, options, reason) => {
    expect(stopOf(readStream(geminiChunks({ ...options, finish })).events)).toMatchObject({ reason });
    expect(stopOf(readAnswer({ ...options, finish })?.events ?? [])).toMatchObject({ reason });
  });

  test.each([
    ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'NO_IMAGE'],
    ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'IMAGE_OTHER', 'IMAGE_OF_A_NEW_KIND'],
  ])('%s withholds the answer', (finish) => {
    expect(stopOf(readStream(geminiChunks({ finish })).events)).toMatchObject({ reason: 'filter' });
    expect(stopOf(readAnswer({ finish })?.events ?? [])).toMatchObject({ reason: 'filter' });
  });

  test.each([
    ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'],
    ...['MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE', 'OTHER'],
  ])('%s and nothing of use is no answer, after words it is their end', (finish) => {
    const { events } = readStream(geminiChunks({ pieces: [], thoughts: ['Hm'], finish }));
    const last = { type: 'broken', gaveUp: true } as const;
    expect(events.at(-1)).toEqual(last);
    expect(readAnswer({ pieces: [], thoughts: ['Hm'], finish })?.events.at(-1)).toEqual(last);
    expect(stopOf(readStream(geminiChunks({ finish })).events)).toMatchObject({ reason: 'end' });
    expect(stopOf(readAnswer({ finish })?.events ?? [])).toMatchObject({ reason: 'end' });
  });

  test('a prompt that is blocked is an answer that was filtered', () => {
    const body = '{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":11}}';
    const events = [
      { type: 'open', block: { kind: 'refusal', isVendors: true } },
      { type: 'delta', text: "The prompt was blocked by the model's provider: PROHIBITED_CONTENT." },
      { type: 'close' },
      { type: 'stop', reason: 'filter' },
    ];
    expect<unknown>(readStream([body]).events).toEqual(events);
    expect(readWhole(readJsonObject(body), target())).toMatchObject({
      events,
      usage: { buckets: { input: 11, output: 0 } },
    });
  });

  test('usage is read from any chunk, also from one after the end', () => {
    const used = '{"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":3}}';
    const silent = geminiChunks({ usage: null });
    const expected = { buckets: { input: 11, output: 3 } };
    expect(readStream([used, ...silent]).usage).toMatchObject(expected);
    expect(readStream([...silent, '[DONE]', used]).usage).toMatchObject(expected);
    expect(readStream(['{"promptFeedback":{"blockReason":"SAFETY"}}', used]).usage).toMatchObject(expected);
  });

  test('without a reason it has not ended', () => {
    expect(stopOf(readStream(geminiChunks({ finish: null })).events)).toBeUndefined();
    expect(readAnswer({ finish: null })).toBeUndefined();
  });

  test.each(['', 'FINISH_REASON_UNSPECIFIED'])('%j is no reason', (finish) => {
    expect(stopOf(readStream(geminiChunks({ finish })).events)).toBeUndefined();
    expect(readAnswer({ finish })).toBeUndefined();
  });

  test('it ends once, and the words after a reason belong to it', () => {
    const late =
      '{"candidates":[{"content":{"parts":[{"text":"!"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":9}}';
    const { events, usage } = readStream([...geminiChunks(), late]);
    expect(blocks(events)).toEqual(['text', 'Hello', ' there', '!', 'close', 'stop']);
    expect(usage).toMatchObject({ buckets: { input: 20, output: 9 } });
  });

  test('the last reason counts, and so does a call after the first', () => {
    const [early = ''] = geminiChunks({ pieces: ['Hm'] });
    expect(stopOf(readStream([early, ...geminiChunks({ pieces: [], calls })]).events)).toMatchObject({
      reason: 'tool',
    });
    const { events } = readStream([early, ...geminiChunks({ pieces: ['.'], finish: 'MAX_TOKENS' })]);
    expect(stopOf(events)).toMatchObject({ reason: 'length' });
  });

  test('it comes before the end mark that some servers add', () => {
    const { events } = readStream([...geminiChunks(), '[DONE]']);
    expect(blocks(events)).toEqual(['text', 'Hello', ' there', 'close', 'stop', 'done']);
  });
});

test('of several candidates the first is read', () => {
  const body =
    '{"candidates":[{"index":1,"content":{"parts":[{"text":"B"}]}},{"index":0,"content":{"parts":[{"text":"A"},{"functionCall":{"name":"f","args":{"n":1.0}}}]}}]}';
  expect(blocks(readStream([body]).events)).toEqual(['text', 'A', 'close', 'tool', '{"n":1.0}', 'close']);
});

test('chunks may come as lists', () => {
  const calls = [{ name: 'look', args: '{"n":1.0}' }];
  const { events } = readStream([`[${geminiChunks({ calls }).join(',\n')}]`]);
  expect(blocks(events)).toEqual(['text', 'Hello', ' there', 'close', 'tool', '{"n":1.0}', 'close', 'stop']);
});

test.each([
  '{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}',
  '[{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}]',
  '{"choices":[]}',
  'not JSON',
  '7',
])('%s is broken', (data) => {
  expect(readStream([data]).events).toEqual([{ type: 'broken' }]);
});

test('a picture of the model’s is not lost', () => {
  const part = '{"inlineData":{"mimeType":"image/png","data":"iVBO"}}';
  const { events } = readStream([`{"candidates":[{"content":{"parts":[${part}]}}]}`]);
  expect(blocks(events)).toEqual(['text', '![image](data:image/png;base64,iVBO)']);
});

test('a report without an output count has only the input', () => {
  const { candidatesTokenCount: _, totalTokenCount: __, ...usage } = GEMINI_USAGE;
  expect(readStream(geminiChunks({ usage })).usage).toMatchObject({ buckets: { input: 11 }, lacksOutput: true });
  expect(readStream(geminiChunks({ usage, pieces: [] })).usage).toMatchObject({ buckets: { input: 11, output: 0 } });
});
