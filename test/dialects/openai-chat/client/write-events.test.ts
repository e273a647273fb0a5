// An answer for a chat client: exactly what the vendor would send, readable by whoever reads chats.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openaiChatClient } from '../../../../src/dialects/openai-chat/client/adapter.ts';
import { openaiChat } from '../../../../src/dialects/openai-chat/dialect.ts';
import { createEventReader } from '../../../../src/dialects/openai-chat/upstream/read-events.ts';
import type { AnswerContext } from '../../../../src/dialects/translate/adapters.ts';
import type { AnswerEvent, Block, StopReason } from '../../../../src/dialects/translate/answer-events.ts';
import { signOwn, untagToolId } from '../../../../src/dialects/translate/opaque.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import { parseSse } from '../../../support/sse.ts';
import { contextOf, ORIGIN, targetOf } from '../adapters.ts';

type Fields = Record<string, unknown>;

const block = (kind: Block, ...texts: string[]): AnswerEvent[] => [
  { type: 'open', block: kind },
  ...texts.map((text): AnswerEvent => ({ type: 'delta', text })),
  { type: 'close' },
];
const text = (...texts: string[]) => block({ kind: 'text' }, ...texts);
const call = (id: string, name: string, ...texts: string[]) => block({ kind: 'tool', id, name }, ...texts);
const stop = (reason: StopReason): AnswerEvent => ({ type: 'stop', reason });

function framesOf(events: readonly AnswerEvent[], context: AnswerContext = contextOf()): string[] {
  const writer = openaiChatClient.createEventWriter(context);
  return events.flatMap((event) => writer.write(event)).map(({ data }) => data);
}

function choicesOf(events: readonly AnswerEvent[], context?: AnswerContext): Fields[] {
  return framesOf(events, context).map((data) => JSON.parse(data).choices[0]);
}
const deltasOf = (events: readonly AnswerEvent[], context?: AnswerContext) =>
  choicesOf(events, context).map(({ delta }) => delta as Fields);

function wholeOf(events: readonly AnswerEvent[], context: AnswerContext = contextOf()) {
  return JSON.parse(openaiChatClient.writeWhole(events, context));
}

