// An upstream that has only Responses, for clients of other dialects: what it is asked, and what is made of its answers.

import { describe, expect, test } from 'bun:test';
import { openaiResponsesClient } from '../../../../src/dialects/openai-responses/client/adapter.ts';
import { openaiResponsesUpstream } from '../../../../src/dialects/openai-responses/upstream/adapter.ts';
import type { Target } from '../../../../src/dialects/translate/adapters.ts';
import type { AnswerEvent } from '../../../../src/dialects/translate/answer-events.ts';
import type { Conversation } from '../../../../src/dialects/translate/conversation.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import { quirksOf } from '../../../../src/vendors/quirks.ts';
import {
  type ResponseEvent,
  type ResponseOptions,
  responseEvents,
  responseObject,
} from '../../../support/openai-responses.ts';

const TARGET: Target = {
  model: 'gpt-5-mini',
  quirks: quirksOf('openai'),
  prefill: false,
  origin: 'abcdef0123',
  requestId: 'req_1',
  hashUser: (id) => `hash of ${id}`,
};
const FIELDS = { model: 'up', maxOutputTokens: 50, thinkingBudget: undefined, limitField: 'max_tokens' as const };
const EMPTY: Conversation = {
  system: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi', at: 'messages[0]' }], at: 'messages[0]' }],
  tools: [],
  toolChoice: undefined,
  parallelTools: undefined,
  reasoning: undefined,
  showsThoughts: false,
  format: undefined,
  settings: [],
};

function write(conversation: Partial<Conversation>, target: Partial<Target> = {}, prefill?: string) {
  const written = openaiResponsesUpstream.writeConversation({ ...EMPTY, ...conversation }, { ...TARGET, ...target });
  return { ...written, json: JSON.parse(written.body(FIELDS, { stream: true, prefill })) };
}

describe('asking', () => {
  test('a plain question: nothing is stored, reasoning comes sealed', () => {
    expect(write({ system: [{ type: 'text', text: 'Be brief.', at: 'system' }] }).json).toEqual({
      model: 'up',
      instructions: 'Be brief.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 50,
      store: false,
      stream: true,
    });
  });

  test('a history of its own comes back as it was', () => {
    const sealed = { origin: 'abcdef0123', value: 'gAAAA' };
    const at = 'messages[1]';
    const { json } = write({
      turns: [
        ...EMPTY.turns,
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'Hm', opaque: sealed, at },
            { type: 'text', text: 'Let me see.', at },
            { type: 'tool_call', id: 'a', name: 'look', arguments: '{"n":12345678901234567890}', isCustom: false, at },
          ],
          at,
        },
        {
          role: 'user',
          parts: [
            { type: 'tool_result', callId: 'a', content: [{ type: 'text', text: 'nothing', at }], isError: true, at },
            { type: 'text', text: 'And?', at },
          ],
          at,
        },
        { role: 'system', parts: [{ type: 'text', text: 'Hurry.', at }], at },
        { role: 'user', parts: [{ type: 'text', text: 'Go', at }], at },
      ],
    });
    expect(json.input).toEqual([
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'gAAAA' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] },
      { type: 'function_call', call_id: 'a', name: 'look', arguments: '{"n":12345678901234567890}' },
      { type: 'function_call_output', call_id: 'a', output: 'Error: nothing' },
      { role: 'user', content: [{ type: 'input_text', text: 'And?' }] },
      { role: 'developer', content: [{ type: 'input_text', text: 'Hurry.' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
    ]);
  });

  test('reasoning of another model does not', () => {
    const opaque = { origin: 'another000', value: 'x' };
    const parts = [
      { type: 'reasoning' as const, text: 'Hm', opaque, at: 'm' },
      { type: 'text' as const, text: 'Yes', at: 'm' },
    ];
    const { json } = write({ turns: [...EMPTY.turns, { role: 'assistant', parts, at: 'm' }, ...EMPTY.turns] });
    expect(json.input[1]).toEqual({ role: 'assistant', content: [{ type: 'output_text', text: 'Yes' }] });
  });

  test('tools, their choice, and free text as a function', () => {
    const tool = { description: 'L.', schema: { type: 'object' }, strict: undefined, at: 'tools[0]' };
    const { json } = write({
      tools: [
        { ...tool, name: 'look', isCustom: false },
        { ...tool, name: 'patch', schema: undefined, isCustom: true },
      ],
      toolChoice: { mode: 'tool', name: 'look' },
      parallelTools: false,
    });
    expect(json).toMatchObject({
      tools: [
        { type: 'function', name: 'look', description: 'L.', parameters: { type: 'object' }, strict: false },
        { type: 'function', name: 'patch', parameters: { properties: { input: { type: 'string' } } } },
      ],
      tool_choice: { type: 'function', name: 'look' },
      parallel_tool_calls: false,
    });
  });

  test('settings in its own words; stop sequences are watched for here', () => {
    const { json, dropped, localStops } = write({
      reasoning: { name: 'thinking', isOff: false, effort: undefined, budget: 4_000 },
      format: { kind: 'json_schema', name: 'out', schema: { type: 'object' }, strict: undefined },
      settings: [
        { kind: 'user', name: 'metadata.user_id', value: 'u' },
        { kind: 'verbosity', name: 'verbosity', value: 'low' },
        { kind: 'stop', name: 'stop', value: ['END'] },
        { kind: 'temperature', name: 'temperature', value: 0.2 },
        { kind: 'seed', name: 'seed', value: 1 },
      ],
    });
    expect(json).toMatchObject({
      reasoning: { effort: 'medium' },
      safety_identifier: 'hash of u',
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'out', schema: { type: 'object' } },
      },
    });
    expect(json.text.format).not.toHaveProperty('strict');
    expect(dropped).toEqual(['temperature', 'seed']);
    expect(localStops).toEqual(['END']);
  });

  test.each([
    ['gpt-5-mini', { budget: 31_999 }, 'high'],
    ['gpt-5-mini', { effort: 'max' }, 'high'],
    ['gpt-5.1', { effort: 'minimal' }, 'low'],
    ['gpt-5.2', { effort: 'max' }, 'xhigh'],
    ['o3', { isOff: true }, 'low'],
    ['somebody-else', { effort: 'max' }, 'max'],
  ])('%s, asked for %j, is given a word that it takes', (model, requested, effort) => {
    const reasoning = { name: 'thinking', isOff: false, effort: undefined, budget: undefined, ...requested };
    const { json, dropped } = write({ reasoning }, { model });
    expect([json.reasoning, dropped]).toEqual([{ effort }, []]);
  });

  test('no bound on the output below the least that it takes', () => {
    const { body } = openaiResponsesUpstream.writeConversation(EMPTY, TARGET);
    const sent = (maxOutputTokens: number) =>
      JSON.parse(body({ ...FIELDS, maxOutputTokens }, { stream: false })).max_output_tokens;
    expect([1, 15, 16, 17].map(sent)).toEqual([16, 16, 16, 17]);
  });

  test('a model that does not think is not asked about it', () => {
    const { json } = write(
      { settings: [{ kind: 'temperature', name: 'temperature', value: 0.2 }] },
      { model: 'gpt-4o' },
    );
    expect(json.include).toBeUndefined();
    expect(json.temperature).toBe(0.2);
  });

  test('a begun answer stands last', () => {
    expect(write({}, {}, 'One \n').json.input.at(-1)).toEqual({ role: 'assistant', content: 'One' });
  });

  test.each(['audio', 'other'] as const)('%s cannot be carried', (type) => {
    const part = type === 'audio' ? { type, format: 'wav', data: 'A', at: 'm[0]' } : { type, kind: 'x', at: 'm[0]' };
    expect(() => write({ turns: [{ role: 'user', parts: [part], at: 'm' }] })).toThrow();
  });
});

