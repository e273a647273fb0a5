// Tools that cost the operator what nobody is billed: one that makes images is never offered to an upstream, and on a model
// that costs nothing none is that the upstream runs itself. They are told; where they are what is asked for, the call is refused.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { WIRE_CLIENTS, wireClient } from '../support/wire-clients.ts';

type Fields = Record<string, unknown>;

const ENDPOINTS: Record<string, { endpoints: string[] }> = { chat: { endpoints: ['chat'] } };
const STRICT = { 'x-svc-strict': '1' };

const SCHEMA = { type: 'object', properties: { n: { type: 'integer', maximum: 5 } } };
/** One of the client's own, by the client's format. */
const OWN: Record<string, Fields> = {
  chat: { type: 'function', function: { name: 'look', parameters: SCHEMA } },
  responses: { type: 'function', name: 'look', parameters: SCHEMA },
  messages: { name: 'look', input_schema: SCHEMA },
};
const PICTURE = { type: 'image_generation', quality: 'high', size: '1536x1024' };
const SEARCH = { type: 'web_search' };

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        ...WIRE_CLIENTS.map(({ name, channel }) => channel(name, upstream.baseUrl, ENDPOINTS[name])),
      ],
      models: [
        ...standard.models,
        ...WIRE_CLIENTS.flatMap(({ name }) => {
          const routes = [{ channel: name, model: 'scripted-2026-01' }];
          return [
            upModel(`paid-${name}`, { price: { input: 10, output: 40 }, context_tokens: 15_000, routes }),
            upModel(`free-${name}`, { price: 'free', routes }),
          ];
        }),
      ],
    }),
  });
});
beforeEach(async () => {
  upstream.reset();
  ({ key } = await gateway.register());
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

interface Asked {
  status: number;
  told: string | null;
  error: Answer;
  /** What the upstream got. */
  sent: Answer;
  raw: string;
}

async function ask(
  price: 'paid' | 'free',
  name: string,
  fields: Fields | string,
  headers: Fields = {},
): Promise<Asked> {
  const { call, whole, stream } = wireClient(name);
  const model = `${price}-${name}`;
  const { path, body } = call({ model, max_tokens: 20, ...(typeof fields === 'string' ? {} : fields) });
  const given = typeof fields === 'string' ? fields : JSON.stringify(body);
  const isStream = given.includes('"stream":true');
  upstream.otherwise(isStream ? stream() : whole());
  const response = await gateway.call(path, { key, body: given, headers: headers as Record<string, string> });
  const text = await response.text();
  const seen = upstream.requests.at(-1);
  return {
    status: response.status,
    told: response.headers.get('x-svc-dropped'),
    error: response.status === 200 ? undefined : JSON.parse(text).error,
    sent: seen?.json,
    raw: seen?.body ?? '',
  };
}

describe.each(['paid', 'free'] as const)('a tool that makes images, on a %s model', (price) => {
  test.each([false, true])('is removed and reported; stream: %p', async (stream) => {
    const { status, told, sent } = await ask(price, 'responses', { tools: [PICTURE, OWN.responses], stream });
    expect(status).toBe(200);
    expect(told).toBe('image_generation');
    expect(sent.tools).toEqual([OWN.responses]);
  });

  test('so does that of a router', async () => {
    const { told, sent } = await ask(price, 'chat', { tools: [OWN.chat, { type: 'openrouter:image_generation' }] });
    expect(told).toBe('openrouter:image_generation');
    expect(sent.tools).toEqual([OWN.chat]);
  });

  test('so is one that is defined later, with its item if that has nothing else', async () => {
    const later = (...tools: unknown[]) => ({ type: 'additional_tools', role: 'developer', tools });
    const user = { role: 'user', content: 'Hi' };
    const { told, sent } = await ask(price, 'responses', {
      messages: [user, later(PICTURE), later(OWN.responses, PICTURE)],
    });
    expect(told).toBe('image_generation');
    expect(sent.input).toEqual([user, later(OWN.responses)]);
  });

  test('is refused where nothing may be lost', async () => {
    const { status, error } = await ask(price, 'responses', { tools: [PICTURE, OWN.responses] }, STRICT);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_request', param: 'image_generation' });
    expect(upstream.requests).toEqual([]);
  });

  test.each([
    [{ tools: [OWN.responses, PICTURE], tool_choice: { type: 'image_generation' } }, 'tools[1]'],
    [{ tools: [PICTURE] }, 'tools[0]'],
    [{ tools: [PICTURE], tool_choice: 'required' }, 'tools[0]'],
    [
      {
        tools: [OWN.responses, PICTURE],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'image_generation' }] },
      },
      'tool_choice.tools[0]',
    ],
  ])('is refused where it must be called, or no other may be: %j', async (fields, param) => {
    const { status, error } = await ask(price, 'responses', fields);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_request', param });
    expect(error.message).toContain('image_generation');
    expect(upstream.requests).toEqual([]);
  });

  test('takes with it what is said of tools, if none is to be called', async () => {
    const fields = { tools: [PICTURE], tool_choice: 'none', parallel_tool_calls: false, temperature: 1 };
    const { status, told, sent } = await ask(price, 'responses', fields);
    expect(status).toBe(200);
    expect(told).toBe('image_generation');
    expect(Object.keys(sent).toSorted()).toEqual(['input', 'max_output_tokens', 'model', 'store', 'temperature']);
  });

  test('is none of those that may be called', async () => {
    const allowed = (...tools: unknown[]) => ({ type: 'allowed_tools', mode: 'required', tools });
    const look = { type: 'function', name: 'look' };
    const { status, sent } = await ask(price, 'responses', {
      tools: [OWN.responses, PICTURE],
      tool_choice: allowed(look, { type: 'image_generation' }),
    });
    expect(status).toBe(200);
    expect(sent.tool_choice).toEqual(allowed(look));
  });

  test.each([1, 100_000])('leaves the bytes of all others alone, also around %d of a text', async (length) => {
    const own = '{ "type":"function","name":"look", "parameters":{"maximum" : 9223372036854775807} }';
    const rest = `"temperature":1.0,"input":"${'x'.repeat(length)}","max_output_tokens":20`;
    const body = `{"model":"${price}-responses","tools": [ ${own} , {"type":"image_generation"}],${rest}}`;
    const { status, raw } = await ask(price, 'responses', body);
    expect(status).toBe(200);
    for (const kept of [own, rest]) expect(raw.includes(kept)).toBe(true);
    expect(raw.includes('image_generation')).toBe(false);
  });
});

