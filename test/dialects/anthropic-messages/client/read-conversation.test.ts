// A messages client's request as a conversation.

import { describe, expect, test } from 'bun:test';
import { anthropicMessagesClient } from '../../../../src/dialects/anthropic-messages/client/adapter.ts';
import { packReasoning, signOwn, tagToolId } from '../../../../src/dialects/translate/opaque.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import { refusedParam } from '../../../support/conversation.ts';

const ORIGIN = '0123456789';

function read(body: object | string) {
  const whole =
    typeof body === 'string' ? body : JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], ...body });
  return anthropicMessagesClient.readConversation(readJsonObject(whole));
}
const partsOf = (content: unknown, role = 'user') => read({ messages: [{ role, content }] }).turns[0]?.parts;
const settingsOf = (body: object) => read(body).settings.map(({ kind, name }) => [kind, name]);

describe('system', () => {
  test('a string, or blocks with their marks', () => {
    expect(read({ system: 'be kind' }).system).toEqual([{ type: 'text', text: 'be kind', at: 'system' }]);
    const system = [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ];
    expect(read({ system }).system).toEqual([
      { type: 'text', text: 'a', at: 'system[0]', cache: { ttl: '5m' } },
      { type: 'text', text: 'b', at: 'system[1]', cache: { ttl: '1h' } },
    ]);
  });

  test('without the line that identifies the client to the vendor', () => {
    const billing = 'x-anthropic-billing-header: cc_version=2.1.325.382; cc_entrypoint=sdk-cli;';
    const system = [
      { type: 'text', text: billing },
      { type: 'text', text: 'be kind' },
    ];
    expect(read({ system }).system.map(({ text }) => text)).toEqual(['be kind']);
    expect(read({ system: `${billing}\nbe kind` }).system.map(({ text }) => text)).toEqual(['be kind']);
  });

  test('its turns stand where they are, but those before the first turn stand first', () => {
    const messages = ['system', 'user', 'system', 'assistant'].map((role) => ({ role, content: role }));
    const { system, turns } = read({ system: 'top', messages });
    expect(system.map(({ text }) => text)).toEqual(['top', 'system']);
    expect(turns.map(({ role, at }) => [role, at])).toEqual([
      ['user', 'messages[1]'],
      ['system', 'messages[2]'],
      ['assistant', 'messages[3]'],
    ]);
  });

  test('of nothing else, the last is what the client asks', () => {
    const messages = ['one', 'two'].map((content) => ({ role: 'system', content }));
    const { system, turns } = read({ messages });
    expect(system.map(({ text }) => text)).toEqual(['one']);
    expect(turns).toMatchObject([{ role: 'user', parts: [{ text: 'two' }] }]);
  });
});

