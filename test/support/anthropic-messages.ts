// What an upstream of the Anthropic messages format says, as scripts: whole answers, streams, errors.

import { jsonScript } from './openai-chat.ts';
import type { Script } from './script.ts';

export interface MessageOptions {
  /** The text in the pieces it is streamed in. */
  pieces?: readonly string[];
  thinking?: readonly string[];
  tool?: { name: string; input: readonly string[] };
  stop?: string;
  usage?: Readonly<Record<string, unknown>> | null;
}

export const MESSAGE_USAGE = { input_tokens: 11, output_tokens: 7 };
const HEAD = { id: 'msg_scripted', type: 'message', role: 'assistant', model: 'scripted-2026-01' };

export function messageAnswer(options: MessageOptions = {}): Script {
  const { pieces = ['Hello', ' there'], thinking = [], tool, stop = 'end_turn', usage = MESSAGE_USAGE } = options;
  const content = [
    ...(thinking.length > 0 ? [{ type: 'thinking', thinking: thinking.join(''), signature: 'c2ln' }] : []),
    ...(pieces.length > 0 ? [{ type: 'text', text: pieces.join('') }] : []),
    ...(tool ? [{ type: 'tool_use', id: 'toolu_1', name: tool.name, input: JSON.parse(tool.input.join('')) }] : []),
  ];
  const rest = usage === null ? {} : { usage };
  return jsonScript(200, { ...HEAD, content, stop_reason: stop, stop_sequence: null, ...rest });
}

export function messageStream(options: MessageOptions = {}): Script {
  return {
    headers: { 'content-type': 'text/event-stream' },
    framing: 'chunked',
    body: messageEvents(options).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  };
}

export function messageEvents(options: MessageOptions = {}): ({ type: string } & Record<string, unknown>)[] {
  const { pieces = ['Hello', ' there'], thinking = [], tool, stop = 'end_turn', usage = MESSAGE_USAGE } = options;
  const {
    output_tokens = undefined,
    output_tokens_details = undefined,
    iterations = undefined,
    ...input
  } = (usage ?? {}) as Record<string, unknown>;
  let index = 0;
  const block = (start: unknown, deltas: unknown[]) => {
    const at = index++;
    return [
      { type: 'content_block_start', index: at, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: at, delta })),
      { type: 'content_block_stop', index: at },
    ];
  };
  const message = { ...HEAD, content: [], stop_reason: null, stop_sequence: null };
  return [
    {
      type: 'message_start',
      message: usage === null ? message : { ...message, usage: { ...input, output_tokens: 1 } },
    },
    { type: 'ping' },
    ...(thinking.length === 0
      ? []
      : block({ type: 'thinking', thinking: '', signature: '' }, [
          ...thinking.map((text) => ({ type: 'thinking_delta', thinking: text })),
          { type: 'signature_delta', signature: 'c2ln' },
        ])),
    ...(pieces.length === 0
      ? []
      : block(
          { type: 'text', text: '' },
          pieces.map((text) => ({ type: 'text_delta', text })),
        )),
    ...(tool
      ? block(
          { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} },
          tool.input.map((json) => ({ type: 'input_json_delta', partial_json: json })),
        )
      : []),
    {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      ...(usage === null ? {} : { usage: { output_tokens, output_tokens_details, iterations } }),
    },
    { type: 'message_stop' },
  ];
}

/** An error in Anthropic's envelope. */
export function messageError(
  status: number,
  error: { type: string; message: string },
  headers?: Record<string, string>,
): Script {
  return jsonScript(status, { type: 'error', error, request_id: 'req_upstream' }, headers);
}
