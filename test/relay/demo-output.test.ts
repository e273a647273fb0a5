// Tools and JSON schemas on the demo channel, in every format, whole and as a stream: the least that is valid.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { parseSse } from '../support/sse.ts';

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const INSTANCE = { city: 'demo', days: 1 };
const NAMES = ['get_weather', 'get_news'];

interface Call {
  name: string;
  input: unknown;
}

interface Read {
  text: string;
  calls: Call[];
  finish: string;
}

type Choice = 'auto' | 'none' | 'required' | { name: string } | undefined;

/** How each format asks for tools and schemas, and tells what came. */
interface Format {
  name: string;
  path: string;
  base: Record<string, unknown>;
  tools(names: readonly string[]): Record<string, unknown>;
  choice(choice: Choice): Record<string, unknown>;
  schema: Record<string, unknown>;
  /** The conversation after the tool was called and answered. */
  afterResult: Record<string, unknown>;
  whole(answer: Answer): Read;
  streamed(events: Answer[]): Read;
}

const FINISHES: Record<string, string> = { tool_calls: 'call', tool_use: 'call', stop: 'stop', end_turn: 'stop' };
const finishOf = (reason: string) => FINISHES[reason] ?? reason;
const user = { role: 'user', content: 'Weather?' };

const chat: Format = {
  name: 'chat',
  path: '/v1/chat/completions',
  base: { messages: [user] },
  tools: (names) => ({ tools: names.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } })) }),
  choice: (choice) => ({
    tool_choice: typeof choice === 'object' ? { type: 'function', function: choice } : choice,
  }),
  schema: { response_format: { type: 'json_schema', json_schema: { name: 'weather', schema: SCHEMA } } },
  afterResult: {
    messages: [
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '31 degrees' },
    ],
  },
  whole({ choices: [{ message, finish_reason }] }) {
    const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: text } }: Answer) => ({
      name,
      input: JSON.parse(text),
    }));
    return { text: message.content ?? '', calls, finish: finishOf(finish_reason) };
  },
  streamed(events) {
    const choices = events.flatMap(({ choices }) => choices ?? []);
    const parts = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
    const names = parts.flatMap(({ function: { name } }: Answer) => name ?? []);
    const text = parts.map((part: Answer) => part.function.arguments ?? '').join('');
    return {
      text: choices.map(({ delta }) => delta.content ?? '').join(''),
      calls: names.map((name: string) => ({ name, input: JSON.parse(text) })),
      finish: finishOf(choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason),
    };
  },
};

const messages: Format = {
  name: 'messages',
  path: '/v1/messages',
  base: { max_tokens: 500, messages: [user] },
  tools: (names) => ({ tools: names.map((name) => ({ name, input_schema: SCHEMA })) }),
  choice: (choice) => {
    if (choice === undefined) return {};
    const type = choice === 'required' ? 'any' : choice;
    return { tool_choice: typeof type === 'object' ? { type: 'tool', ...type } : { type } };
  },
  schema: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
  afterResult: {
    messages: [
      user,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'get_weather', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '31 degrees' }] },
    ],
  },
  whole({ content, stop_reason }) {
    return {
      text: content.map(({ text = '' }: Answer) => text).join(''),
      calls: content
        .filter(({ type }: Answer) => type === 'tool_use')
        .map(({ name, input }: Answer) => ({ name, input })),
      finish: finishOf(stop_reason),
    };
  },
  streamed(events) {
    const deltas = events.flatMap(({ delta }) => delta ?? []);
    const started = events.flatMap(({ content_block: block }) => (block?.type === 'tool_use' ? [block.name] : []));
    const text = deltas.map(({ partial_json = '' }) => partial_json).join('');
    return {
      text: deltas.map(({ text: piece = '' }) => piece).join(''),
      calls: started.map((name) => ({ name, input: JSON.parse(text) })),
      finish: finishOf(deltas.findLast(({ stop_reason }) => stop_reason)?.stop_reason),
    };
  },
};

function readResponse({ output, status }: Answer): Read {
  const calls = output.filter(({ type }: Answer) => type === 'function_call');
  const texts = output.flatMap(({ type, content }: Answer) => (type === 'message' ? content : []));
  return {
    text: texts.map(({ text }: Answer) => text).join(''),
    calls: calls.map(({ name, arguments: text }: Answer) => ({ name, input: JSON.parse(text) })),
    finish: status !== 'completed' ? status : calls.length > 0 ? 'call' : 'stop',
  };
}

