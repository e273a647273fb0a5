// The OpenAI chat format, as the upstream's side of it.

import type { Answer } from '../answer.ts';
import { jsonScript, SCRIPTED_USAGE, sseScript, sseText, UPSTREAM_MODEL } from '../openai-chat.ts';
import type { Call, Format } from './model.ts';
import { forcedTool, halves, inLines, textOf } from './text-of.ts';

const HEAD = { id: 'chatcmpl-1', created: 1_790_000_000, model: UPSTREAM_MODEL };
const idOf = (index: number) => `call_${index + 1}`;
const finishOf = (calls: readonly Call[]) => (calls.length > 0 ? 'tool_calls' : 'stop');

export const chatFormat: Format = {
  hasPath: (path) => path.endsWith('/chat/completions'),
  isStream: ({ json }) => json.stream === true,

  hear({ json }) {
    const of = (...roles: string[]): Answer[] => json.messages.filter(({ role }: Answer) => roles.includes(role));
    const tools = (json.tools ?? []).map((tool: Answer) => tool.function.name);
    return {
      system: inLines(of('system', 'developer').map(({ content }) => textOf(content))),
      prompt: inLines(of('user').map(({ content }) => textOf(content))),
      tools,
      forcedTool: forcedTool(json.tool_choice?.function?.name, json.tool_choice === 'required', tools),
      schema: json.response_format?.json_schema?.schema,
      calls: of('assistant').flatMap(({ tool_calls = [] }) =>
        tool_calls.map((call: Answer) => ({
          id: call.id,
          name: call.function.name,
          input: JSON.parse(call.function.arguments),
        })),
      ),
      results: of('tool').map(({ tool_call_id, content }) => ({ id: tool_call_id, text: textOf(content) })),
    };
  },

  whole({ pieces, calls }) {
    const tool_calls = calls.map(({ name, input }, index) => ({
      id: idOf(index),
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = {
      role: 'assistant',
      content: pieces.length > 0 ? pieces.join('') : null,
      ...(calls.length > 0 ? { tool_calls } : {}),
    };
    return jsonScript(200, {
      ...HEAD,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finishOf(calls) }],
      usage: SCRIPTED_USAGE,
    });
  },

  stream({ pieces, calls }) {
    const chunk = (choices: unknown[], rest = {}) =>
      sseText(JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...rest }));
    const delta = (value: unknown) => chunk([{ index: 0, delta: value, finish_reason: null }]);
    return sseScript([
      delta({ role: 'assistant', content: '' }),
      ...pieces.map((content) => delta({ content })),
      ...calls.flatMap(({ name, input }, index) => [
        delta({ tool_calls: [{ index, id: idOf(index), type: 'function', function: { name, arguments: '' } }] }),
        ...halves(JSON.stringify(input)).map((piece) =>
          delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      chunk([{ index: 0, delta: {}, finish_reason: finishOf(calls) }]),
      chunk([], { usage: SCRIPTED_USAGE }),
      sseText('[DONE]'),
    ]);
  },
};