describe('content', () => {
  test('text, pictures and documents', () => {
    const parts = partsOf([
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { type: 'url', url: 'https://x' } },
      { type: 'document', title: 't', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' } },
      { type: 'document', context: 'about', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
      {
        type: 'document',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'x' },
            { type: 'text', text: 'y' },
          ],
        },
      },
    ]);
    const at = (index: number) => `messages[0].content[${index}]`;
    expect(parts).toEqual([
      { type: 'text', text: 'a', at: at(0), cache: { ttl: '5m' } },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' }, at: at(1) },
      { type: 'image', source: { kind: 'url', url: 'https://x' }, at: at(2) },
      {
        type: 'document',
        source: { kind: 'base64', mediaType: 'application/pdf', data: 'BBBB' },
        title: 't',
        at: at(3),
      },
      { type: 'text', text: 'about', at: `${at(4)}.context` },
      { type: 'document', source: { kind: 'text', text: 'words' }, at: at(4) },
      { type: 'document', source: { kind: 'text', text: 'x\ny' }, at: at(5) },
    ]);
  });

  test('a picture is what its bytes say, and no drawing', () => {
    const image = (data: string) =>
      partsOf([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }]);
    expect(image('/9j/4AAQSkZJRg==')).toMatchObject([{ source: { mediaType: 'image/jpeg' } }]);
    const svg = Buffer.from('<svg/>').toString('base64');
    expect(refusedParam(() => image(svg))).toBe('messages[0].content[0]');
  });

  test('what only the vendor has is named', () => {
    const parts = partsOf([
      { type: 'container_upload', file_id: 'f' },
      { type: 'image', source: { type: 'made_up', id: 'f' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    ]);
    expect(parts?.map((part) => part.type === 'other' && part.kind)).toEqual([
      'container_upload',
      'image with a made_up source',
      'web_search_tool_result',
    ]);
  });

  test.each(['image', 'document'])('a file of the vendor is no matter of another model: %s', (type) => {
    const read = () => partsOf([{ type, source: { type: 'file', file_id: 'f' } }]);
    const message = 'Files are not stored here. Send the content of messages[0].content[0] as base64.';
    expect(read).toThrow(expect.objectContaining({ details: { param: 'messages[0].content[0]', message } }));
  });

  test('what it found, and tools it may call now, are written as text', () => {
    const found = {
      type: 'search_result',
      source: 'https://x',
      title: 'X',
      content: [{ type: 'text', text: 'words' }],
    };
    const parts = partsOf([found, { type: 'tool_reference', tool_name: 'look' }]);
    expect(parts?.map((part) => part.type === 'text' && part.text)).toEqual([
      'X\nhttps://x\nwords',
      'The tool look can be called now.',
    ]);
  });

  test('a call keeps the text of its input, its id, and what we hung on it', () => {
    const tagged = tagToolId('call.1', { origin: ORIGIN, value: 'thought' });
    const parts = read(
      `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"${tagged}","name":"look","input":{"b": 1.0,"1":12345678901234567890}}]}]}`,
    ).turns[0]?.parts;
    expect(parts).toEqual([
      {
        type: 'tool_call',
        id: 'call.1',
        name: 'look',
        arguments: '{"b": 1.0,"1":12345678901234567890}',
        isCustom: false,
        opaque: { origin: ORIGIN, value: 'thought' },
        at: 'messages[0].content[0]',
      },
    ]);
  });

  test('results: a string, blocks, nothing; errors; the id that the upstream gave', () => {
    const result = (more: object) => partsOf([{ type: 'tool_result', tool_use_id: 'c1', ...more }])?.[0];
    const inside = 'messages[0].content[0].content';
    expect(result({ content: 'ok' })).toMatchObject({ callId: 'c1', isError: false, content: [{ text: 'ok' }] });
    expect(result({ is_error: true })).toMatchObject({ isError: true, content: [] });
    const image = { type: 'image', source: { type: 'url', url: 'https://x' } };
    expect(result({ content: [{ type: 'text', text: 'see' }, image, { type: 'browser_state' }] })).toMatchObject({
      content: [
        { type: 'text', at: `${inside}[0]` },
        { type: 'image', at: `${inside}[1]` },
        { type: 'other', kind: 'browser_state', at: `${inside}[2]` },
      ],
    });
    const id = tagToolId('c1', { origin: ORIGIN, value: 'v' });
    expect(result({ tool_use_id: id })).toMatchObject({ callId: 'c1' });
  });

  test('calls with the same id are kept apart, each with its own result', () => {
    const messages = [1, 2].flatMap((turn) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: String(turn) }] },
    ]);
    const [first, one, second, two] = read({ messages }).turns.flatMap(({ parts }) => parts);
    const idOf = (part: typeof first) => (part?.type === 'tool_call' ? part.id : undefined);
    expect(idOf(first)).not.toBe(idOf(second));
    expect(one).toMatchObject({ callId: idOf(first) });
    expect(two).toMatchObject({ callId: idOf(second) });
  });

  test('thoughts know their maker only by a signature of ours', () => {
    const thought = (signature: string) => partsOf([{ type: 'thinking', thinking: 'hm', signature }], 'assistant')?.[0];
    expect(thought(signOwn(ORIGIN, 'hm'))).toMatchObject({ text: 'hm', opaque: { origin: ORIGIN, value: '' } });
    expect(thought(packReasoning(ORIGIN, { text: '', signature: 'theirs' }))).toMatchObject({
      text: 'hm',
      opaque: { origin: ORIGIN, value: 'theirs' },
    });
    expect(thought('RXJ0aWZpY2lhbA==')).toMatchObject({ text: 'hm', opaque: undefined });
  });

  test('what a vendor made unreadable is left out; what we packed comes back', () => {
    const redacted = (data: string) => partsOf([{ type: 'redacted_thinking', data }], 'assistant');
    expect(redacted('RXJ0aWZpY2lhbA==')).toEqual([]);
    expect(redacted(packReasoning(ORIGIN, { text: '', redacted: 'xyz' }))).toMatchObject([
      { type: 'reasoning', redacted: 'xyz', opaque: { origin: ORIGIN } },
    ]);
  });

  test('a mark on the request is one on its last block', () => {
    const [turn] = read({ cache_control: { type: 'ephemeral' } }).turns;
    expect(turn?.parts[0]?.cache).toEqual({ ttl: '5m' });
  });

  test('what is no content is refused by its place', () => {
    expect(refusedParam(() => partsOf(5))).toBe('messages[0].content');
    expect(refusedParam(() => partsOf(['a']))).toBe('messages[0].content[0]');
    expect(refusedParam(() => partsOf([{ type: 'text' }]))).toBe('messages[0].content[0].text');
    expect(refusedParam(() => read({ system: [{ type: 'image', source: { type: 'url', url: 'x' } }] }))).toBe(
      'system[0]',
    );
  });

  test('a type that is no text is refused by its place', () => {
    const type = { toString: 1, valueOf: 1 };
    expect(refusedParam(() => partsOf([{ type }]))).toBe('messages[0].content[0].type');
    expect(refusedParam(() => partsOf([{ type: 'image', source: { type } }]))).toBe(
      'messages[0].content[0].source.type',
    );
    expect(refusedParam(() => read({ tools: [{ type, name: 'a' }] }))).toBe('tools[0].type');
  });
});

