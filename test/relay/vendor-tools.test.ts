// Tools that the upstream runs itself bring input that stands in no request: the hold has room for it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import type { Script } from '../support/script.ts';
import { upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { WIRE_CLIENTS, type WireClient, wireClient } from '../support/wire-clients.ts';

const CONTEXT = 60_000;
const INPUT = 10_000n;
/** What upstreams may say of tools by themselves, and of each that is the vendor’s own. */
const TOLD = 500n * INPUT;
const WRITTEN = 1_000n * INPUT;
const WHOLE = BigInt(CONTEXT) * INPUT;
const ENDPOINTS: Record<string, { endpoints: string[] }> = { chat: { endpoints: ['chat'] } };

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  upstream = await startUpstream();
  const model = (id: string, context_tokens: number, channel = id) =>
    upModel(id, {
      context_tokens,
      price: { input: 10, output: 40 },
      routes: [{ channel, model: 'scripted-2026-01' }],
    });
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        ...WIRE_CLIENTS.map(({ name, channel }) => channel(name, upstream.baseUrl, ENDPOINTS[name])),
      ],
      models: [
        ...standard.models,
        ...WIRE_CLIENTS.flatMap(({ name }) => [model(name, CONTEXT), model(`long-${name}`, 1_000_000, name)]),
      ],
    }),
  });
});

beforeEach(async () => {
  upstream.reset();
  account = await gateway.register();
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

async function ask(client: WireClient, fields: Record<string, unknown>, model: string = client.name) {
  const { path, body } = client.call({ model, max_tokens: 20, ...fields });
  const response = await gateway.call(path, { key: account.key, body });
  await response.text();
  return response;
}

/** What one answered call had held for its input. */
async function holdOf(client: WireClient, fields: Record<string, unknown>, upstreamName = client.name) {
  upstream.otherwise(wireClient(upstreamName).whole());
  const response = await ask(client, fields, upstreamName);
  expect(response.status).toBe(200);
  const [row] = gateway.sql<{ held_nano: bigint }>(
    'SELECT held_nano FROM usage_records WHERE request_id = ?',
    response.headers.get('x-request-id') ?? '',
  );
  return (row?.held_nano ?? 0n) - 20n * 40_000n;
}

/** Tools of messages that stand in the conversation: added there, or told by a compaction. */
const added = (...definitions: unknown[]) => ({
  role: 'system',
  content: definitions.map((definition) => ({ type: 'tool_addition', tool: { type: 'tool_definition', definition } })),
});
const LOOK = { type: 'function', name: 'look', parameters: { type: 'object', properties: { model: {} } } };
const HI = { role: 'user', content: 'Hi' };
const ADDED = (...definitions: unknown[]) => ({ messages: [HI, added(...definitions)] });
const COMPACTED = (...definitions: unknown[]) => {
  const compaction = { type: 'compaction', content: 'We met.', tool_changes: added(...definitions).content };
  return { messages: [{ role: 'assistant', content: [compaction] }, HI] };
};

/** Each with how many searches may be made, and what one of them is held as. */
const SEARCHES: [string, Record<string, unknown>, number, number?][] = [
  ['chat', { web_search_options: {} }, 1],
  ['chat', { web_search_options: { search_context_size: 'high' } }, 1, 16_000],
  ['chat', { search_parameters: { mode: 'on' } }, 1],
  ['chat', { enable_search: true }, 1],
  ['chat', { tools: [{ type: 'openrouter:web_search' }] }, 5],
  ['responses', { tools: [{ type: 'web_search', external_web_access: true }] }, 5],
  ['responses', { tools: [{ type: 'web_search_preview_2025_03_11' }] }, 5],
  ['responses', { tools: [{ type: 'web_search', search_context_size: 'high' }], max_tool_calls: 2 }, 2, 16_000],
  ['responses', { tools: [{ type: 'web_search' }], max_tool_calls: null }, 5],
  ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] }, 1],
  ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }] }, 8],
  ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 40 }] }, 40],
  ['messages', { tools: [{ type: 'web_search_20260209', name: 'web_search' }] }, 5],
  ['messages', { tools: [{ max_uses: null, type: 'web_search_20250305', name: 'web_search' }] }, 5],
  ['messages', ADDED({ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }), 2],
  ['messages', COMPACTED({ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }), 2],
];