describe('a stream', () => {
  test('begins with the role and ends with one finish', () => {
    const frames = framesOf([...text('He', 'llo'), stop('end'), ...text('late'), stop('end')]);
    expect(frames.map((data) => JSON.parse(data))).toEqual(
      [
        [{ role: 'assistant', content: '' }, null],
        [{ content: 'He' }, null],
        [{ content: 'llo' }, null],
        [{}, 'stop'],
      ].map(([delta, finish_reason]) => ({
        id: 'chatcmpl-req_1',
        object: 'chat.completion.chunk',
        created: 1_800_000_000,
        model: 'asked-for',
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      })),
    );
  });

  test('an answer without a word has a role and a finish', () => {
    expect(choicesOf([stop('end')])).toMatchObject([{ delta: { role: 'assistant' } }, { finish_reason: 'stop' }]);
  });

  test.each([{ stream_options: { include_usage: true } }, { usage: { include: true } }])(
    'says that it has no usage yet to a client that asked for usage: %j',
    (asked) => {
      const [first] = framesOf(text('a'), contextOf(asked));
      expect(JSON.parse(first ?? '')).toHaveProperty('usage', null);
      expect(JSON.parse(framesOf(text('a'))[0] ?? '')).not.toHaveProperty('usage');
    },
  );

  test('thoughts under both names, then whole with signature and maker', () => {
    const thought: AnswerEvent[] = [
      { type: 'open', block: { kind: 'reasoning' } },
      { type: 'delta', text: 'H' },
      { type: 'delta', text: 'm' },
      { type: 'sign', signature: 'sig' },
      { type: 'close' },
    ];
    const made = (content: string) => ({ origin: ORIGIN, id: signOwn(ORIGIN, content) });
    expect(deltasOf([...thought, ...block({ kind: 'redacted', data: 'blob' })]).slice(1)).toEqual([
      { reasoning_content: 'H', reasoning: 'H' },
      { reasoning_content: 'm', reasoning: 'm' },
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Hm', signature: 'sig', ...made('Hm') }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'blob', ...made('blob') }] },
    ]);
  });

  test('calls are counted from zero, whatever stands between them', () => {
    const events = [
      ...text('a'),
      ...call('x', 'f', '{"a"', ':1}'),
      ...text('b'),
      ...call('y', 'g', '{}'),
      stop('tool'),
    ];
    const bits = deltasOf(events).flatMap(({ tool_calls: calls }) => (calls as Fields[]) ?? []);
    expect(bits).toEqual([
      { index: 0, id: 'x', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"a"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'y', type: 'function', function: { name: 'g', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
    ]);
    expect(choicesOf(events).at(-1)).toMatchObject({ finish_reason: 'tool_calls' });
  });

  test('a call without arguments has an empty object of them', () => {
    expect(deltasOf(call('x', 'f')).at(-1)).toEqual({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] });
  });

  test('a finish that waits for calls is none without one', () => {
    expect(choicesOf([...text('a'), stop('tool')]).at(-1)).toMatchObject({ finish_reason: 'stop' });
  });

  test.each([
    ['end', 'stop'],
    ['length', 'length'],
    ['filter', 'content_filter'],
  ] as const)('%s is told as %s', (reason, finish) => {
    expect(choicesOf([...text('a'), stop(reason)]).at(-1)).toMatchObject({ finish_reason: finish });
  });

  test('a refusal stands beside the words', () => {
    expect(deltasOf([...text('I'), ...block({ kind: 'refusal' }, 'No.')]).slice(1)).toEqual([
      { content: 'I' },
      { refusal: 'No.' },
    ]);
  });

  test('sources', () => {
    const citation = { url: 'https://a', title: 'A', start: 0, end: 3 };
    expect(
      deltasOf([
        { type: 'open', block: { kind: 'text' } },
        { type: 'cite', citation },
      ]).at(-1),
    ).toEqual({
      annotations: [
        { type: 'url_citation', url_citation: { start_index: 0, end_index: 3, url: 'https://a', title: 'A' } },
      ],
    });
  });

  test('what a model wants back travels with the call, twice', () => {
    const signed = block({ kind: 'tool', id: 'x', name: 'f', signature: 'sig' }, '{}');
    const [bit] = deltasOf(signed).flatMap(({ tool_calls: calls }) => (calls as Fields[]) ?? []);
    expect(bit).toMatchObject({ extra_content: { google: { thought_signature: 'sig' } } });
    expect(untagToolId(String(bit?.id))).toEqual({ id: 'x', opaque: { origin: ORIGIN, value: 'sig' } });
  });

  test('custom tools get free text', () => {
    const tool = {
      name: 'patch',
      description: undefined,
      schema: undefined,
      strict: undefined,
      isCustom: true,
      at: 'tools[0]',
    };
    const bits = deltasOf(call('x', 'patch', '*** Begin'), contextOf({}, { tools: [tool] })).slice(1);
    expect(bits).toEqual([
      { tool_calls: [{ index: 0, id: 'x', type: 'custom', custom: { name: 'patch', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: '*** Begin' } }] },
    ]);
    // None is free text, too: braces would be words that the model never said.
    expect(deltasOf(call('x', 'patch', ''), contextOf({}, { tools: [tool] })).slice(1)).toEqual(bits.slice(0, 1));
  });

  test('a client of the first days of the format is answered in its words', () => {
    const context = contextOf({ functions: [{ name: 'f' }] });
    const events = [...call('x', 'f', '{"a":1}'), stop('tool')];
    expect(choicesOf(events, context).slice(1)).toMatchObject([
      { delta: { function_call: { name: 'f', arguments: '' } } },
      { delta: { function_call: { arguments: '{"a":1}' } } },
      { finish_reason: 'function_call' },
    ]);
    expect(wholeOf(events, context).choices[0]).toMatchObject({
      message: { content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      finish_reason: 'function_call',
    });
  });
});

describe('a whole answer', () => {
  test('words joined, calls whole, nothing that is not there', () => {
    const events = [
      ...text('a'),
      ...text('b'),
      ...call('x', 'f', '{"n":1', '2345678901234567890}'),
      ...call('y', 'g'),
      stop('tool'),
    ];
    expect(wholeOf(events)).toEqual({
      id: 'chatcmpl-req_1',
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'asked-for',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'ab',
            refusal: null,
            tool_calls: [
              { id: 'x', type: 'function', function: { name: 'f', arguments: '{"n":12345678901234567890}' } },
              { id: 'y', type: 'function', function: { name: 'g', arguments: '{}' } },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      system_fingerprint: null,
    });
  });

  test('content is null where there are no words', () => {
    expect(wholeOf([...call('x', 'f'), stop('tool')]).choices[0].message.content).toBeNull();
  });

  test('a partial answer and why it ended', () => {
    const { message, finish_reason } = wholeOf([...text('I'), ...block({ kind: 'refusal' }, 'No.'), stop('filter')])
      .choices[0];
    expect({ ...message, finish_reason }).toMatchObject({
      content: 'I',
      refusal: 'No.',
      finish_reason: 'content_filter',
    });
  });

  test('thoughts and their details', () => {
    const thought: AnswerEvent[] = [
      { type: 'open', block: { kind: 'reasoning' } },
      { type: 'delta', text: 'Hm' },
      { type: 'sign', signature: 's' },
      { type: 'close' },
    ];
    expect(wholeOf([...thought, ...thought, ...text('a'), stop('end')]).choices[0].message).toMatchObject({
      content: 'a',
      reasoning_content: 'HmHm',
      reasoning: 'HmHm',
      reasoning_details: [
        { text: 'Hm', signature: 's', origin: ORIGIN },
        { text: 'Hm', signature: 's', origin: ORIGIN },
      ],
    });
  });
});

const words = fc.array(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 1, maxLength: 3 });
const anyBlocks = fc.array(
  fc.oneof(
    words.map((texts) => text(...texts)),
    words.map((texts) => block({ kind: 'reasoning' }, ...texts)),
    words.map((texts) => block({ kind: 'refusal' }, ...texts)),
    fc.tuple(fc.uuid(), words).map(([id, texts]) => call(id, 'f', ...texts)),
  ),
  { maxLength: 6 },
);

describe('any answer', () => {
  const request = openaiChat.request.read(
    readJsonObject('{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}'),
  );
  /** By kind: a stream of chats keeps no border between blocks of words. */
  const contents = (events: readonly AnswerEvent[]) => {
    const found = new Map<string, string>();
    let slot = '';
    for (const event of events) {
      if (event.type === 'open') slot = event.block.kind === 'tool' ? event.block.id : event.block.kind;
      if (event.type === 'delta') found.set(slot, (found.get(slot) ?? '') + event.text);
    }
    return new Map([...found].sort(([a], [b]) => a.localeCompare(b)));
  };

  test('is read by the own reader as begun and finished', () => {
    fc.assert(
      fc.property(anyBlocks, (blocks) => {
        const reader = openaiChat.stream.createReader(request);
        const kinds = framesOf([...blocks.flat(), stop('end')])
          .flatMap((data) => reader.read({ event: undefined, data }))
          .map(({ kind }) => kind);
        expect(kinds).not.toContain('broken');
        expect(kinds.includes('output')).toBe(blocks.length > 0);
        expect(reader.facts().finished).toBe(true);
      }),
      { seed: 7 },
    );
  });

  test('says the same when it is read back as an upstream’s', () => {
    fc.assert(
      fc.property(anyBlocks, (blocks) => {
        const events = [...blocks.flat(), stop('length')];
        const reader = createEventReader(targetOf());
        const back = framesOf(events).flatMap((data) => reader.read({ event: undefined, data }));
        expect(contents(back)).toEqual(contents(events));
        expect(back.at(-1)).toEqual({ type: 'stop', reason: 'length' });
      }),
      { seed: 7 },
    );
  });
});

describe('a stream that another run continues', () => {
  const request = openaiChat.request.read(
    readJsonObject('{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}'),
  );
  const run = (...events: AnswerEvent[]) => {
    const reader = openaiChat.stream.createReader(request);
    return framesOf(events).flatMap((data) => reader.read({ event: undefined, data }));
  };

  const thoughtAgain = (...before: AnswerEvent[]) => {
    const writer = openaiChat.stream.createWriter(request, { keepText: false });
    for (const event of run(...before)) writer.write(event);
    const continued = writer.continue('fresh');
    const again = run(...block({ kind: 'reasoning' }, 'Let me see'), ...text('Yes'), stop('end'));
    return parseSse(again.map(continued.write).join('')).map(({ json }) => json.choices[0].delta);
  };

  test('repeats no thought, under neither name, and signs it once', () => {
    const [rest, details, ...others] = thoughtAgain(
      { type: 'open', block: { kind: 'reasoning' } },
      { type: 'delta', text: 'Let me' },
    );
    expect(rest).toEqual({ reasoning_content: ' see', reasoning: ' see' });
    expect(details).toMatchObject({ reasoning_details: [{ text: 'Let me see' }] });
    expect(others).toEqual([{ content: 'Yes' }, {}]);
    expect(thoughtAgain(...block({ kind: 'reasoning' }, 'Let me see'))).toEqual([{ content: 'Yes' }, {}]);
  });
});