/** By the client's format: what it offers beside a tool of its own, and what is told of that. */
const RUN_BY_VENDORS: [name: string, fields: Fields, told: string][] = [
  ['chat', { web_search_options: {} }, 'web_search_options'],
  ['chat', { search_parameters: { mode: 'on' } }, 'search_parameters'],
  ['chat', { enable_search: true }, 'enable_search'],
  ['chat', { tools: [{ type: 'openrouter:web_search' }] }, 'openrouter:web_search'],
  ['chat', { tools: [{ type: 'code_interpreter' }] }, 'code_interpreter'],
  ['chat', { tools: [{ type: 'web_search', web_search: { enable: true } }] }, 'web_search'],
  ['responses', { tools: [SEARCH] }, 'web_search'],
  ['responses', { tools: [{ type: 'web_search_preview' }] }, 'web_search_preview'],
  ['responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 'code_interpreter'],
  ['responses', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 'file_search'],
  ['responses', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, 'shell'],
  ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }] }, 'web_search_20250305'],
  ['messages', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }, 'web_fetch_20250910'],
  ['messages', { tools: [{ type: 'code_execution_20250825', name: 'c' }] }, 'code_execution_20250825'],
  ['messages', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }, 'container'],
  [
    'messages',
    {
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'm' }],
      mcp_servers: [{ type: 'url', url: 'https://mcp.example.com', name: 'm' }],
    },
    'mcp_servers,mcp_toolset',
  ],
];