async function addBalance(): Promise<void> {
  const { code } = await issueCard(gateway);
  const response = await gateway.call('/api/redeem', { key: account.key, body: { code } });
  expect(response.status).toBe(200);
}

describe('a search of the web', () => {
  test.each(SEARCHES)('covers as many as may be made: %s %j', async (name, fields, uses, each = 8_000) => {
    const client = wireClient(name);
    await addBalance();
    const more = (await holdOf(client, fields)) - (await holdOf(client, {}));
    // Each reads what came before it again, at a tenth of the price.
    const reread = (each * uses * (uses - 1)) / 20;
    expect(more).toBeGreaterThanOrEqual(BigInt(uses * each + reread) * INPUT);
    expect(more).toBeLessThan(BigInt(uses * each + reread + 100 * uses) * INPUT + TOLD + 300n * INPUT);
  });

  test.each(SEARCHES)('is paid, not written off: %s %j', async (name, fields, uses, each = 8_000) => {
    const client = wireClient(name);
    await addBalance();
    upstream.otherwise(client.whole({ tokens: { input: uses * each, output: 5 } }));
    const response = await ask(client, fields);
    const nano = uses * each * 10_000 + 5 * 40_000;
    expect(response.headers.get('x-svc-cost-ntd')).toBe(String(nano / 1e9));
    expect(gateway.log.alarms('usage_above_hold')).toEqual([]);
  });

  test('reads a long prompt again each time, which the hold covers, too', async () => {
    const client = wireClient('responses');
    const tools = [{ type: 'web_search' }];
    await addBalance();
    const messages = [{ role: 'user', content: '字'.repeat(10_000) }];
    const more = (await holdOf(client, { tools, messages })) - (await holdOf(client, { messages }));
    expect(more).toBeGreaterThan((40_000n + 5n * 3_000n) * INPUT);
    expect(more).toBeLessThan((48_000n + 5n * 3_100n + 600n) * INPUT);
  });

  test.each([
    ['responses', SEARCHES[5]?.[1], { max_tool_calls: 5 }],
    ['responses', SEARCHES[8]?.[1], { max_tool_calls: 5 }],
    ['responses', { tools: [LOOK, { type: 'web_search' }], max_tool_calls: 7 }, { max_tool_calls: 7 }],
    ['messages', SEARCHES[12]?.[1], { tools: [{ type: 'web_search_20260209', name: 'web_search', max_uses: 5 }] }],
    ['messages', SEARCHES[13]?.[1], { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] }],
    [
      'messages',
      {
        tools: [
          { name: 'look', input_schema: {} },
          { type: 'web_fetch_20250910', name: 'web_fetch', citations: {} },
        ],
      },
      {
        tools: [
          { name: 'look', input_schema: {} },
          { type: 'web_fetch_20250910', name: 'web_fetch', citations: {}, max_uses: 1 },
        ],
      },
    ],
  ])('has its bound written into the request: %s %j', async (name, fields, sent) => {
    const client = wireClient(name);
    upstream.otherwise(client.whole());
    expect((await ask(client, fields ?? {})).status).toBe(200);
    expect(upstream.requests[0]?.json).toMatchObject(sent);
  });

  test.each([
    ['responses', { tools: [LOOK] }],
    ['responses', { tools: [LOOK, { type: 'image_generation' }] }],
    ['messages', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
    ['chat', { tools: [{ type: 'openrouter:web_search' }] }],
  ])('writes none where no field or no need for one is: %s %j', async (name, fields) => {
    const client = wireClient(name);
    upstream.otherwise(client.whole());
    expect((await ask(client, fields)).status).toBe(200);
    expect(JSON.stringify(upstream.requests[0]?.json)).not.toMatch(/max_uses|max_tool_calls/);
  });

  test('of more uses than any wallet pays for is refused', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: Number.MAX_SAFE_INTEGER }];
    expect((await ask(wireClient('messages'), { tools })).status).toBe(402);
    expect(upstream.requests).toEqual([]);
  });

  test.each([
    ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 0 }] }],
    ['messages', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 0 }] }],
    ['responses', { tools: [LOOK, { type: 'code_interpreter' }], max_tool_calls: 0 }],
  ])('that may not be made holds nothing: %s %j', async (name, fields) => {
    const client = wireClient(name);
    const more = (await holdOf(client, fields)) - (await holdOf(client, {}));
    expect(more).toBeLessThan(TOLD + 200n * INPUT);
  });

  test('is answered on a small wallet, however long the model’s context', async () => {
    const client = wireClient('responses');
    upstream.otherwise(client.whole());
    expect((await ask(client, { tools: [{ type: 'web_search' }] }, 'long-responses')).status).toBe(200);
  });

  test('that is switched off holds nothing', async () => {
    const client = wireClient('chat');
    const off = { web_search_options: false, search_parameters: null, enable_search: false };
    expect(await holdOf(client, off)).toBe(await holdOf(client, {}));
  });

  test('that a translation leaves behind holds nothing', async () => {
    const client = wireClient('responses');
    const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }, { type: 'web_search' }];
    const more = (await holdOf(client, { tools }, 'chat')) - (await holdOf(client, {}, 'chat'));
    expect(more).toBeLessThan(TOLD + 200n * INPUT);
  });
});

