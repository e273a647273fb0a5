// A chat request in no dialect: everything a client said is there, in its place, or is named.

import { describe, expect, test } from 'bun:test';
import { openaiChatClient } from '../../../../src/dialects/openai-chat/client/adapter.ts';
import type { Conversation, ToolCallPart } from '../../../../src/dialects/translate/conversation.ts';
import { tagToolId } from '../../../../src/dialects/translate/opaque.ts';
import { Fault } from '../../../../src/faults/fault.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';

const { readConversation } = openaiChatClient;

const HI = { role: 'user', content: 'Hi' };

function read(body: Record<string, unknown>): Conversation {
  return readConversation(readJsonObject(JSON.stringify({ model: 'm', messages: [HI], ...body })));
}

/** The place that is refused. */
function refused(body: Record<string, unknown>): unknown {
  try {
    read(body);
  } catch (error) {
    if (error instanceof Fault) return error.details.param;
    throw error;
  }
  return undefined;
}

const content = (...parts: unknown[]) => ({ messages: [{ role: 'user', content: parts }] });
const partsOf = (body: Record<string, unknown>) => read(body).turns.flatMap(({ parts }) => parts);
const settingNames = (body: Record<string, unknown>) => read(body).settings.map(({ name }) => name);

describe('the system', () => {
  test('what stands first is apart, text by text; what comes later keeps its place', () => {
    const { system, turns } = read({
      messages: [
        { role: 'system', content: 'One' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Two' },
            { type: 'text', text: 'Three' },
          ],
        },
        HI,
        { role: 'system', content: 'Later' },
      ],
    });
    expect(system.map(({ text }) => text)).toEqual(['One', 'Two', 'Three']);
    expect(turns.map(({ role, at }) => [role, at])).toEqual([
      ['user', 'messages[2]'],
      ['system', 'messages[3]'],
    ]);
  });

  test('alone, its last message is what is asked', () => {
    const { system, turns } = read({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'system', content: 'Say hi' },
      ],
    });
    expect(system.map(({ text }) => text)).toEqual(['Be brief']);
    expect(turns).toMatchObject([{ role: 'user', parts: [{ text: 'Say hi' }] }]);
  });

  test('an image there is refused', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } };
    expect(refused({ messages: [{ role: 'system', content: [image] }, HI] })).toBe('messages[0].content[0]');
  });
});

describe('calls', () => {
  const asked = (calls: unknown[], ...rest: unknown[]) => ({
    messages: [HI, { role: 'assistant', content: null, tool_calls: calls }, ...rest],
  });
  const call = (id: string, args: unknown = '{}') => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: args },
  });

  test('keep their text, and results find them', () => {
    const args = '{"n":12345678901234567890,"b":1,"a":"\\u00e9"}';
    const parts = partsOf(asked([call('a', args)], { role: 'tool', tool_call_id: 'a', content: 'seen' }));
    expect(parts[1]).toMatchObject({ type: 'tool_call', id: 'a', name: 'look', arguments: args, isCustom: false });
    expect(parts[2]).toMatchObject({ type: 'tool_result', callId: 'a', content: [{ text: 'seen' }] });
  });

  test('arguments that are an object keep its text', () => {
    const text =
      '{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"2":1.0, "1":99999999999999999999}}}]}]}';
    const [part] = readConversation(readJsonObject(text)).turns[0]?.parts ?? [];
    expect((part as ToolCallPart).arguments).toBe('{"2":1.0, "1":99999999999999999999}');
  });

  test('an id that is used again is another call, with its own result', () => {
    const turn = { role: 'assistant', tool_calls: [call('call_0')] };
    const result = (text: string) => ({ role: 'tool', tool_call_id: 'call_0', content: text });
    const parts = partsOf({ messages: [HI, turn, result('one'), turn, result('two')] });
    const ids = parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
    expect(new Set(ids).size).toBe(2);
    expect(parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : []))).toEqual(ids);
  });

  test('what the id carries for the model is taken off it', () => {
    const tagged = tagToolId('call_1', { origin: '0123456789', value: 'sig+/=' });
    const parts = partsOf(asked([call(tagged)], { role: 'tool', tool_call_id: tagged, content: '' }));
    expect(parts[1]).toMatchObject({ id: 'call_1', opaque: { origin: '0123456789', value: 'sig+/=' } });
    expect(parts[2]).toMatchObject({ callId: 'call_1' });
  });

  test("Google's signature is taken where the id has none", () => {
    const signed = { ...call('a'), extra_content: { google: { thought_signature: 'sig' } } };
    expect(partsOf(asked([signed]))[1]).toMatchObject({ opaque: { value: 'sig' } });
  });

  test('custom calls hold free text', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'patch', input: '*** Begin' } };
    expect(partsOf(asked([custom]))[1]).toMatchObject({ name: 'patch', arguments: '*** Begin', isCustom: true });
  });

  test('results may be parts', () => {
    const result = { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'x' }] };
    expect(partsOf(asked([call('a')], result))[2]).toMatchObject({ content: [{ text: 'x' }] });
  });

  test('without an id they are refused', () => {
    expect(refused(asked([{ function: { name: 'f', arguments: '' } }]))).toBe('messages[1].tool_calls[0].id');
    expect(refused(asked([call('a')], { role: 'tool', content: 'x' }))).toBe('messages[2].tool_call_id');
  });

  test('in the first words of the format they find their results by name', () => {
    const called = { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{"a":1}' } };
    const parts = partsOf({
      messages: [
        HI,
        called,
        { role: 'function', name: 'look', content: 'seen' },
        called,
        { role: 'function', name: 'look', content: 'again' },
      ],
      functions: [{ name: 'look', parameters: { type: 'object' } }],
    });
    const calls = parts.filter((part) => part.type === 'tool_call');
    const results = parts.filter((part) => part.type === 'tool_result');
    expect(calls[0]).toMatchObject({ name: 'look', arguments: '{"a":1}' });
    expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });
});

