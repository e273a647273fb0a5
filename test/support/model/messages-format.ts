// The Anthropic messages format, as the upstream's side of it.

import type { Answer } from '../answer.ts';
import { MESSAGE_USAGE } from '../anthropic-messages.ts';
import { jsonScript, sseScript, UPSTREAM_MODEL } from '../openai-chat.ts';
import type { Call, Format } from './model.ts';
import { forcedTool, halves, inLines, textOf } from './text-of.ts';

const HEAD = { id: 'msg_1', type: 'message', role: 'assistant', model: UPSTREAM_MODEL, stop_sequence: null };
const idOf = (index: number) => `toolu_${index + 1}`;
const stopOf = (calls: readonly Call[]) => (calls.length > 0 ? 'tool_use' : 'end_turn');

export const messagesFormat: Format = {
  hasPath: (path) => /\/messages(\?|$)/.test(path),
  isStream: ({ json }) => json.stream === true,

  hear({ json }) {
    const blocks: Answer[] = json.messages.flatMap(({ role, content }: Answer) =>
      (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block: Answer) => ({
        role,
        ...block,
      })),
    );
    const of = (type: string, ...roles: string[]) =>
      blocks.filter((block) => block.type === type && roles.includes(block.role));
    const tools = (json.tools ?? []).map(({ name }: Answer) => name);
    return {
      system: inLines([textOf(json.system), ...of('text', 'system').map(({ text }) => text)]),
      prompt: inLines(of('text', 'user').map(({ text }) => text)),
      tools,
      forcedTool: forcedTool(json.tool_choice?.name, json.tool_choice?.type === 'any', tools),
      schema: json.output_config?.format?.schema,
      calls: of('tool_use', 'assistant').map(({ id, name, input }) => ({ id, name, input })),
      results: of('tool_result', 'user').map(({ tool_use_id, content }) => ({
        id: tool_use_id,
        text: textOf(content),
      })),
    };
  },

  whole: ({ pieces, calls }) =>
    jsonScript(200, {
      ...HEAD,
      content: [
        ...(pieces.length > 0 ? [{ type: 'text', text: pieces.join('') }] : []),
        ...calls.map(({ name, input }, index) => ({ type: 'tool_use', id: idOf(index), name, input })),
      ],
      stop_reason: stopOf(calls),
      usage: MESSAGE_USAGE,
    }),

  stream({ pieces, calls }) {
    const event = (type: string, rest = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
    const blocks = [
      ...(pieces.length > 0
        ? [{ start: { type: 'text', text: '' }, deltas: pieces.map((text) => ({ type: 'text_delta', text })) }]
        : []),
      ...calls.map(({ name, input }, index) => ({
        start: { type: 'tool_use', id: idOf(index), name, input: {} },
        deltas: halves(JSON.stringify(input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      })),
    ];
    const { output_tokens, ...usage } = MESSAGE_USAGE;
    const message = { ...HEAD, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    return sseScript([
      event('message_start', { message }),
      event('ping'),
      ...blocks.flatMap(({ start, deltas }, index) => [
        event('content_block_start', { index, content_block: start }),
        ...deltas.map((delta) => event('content_block_delta', { index, delta })),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', { delta: { stop_reason: stopOf(calls), stop_sequence: null }, usage: { output_tokens } }),
      event('message_stop'),
    ]);
  },
};