const FETCH = { type: 'web_fetch_20250910', name: 'web_fetch' };
const CODE = { type: 'code_execution_20250825', name: 'code_execution' };
const MCP = { type: 'mcp', server_label: 'm', server_url: 'https://mcp.example.com' };
const SERVERS = [{ type: 'url', url: 'https://mcp.example.com', name: 'm' }];

/** Each with how many more passes over the context are held for it. */
const UNKNOWN: [string, Record<string, unknown>, number][] = [
  ['chat', { tools: [{ type: 'code_interpreter' }] }, 5],
  ['responses', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 1],
  ['responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 1],
  ['responses', { tools: [{ type: 'code_interpreter' }], max_tool_calls: 30 }, 30],
  ['responses', { tools: [{ type: 'code_interpreter' }, { type: 'web_search' }], max_tool_calls: 3 }, 3],
  ['responses', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, 1],
  // The vendor's bound is for its own tools.
  ['responses', { tools: [MCP] }, 5],
  ['responses', { tools: [MCP, MCP], max_tool_calls: 2 }, 5],
  ['responses', { tools: [MCP, { type: 'code_interpreter' }], max_tool_calls: 2 }, 7],
  [
    'responses',
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { type: 'additional_tools', role: 'developer', tools: [MCP] },
      ],
    },
    5,
  ],
  ['messages', { tools: [FETCH] }, 1],
  // A PDF may be longer than this.
  ['messages', { tools: [{ ...FETCH, max_uses: 2, max_content_tokens: 100 }] }, 2],
  ['messages', { tools: [{ ...FETCH, max_uses: 40 }] }, 40],
  [
    'messages',
    {
      tools: [
        { ...FETCH, max_uses: 2 },
        { type: 'web_search_20250305', name: 's', max_uses: 4 },
      ],
    },
    6,
  ],
  ['messages', ADDED({ type: 'web_search_20250305', name: 'web_search' }), 5],
  ['messages', COMPACTED({ type: 'web_search_20250305', name: 'web_search' }), 5],
  ['messages', { tools: [CODE] }, 5],
  ['messages', { tools: [{ ...CODE, max_uses: 1 }] }, 5],
  ['messages', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'm' }], mcp_servers: SERVERS }, 5],
  ['messages', { mcp_servers: SERVERS }, 5],
  ['messages', { mcp_servers: SERVERS, tools: [{ ...FETCH, max_uses: 3 }] }, 8],
  ['messages', ADDED({ name: 'look' }, CODE), 5],
  ['messages', COMPACTED({ type: 'mcp_toolset', mcp_server_name: 'm' }), 5],
];

