// A Responses request as a conversation in no dialect: whose turn is what, which tools there are, and what cannot be
// carried.

import { describe, expect, test } from 'bun:test';
import { openaiResponsesClient } from '../../../../src/dialects/openai-responses/client/adapter.ts';
import { packReasoning, tagToolId } from '../../../../src/dialects/translate/opaque.ts';
import { Fault } from '../../../../src/faults/fault.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';

const read = (body: object) =>
  openaiResponsesClient.readConversation(readJsonObject(JSON.stringify({ model: 'main', input: 'Hi', ...body })));

function refused(body: object): unknown {
  try {
    read(body);
  } catch (error) {
    if (error instanceof Fault) return error.details.param;
    throw error;
  }
  throw new Error('not refused');
}

const user = (content: unknown = 'Hi') => ({ role: 'user', content });
const call = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'look',
  arguments: '{}',
  ...more,
});
const output = (id: string, said: unknown = 'ok') => ({ type: 'function_call_output', call_id: id, output: said });
/** Turns as their role and what their parts are. */
const shape = (input: unknown, more: object = {}) =>
  read({ input, ...more }).turns.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)]);

describe('turns', () => {
  test('a text is one message of the user', () => {
    expect(read({}).turns).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'Hi', at: 'input[0].content' }], at: 'input[0]' },
    ]);
  });

  test('instructions and what stands before the first turn are the system; later words keep their place', () => {
    const { system, turns } = read({
      instructions: 'One.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Two.' }] },
        { role: 'system', content: 'Three.' },
        user(),
        { role: 'developer', content: 'Four.' },
        user('Go'),
      ],
    });
    expect(system.map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.']);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'system', 'user']);
  });

  test('calls in a row are one turn of the model, with the reasoning and the words between them', () => {
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: packReasoning('o', { text: 'Hm' }) };
    const words = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] };
    expect(shape([user(), reasoning, words, call('a'), reasoning, call('b'), output('a'), output('b')])).toEqual([
      ['user', 'text'],
      ['assistant', 'reasoning', 'text', 'tool_call', 'reasoning', 'tool_call'],
      ['user', 'tool_result'],
      ['user', 'tool_result'],
    ]);
  });

  test('arguments keep every character, free text too', () => {
    const custom = { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '*** Begin' };
    const { turns } = read({ input: [user(), call('a', { arguments: '{"n":12345678901234567890 }' }), custom] });
    expect(turns[1]?.parts).toMatchObject([
      { arguments: '{"n":12345678901234567890 }', isCustom: false },
      { arguments: '*** Begin', isCustom: true, name: 'patch' },
    ]);
  });

  test('what a model wants back with a call is found in its id', () => {
    const tagged = tagToolId('call_a', { origin: 'abcdef0123', value: 'thought' });
    const { turns } = read({ input: [user(), call(tagged), output(tagged)] });
    expect(turns[1]?.parts[0]).toMatchObject({ id: 'call_a', opaque: { origin: 'abcdef0123', value: 'thought' } });
    expect(turns[2]?.parts[0]).toMatchObject({ callId: 'call_a' });
  });

  test('results hold text, images and files', () => {
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    const parts = [
      { type: 'input_text', text: 'See' },
      { type: 'input_image', image_url: png, detail: 'high' },
    ];
    const { turns } = read({ input: [user(), call('a'), output('a', parts)] });
    expect(turns[2]?.parts[0]).toMatchObject({
      content: [
        { type: 'text', text: 'See' },
        { type: 'image', source: { kind: 'base64', mediaType: 'image/png' }, detail: 'high', at: 'input[2].output[1]' },
      ],
    });
  });

  test('reasoning: ours is unpacked, of others the words, and whether they came sealed', () => {
    const items = [
      { type: 'reasoning', summary: [], encrypted_content: packReasoning('o', { text: 'Mine', signature: 's' }) },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Sealed' }], encrypted_content: 'gAAAA' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Open' }] },
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Raw' }] },
    ];
    expect(read({ input: [user(), ...items] }).turns[1]?.parts).toMatchObject([
      { text: 'Mine', opaque: { origin: 'o', value: 's' } },
      { text: 'Sealed', opaque: { origin: 'vendor', value: '' } },
      { text: 'Open', opaque: undefined },
      { text: 'Raw' },
    ]);
  });

  test('parts of every kind', () => {
    const pdf = Buffer.from('%PDF-1.7').toString('base64');
    const { turns } = read({
      input: [
        user([
          { type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
          { type: 'input_image', image_url: 'https://a.test/b.png' },
          { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' },
          { type: 'input_file', file_url: 'https://a.test/a.pdf' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'refusal', refusal: 'No.' },
          { type: 'hologram' },
        ]),
      ],
    });
    expect(turns[0]?.parts).toMatchObject([
      { type: 'text', cache: { ttl: '1h' } },
      { type: 'image', source: { kind: 'url' } },
      { type: 'document', source: { mediaType: 'application/pdf' }, title: 'a.pdf' },
      { type: 'document', source: { kind: 'url', url: 'https://a.test/a.pdf' } },
      { type: 'audio', format: 'wav' },
      { type: 'text', text: 'No.' },
      { type: 'other', kind: 'hologram', at: 'input[0].content[6]' },
    ]);
  });

  test('searches of a vendor are removed and reported; other calls of its tools are refused', () => {
    const search = { type: 'web_search_call', id: 'ws', status: 'completed' };
    const { turns, settings } = read({ input: [user(), search, user('And?')] });
    expect(turns.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(settings).toMatchObject([{ kind: 'other', name: 'web_search_call' }]);
    expect(shape([user(), { type: 'code_interpreter_call', code: '1' }])).toEqual([
      ['user', 'text'],
      ['assistant', 'other'],
    ]);
  });

  test.each([
    { type: 'mcp_list_tools', id: 'm', server_label: 's', tools: [{ name: 'hear', input_schema: {} }] },
    { type: 'tool_search_call', id: 't', status: 'completed', arguments: {} },
    { type: 'tool_search_output', id: 'o', status: 'completed', tools: [] },
    { type: 'configuration_update', reasoning: { effort: 'high' } },
  ])('what has no place in another format is left out and told: $type', (item) => {
    const { turns, tools, settings } = read({ input: [user(), item, item, user('And?')] });
    expect(turns.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(tools).toEqual([]);
    expect(settings).toMatchObject([{ kind: 'other', name: item.type }]);
  });

  test.each([
    ['input[0].content[0]', [user([{ type: 'input_image', file_id: 'file_1' }])]],
    ['input[0].content[0]', [user([{ type: 'input_file', file_id: 'file_1' }])]],
    ['input[0].role', [{ role: 'robot', content: 'Hi' }]],
    ['input[0].content[0]', [{ role: 'developer', content: [{ type: 'input_image', image_url: 'https://a.test/b' }] }]],
    ['input[0].call_id', [{ type: 'function_call', name: 'look', arguments: '{}' }]],
  ])('%s is named', (param, input) => {
    expect(refused({ input })).toBe(param);
  });
});

describe('tools', () => {
  const look = { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: false };
  const crm = {
    type: 'namespace',
    name: 'crm',
    description: 'Customers.',
    tools: [
      { type: 'function', name: 'find', parameters: {} },
      { type: 'custom', name: 'query' },
    ],
  };

  test('functions, custom tools with their grammar, namespaces under one name', () => {
    const patch = {
      type: 'custom',
      name: 'patch',
      description: 'P.',
      format: { type: 'grammar', syntax: 'lark', definition: 'x' },
    };
    const { tools } = read({ tools: [look, patch, crm] });
    expect(tools).toMatchObject([
      { name: 'look', description: 'Looks.', schema: { type: 'object' }, strict: false, isCustom: false },
      { name: 'patch', isCustom: true, description: 'P.\n\nThe input must match this lark grammar:\nx' },
      { name: 'crm__find', shown: { namespace: 'crm', name: 'find' }, description: 'crm: Customers.' },
      { name: 'crm__query', isCustom: true, shown: { namespace: 'crm', name: 'query' } },
    ]);
  });

  test('a call of a namespace in the history has the one name', () => {
    const { turns } = read({
      tools: [crm],
      input: [user(), call('a', { name: 'find', namespace: 'crm' }), call('b', { name: 'gone', namespace: 'x' })],
    });
    expect(turns[1]?.parts).toMatchObject([{ name: 'crm__find' }, { name: 'x__gone' }]);
  });

  test("a vendor's own tools are removed and reported, unless they are forced", () => {
    const search = { type: 'web_search' };
    const { tools, settings } = read({ tools: [look, search], tool_choice: 'auto' });
    expect(tools).toHaveLength(1);
    expect(settings).toMatchObject([{ kind: 'other', name: 'web_search' }]);
    expect(refused({ tools: [look, search], tool_choice: { type: 'web_search' } })).toBe('tool_choice');
    expect(refused({ tools: [search], tool_choice: 'required' })).toBe('tool_choice');
    expect(refused({ tools: [{ type: 'apply_patch' }], tool_choice: { type: 'apply_patch' } })).toBe('tool_choice');
    expect(refused({ tools: [search], tool_choice: 'auto' })).toBe('tools[0]');
    expect(refused({ input: [user(), { type: 'additional_tools', tools: [search] }] })).toBe('input[1].tools[0]');
    const onlyIt = { type: 'allowed_tools', mode: 'auto', tools: [search] };
    expect(refused({ tools: [search], tool_choice: onlyIt })).toBe('tool_choice.tools[0]');
    expect(refused({ tools: [look, search], tool_choice: onlyIt })).toBe('tool_choice.tools[0]');
    expect(read({ tools: [search], tool_choice: 'none' }).tools).toEqual([]);
  });

  test.each([
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'any' }],
    [
      { type: 'function', name: 'look' },
      { mode: 'tool', name: 'look' },
    ],
    [
      { type: 'function', name: 'find', namespace: 'crm' },
      { mode: 'tool', name: 'crm__find' },
    ],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] },
      { mode: 'any', allowed: ['look'] },
    ],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'namespace', name: 'crm' }, { type: 'web_search' }] },
      { mode: 'auto', allowed: ['crm__find', 'crm__query'] },
    ],
  ])('the choice %j', (choice, expected) => {
    expect(read({ tools: [look, crm, { type: 'web_search' }], tool_choice: choice }).toolChoice).toEqual(
      expected as never,
    );
  });

  test('a choice among things that are no tools is refused by its place', () => {
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: { toString: 1, valueOf: 1 } }] };
    expect(refused({ tools: [look], tool_choice: choice })).toBe('tool_choice.tools[0]');
  });

  test('tools that come with the history are tools', () => {
    const more = { type: 'additional_tools', role: 'developer', tools: [look] };
    expect(read({ input: [user(), more] }).tools).toMatchObject([{ name: 'look', at: 'input[1].tools[0]' }]);
    const found = { type: 'tool_search_output', status: 'completed', tools: [{ ...look, description: 'Sees.' }] };
    expect(read({ tools: [look], input: [user(), more, found] }).tools).toMatchObject([
      { name: 'look', description: 'Sees.', at: 'input[2].tools[0]' },
    ]);
  });

  test('one call at a time', () => {
    expect(read({ tools: [look], parallel_tool_calls: false }).parallelTools).toBe(false);
    expect(read({ tools: [look] }).parallelTools).toBeUndefined();
  });
});

