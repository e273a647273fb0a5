// A conversation as the body for an upstream that speaks chat, with the peculiarities of each.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openaiChatClient } from '../../../../src/dialects/openai-chat/client/adapter.ts';
import { openaiChatUpstream } from '../../../../src/dialects/openai-chat/upstream/adapter.ts';
import type { Target } from '../../../../src/dialects/translate/adapters.ts';
import type { Conversation, Part, Setting, Tool, Turn } from '../../../../src/dialects/translate/conversation.ts';
import { Fault } from '../../../../src/faults/fault.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import { conversationOf, ORIGIN, targetOf } from '../adapters.ts';

const { readConversation } = openaiChatClient;
const { writeConversation } = openaiChatUpstream;

const at = 'messages[0].content[0]';
const text = (words: string): Part => ({ type: 'text', text: words, at });
const call = (id: string, more: Partial<Extract<Part, { type: 'tool_call' }>> = {}): Part => ({
  type: 'tool_call',
  id,
  name: 'look',
  arguments: '{}',
  isCustom: false,
  at,
  ...more,
});
const result = (callId: string, content: Extract<Part, { type: 'tool_result' }>['content'], isError = false): Part => ({
  type: 'tool_result',
  callId,
  content,
  isError,
  at,
});
const image = (data: string): Extract<Part, { type: 'image' }> => ({
  type: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data },
  at,
});
const says = (words: string): Extract<Part, { type: 'text' }> => ({ type: 'text', text: words, at });
const turn = (role: Turn['role'], ...parts: Part[]): Turn => ({ role, parts, at: 'messages[0]' });
const setting = (kind: Setting['kind'], value: Setting['value'], name: string = kind): Setting => ({
  kind,
  name,
  value,
});
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: undefined,
  schema: { type: 'object' },
  strict: undefined,
  isCustom: false,
  at: 'tools[0]',
  ...more,
});

const FIELDS = { model: 'u', maxOutputTokens: 100, thinkingBudget: undefined, limitField: 'max_tokens' } as const;

function write(conversation: Partial<Conversation>, target: Target = targetOf(), prefill?: string) {
  const written = writeConversation(conversationOf(conversation), target);
  return { ...written, json: JSON.parse(written.body(FIELDS, { stream: false, prefill })) };
}
const messagesOf = (turns: Turn[], target?: Target, prefill?: string) =>
  write({ turns }, target, prefill).json.messages;

function refused(turns: Turn[], target?: Target): unknown {
  try {
    write({ turns }, target);
  } catch (error) {
    if (error instanceof Fault) return error.details.param;
    throw error;
  }
  return undefined;
}