describe('what the upstream runs itself', () => {
  const withOwn = (name: string, { tools = [], ...fields }: Fields): Fields => ({
    ...fields,
    tools: [...(tools as unknown[]), OWN[name]],
  });

  test.each(RUN_BY_VENDORS)('is removed on a free model and reported: %s %j', async (name, fields, told) => {
    const plain = await ask('free', name, { tools: [OWN[name]] });
    const asked = await ask('free', name, withOwn(name, fields));
    expect(asked.status).toBe(200);
    expect(asked.told).toBe(told);
    expect(asked.sent).toEqual(plain.sent);
  });

  test.each(RUN_BY_VENDORS)('is refused there where nothing may be lost: %s %j', async (name, fields) => {
    expect((await ask('free', name, withOwn(name, fields), STRICT)).status).toBe(400);
    expect(upstream.requests).toEqual([]);
  });

  test.each(RUN_BY_VENDORS)('passes on a paid one: %s %j', async (name, fields) => {
    const { status, told, sent } = await ask('paid', name, withOwn(name, fields), STRICT);
    expect(status).toBe(200);
    expect(told).toBeNull();
    expect(sent).toMatchObject(withOwn(name, fields));
  });

  test.each([
    ['messages', { type: 'web_search_20250305', name: 'find' }, { type: 'tool', name: 'find' }],
    ['responses', SEARCH, { type: 'web_search' }],
    [
      'chat',
      { type: 'builtin_function', function: { name: '$web_search' } },
      { type: 'function', function: { name: '$web_search' } },
    ],
  ])('is refused on a free model that must call it: %s %j', async (name, tool, tool_choice) => {
    const { status, error } = await ask('free', name, { tools: [OWN[name], tool], tool_choice });
    expect(status).toBe(400);
    expect(error.message).toContain('tools[1]');
    expect(upstream.requests).toEqual([]);
  });

  const added = (...definitions: unknown[]) =>
    definitions.map((definition) => ({ type: 'tool_addition', tool: { type: 'tool_definition', definition } }));
  const HI = { role: 'user', content: 'Hi' };
  const FIND = { type: 'web_search_20250305', name: 'web_search' };

  test.each([
    ['free', FIND],
    ['free', { type: 'code_execution_20250825', name: 'c' }],
    ['free', { type: 'mcp_toolset', mcp_server_name: 'm' }],
    ['free', { type: 'of_no_kind_we_know' }],
    ['free', PICTURE],
    ['paid', PICTURE],
  ] as const)('is refused where the conversation defines it, on a %s model: %j', async (price, tool) => {
    for (const [content, place] of [
      [added(OWN.messages, tool), 'messages[1].content[1]'],
      [
        [{ type: 'compaction', content: 'We met.', tool_changes: added(tool) }],
        'messages[1].content[0].tool_changes[0]',
      ],
    ] as const) {
      const { status, error } = await ask(price, 'messages', { messages: [HI, { role: 'system', content }] });
      expect(status).toBe(400);
      expect(error.message).toEndWith(`Remove ${place}.tool.definition.`);
      expect(error.message).toContain(tool.type);
    }
    expect(upstream.requests).toEqual([]);
  });

  test('calls no tool that is kept', async () => {
    const code = { type: 'code_execution_20250825', name: 'c' };
    const look = (name: string, ...callers: string[]) => ({ ...OWN.messages, name, allowed_callers: callers });
    const tools = [code, look('a', code.type), look('b', 'direct', code.type), look('c', 'direct')];
    const { told, sent } = await ask('free', 'messages', { tools });
    expect(told).toBe(code.type);
    expect(sent.tools).toEqual([{ ...OWN.messages, name: 'a' }, look('b', 'direct'), look('c', 'direct')]);
    expect((await ask('paid', 'messages', { tools })).sent.tools).toEqual(tools);
  });

  test('is not the only tool where the conversation defines one of the client', async () => {
    const messages = [HI, { role: 'system', content: added(OWN.messages) }];
    const { status, told, sent } = await ask('free', 'messages', { messages, tools: [FIND] });
    expect(status).toBe(200);
    expect(told).toBe('web_search_20250305');
    expect(sent.tools).toBeUndefined();
    expect(sent.messages).toEqual(messages);
  });

  test('may be named among what may be called in a chat', async () => {
    const allowed = (...tools: unknown[]) => ({ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools } });
    const look = { type: 'function', function: { name: 'look' } };
    const search = { type: 'web_search' };
    const { status, sent } = await ask('free', 'chat', {
      tools: [OWN.chat, search],
      tool_choice: allowed(search, look),
    });
    expect(status).toBe(200);
    expect(sent.tool_choice).toEqual(allowed(look));
  });

  test.each([
    ['chat', [OWN.chat, { type: 'custom', custom: { name: 'apply' } }]],
    ['responses', [{ type: 'namespace', name: 'crm', tools: [OWN.responses] }, { type: 'apply_patch' }]],
    ['responses', [{ type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'mac' }]],
    ['messages', [OWN.messages, { type: 'bash_20250124', name: 'bash' }, { type: 'memory_20250818', name: 'memory' }]],
    ['messages', [{ type: 'computer_20250124', name: 'computer', display_width_px: 1, display_height_px: 1 }]],
  ])('is none that the client runs: %s %j', async (name, tools) => {
    const { status, told, sent } = await ask('free', name, { tools, tool_choice: undefined }, STRICT);
    expect(status).toBe(200);
    expect(told).toBeNull();
    expect(sent.tools).toEqual(tools);
  });

  test('is no setting that asks for nothing', async () => {
    const { told } = await ask('free', 'chat', { web_search_options: null, enable_search: false }, STRICT);
    expect(told).toBeNull();
    expect((await ask('free', 'messages', { mcp_servers: [], container: null }, STRICT)).told).toBeNull();
  });
});