describe('settings', () => {
  test('thinking', () => {
    expect(read({ reasoning: { effort: 'high', summary: 'auto' } }).reasoning).toMatchObject({
      isOff: false,
      effort: 'high',
    });
    expect(read({ reasoning: { effort: 'none' } }).reasoning).toMatchObject({ isOff: true, effort: undefined });
    expect(read({ reasoning: { summary: 'auto' } }).reasoning).toBeUndefined();
  });

  test('format', () => {
    const format = { type: 'json_schema', name: 'out', schema: { type: 'object' }, strict: true };
    expect(read({ text: { format } }).format).toEqual({
      kind: 'json_schema',
      name: 'out',
      schema: { type: 'object' },
      strict: true,
    });
    expect(read({ text: { format: { type: 'json_object' } } }).format).toEqual({ kind: 'json_object' });
    expect(read({ text: { format: { type: 'text' } } }).format).toBeUndefined();
  });

  test('what a Codex request says loses nothing but the search', () => {
    const { settings } = read({
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      client_metadata: { cwd: '/srv/x' },
      tools: [
        { type: 'function', name: 'shell' },
        { type: 'web_search', external_web_access: true },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { summary: 'auto' },
    });
    expect(settings).toMatchObject([
      { kind: 'prompt_cache_key', name: 'prompt_cache_key', value: 'k' },
      { kind: 'other', name: 'web_search' },
    ]);
  });

  test('each setting under its own name', () => {
    const { settings } = read({
      temperature: 0.2,
      top_p: 0.9,
      user: 'u',
      safety_identifier: 's',
      service_tier: 'flex',
      truncation: 'auto',
      metadata: { a: 'b' },
      max_tool_calls: 3,
      text: { verbosity: 'low' },
      top_logprobs: 2,
      include: ['message.output_text.logprobs'],
      foo: 1,
    });
    expect(settings.map(({ kind, name }) => [kind, name])).toEqual([
      ['temperature', 'temperature'],
      ['top_p', 'top_p'],
      ['user', 'user'],
      ['user', 'safety_identifier'],
      ['service_tier', 'service_tier'],
      ['other', 'truncation'],
      ['other', 'metadata'],
      ['other', 'max_tool_calls'],
      ['other', 'top_logprobs'],
      ['other', 'foo'],
      ['verbosity', 'text.verbosity'],
      ['other', 'include'],
    ]);
  });

  test('what says nothing is no setting', () => {
    const body = {
      truncation: 'disabled',
      service_tier: 'auto',
      metadata: {},
      top_logprobs: 0,
      temperature: null,
      text: { verbosity: 'medium' },
    };
    expect(read(body).settings).toEqual([]);
  });
});