describe('messages', () => {
  test('one system message first, from all there is', () => {
    const { messages } = write({ system: [says('One'), says(''), says('Two')] }).json;
    expect(messages).toEqual([
      { role: 'system', content: 'One\n\nTwo' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  test('the system in the middle, as each upstream takes it', () => {
    const turns = [
      turn('user', text('a')),
      turn('system', text('s')),
      turn('assistant', text('b')),
      turn('user', text('c')),
    ];
    const roles = (target?: Target) =>
      messagesOf(turns, target).map(({ role, content }: Record<string, string>) => [role, content]);
    const rest = [
      ['assistant', 'b'],
      ['user', 'c'],
    ];
    expect(roles()).toEqual([['user', 'a\n\ns'], ...rest]);
    expect(roles(targetOf('openai'))).toEqual([['user', 'a'], ['developer', 's'], ...rest]);
  });

  test('results first and in a row, then what the user says', () => {
    expect(
      messagesOf([
        turn('assistant', call('a'), call('b')),
        turn('user', text('and'), result('b', [says('2')]), result('a', [says('1')])),
      ]),
    ).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'user', content: 'and' },
    ]);
  });

  test('images of results are shown after the last result', () => {
    const shown = (data: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } });
    const one = messagesOf([turn('assistant', call('a')), turn('user', result('a', [says('seen'), image('AA==')]))]);
    expect(one.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'seen\n[image 1 attached below]' },
      { role: 'user', content: [shown('AA==')] },
    ]);
    const two = messagesOf([
      turn('assistant', call('a'), call('b')),
      turn('user', result('a', [image('AA==')]), result('b', [image('BB==')]), text('and')),
    ]);
    expect(two.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: '[image 1 attached below]' },
      { role: 'tool', tool_call_id: 'b', content: '[image 2 attached below]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[image 1]' },
          shown('AA=='),
          { type: 'text', text: '[image 2]' },
          shown('BB=='),
          { type: 'text', text: 'and' },
        ],
      },
    ]);
  });

  test('a result that failed says so', () => {
    const said = (words: string) =>
      messagesOf([turn('assistant', call('a')), turn('user', result('a', [says(words)], true))])[1].content;
    expect(said('no such file')).toBe('Error: no such file');
    expect(said('<tool_use_error>x</tool_use_error>')).toBe('<tool_use_error>x</tool_use_error>');
  });

  test('ids are exact; nine characters where they must be, the same for call and result', () => {
    const turns = [turn('assistant', call('toolu_01A-b.c')), turn('user', result('toolu_01A-b.c', [says('1')]))];
    expect(messagesOf(turns)[1].tool_call_id).toBe('toolu_01A-b.c');
    const [calling, answer] = messagesOf(turns, targetOf('mistral'));
    expect(answer.tool_call_id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(calling.tool_calls[0].id).toBe(answer.tool_call_id);
    const nine = [turn('assistant', call('abcDEF123')), turn('user', result('abcDEF123', []))];
    expect(messagesOf(nine, targetOf('mistral'))[1].tool_call_id).toBe('abcDEF123');
  });

  test('ids that are too long for OpenAI are cut to what it takes, call and result alike, and no two are one', () => {
    const [one, two] = ['a', 'b'].map((end) => `functions.look_around_the_whole_house_again:${end}`);
    const turns = [
      turn('assistant', call(one ?? ''), call(two ?? '')),
      turn('user', result(one ?? '', [says('1')]), result(two ?? '', [says('2')])),
    ];
    const [calling, first, second] = messagesOf(turns, targetOf('openai'));
    const ids = calling.tool_calls.map(({ id }: { id: string }) => id);
    expect([first.tool_call_id, second.tool_call_id]).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(40);
    expect(messagesOf(turns, targetOf('vllm'))[1].tool_call_id).toBe(one);
  });

  test('arguments keep their text, or become an object', () => {
    const said = (args: string, more = {}) =>
      messagesOf([turn('user', text('a')), turn('assistant', call('a', { arguments: args, ...more }))])[1].tool_calls[0]
        .function.arguments;
    expect(said('{"n":12345678901234567890, "2":1,"1":"\\u00e9"}')).toBe(
      '{"n":12345678901234567890, "2":1,"1":"\\u00e9"}',
    );
    expect(said('')).toBe('{}');
    expect(said('{bad')).toBe('{"_raw":"{bad"}');
    expect(said('[1]')).toBe('{"_value":[1]}');
    expect(said('free', { isCustom: true })).toBe('{"input":"free"}');
  });

  test('media where they can be carried, else a refusal of their place', () => {
    const sound: Part = { type: 'audio', format: 'wav', data: 'AA==', at };
    const pdf: Part = {
      type: 'document',
      source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0=' },
      title: 'a.pdf',
      at,
    };
    const note: Part = { type: 'document', source: { kind: 'text', text: 'words' }, title: 'note', at };
    expect(messagesOf([turn('user', sound, pdf)], targetOf('openai'))[0].content).toEqual([
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]);
    expect(messagesOf([turn('user', note)])[0].content).toBe('note\n\nwords');
    for (const part of [sound, pdf, { type: 'other', kind: 'container_upload', at } satisfies Part]) {
      expect(refused([turn('user', part)])).toBe(at);
    }
    expect(refused([turn('assistant', image('AA==')), turn('user', text('x'))])).toBe(at);
    expect(
      refused([
        turn('assistant', call('a')),
        turn('user', result('a', [{ type: 'other', kind: 'tool_reference', at }])),
      ]),
    ).toBe(at);
  });

  test('thoughts are sent to upstreams that accept them and may have them', () => {
    const thought = (opaque?: { origin: string; value: string }): Turn[] => [
      turn('user', text('a')),
      turn('assistant', { type: 'reasoning', text: 'Hm', opaque, at }, text('b')),
      turn('user', text('c')),
    ];
    const own = { origin: ORIGIN, value: 'x' };
    expect(messagesOf(thought(own), targetOf('deepseek'))[1]).toEqual({
      role: 'assistant',
      content: 'b',
      reasoning_content: 'Hm',
    });
    expect(messagesOf(thought(), targetOf('vllm'))[1]).toEqual({ role: 'assistant', content: 'b', reasoning: 'Hm' });
    const plain = { role: 'assistant', content: 'b' };
    expect(messagesOf(thought({ origin: 'another', value: 'x' }), targetOf('vllm'))[1]).toEqual(plain);
    expect(messagesOf(thought(own), targetOf('openai'))[1]).toEqual(plain);
  });

  test.each(['deepseek', 'glm', 'moonshot'] as const)(
    '%s wants the words of any model, and nothing else of it',
    (name) => {
      const opaque = { origin: 'another', value: 'secret' };
      const { json } = write(
        {
          turns: [
            turn('user', text('a')),
            turn(
              'assistant',
              { type: 'reasoning', text: 'Hm', opaque, at },
              { type: 'reasoning', text: '', redacted: 'sealed', opaque, at },
              text('b'),
            ),
            turn('user', text('c')),
          ],
        },
        targetOf(name),
      );
      expect(json.messages[1]).toEqual({ role: 'assistant', content: 'b', reasoning_content: 'Hm' });
    },
  );

  test('details of thoughts go back with the text they have, and only if they are a list of them', () => {
    const thought = (value: string): Part => ({
      type: 'reasoning',
      text: 'Hm',
      opaque: { origin: ORIGIN, value },
      at,
    });
    const written = (...values: string[]) =>
      messagesOf(
        [turn('assistant', ...values.map(thought), text('b')), turn('user', text('c'))],
        targetOf('openrouter'),
      );
    expect(written('[{"a":1}]', '', ' [{"b":2},{"c":3}] ')[0]).toEqual({
      role: 'assistant',
      content: 'b',
      reasoning_details: [{ a: 1 }, { b: 2 }, { c: 3 }],
    });
    const nested = '['.repeat(200_000);
    for (const value of ['', 'x', '[]', '{}', '[1]', nested]) {
      expect(written(value)[0]).toEqual({ role: 'assistant', content: 'b', reasoning: 'Hm' });
    }
  });

  test('what a model wants back with its call goes to no other', () => {
    const signed = (origin: string) =>
      messagesOf([turn('assistant', call('a', { opaque: { origin, value: 'sig' } })), turn('user', text('x'))])[0]
        .tool_calls[0].extra_content;
    expect(signed(ORIGIN)).toEqual({ google: { thought_signature: 'sig' } });
    expect(signed('another')).toBeUndefined();
  });
});