describe('any other tool of the vendor', () => {
  test.each(UNKNOWN)('covers a whole context each time it may be used: %s %j', async (name, fields, uses) => {
    await addBalance();
    const held = await holdOf(wireClient(name), fields);
    expect(held).toBeGreaterThanOrEqual(WHOLE * BigInt(uses));
    expect(held).toBeLessThan(WHOLE * BigInt(uses) + TOLD + WRITTEN + 500n * INPUT);
  });

  test.each(UNKNOWN)(
    'is paid, not written off, if each use reads the whole context: %s %j',
    async (name, fields, uses) => {
      const client = wireClient(name);
      await addBalance();
      upstream.otherwise(client.whole({ tokens: { input: uses * CONTEXT, output: 5 } }));
      const response = await ask(client, fields);
      expect(response.headers.get('x-svc-cost-ntd')).toBe(String((uses * CONTEXT * 10_000 + 5 * 40_000) / 1e9));
      expect(gateway.log.alarms('usage_above_hold')).toEqual([]);
    },
  );

  test('beside a file of unknown size covers both', async () => {
    await addBalance();
    const file = { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } };
    const held = await holdOf(wireClient('messages'), {
      tools: [FETCH],
      messages: [{ role: 'user', content: [file] }],
    });
    expect(held).toBe(2n * WHOLE);
  });

  test.each([
    ['responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, { max_tool_calls: 1 }],
    ['messages', { tools: [FETCH] }, { tools: [{ ...FETCH, max_uses: 1 }] }],
    ['messages', { tools: [{ ...FETCH, max_uses: null }] }, { tools: [{ ...FETCH, max_uses: 1 }] }],
  ])('may be used once on a small wallet, which is written: %s %j', async (name, fields, sent) => {
    const client = wireClient(name);
    upstream.otherwise(client.whole());
    expect((await ask(client, fields)).status).toBe(200);
    expect(upstream.requests[0]?.json).toMatchObject(sent);
  });

  test.each(UNKNOWN)('is refused to a wallet that has not so much: %s %j', async (name, fields) => {
    expect((await ask(wireClient(name), fields, `long-${name}`)).status).toBe(402);
    expect(upstream.requests).toEqual([]);
  });
});

describe('without a report', () => {
  const changed = (script: Script, change: (body: Answer) => void): Script => {
    const body: Answer = JSON.parse((script.body ?? []).join(''));
    change(body);
    return { ...script, body: [JSON.stringify(body)] };
  };
  const withItems = (...types: string[]) =>
    changed(wireClient('responses').whole({ tokens: null }), (body) => {
      body.output.unshift(...types.map((type, index) => ({ type, id: `call_${index}`, status: 'completed' })));
    });
  const withBlocks = (...blocks: object[]) =>
    changed(wireClient('messages').whole({ tokens: null }), (body) => body.content.unshift(...blocks));
  const call = (name: string, type = 'server_tool_use') => ({ type, id: 's', name, input: {} });
  const cited = changed(wireClient('chat').whole({ tokens: null }), (body) => {
    body.choices[0].message.annotations = [{ type: 'url_citation', url_citation: { url: 'https://x.test' } }];
  });

  const SEEN: [string, string, Script, number][] = [
    ['two searches', 'responses', withItems('web_search_call', 'web_search_call'), 16_000],
    ['files and a program', 'responses', withItems('file_search_call', 'code_interpreter_call'), 10_000],
    ['a server', 'responses', withItems('mcp_call'), 2_000],
    ['no tool of the upstream', 'responses', withItems('function_call'), 0],
    ['a search and a page', 'messages', withBlocks(call('web_search'), call('web_fetch')), 16_000],
    ['a program and a server', 'messages', withBlocks(call('code_execution'), call('look', 'mcp_tool_use')), 4_000],
    ['a tool of the client', 'messages', withBlocks(call('web_search', 'tool_use')), 0],
    ['sources', 'chat', cited, 8_000],
  ];

  test.each(SEEN)(
    'each use that the answer shows is charged at a typical size: %s in %s',
    async (_, name, script, more) => {
      const client = wireClient(name);
      const tools: Record<string, object> = {
        chat: { web_search_options: {} },
        responses: { tools: [{ type: 'web_search' }, MCP] },
        messages: { tools: [FETCH], mcp_servers: SERVERS },
      };
      await addBalance();
      const charged = async (answer: Script) => {
        upstream.next(answer);
        const response = await ask(client, { ...tools[name] });
        const receipt = await gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
        expect(receipt).toMatchObject({ estimated: true });
        return receipt.input_tokens;
      };
      expect((await charged(script)) - (await charged(client.whole({ tokens: null })))).toBe(more);
    },
  );
});