describe.each(['paid', 'free'] as const)('a tool without a type, on a %s model', (price) => {
  test.each([
    ['chat', { google_search: {} }, 'google_search'],
    ['chat', { googleSearch: {} }, 'googleSearch'],
    ['chat', { url_context: {} }, 'url_context'],
    ['chat', { code_execution: {} }, 'code_execution'],
    ['chat', { type: null, google_maps: {} }, 'google_maps'],
    ['chat', { type: 7 }, 'type'],
    ['chat', {}, 'tool'],
    ['responses', { google_search: {} }, 'google_search'],
    ['messages', { google_search: {} }, 'google_search'],
    // A tool of the client on the face of it, with one of the upstream inside.
    ['chat', { type: 'function', function: { name: 'a' }, google_search: {} }, 'google_search'],
    ['messages', { name: 'a', input_schema: SCHEMA, Google_Search: {} }, 'Google_Search'],
    ['messages', { name: 'web_search', Type: 'web_search_20250305' }, 'Type'],
    ['chat', { type: 'function', TYPE: 'web_search', function: { name: 'a' } }, 'TYPE'],
  ])('is removed if no client runs it: %s %j', async (name, tool, named) => {
    const { status, told, sent } = await ask(price, name, { tools: [tool, OWN[name]] });
    expect(status).toBe(200);
    expect(told).toBe(named);
    expect(sent.tools).toEqual([OWN[name]]);
    expect((await ask(price, name, { tools: [tool, OWN[name]] }, STRICT)).status).toBe(400);
    const alone = await ask(price, name, { tools: [tool] });
    expect([alone.status, alone.error.param]).toEqual([400, 'tools[0]']);
  });

  test.each([
    ['chat', { function: { name: 'look', parameters: SCHEMA } }],
    ['messages', { name: 'look', input_schema: SCHEMA, description: 'x', cache_control: { type: 'ephemeral' } }],
    ['messages', { name: 'look', input_schema: SCHEMA, eager_input_streaming: true, some_new_member: 1 }],
  ])('passes if it is a function of the client: %s %j', async (name, tool) => {
    const { status, told, sent } = await ask(price, name, { tools: [tool] }, STRICT);
    expect([status, told]).toEqual([200, null]);
    expect(sent.tools).toEqual([tool]);
  });
});

describe.each(['paid', 'free'] as const)('a namespace, on a %s model', (price) => {
  const namespace = (...tools: unknown[]) => ({ type: 'namespace', name: 'box', tools });

  test.each([
    [namespace(SEARCH), 'tools[1].tools[0]'],
    [namespace(OWN.responses, PICTURE), 'tools[1].tools[1]'],
    [namespace(namespace(OWN.responses, SEARCH)), 'tools[1].tools[0].tools[1]'],
    [namespace({ google_search: {} }), 'tools[1].tools[0]'],
    [{ ...OWN.responses, tools: [SEARCH] }, 'tools[1].tools[0]'],
  ])('is refused with a tool in it that the client does not run: %j', async (tool, param) => {
    const { status, error } = await ask(price, 'responses', { tools: [OWN.responses, tool] });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_request', param });
    expect(upstream.requests).toEqual([]);
  });

  test('is refused so in the input, too', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { type: 'additional_tools', role: 'developer', tools: [namespace(SEARCH)] },
    ];
    const { status, error } = await ask(price, 'responses', { messages });
    expect([status, error.param]).toEqual([400, 'input[1].tools[0].tools[0]']);
    expect(upstream.requests).toEqual([]);
  });

  test('is removed if its list has a variant of the name', async () => {
    const hidden = { type: 'namespace', name: 'box', Tools: [SEARCH] };
    const { told, sent } = await ask(price, 'responses', { tools: [OWN.responses, hidden] });
    expect(told).toBe('Tools');
    expect(sent.tools).toEqual([OWN.responses]);
  });

  test('passes with tools of the client', async () => {
    const tools = [namespace(OWN.responses, { type: 'custom', name: 'patch' })];
    const { status, told, sent } = await ask(price, 'responses', { tools }, STRICT);
    expect([status, told]).toEqual([200, null]);
    expect(sent.tools).toEqual(tools);
  });
});