describe('an answer that is begun', () => {
  const turns = [turn('user', text('Count')), turn('assistant', text('1, 2, '))];

  test('by the client: continued where that works, else asked for', () => {
    expect(messagesOf(turns, targetOf(undefined, { prefill: true })).at(-1)).toEqual({
      role: 'assistant',
      content: '1, 2,',
    });
    const { json, reworded } = write({ turns });
    expect(json.messages.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringMatching(/\n\nContinue .*1, 2, $/s),
    });
    expect(reworded).toEqual(['prefill']);
  });

  test('by the answer so far, which stands last', () => {
    expect(messagesOf([turn('user', text('Hi'))], targetOf(), 'Hel ').slice(1)).toEqual([
      { role: 'assistant', content: 'Hel' },
    ]);
    expect(messagesOf(turns, targetOf(undefined, { prefill: true }), ' 3 ').slice(1)).toEqual([
      { role: 'assistant', content: '1, 2, 3' },
    ]);
  });

  test('calls at the end are no begun answer', () => {
    const { json, reworded } = write({ turns: [turn('user', text('a')), turn('assistant', text('b'), call('a'))] });
    expect(json.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'b' });
    expect(reworded).toEqual([]);
  });
});

describe('tools', () => {
  const withTools = (more: Partial<Conversation>, target?: Target) =>
    write({ tools: [tool('a'), tool('b')], ...more }, target);

  test('schemas as they are, free text as a function, names that fit', () => {
    const schema = { $schema: 'x', type: 'object', properties: { a: { const: 1, $ref: '#/x' } }, anyOf: [] };
    const long = 'mcp.server/'.repeat(10);
    const { json, names } = write({
      tools: [
        tool('look', { schema, description: 'Looks' }),
        tool('none', { schema: undefined }),
        tool('patch', { isCustom: true, schema: undefined }),
        tool(long, { strict: true }),
      ],
    });
    expect(json.tools[0]).toEqual({
      type: 'function',
      function: { name: 'look', description: 'Looks', parameters: schema },
    });
    expect(json.tools[1].function.parameters).toEqual({ type: 'object', properties: {} });
    expect(json.tools[2].function.parameters).toMatchObject({
      properties: { input: { type: 'string' } },
      required: ['input'],
    });
    const { name, strict } = json.tools[3].function;
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(strict).toBe(true);
    expect(names.find(name)?.name).toBe(long);
  });

  test('the choice', () => {
    const choice = (toolChoice: Conversation['toolChoice']) => withTools({ toolChoice }).json.tool_choice;
    expect(choice({ mode: 'auto' })).toBe('auto');
    expect(choice({ mode: 'none' })).toBe('none');
    expect(choice({ mode: 'any' })).toBe('required');
    expect(choice({ mode: 'tool', name: 'b' })).toEqual({ type: 'function', function: { name: 'b' } });
    expect(choice(undefined)).toBeUndefined();
    const { json } = withTools({ toolChoice: { mode: 'any', allowed: ['b'] } });
    expect(json.tools.map(({ function: { name } }: { function: { name: string } }) => name)).toEqual(['b']);
  });

  test('one at a time, where that can be said', () => {
    expect(withTools({ parallelTools: false }).json.parallel_tool_calls).toBe(false);
    expect(withTools({ parallelTools: false, toolChoice: { mode: 'none' } }).json).not.toHaveProperty(
      'parallel_tool_calls',
    );
    expect(write({ parallelTools: false }).json).not.toHaveProperty('parallel_tool_calls');
    const serial = { parallelTools: false, parallelToolsName: 'one_at_a_time' };
    const { json, dropped } = withTools(serial, targetOf('ollama'));
    expect(json).not.toHaveProperty('parallel_tool_calls');
    expect(dropped).toEqual(['one_at_a_time']);
  });
});

