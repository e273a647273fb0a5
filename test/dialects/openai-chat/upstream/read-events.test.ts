// An upstream's chat answer as events, however its upstream writes chats.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createEventReader, readWhole } from '../../../../src/dialects/openai-chat/upstream/read-events.ts';
import type { AnswerEvent } from '../../../../src/dialects/translate/answer-events.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import type { QuirksName } from '../../../../src/vendors/quirks.ts';
import { targetOf } from '../adapters.ts';

type Fields = Record<string, unknown>;

const chunk = (delta: unknown, finish: unknown = null, more: Fields = {}) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const callBit = (more: Fields) => chunk({ tool_calls: [more] });

function readAll(datas: readonly string[], quirks?: QuirksName) {
  const reader = createEventReader(targetOf(quirks));
  const events = datas.flatMap((data) => reader.read({ event: undefined, data }));
  return { events: [...events, ...reader.end()], usage: reader.facts(false).usage };
}

/** Blocks with their text joined, in order, and the rest by its type. */
function summary(events: readonly AnswerEvent[]): unknown[] {
  const said: unknown[] = [];
  let text = '';
  let open: AnswerEvent | undefined;
  for (const event of events) {
    if (event.type === 'open') {
      expect(open).toBeUndefined();
      open = event;
      text = '';
    } else if (event.type === 'delta') {
      expect(open).toBeDefined();
      text += event.text;
    } else if (event.type === 'close') {
      if (open?.type !== 'open') throw new Error('closed what was not open');
      const { block } = open;
      said.push(block.kind === 'tool' ? [block.id, block.name, text] : [block.kind, text]);
      open = undefined;
    } else said.push(event.type === 'stop' ? `stop:${event.reason}` : event.type);
  }
  return said;
}

const said = (...datas: string[]) => summary(readAll(datas).events);

describe('a stream', () => {
  test('thoughts, then words, each in a block of its own', () => {
    for (const field of ['reasoning_content', 'reasoning']) {
      expect(
        said(
          chunk({ role: 'assistant', content: '' }),
          chunk({ [field]: 'H' }),
          chunk({ [field]: 'm', content: null }),
          chunk({ content: 'Yes' }),
          chunk({}, 'stop'),
          '[DONE]',
        ),
      ).toEqual([['reasoning', 'Hm'], ['text', 'Yes'], 'stop:end', 'done']);
    }
  });

  test('a thought under both names is one', () => {
    expect(said(chunk({ reasoning_content: 'Hm', reasoning: 'Hm' }), chunk({}, 'stop'))).toEqual([
      ['reasoning', 'Hm'],
      'stop:end',
    ]);
  });

  test('content in parts, thoughts among them', () => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'text', text: 'Yes' },
    ];
    expect(said(chunk({ content: parts }), chunk({}, 'stop'))).toEqual([
      ['reasoning', 'Hm'],
      ['text', 'Yes'],
      'stop:end',
    ]);
  });

  test('a refusal is a block of its own', () => {
    expect(said(chunk({ content: 'I' }), chunk({ refusal: 'No.' }), chunk({}, 'content_filter'))).toEqual([
      ['text', 'I'],
      ['refusal', 'No.'],
      'stop:filter',
    ]);
  });

  test('chunks without choices or without a delta say nothing', () => {
    expect(
      said(
        JSON.stringify({ choices: [], prompt_filter_results: [] }),
        chunk({ content: 'a' }),
        JSON.stringify({ choices: [{ index: 0, content_filter_offsets: {}, finish_reason: null }] }),
        JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop' }] }),
      ),
    ).toEqual([['text', 'a'], 'stop:end']);
  });

  test.each([
    ['stop', 'end'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'filter'],
    ['tool_calls', 'end'],
    ['function_call', 'end'],
    ['eos', 'end'],
  ])('the finish %s without calls', (finish, reason) => {
    expect(said(chunk({ content: 'a' }, finish))).toEqual([['text', 'a'], `stop:${reason}`]);
  });

  test.each([
    ['stop', 'tool'],
    ['tool_calls', 'tool'],
    ['something', 'tool'],
    ['length', 'length'],
  ])('the finish %s with a call', (finish, reason) => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
    expect(said(chunk({ tool_calls: [call] }, finish))).toEqual([['a', 'f', '{}'], `stop:${reason}`]);
  });

  test('errors, and what is no chat, are breaks', () => {
    expect(said('{"error":{"message":"x"}}')).toEqual(['broken']);
    expect(said('{"error":"x"}')).toEqual(['broken']);
    expect(said('<html>')).toEqual(['broken']);
    expect(said(chunk({ content: '' }, 'error'))).toEqual(['broken']);
    expect(said(chunk({}, 'insufficient_system_resource'))).toEqual(['broken']);
    expect(said('{"object":"error","message":"x","code":500}')).toEqual(['broken']);
    expect(said('{"choices":[{"index":0,"delta":{},"finish_reason":null,"error":{"message":"x"}}]}')).toEqual([
      'broken',
    ]);
  });

  test('an empty error or an empty finish says nothing', () => {
    expect(said(chunk({ content: 'a' }, '', { error: '' }), chunk({ content: 'b' }, ''), chunk({}, 'stop'))).toEqual([
      ['text', 'ab'],
      'stop:end',
    ]);
  });

  test('words that are called a message', () => {
    const message = { content: 'a', tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] };
    expect(said(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }))).toEqual([
      ['text', 'a'],
      ['a', 'f', '{"x":1}'],
      'stop:tool',
    ]);
  });

  test('without a finish there is no stop', () => {
    const { events } = readAll([chunk({ content: 'a' }), '[DONE]']);
    expect(events.some(({ type }) => type === 'stop')).toBe(false);
  });

  test('only the first answer is read', () => {
    const two = JSON.stringify({
      choices: [
        { index: 1, delta: { content: 'b' } },
        { index: 0, delta: { content: 'a' } },
      ],
    });
    expect(said(two, chunk({}, 'stop'))).toEqual([['text', 'a'], 'stop:end']);
  });

  test('sources of the words', () => {
    const cited = {
      type: 'url_citation',
      url_citation: { url: 'https://a', title: 'A', start_index: 1, end_index: 3 },
    };
    const { events } = readAll([chunk({ content: 'abc' }), chunk({ annotations: [cited] }), chunk({}, 'stop')]);
    expect(events).toContainEqual({ type: 'cite', citation: { url: 'https://a', title: 'A', start: 1, end: 3 } });
  });
});