describe('content', () => {
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAE=';
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test('an image is what its bytes say', () => {
    const part = { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${PNG}`, detail: 'low' } };
    expect(partsOf(content(part))).toMatchObject([
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: PNG }, detail: 'low' },
    ]);
  });

  test('an address stays one', () => {
    const part = { type: 'image_url', image_url: { url: 'https://example.org/a' } };
    expect(partsOf(content(part))).toMatchObject([{ source: { kind: 'url', url: 'https://example.org/a' } }]);
  });

  test.each([
    ['an SVG', `data:image/svg+xml;base64,${base64('<svg/>')}`],
    ['an SVG in disguise', `data:image/png;base64,${base64('<?xml version="1.0"?><svg xmlns="x"/>')}`],
    ['an SVG that is not base64', 'data:image/svg+xml,%3Csvg/%3E'],
    ['no image', `data:text/plain;base64,${base64('hello')}`],
    ['no base64', 'data:image/png;base64,@@@'],
    ['a file of the machine', 'file:///etc/hosts'],
  ])('%s is refused by its place', (_, url) => {
    expect(refused(content({ type: 'text', text: 'x' }, { type: 'image_url', image_url: { url } }))).toBe(
      'messages[0].content[1]',
    );
  });

  test('files: a PDF, a text, and what is neither', () => {
    const file = (data: string, filename: string) => content({ type: 'file', file: { file_data: data, filename } });
    const pdf = base64('%PDF-1.7 …');
    expect(partsOf(file(`data:application/pdf;base64,${pdf}`, 'a.pdf'))).toMatchObject([
      { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: pdf }, title: 'a.pdf' },
    ]);
    expect(partsOf(file(pdf, 'unnamed'))).toMatchObject([{ source: { mediaType: 'application/pdf' } }]);
    expect(partsOf(file(`data:text/markdown;base64,${base64('# é')}`, 'a.md'))).toMatchObject([
      { source: { kind: 'text', text: '# é' } },
    ]);
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    expect(refused(file(`data:${docx};base64,UEsDBA==`, 'a.docx'))).toBe('messages[0].content[0]');
    expect(refused(content({ type: 'file', file: { file_id: 'file-1' } }))).toBe('messages[0].content[0]');
  });

  test('audio, refusals and unknown parts are kept', () => {
    expect(partsOf(content({ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }))).toMatchObject([
      { type: 'audio', data: 'AA==', format: 'wav' },
    ]);
    expect(partsOf(content({ type: 'video_url', video_url: {} }))).toMatchObject([
      { type: 'other', kind: 'video_url' },
    ]);
    const assistant = { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }], refusal: 'Never' };
    expect(partsOf({ messages: [HI, assistant] }).slice(1)).toMatchObject([{ text: 'No' }, { text: 'Never' }]);
  });

  test('cache marks of both vendors', () => {
    const text = { type: 'text', text: 'x' };
    const marks = partsOf(
      content(
        { ...text, cache_control: { type: 'ephemeral' } },
        { ...text, cache_control: { type: 'ephemeral', ttl: '1h' } },
        { ...text, prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
        { ...text, prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
        text,
      ),
    ).map(({ cache }) => cache?.ttl);
    expect(marks).toEqual(['5m', '1h', '1h', '1h', undefined]);
    const whole = { role: 'user', content: 'x', cache_control: { type: 'ephemeral' } };
    expect(partsOf({ messages: [whole] })).toMatchObject([{ cache: { ttl: '5m' } }]);
  });
});

describe('thoughts of earlier turns', () => {
  const thought = (message: Record<string, unknown>) =>
    partsOf({ messages: [HI, { role: 'assistant', content: 'x', ...message }] }).filter(
      ({ type }) => type === 'reasoning',
    );

  test('with a maker, in order and before the words', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm', signature: 'sig', origin: 'o' },
      { type: 'reasoning.encrypted', data: 'blob', origin: 'o' },
    ];
    expect(thought({ reasoning_content: 'Hm', reasoning_details: details })).toMatchObject([
      { text: 'Hm', opaque: { origin: 'o', value: 'sig' } },
      { text: '', redacted: 'blob', opaque: { origin: 'o' } },
    ]);
  });

  test('stored in parts they are joined again', () => {
    const details = [
      { text: 'H', origin: 'o' },
      { text: 'm', origin: 'o' },
      { signature: 's', origin: 'o' },
      { text: 'Next', signature: 't', origin: 'o' },
    ];
    expect(thought({ reasoning_details: details })).toMatchObject([
      { text: 'Hm', opaque: { value: 's' } },
      { text: 'Next', opaque: { value: 't' } },
    ]);
  });

  test.each([
    ['reasoning_content', { reasoning_content: 'Hm' }],
    ['reasoning', { reasoning: 'Hm' }],
    ['details of another service', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }],
  ])('%s has no maker', (_, message) => {
    const parts = thought(message);
    expect(parts).toMatchObject([{ text: 'Hm' }]);
    expect(parts[0]).not.toHaveProperty('opaque');
  });
});

describe('tools', () => {
  const tool = (name: string, more = {}) => ({ type: 'function', function: { name, ...more } });

  test('functions, custom tools, and those that only their vendor runs', () => {
    const { tools, settings } = read({
      tools: [
        tool('look', { description: 'Looks', parameters: { type: 'object' }, strict: true }),
        {
          type: 'custom',
          custom: {
            name: 'patch',
            description: 'Patches',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: x' } },
          },
        },
        { type: 'web_search' },
      ],
    });
    expect(tools).toMatchObject([
      { name: 'look', description: 'Looks', schema: { type: 'object' }, strict: true, isCustom: false },
      { name: 'patch', isCustom: true },
    ]);
    expect(tools[1]?.description).toContain('start: x');
    expect(settings.map(({ name }) => name)).toEqual(['web_search']);
  });

  test.each([
    ['none', { mode: 'none' }],
    ['auto', { mode: 'auto' }],
    ['required', { mode: 'any' }],
    [tool('a'), { mode: 'tool', name: 'a' }],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('b')] } },
      { mode: 'any', allowed: ['b'] },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('a'), tool('b')] } },
      { mode: 'auto', allowed: ['a', 'b'] },
    ],
  ])('the choice %j', (choice, expected) => {
    expect(read({ tools: [tool('a'), tool('b')], tool_choice: choice }).toolChoice).toEqual(expected as never);
  });

  test('a forced tool that the gateway cannot carry is refused, and so is an unknown name', () => {
    const tools = [tool('a'), { type: 'web_search' }];
    expect(refused({ tools, tool_choice: { type: 'web_search' } })).toBe('tool_choice');
    expect(refused({ tools, tool_choice: tool('other') })).toBe('tool_choice');
    expect(refused({ tools: [{ type: 'web_search' }], tool_choice: 'required' })).toBe('tool_choice');
    expect(refused({ tools: [{ type: 'web_search' }] })).toBe('tools[0]');
    const onlyIt = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'web_search' }] } };
    expect(refused({ tools, tool_choice: onlyIt })).toBe('tool_choice.allowed_tools.tools[0]');
    expect(refused({ tools: [tool('a'), tool('a')] })).toBe('tools[1].function');
  });

  test('in the first words of the format: one call at a time', () => {
    const functions = [{ name: 'look', parameters: { type: 'object' } }];
    const { tools, toolChoice, parallelTools } = read({ functions, function_call: { name: 'look' } });
    expect(tools).toMatchObject([{ name: 'look', at: 'functions[0]' }]);
    expect(toolChoice).toEqual({ mode: 'tool', name: 'look' });
    expect(parallelTools).toBe(false);
  });

  test('one call at a time is a setting of tools', () => {
    expect(read({ tools: [tool('a')], parallel_tool_calls: false }).parallelTools).toBe(false);
    expect(read({ tools: [tool('a')] }).parallelTools).toBeUndefined();
    expect(read({ parallel_tool_calls: false, tool_choice: 'auto' })).toMatchObject({
      parallelTools: undefined,
      toolChoice: undefined,
    });
  });

  test('a cache mark on a tool', () => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    expect(read({ tools: [{ ...tool('a'), ...mark }, tool('b', mark)] }).tools.map(({ cache }) => cache?.ttl)).toEqual([
      '1h',
      '1h',
    ]);
  });
});

describe('settings', () => {
  test('every one that says something is there by its name', () => {
    const settings = {
      temperature: 0,
      top_p: 0.5,
      stop: 'x',
      seed: 1,
      logit_bias: { 1: 2 },
      logprobs: true,
      user: 'u',
      store: true,
      metadata: { a: 'b' },
      verbosity: 'low',
      prediction: { type: 'content' },
      foo: false,
      usage: 'mine',
      web_search_options: {},
    };
    expect(settingNames(settings).sort()).toEqual(Object.keys(settings).sort());
  });

  test('what says nothing is not', () => {
    const settings = {
      stream: true,
      stream_options: { include_usage: true },
      usage: { include: true },
      max_tokens: 5,
      max_completion_tokens: 6,
      store: false,
      n: 1,
      logprobs: false,
      seed: null,
      frequency_penalty: 0,
      service_tier: 'auto',
      logit_bias: {},
      modalities: ['text'],
    };
    expect(settingNames(settings)).toEqual([]);
  });

  test('kinds that other formats know under other names', () => {
    expect(read({ n: 3, stop: 'x', safety_identifier: 'u' }).settings).toEqual([
      { kind: 'choices', name: 'n', value: 3 },
      { kind: 'stop', name: 'stop', value: 'x' },
      { kind: 'user', name: 'safety_identifier', value: 'u' },
    ]);
  });

  test('an answer to be spoken is refused', () => {
    expect(refused({ modalities: ['text', 'audio'], audio: { voice: 'x' } })).toBe('modalities');
  });

  test('names of speakers are reported as dropped', () => {
    expect(settingNames({ messages: [{ ...HI, name: 'Ann' }] })).toEqual(['name']);
    expect(settingNames({ messages: [{ role: 'system', content: 'x', name: 'rules' }, HI] })).toEqual([]);
  });

  test.each([
    [{ reasoning_effort: 'high' }, { name: 'reasoning_effort', isOff: false, effort: 'high', budget: undefined }],
    [{ reasoning_effort: 'none' }, { name: 'reasoning_effort', isOff: true, effort: undefined, budget: undefined }],
    [{ reasoning: { max_tokens: 2000 } }, { name: 'reasoning', isOff: false, effort: undefined, budget: 2000 }],
    [{ reasoning: { enabled: false } }, { name: 'reasoning', isOff: true, effort: undefined, budget: undefined }],
    [
      { thinking: { type: 'enabled', budget_tokens: 4000 } },
      { name: 'thinking', isOff: false, effort: undefined, budget: 4000 },
    ],
    [{ thinking: { type: 'disabled' } }, { name: 'thinking', isOff: true, effort: undefined, budget: undefined }],
    [{}, undefined],
  ])('thinking %j', (body, expected) => {
    expect(read(body).reasoning).toEqual(expected as never);
  });

  test.each([
    [{ type: 'text' }, undefined],
    [{ type: 'json_object' }, { kind: 'json_object' }],
    [
      { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      { kind: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
    ],
  ])('format %j', (format, expected) => {
    expect(read({ response_format: format }).format).toEqual(expected as never);
  });
});