describe('settings', () => {
  test('those that both formats have; the rest is reported as dropped', () => {
    const { json, dropped } = write({
      settings: [
        setting('temperature', 0.2),
        setting('seed', 1),
        setting('top_k', 5),
        setting('logprobs', true),
        setting('other', {}, 'context_management'),
        setting('user', '{"device_id":"x"}', 'metadata.user_id'),
        setting('service_tier', 'standard_only'),
      ],
    });
    expect(json).toMatchObject({ temperature: 0.2, seed: 1, user: 'hash-of-17' });
    expect(dropped).toEqual(['top_k', 'logprobs', 'context_management', 'service_tier']);
    for (const name of ['top_k', 'logprobs', 'context_management', 'service_tier'])
      expect(json).not.toHaveProperty(name);
  });

  test('what an upstream refuses it is not given', () => {
    const { json, dropped } = write(
      { settings: [setting('seed', 1), setting('user', 'u'), setting('top_p', 0.5)] },
      targetOf('mistral'),
    );
    expect(json).toMatchObject({ top_p: 0.5 });
    expect(dropped).toEqual(['seed', 'user']);
  });

  test('models that always think take no sampling', () => {
    const settings = [setting('temperature', 0.2), setting('top_p', 1), setting('stop', ['x'])];
    const { json, dropped, localStops } = write({ settings }, targetOf('openai', { model: 'gpt-5' }));
    for (const name of ['temperature', 'top_p', 'stop']) expect(json).not.toHaveProperty(name);
    expect(dropped).toEqual(['temperature']);
    expect(localStops).toEqual(['x']);
  });

  test('stops: four there, the rest here', () => {
    const { json, localStops, dropped } = write({ settings: [setting('stop', ['a', 'b', 'c', 'd', 'e', 'f'])] });
    expect(json.stop).toEqual(['a', 'b', 'c', 'd']);
    expect(localStops).toEqual(['e', 'f']);
    expect(dropped).toEqual([]);
  });

  test('several answers are refused', () => {
    expect(() => write({ settings: [setting('choices', 3, 'n')] })).toThrow(Fault);
  });

  test.each([
    [{ budget: 1_024 }, 'low'],
    [{ budget: 4_000 }, 'medium'],
    [{ budget: 20_000 }, 'high'],
    [{ budget: 31_999 }, 'xhigh'],
    [{ effort: 'max' }, 'max'],
    [{ effort: 'low', budget: 31_999 }, 'low'],
    [{ isOff: true }, 'none'],
    [{}, undefined],
  ])('thinking %j', (requested, effort) => {
    const reasoning = { name: 'thinking', isOff: false, effort: undefined, budget: undefined, ...requested };
    expect(write({ reasoning }).json.reasoning_effort).toBe(effort);
  });

  test('an upstream without thinking settings gets none', () => {
    const reasoning = { name: 'thinking', isOff: false, effort: 'high', budget: undefined };
    for (const target of [targetOf('deepseek'), targetOf('openai', { model: 'gpt-4o-mini' })]) {
      const { json, dropped } = write({ reasoning }, target);
      expect(json).not.toHaveProperty('reasoning_effort');
      expect(dropped).toEqual(['thinking']);
    }
  });

  test('the format', () => {
    const format = { kind: 'json_schema', name: undefined, schema: { type: 'object' }, strict: undefined } as const;
    expect(write({ format }).json.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema: { type: 'object' } },
    });
    for (const strict of [true, false])
      expect(write({ format: { ...format, strict } }).json.response_format.json_schema.strict).toBe(strict);
    const { json } = write({ format }, targetOf('deepseek'));
    expect(json.response_format).toEqual({ type: 'json_object' });
    expect(json.messages[0].content).toContain('{"type":"object"}');
    expect(write({ format: { kind: 'json_object' } }).json.response_format).toEqual({ type: 'json_object' });
  });

  test('our own fields', () => {
    const written = writeConversation(conversationOf({}), targetOf('openai'));
    const body = written.body({ ...FIELDS, limitField: 'max_completion_tokens' }, { stream: true });
    expect(JSON.parse(body)).toEqual({
      model: 'u',
      messages: [{ role: 'user', content: 'Hi' }],
      max_completion_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(write({}).json).toMatchObject({ stream: false, max_tokens: 100 });
  });
});