describe('a tool that the client runs holds no more than its words, and what the upstream may say of it', () => {
  test.each([
    ['chat', 0n, [{ type: 'function', function: { name: 'look' } }]],
    ['chat', 0n, [{ type: 'custom', custom: { name: 'look' } }]],
    ['responses', 0n, [{ type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] }]],
    ['responses', 2n, [{ type: 'custom', name: 'apply' }, { type: 'apply_patch' }, { type: 'local_shell' }]],
    ['responses', 3n, [{ type: 'shell' }, { type: 'shell', environment: { type: 'local' } }, { type: 'tool_search' }]],
    ['responses', 1n, [{ type: 'computer_use_preview', display_width: 1024, display_height: 768, environment: 'mac' }]],
    ['messages', 0n, [{ name: 'look', input_schema: { type: 'object' } }]],
    ['messages', 0n, [{ type: 'custom', name: 'web_search', input_schema: { type: 'object' } }]],
    ['messages', 1n, [{ type: 'bash_20250124', name: 'bash' }]],
    ['messages', 1n, [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }]],
    ['messages', 1n, [{ type: 'computer_20250124', name: 'computer', display_width_px: 1024, display_height_px: 768 }]],
    ['messages', 1n, [{ type: 'memory_20250818', name: 'memory' }]],
    ['messages', 1n, [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }]],
  ])('%s, %d of the vendor: %j', async (name, written, tools) => {
    const client = wireClient(name);
    const more = (await holdOf(client, { tools })) - (await holdOf(client, {}));
    expect(more).toBeGreaterThan(TOLD + written * WRITTEN);
    expect(more).toBeLessThan(TOLD + written * WRITTEN + 200n * INPUT);
  });

  test('is paid as Claude reports it, not written off', async () => {
    const client = wireClient('messages');
    upstream.otherwise(client.whole({ tokens: { input: 450, output: 5 } }));
    const response = await ask(client, { tools: [{ name: 'look', input_schema: { type: 'object' } }] });
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.0047');
    expect(gateway.log.alarms('usage_above_hold')).toEqual([]);
  });

  test.each([ADDED, COMPACTED])('also where the conversation defines it', async (told) => {
    const client = wireClient('messages');
    const fields = told({ name: 'look', input_schema: { type: 'object' } }, { type: 'bash_20250124', name: 'bash' });
    const more = (await holdOf(client, fields)) - (await holdOf(client, {}));
    expect(more).toBeGreaterThan(TOLD + WRITTEN);
    expect(more).toBeLessThan(TOLD + WRITTEN + 400n * INPUT);
    expect(upstream.requests[0]?.json).toMatchObject(fields);
  });
});