describe('answers', () => {
  const OPTIONS: ResponseOptions = {
    reasoning: ['Hm', '…'],
    pieces: ['Hi', ' there'],
    tools: [
      { name: 'look', arguments: ['{"at"', ':1}'], callId: 'x' },
      { name: 'go', arguments: ['{}'], callId: 'y' },
    ],
  };
  const EXPECTED: AnswerEvent[] = [
    { type: 'open', block: { kind: 'reasoning' } },
    { type: 'delta', text: 'Hm…' },
    { type: 'sign', signature: 'enc_a' },
    { type: 'close' },
    { type: 'open', block: { kind: 'text' } },
    { type: 'delta', text: 'Hi there' },
    { type: 'close' },
    { type: 'open', block: { kind: 'tool', id: 'x_a', name: 'look' } },
    { type: 'delta', text: '{"at":1}' },
    { type: 'close' },
    { type: 'open', block: { kind: 'tool', id: 'y_a', name: 'go' } },
    { type: 'delta', text: '{}' },
    { type: 'close' },
    { type: 'stop', reason: 'tool' },
  ];
  const readAll = (events: readonly ResponseEvent[]) => {
    const reader = openaiResponsesUpstream.createEventReader(TARGET);
    const seen = events.flatMap((event) => reader.read({ event: event.type, data: JSON.stringify(event) }));
    return { events: joined(seen), usage: reader.facts(false).usage };
  };

  test('a stream', () => {
    const { events, usage } = readAll(responseEvents(OPTIONS));
    expect(events).toEqual([...EXPECTED, { type: 'done' }]);
    expect(usage).toMatchObject({ buckets: { input: 11, output: 7 } });
  });

  test('a stream that says everything at the end only', () => {
    const events = responseEvents(OPTIONS).filter(({ type }) => /created|completed/.test(type));
    expect(readAll(events).events).toEqual([...EXPECTED, { type: 'done' }]);
  });

  test('a stream whose calls are mixed up', () => {
    const events = responseEvents({ ...OPTIONS, reasoning: [], pieces: [] });
    const [created, progress, addA, a1, a2, doneA, endA, addB, b1, doneB, endB, last] = events;
    const mixed = [created, progress, addA, a1, addB, b1, doneB, endB, a2, doneA, endA, last];
    const calls = EXPECTED.slice(7);
    expect(readAll(mixed.filter((event) => event !== undefined)).events).toEqual([...calls, { type: 'done' }]);
  });

  test('a whole answer', () => {
    const whole = openaiResponsesUpstream.readWhole(readJsonObject(JSON.stringify(responseObject(OPTIONS))), TARGET);
    expect(joined(whole?.events ?? [])).toEqual(EXPECTED);
    expect(whole?.usage).toMatchObject({ buckets: { input: 11, output: 7 } });
    const failed = JSON.stringify({ ...responseObject(), status: 'failed', error: { message: 'x' } });
    expect(openaiResponsesUpstream.readWhole(readJsonObject(failed), TARGET)).toBeUndefined();
  });

  test('why it ended', () => {
    expect(readAll(responseEvents({ isCutShort: true })).events.at(-2)).toEqual({ type: 'stop', reason: 'length' });
    expect(readAll([{ type: 'response.failed', response: {} }]).events).toEqual([{ type: 'broken' }]);
    expect(readAll([{ type: 'response.cancelled', response: {} }]).events).toEqual([{ type: 'broken' }]);
  });

  test.each([null, {}, { reason: 'max_tokens' }, { reason: 'something_new' }])(
    'incomplete, whatever the reason (%j), is never whole',
    (details) => {
      for (const [said, reason] of [
        [details, 'length'],
        [{ reason: 'content_filter' }, 'filter'],
      ] as const) {
        const response = { ...responseObject(OPTIONS), status: 'incomplete', incomplete_details: said };
        const whole = openaiResponsesUpstream.readWhole(readJsonObject(JSON.stringify(response)), TARGET);
        expect(whole?.events.at(-1)).toEqual({ type: 'stop', reason });
      }
    },
  );

  test('a citation of a text is read once, wherever the upstream sends it', () => {
    const cited = (url: string) => ({ type: 'url_citation', url, title: 'T', start_index: 1, end_index: 3 });
    const texts = [
      { type: 'output_text', text: 'One.', annotations: [cited('https://a.test'), cited('https://b.test')] },
      { type: 'output_text', text: 'Two.', annotations: [cited('https://a.test')] },
    ];
    const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: texts };
    const response = { ...responseObject(), output: [item] };
    const saysAll = texts.flatMap((part, content_index) => [
      { type: 'response.output_text.delta', output_index: 0, content_index, delta: part.text },
      ...part.annotations.map((annotation, annotation_index) => ({
        type: 'response.output_text.annotation.added',
        ...{ output_index: 0, content_index, annotation_index, annotation },
      })),
      { type: 'response.content_part.done', output_index: 0, content_index, part },
    ]);
    const itemDone = { type: 'response.output_item.done', output_index: 0, item };
    const last = { type: 'response.completed', response };
    const partsDone = saysAll.filter(({ type }) => !type.endsWith('annotation.added'));
    for (const stream of [[...saysAll, itemDone, last], [...partsDone, itemDone, last], [itemDone, last], [last]]) {
      expect(citationsOf(readAll(stream).events)).toEqual([
        'https://a.test 1-3',
        'https://b.test 1-3',
        'https://a.test 5-7',
      ]);
    }
    const whole = openaiResponsesUpstream.readWhole(readJsonObject(JSON.stringify(response)), TARGET);
    expect(citationsOf(whole?.events ?? [])).toHaveLength(3);
  });

  test('what we write for clients, we read from upstreams', () => {
    const context = {
      requestId: 'req_1',
      createdAt: 1,
      model: 'main',
      origin: 'o',
      tools: [],
      inputTokens: 1,
      asked: readJsonObject('{"model":"main","input":"Hi"}'),
    };
    const said = EXPECTED.filter(({ type }) => type !== 'sign');
    const writer = openaiResponsesClient.createEventWriter(context);
    const reader = openaiResponsesUpstream.createEventReader(TARGET);
    expect(joined(said.flatMap(writer.write).flatMap((frame) => reader.read(frame)))).toEqual(said);
  });
});

function citationsOf(events: readonly AnswerEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'cite' ? [`${event.citation.url} ${event.citation.start}-${event.citation.end}`] : [],
  );
}

/** With the deltas of each block as one. */
function joined(events: readonly AnswerEvent[]): AnswerEvent[] {
  const out: AnswerEvent[] = [];
  for (const event of events) {
    const last = out.at(-1);
    if (event.type === 'delta' && last?.type === 'delta')
      out[out.length - 1] = { type: 'delta', text: last.text + event.text };
    else out.push(event);
  }
  return out;
}