describe('any chat', () => {
  const words = fc.string({ minLength: 1, unit: 'binary' }).filter((word) => word.trim() === word && word !== '');
  const exchange = fc.record({
    question: words,
    thought: words,
    args: fc.dictionary(fc.string(), fc.integer()),
    answer: words,
    results: fc.integer({ min: 1, max: 3 }),
  });

  test('read and written again is the same chat', () => {
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 4 }), (exchanges) => {
        const messages = [
          { role: 'system', content: 'Be brief' },
          ...exchanges.flatMap(({ question, thought, args, answer, results }, turnIndex) => {
            const ids = Array.from({ length: results }, (_, index) => `call_${turnIndex}_${index}`);
            return [
              { role: 'user', content: question },
              {
                role: 'assistant',
                content: null,
                reasoning: thought,
                tool_calls: ids.map((id) => ({
                  id,
                  type: 'function',
                  function: { name: 'look', arguments: JSON.stringify(args) },
                })),
              },
              ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: answer })),
              { role: 'assistant', content: answer },
            ];
          }),
          { role: 'user', content: 'And?' },
        ];
        const read = readConversation(readJsonObject(JSON.stringify({ model: 'm', messages })));
        const { body } = writeConversation(read, targetOf('vllm'));
        expect(JSON.parse(body(FIELDS, { stream: false })).messages).toEqual(messages);
      }),
      { seed: 7 },
    );
  });
});