const responses: Format = {
  name: 'responses',
  path: '/v1/responses',
  base: { input: 'Weather?', store: false },
  tools: (names) => ({ tools: names.map((name) => ({ type: 'function', name, parameters: SCHEMA, strict: true })) }),
  choice: (choice) => ({ tool_choice: typeof choice === 'object' ? { type: 'function', ...choice } : choice }),
  schema: { text: { format: { type: 'json_schema', name: 'weather', schema: SCHEMA, strict: true } } },
  afterResult: {
    input: [
      user,
      { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: '31 degrees' },
    ],
  },
  whole: readResponse,
  streamed: (events) => readResponse(events.findLast(({ type }) => type === 'response.completed')?.response),
};

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

const HOW = [chat, messages, responses].flatMap((format) =>
  [false, true].map((stream) => ({ ...format, stream, how: stream ? 'streamed' : 'whole' })),
);

describe.each(HOW)('$name, $how', (format) => {
  async function ask(...parts: Record<string, unknown>[]): Promise<Read> {
    const body = Object.assign({ model: 'demo-small', stream: format.stream, ...format.base }, ...parts);
    const response = await gateway.call(format.path, { key, body });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    if (!format.stream) return format.whole(JSON.parse(text));
    return format.streamed(parseSse(text).flatMap(({ json }) => json ?? []));
  }
  const called = (name: string): Read => ({ text: '', calls: [{ name, input: INSTANCE }], finish: 'call' });
  const said = { text: expect.stringContaining('demo channel'), calls: [], finish: 'stop' };

  test('a schema is answered by an instance', async () => {
    const { text, finish } = await ask(format.schema);
    expect([JSON.parse(text), finish]).toEqual([INSTANCE, 'stop']);
  });

  test('a tool that is named is called', async () => {
    const [first = '', second = ''] = NAMES;
    for (const name of [first, second]) {
      expect(await ask(format.tools(NAMES), format.choice({ name }))).toEqual(called(name));
    }
  });

  test('where a call is required, a tool that was not called yet is called', async () => {
    const required = [format.tools(NAMES), format.choice('required')];
    expect(await ask(...required)).toEqual(called('get_weather'));
    expect(await ask(...required, format.afterResult)).toEqual(called('get_news'));
  });

  test('the only tool is called once, then its result is answered', async () => {
    expect(await ask(format.tools(['get_weather']))).toEqual(called('get_weather'));
    expect(await ask(format.tools(['get_weather']), format.afterResult)).toMatchObject(said);
    const { text } = await ask(format.tools(['get_weather']), format.afterResult, format.schema);
    expect(JSON.parse(text)).toEqual(INSTANCE);
  });

  test('none of several tools is called without need, and none if forbidden', async () => {
    expect(await ask(format.tools(NAMES))).toMatchObject(said);
    expect(await ask(format.tools(['get_weather']), format.choice('none'))).toMatchObject(said);
  });
});

describe('chat', () => {
  const ask = async (body: Record<string, unknown>): Promise<Answer> =>
    (await gateway.chat(key, { model: 'demo-small', ...body })).json();

  test('json_object is answered by an object', async () => {
    const { choices } = await ask({ response_format: { type: 'json_object' } });
    expect(JSON.parse(choices[0].message.content)).toEqual({ demo: true });
  });

  test('of allowed tools the first is called', async () => {
    const tools = NAMES.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } }));
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'get_news' } }] };
    const { choices } = await ask({ tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } });
    expect(choices[0].message.tool_calls).toMatchObject([{ function: { name: 'get_news' } }]);
  });

  test('a custom tool is called with a text', async () => {
    const custom = { name: 'run_code' };
    const { choices } = await ask({ tools: [{ type: 'custom', custom }], tool_choice: { type: 'custom', custom } });
    expect(choices[0].message.tool_calls).toMatchObject([
      { type: 'custom', custom: { name: 'run_code', input: 'demo' } },
    ]);
  });

  test('a call that max_tokens cuts off says so, and costs what it has', async () => {
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA } }];
    const { choices, usage } = await ask({ tools, max_tokens: 2 });
    expect([choices[0].finish_reason, usage.completion_tokens]).toEqual(['length', 2]);
  });

  test('each of n choices has a call of its own', async () => {
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA } }];
    const { choices } = await ask({ tools, n: 2 });
    const ids = choices.map(({ message }: Answer) => message.tool_calls[0].id);
    expect(new Set(ids).size).toBe(2);
  });
});