describe('a schema of the answer', () => {
  const schema = { type: 'object', additionalProperties: { type: 'string' } };
  const format = { type: 'json_schema', name: 'answer', schema };
  const BY_CLIENT: [string, Record<string, unknown>][] = [
    ['chat', { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }],
    ['responses', { text: { format } }],
    ['messages', { output_config: { format } }],
    ['messages', { output_format: format }],
  ];

  test.each(BY_CLIENT)('covers the tool that it may become: %s %j', async (name, fields) => {
    const client = wireClient(name);
    const more = (await holdOf(client, fields)) - (await holdOf(client, {}));
    expect(more).toBeGreaterThan(TOLD);
    expect(more).toBeLessThan(TOLD + 200n * INPUT);
  });

  test('is paid as a tool, where it becomes one, not written off', async () => {
    upstream.otherwise(wireClient('messages').whole({ tokens: { input: 385, output: 16 } }));
    const response = await ask(wireClient('chat'), BY_CLIENT[0]?.[1] ?? {}, 'messages');
    expect(upstream.requests[0]?.json).toMatchObject({ tools: [{ name: 'answer' }], tool_choice: { type: 'tool' } });
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.00449');
    expect(gateway.log.alarms('usage_above_hold')).toEqual([]);
  });
});

test('a tool that stays behind holds no more than its words', async () => {
  const client = wireClient('responses');
  const more = (await holdOf(client, { tools: [LOOK, { type: 'image_generation' }] })) - (await holdOf(client, {}));
  expect(more).toBeLessThan(TOLD + 200n * INPUT);
});

const ADVISOR = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5' };

describe('a tool that has another model work', () => {
  test.each([
    ['messages', { tools: [ADVISOR] }, 'tools[0].model'],
    ['messages', { tools: [{ name: 'look', input_schema: { type: 'object' } }, ADVISOR] }, 'tools[1].model'],
    ['messages', { tools: [{ type: 'advisor_20260301', name: 'advisor' }] }, 'tools[0]'],
    ['messages', ADDED({ name: 'look' }, ADVISOR), 'messages[1].content[1].tool.definition.model'],
    ['messages', COMPACTED(ADVISOR), 'messages[0].content[0].tool_changes[0].tool.definition.model'],
    ['chat', { tools: [{ type: 'openrouter:advisor', parameters: { model: 'dear' } }] }, 'tools[0].parameters.model'],
    ['chat', { tools: [{ type: 'openrouter:advisor' }] }, 'tools[0]'],
    ['chat', { tools: [{ type: 'openrouter:fusion', parameters: { analysis_models: ['dear'] } }] }, 'tools[0]'],
    ['responses', { tools: [{ type: 'image_generation', model: 'dear' }] }, 'tools[0].model'],
    [
      'responses',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { type: 'additional_tools', role: 'developer', tools: [LOOK, { type: 'image_generation', model: 'dear' }] },
        ],
      },
      'input[1].tools[1].model',
    ],
  ])('is refused by its place: %s %j', async (name, fields, place) => {
    const { path, body } = wireClient(name).call({ model: name, ...fields });
    const response = await gateway.call(path, { key: account.key, body });
    const { error }: Answer = await response.json();
    expect(response.status).toBe(400);
    expect(error.message).toEndWith(`Remove ${place}.`);
    expect(upstream.requests).toEqual([]);
  });

  test('is removed and reported where it is translated', async () => {
    upstream.otherwise(wireClient('chat').whole());
    const look = { name: 'look', input_schema: { type: 'object' } };
    const response = await ask(wireClient('messages'), { tools: [look, ADVISOR] }, 'chat');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-dropped')).toBe('advisor_20260301');
    expect(upstream.requests[0]?.json).toHaveProperty('tools.length', 1);
  });

  test.each([
    ['chat', [{ type: 'function', function: LOOK, model: 'mine' }]],
    ['responses', [LOOK, { type: 'function', name: 'advisor', parameters: { type: 'object', model: 'mine' } }]],
    ['responses', [{ type: 'file_search', vector_store_ids: ['vs_1'], model: null }]],
    ['messages', [{ name: 'advisor', input_schema: LOOK.parameters, model: 'mine' }]],
    ['messages', [{ type: 'custom', name: 'advisor', input_schema: LOOK.parameters }]],
  ])('is none that the client runs, or that names no model: %s %j', async (name, tools) => {
    const client = wireClient(name);
    upstream.otherwise(client.whole());
    expect((await ask(client, { tools })).status).toBe(200);
    expect(upstream.requests[0]?.json).toMatchObject({ tools });
  });
});