describe('tools', () => {
  const look = { name: 'look', description: 'd', input_schema: { type: 'object' }, strict: true };
  const search = { type: 'web_search_20250305', name: 'web_search' };

  test('without what only the vendor reads', () => {
    const extras = {
      defer_loading: true,
      input_examples: [],
      eager_input_streaming: true,
      allowed_callers: ['direct'],
    };
    const { tools, settings } = read({ tools: [{ ...look, ...extras, cache_control: { type: 'ephemeral' } }] });
    expect(tools).toEqual([
      {
        name: 'look',
        description: 'd',
        schema: { type: 'object' },
        strict: true,
        isCustom: false,
        cache: { ttl: '5m' },
        at: 'tools[0]',
      },
    ]);
    expect(settings).toEqual([]);
  });

  test('those of the vendor are removed and reported', () => {
    const memory = { type: 'memory_20250818', name: 'memory' };
    const body = { tools: [search, { ...look, type: 'custom' }, memory] };
    expect(read(body).tools.map(({ name, at }) => [name, at])).toEqual([['look', 'tools[1]']]);
    expect(settingsOf(body)).toEqual([
      ['other', 'web_search_20250305'],
      ['other', 'memory_20250818'],
    ]);
  });

  test('unless they are forced, or there is no other', () => {
    const forced = { tools: [look, search], tool_choice: { type: 'tool', name: 'web_search' } };
    expect(refusedParam(() => read(forced))).toBe('tools[1]');
    expect(refusedParam(() => read({ tools: [search], tool_choice: { type: 'any' } }))).toBe('tools[0]');
    expect(refusedParam(() => read({ tools: [search], tool_choice: { type: 'auto' } }))).toBe('tools[0]');
    expect(refusedParam(() => read({ tools: [search] }))).toBe('tools[0]');
    expect(settingsOf({ tools: [search], tool_choice: { type: 'none' } })).toEqual([['other', search.type]]);
    expect(read({ tools: [look, search], tool_choice: { type: 'any' } }).toolChoice).toEqual({ mode: 'any' });
  });

  test('the choice', () => {
    const choose = (tool_choice: object) => read({ tools: [look], tool_choice });
    expect(choose({ type: 'auto' })).toMatchObject({ toolChoice: { mode: 'auto' }, parallelTools: undefined });
    expect(choose({ type: 'none' }).toolChoice).toEqual({ mode: 'none' });
    expect(choose({ type: 'tool', name: 'look', disable_parallel_tool_use: true })).toMatchObject({
      toolChoice: { mode: 'tool', name: 'look' },
      parallelTools: false,
    });
    expect(refusedParam(() => choose({ type: 'some' }))).toBe('tool_choice.type');
    expect(refusedParam(() => choose({ type: 'tool', name: 'hear' }))).toBe('tool_choice');
  });
});

describe('settings', () => {
  test('thinking', () => {
    const requested = (body: object) => read(body).reasoning;
    expect(requested({})).toBeUndefined();
    expect(requested({ thinking: { type: 'enabled', budget_tokens: 2048 } })).toMatchObject({
      isOff: false,
      budget: 2048,
    });
    expect(requested({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } })).toMatchObject({
      name: 'thinking',
      isOff: false,
      effort: 'high',
    });
    expect(requested({ output_config: { effort: 'low' } })).toMatchObject({
      name: 'output_config.effort',
      effort: 'low',
    });
    expect(requested({ thinking: { type: 'between_tools' } })).toMatchObject({ isOff: true });
    expect(requested({ thinking: { type: 'disabled' }, output_config: { effort: 'high' } })).toMatchObject({
      isOff: true,
      effort: undefined,
    });
  });

  test('an effort at a message of the user is not the answer’s', () => {
    const messages = [{ role: 'user', content: 'Hi', output_config: { effort: 'medium' } }];
    expect(read({ messages }).reasoning).toBeUndefined();
  });

  test('format, under its old name too', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const expected = { kind: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true } as const;
    expect(read({ output_config: { format } }).format).toEqual(expected);
    expect(read({ output_format: format }).format).toEqual(expected);
  });

  test('each by its own name', () => {
    const owned = { model: 'm', max_tokens: 5, stream: true, thinking: { type: 'disabled' }, cache_control: null };
    expect(settingsOf(owned)).toEqual([]);
    const body = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 3,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      context_management: { edits: [{}] },
      container: 'c',
      mcp_servers: [],
      speed: 'fast',
      output_config: { effort: 'low', task_budget: {} },
      constructor: 1,
    };
    expect(settingsOf(body)).toEqual([
      ['temperature', 'temperature'],
      ['top_p', 'top_p'],
      ['top_k', 'top_k'],
      ['stop', 'stop_sequences'],
      ['other', 'context_management'],
      ['other', 'container'],
      ['other', 'speed'],
      ['other', 'constructor'],
      ['user', 'metadata.user_id'],
      ['other', 'output_config.task_budget'],
    ]);
  });
});