describe('calls of a stream', () => {
  const end = chunk({}, 'tool_calls');
  const first = (index: number, id: string, name: string) =>
    callBit({ index, id, type: 'function', function: { name, arguments: '' } });
  const bit = (index: number | undefined, text: string) => callBit({ index, function: { arguments: text } });

  test('interleaved they come out one after the other', () => {
    expect(
      said(first(0, 'a', 'f'), first(1, 'b', 'g'), bit(0, '{"x"'), bit(1, '{"y"'), bit(0, ':1}'), bit(1, ':2}'), end),
    ).toEqual([['a', 'f', '{"x":1}'], ['b', 'g', '{"y":2}'], 'stop:tool']);
  });

  test('an index that is always 0', () => {
    expect(said(first(0, 'a', 'f'), bit(0, '{}'), first(0, 'b', 'g'), bit(0, '{"y":2}'), end)).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', '{"y":2}'],
      'stop:tool',
    ]);
  });

  test('no index at all', () => {
    const whole = (id: string, text: string) => callBit({ id, function: { name: 'f', arguments: text } });
    expect(said(whole('a', '{"x":'), bit(undefined, '1}'), whole('b', '{}'), end)).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{}'],
      'stop:tool',
    ]);
    const both = chunk({ tool_calls: ['a', 'b'].map((id) => ({ id, function: { name: 'f', arguments: `"${id}"` } })) });
    expect(said(both, end)).toEqual([['a', 'f', '"a"'], ['b', 'f', '"b"'], 'stop:tool']);
  });

  describe('that only their order distinguishes', () => {
    const opened = (id: string | undefined, name: string, text = '') => ({ id, function: { name, arguments: text } });
    const more = (...texts: string[]) => texts.map((text) => ({ function: { arguments: text } }));
    const asFirst = (calls: Fields[]) => calls.map((call) => ({ ...call, index: 0 }));
    const told = (deltas: Fields[][], finish = 'tool_calls') =>
      said(...deltas.map((calls) => chunk({ tool_calls: calls })), chunk({}, finish));
    const calls = [
      [expect.any(String), 'f', '{"x":1}'],
      [expect.any(String), 'g', '{"y":2}'],
    ];

    test.each<[string, Fields[][]]>([
      ['one after the other', [[opened('a', 'f')], more('{"x"'), more(':1}'), [opened('b', 'g')], more('{"y":2}')]],
      ['begun and going on together', [[opened('a', 'f'), opened('b', 'g')], more('{"x"', '{"y"'), more(':1}', ':2}')]],
      ['begun apart, going on together', [[opened('a', 'f')], [opened('b', 'g')], more('{"x":1}', '{"y":2}')]],
      [
        'in turns, with their names in every bit',
        [
          [opened(undefined, 'f', '{"x"')],
          [opened(undefined, 'g', '{"y"')],
          [opened(undefined, 'f', ':1}')],
          [opened(undefined, 'g', ':2}')],
        ],
      ],
      ['going on where another begins', [[opened('a', 'f', '{"x"')], [...more(':1}'), opened('b', 'g', '{"y":2}')]]],
      ['alone, in several bits at once', [[opened('a', 'f')], more('{"x"', ':1}'), [opened('b', 'g', '{"y":2}')]]],
      ["and an empty bit that is anybody's", [[opened('a', 'f', '{"x":1}'), opened('b', 'g', '{"y":2}')], more('')]],
    ])('have their own arguments: %s', (_, deltas) => {
      expect(told(deltas)).toEqual([...calls, 'stop:tool']);
    });

    test('the last that began goes on, also beside one that takes no arguments', () => {
      expect(told([[opened('a', 'f')], [opened('b', 'g')], more('{"y"'), more(':2}')])).toEqual([
        ['a', 'f', ''],
        ['b', 'g', '{"y":2}'],
        'stop:tool',
      ]);
    });

    test('an index that two have stands for none but these', () => {
      const at = (index: number, calls: Fields[]) => calls.map((call) => ({ ...call, index }));
      const deltas = [
        at(0, [opened('a', 'f', '{"x":1}')]),
        at(0, [opened('b', 'g')]),
        at(1, [opened('c', 'h')]),
        at(0, more('{"y":2}')),
        at(1, more('{"z":3}')),
      ];
      expect(told(deltas)).toEqual([['a', 'f', '{"x":1}'], ['b', 'g', '{"y":2}'], ['c', 'h', '{"z":3}'], 'stop:tool']);
    });

    test('one without arguments is no part of a mix where the other is cut off', () => {
      const cut = [[opened('a', 'f')], [opened('b', 'g')], more('{"y"'), more(':')];
      expect(told(cut, 'length')).toEqual([['a', 'f', ''], ['b', 'g', '{"y":'], 'stop:length']);
    });

    const apart = [[opened('a', 'f')], [opened('b', 'g')]];
    const together = [[opened('a', 'f'), opened('b', 'g')]];
    test.each<[string, Fields[][]]>([
      ['in turns, each at once', [...apart, more('{"x":1}'), more('{"y":2}')]],
      ['in turns, in pieces', [...apart, more('{"x"'), more('{"y"'), more(':1}'), more(':2}')]],
      ['all counted as the first', [...apart, more('{"x":1}'), more('{"y":2}')].map(asFirst)],
      [
        'begun with their first words',
        [[opened('a', 'f', '{"x"')], [opened('b', 'g', '{"y"')], more(':1}'), more(':2}')],
      ],
      ['begun together, going on one by one', [...together, more('{"x":1}'), more('{"y":2}')]],
      ['more bits than calls', [...together, more('{"x":1}', '{"y":2}', '{}')]],
      ['of one tool, with its name alone', [[opened(undefined, 'f', '{"x"')], [opened(undefined, 'f', '{"x":1}')]]],
    ])('are never one: %s', (_, deltas) => {
      const { events } = readAll([...deltas.map((list) => chunk({ tool_calls: list })), end]);
      expect(events.map(({ type }) => type)).toContain('broken');
      expect(events.map(({ type }) => type)).not.toContain('stop');
    });

    test('one that is cut off at its bound is no mix', () => {
      const cut = [[opened(undefined, 'f', '{"x"')], [opened(undefined, 'f', ':')]];
      expect(told(cut, 'length')).toEqual([[expect.any(String), 'f', '{"x":'], 'stop:length']);
    });
  });

  test('no id at all: each gets one of its own', () => {
    const whole = (index: number) => callBit({ index, function: { name: 'f', arguments: '{}' } });
    const { events } = readAll([whole(0), whole(1), end]);
    const ids = events.flatMap((event) =>
      event.type === 'open' && event.block.kind === 'tool' ? [event.block.id] : [],
    );
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^call_\w{24}$/);
  });

  test('one id for two calls', () => {
    const { events } = readAll([first(0, 'a', 'f'), first(1, 'a', 'g'), bit(0, '1'), bit(1, '2'), end]);
    const [one, two] = summary(events) as string[][];
    expect(one).toEqual(['a', 'f', '1']);
    expect(two?.slice(1)).toEqual(['g', '2']);
    expect(two?.[0]).not.toBe('a');
  });

  test('id and name with every delta, or a new id with every delta', () => {
    const again = (id: string, name: string | undefined, text: string) =>
      callBit({ index: 0, id, function: { name, arguments: text } });
    expect(said(again('a', 'f', '{"x"'), again('a', 'f', ':1}'), end)).toEqual([['a', 'f', '{"x":1}'], 'stop:tool']);
    expect(said(again('a', 'f', '{"x"'), again('b', undefined, ':1}'), end)).toEqual([
      ['a', 'f', '{"x":1}'],
      'stop:tool',
    ]);
  });

  test('arguments that come only at the end, even with the finish', () => {
    const last = chunk({ tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] }, 'tool_calls');
    expect(said(first(0, 'a', 'f'), last)).toEqual([['a', 'f', '{"x":1}'], 'stop:tool']);
  });

  test('a name that comes late', () => {
    const named = callBit({ index: 0, id: 'a', function: { name: 'f' } });
    expect(said(bit(0, '{"x"'), named, bit(0, ':1}'), end)).toEqual([['a', 'f', '{"x":1}'], 'stop:tool']);
  });

  describe('a name in parts', () => {
    const knowsTool = (name: string) => ['get_thing', 'get_get_all', 'look', 'go'].includes(name);
    const piece = (id: string | undefined, name: string, text = '') =>
      callBit({ index: 0, ...(id === undefined ? {} : { id }), function: { name, arguments: text } });
    const calls = (...datas: string[]) => {
      const reader = createEventReader({ ...targetOf(), knowsTool });
      return summary(datas.flatMap((data) => reader.read({ event: undefined, data })));
    };

    test('is one name', () => {
      const thing = ['a', 'get_thing', '{"x":1}'];
      expect(calls(piece('a', 'get_'), piece(undefined, 'thing', '{"x"'), bit(0, ':1}'), end)).toEqual([
        thing,
        'stop:tool',
      ]);
      expect(
        calls(piece('a', 'ge'), piece(undefined, 't_'), piece(undefined, 'thing'), bit(0, '{"x":1}'), end),
      ).toEqual([thing, 'stop:tool']);
    });

    test.each([
      ['the id in each', ['a', 'a'], ['lo', 'ok'], 'look'],
      ['all that was said in each', ['a', undefined], ['lo', 'look'], 'look'],
      ['both in each', ['a', 'a'], ['lo', 'look'], 'look'],
      ['all that was said in each, of a tool that nobody knows', ['a'], ['no', 'nop', 'nope'], 'nope'],
      ['a piece that begins like the one before', ['a'], ['get_', 'get_all'], 'get_get_all'],
    ])('is one name, with %s', (_, ids, names, name) => {
      const pieces = names.map((text, at) => piece(ids[at], text));
      expect(calls(...pieces, bit(0, '{}'), end)).toEqual([['a', name, '{}'], 'stop:tool']);
    });

    test('two tools in one place are two calls', () => {
      const told = calls(piece(undefined, 'look'), piece(undefined, 'go', '{}'), end) as string[][];
      expect(told.slice(0, 2).map(([, ...rest]) => rest)).toEqual([
        ['look', ''],
        ['go', '{}'],
      ]);
    });

    test('one that the model made up is passed on, with and without arguments', () => {
      expect(calls(piece('a', 'made'), bit(0, '{}'), end)).toEqual([['a', 'made', '{}'], 'stop:tool']);
      expect(calls(piece('a', 'made'), end)).toEqual([['a', 'made', ''], 'stop:tool']);
      expect(calls(piece('a', 'made'), piece('b', 'up', '{}'), end)).toEqual([
        ['b', 'up', '{}'],
        ['a', 'made', ''],
        'stop:tool',
      ]);
    });
  });

  test('a call without a name is none', () => {
    expect(said(chunk({ content: 'a' }), bit(0, '{}'), end)).toEqual([['text', 'a'], 'stop:end']);
  });

  test('arguments that are an object keep their text', () => {
    const data =
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"2":1.0,"1":12345678901234567890}}}]},"finish_reason":"stop"}]}';
    expect(said(data)).toEqual([['a', 'f', '{"2":1.0,"1":12345678901234567890}'], 'stop:tool']);
  });

  test('the call of the first days of the format', () => {
    expect(
      said(
        chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
        chunk({ function_call: { arguments: ':1}' } }),
        chunk({}, 'function_call'),
      ),
    ).toMatchObject([[expect.stringMatching(/^call_/), 'f', '{"x":1}'], 'stop:tool']);
  });

  test('what the model wants back with a call', () => {
    const call = {
      index: 0,
      id: 'a',
      function: { name: 'f', arguments: '{}' },
      extra_content: { google: { thought_signature: 'sig' } },
    };
    const { events } = readAll([callBit(call)]);
    expect(events[0]).toEqual({ type: 'open', block: { kind: 'tool', id: 'a', name: 'f', signature: 'sig' } });
  });

  test('any mix of deltas by the specification gives every call whole and in order', () => {
    const call = fc.record({
      name: fc.constantFrom('f', 'g'),
      bits: fc.array(fc.string({ minLength: 1 }), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(
        fc.array(call, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        (calls, order) => {
          const datas = calls.map(({ name }, index) => first(index, `id${index}`, name));
          const left = calls.map(({ bits }) => [...bits]);
          for (const pick of [...order, ...Array.from({ length: 20 }, (_, at) => at)]) {
            const index = pick % calls.length;
            const next = left[index]?.shift();
            if (next !== undefined) datas.push(bit(index, next));
          }
          const expected = calls.map(({ name, bits }, index) => [`id${index}`, name, bits.join('')]);
          expect(said(...datas, end)).toEqual([...expected, 'stop:tool']);
        },
      ),
      { seed: 7 },
    );
  });
});

describe('details of reasoning', () => {
  const detail = (more: Fields) => ({ type: 'reasoning.text', index: 0, ...more });
  const sealed = (more: Fields) => ({ type: 'reasoning.encrypted', index: 0, ...more });
  const details = (...list: Fields[]) => chunk({ reasoning_details: list });
  const call = callBit({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } });
  const end = chunk({}, 'stop');
  /** Each block by its kind, and what was signed as what it says. */
  const signedIn = (events: readonly AnswerEvent[]) =>
    events.flatMap((event): unknown[] => {
      if (event.type === 'open') return [event.block.kind];
      return event.type === 'sign' ? [JSON.parse(event.signature)] : [];
    });
  const signed = (...datas: string[]) => signedIn(readAll(datas, 'openrouter').events);

  test('parts of one type and index are joined', () => {
    expect(
      signed(
        chunk({ reasoning: 'a', reasoning_details: [detail({ text: 'a', signature: null, format: null })] }),
        chunk({ reasoning: 'b', reasoning_details: [detail({ text: 'b', format: 'x' })] }),
        details(detail({ signature: 's' }), { type: 'reasoning.summary', index: 0, summary: 'c' }),
        details(sealed({ data: 'd' }), { type: 'reasoning.summary', index: 0, summary: 'C' }),
        chunk({ content: 'e' }),
        end,
      ),
    ).toEqual([
      'reasoning',
      [
        detail({ text: 'ab', signature: 's', format: 'x' }),
        { type: 'reasoning.summary', index: 0, summary: 'cC' },
        sealed({ data: 'd' }),
      ],
      'text',
    ]);
  });

  test('what follows a signature, or is sealed under another id, is another one', () => {
    const list = [
      ...[detail({ text: 'a', signature: 's' }), detail({ text: 'b', signature: 't' })],
      ...[sealed({ id: '1', data: 'c' }), sealed({ id: '2', data: 'd' })],
    ];
    expect(signed(...list.map((one) => details(one)), end)).toEqual(['reasoning', list]);
  });

  test('come with a call, or after it', () => {
    const together = chunk({ reasoning_details: [sealed({ data: 'a' })], ...JSON.parse(call).choices[0].delta });
    expect(signed(together, end)).toEqual(['reasoning', [sealed({ data: 'a' })], 'tool']);
    expect(signed(details(detail({ text: 'a' })), call, details(sealed({ data: 'b' })), end)).toEqual([
      ...['reasoning', [detail({ text: 'a' })]],
      ...['tool', 'reasoning', [sealed({ data: 'b' })]],
    ]);
  });

  test('do not interrupt words', () => {
    const words = chunk({ content: 'a', reasoning_details: [sealed({ data: 'b' })] });
    expect(signed(chunk({ content: 'a' }), words, words, end)).toEqual(['text', 'reasoning', [sealed({ data: 'bb' })]]);
  });

  test('of a whole answer stay as they are', () => {
    const list = [detail({ text: 'a' }), detail({ text: 'b' })];
    const message = { role: 'assistant', reasoning: 'ab', reasoning_details: list, content: 'c' };
    const document = readJsonObject(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    expect(signedIn(readWhole(document, targetOf('openrouter'))?.events ?? [])).toEqual(['reasoning', list, 'text']);
    expect(signedIn(readWhole(document, targetOf('vllm'))?.events ?? [])).toEqual(['reasoning', 'text']);
  });
});

describe('a whole answer', () => {
  const whole = (message: unknown, finish: unknown, more: Fields = {}) =>
    readWhole(
      readJsonObject(JSON.stringify({ choices: [{ index: 0, message, finish_reason: finish }], ...more })),
      targetOf(),
    );

  test('the same as its stream', () => {
    const message = {
      role: 'assistant',
      reasoning_content: 'Hm',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1.0}' } },
        { id: 'b', type: 'function', function: { name: 'f', arguments: '' } },
      ],
    };
    expect(summary(whole(message, 'tool_calls')?.events ?? [])).toEqual([
      ['reasoning', 'Hm'],
      ['a', 'f', '{"x":1.0}'],
      ['b', 'f', ''],
      'stop:tool',
    ]);
  });

  test.each([[[undefined, undefined]], [[0, 0]], [[0, 1]]])('one id for two calls, with the indices %j', (indices) => {
    const calls = indices.map((index, at) => ({
      ...{ index, id: 'same', type: 'function' },
      function: { name: 'f', arguments: `{"x":${at}}` },
    }));
    expect(summary(whole({ content: null, tool_calls: calls }, 'tool_calls')?.events ?? [])).toEqual([
      ['same', 'f', '{"x":0}'],
      [expect.stringMatching(/^call_[0-9a-f]{24}$/), 'f', '{"x":1}'],
      'stop:tool',
    ]);
  });

  test('is none without a finish, with an error, or without a message', () => {
    expect(whole({ content: 'a' }, null)).toBeUndefined();
    expect(whole({ content: 'a' }, '')).toBeUndefined();
    expect(whole({ content: 'a' }, 'error')).toBeUndefined();
    expect(whole({ content: 'a' }, 'insufficient_system_resource')).toBeUndefined();
    expect(whole({ content: 'a' }, 'stop', { error: { message: 'x' } })).toBeUndefined();
    expect(whole(undefined, 'stop')).toBeUndefined();
    expect(readWhole(readJsonObject('{"choices":[]}'), targetOf())).toBeUndefined();
  });
});

describe('usage', () => {
  const told = (usage: unknown) => JSON.stringify({ choices: [], usage });

  test('the last report counts', () => {
    const { usage } = readAll([
      chunk({}, 'stop', { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
      told({
        prompt_tokens: 1000,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 800, cache_write_tokens: 100 },
      }),
      told(null),
    ]);
    expect(usage).toMatchObject({ buckets: { input: 100, cachedInput: 800, cacheWrite5m: 100, output: 50 } });
  });

  test('each upstream in its own words', () => {
    const hits = told({
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_cache_hit_tokens: 4,
      prompt_cache_miss_tokens: 6,
    });
    expect(readAll([hits]).usage).toMatchObject({ buckets: { input: 6, cachedInput: 4 } });
    const details = { completion_tokens_details: { reasoning_tokens: 7 } };
    const apart = told({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 22, ...details });
    expect(readAll([apart]).usage).toMatchObject({ buckets: { output: 12 }, reasoning: 7 });
    const nested = JSON.stringify({ choices: [], x_groq: { usage: { prompt_tokens: 3, completion_tokens: 2 } } });
    expect(readAll([nested], 'groq').usage).toMatchObject({ buckets: { input: 3, output: 2 } });
    expect(readAll([chunk({ content: 'a' })]).usage).toBe('absent');
  });
});
