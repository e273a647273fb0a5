// One turn of an Anthropic upstream with any blocks, whole and as a stream.

import { jsonScript } from './openai-chat.ts';
import type { Script } from './script.ts';

export type TurnBlock = { type: string } & Record<string, unknown>;

export interface Turn {
  content: readonly TurnBlock[];
  stop?: string;
  usage?: Readonly<Record<string, unknown>> | null;
}

const HEAD = { id: 'msg_scripted', type: 'message', role: 'assistant', model: 'scripted-2026-01' };
const USAGE = { input_tokens: 11, output_tokens: 7 };

export function wholeTurn({ content, stop = 'end_turn', usage = USAGE }: Turn): Script {
  const message = { ...HEAD, content, stop_reason: stop, stop_sequence: null };
  return jsonScript(200, usage === null ? message : { ...message, usage });
}

export function streamedTurn({ content, stop = 'end_turn', usage = USAGE }: Turn): Script {
  const { output_tokens, ...input } = usage ?? {};
  const message = { ...HEAD, content: [], stop_reason: null, stop_sequence: null };
  return eventScript([
    {
      type: 'message_start',
      message: usage === null ? message : { ...message, usage: { ...input, output_tokens: 1 } },
    },
    ...content.flatMap((block, index) => {
      const { start, deltas } = splitBlock(block);
      return [
        { type: 'content_block_start', index, content_block: start },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ];
    }),
    {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      ...(usage === null ? {} : { usage: { output_tokens } }),
    },
    { type: 'message_stop' },
  ]);
}

export function eventScript(events: readonly TurnBlock[]): Script {
  return {
    headers: { 'content-type': 'text/event-stream' },
    framing: 'chunked',
    body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  };
}

function splitBlock(block: TurnBlock): { start: TurnBlock; deltas: TurnBlock[] } {
  const { type, text, thinking, signature, input } = block;
  if (type === 'text') return { start: { ...block, text: '' }, deltas: [{ type: 'text_delta', text }] };
  if (type === 'thinking') {
    const deltas = [
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature },
    ];
    return { start: { ...block, thinking: '', signature: '' }, deltas };
  }
  if (input === undefined) return { start: block, deltas: [] };
  const json = JSON.stringify(input);
  const halves = [json.slice(0, 3), json.slice(3)];
  const deltas = halves.map((half) => ({ type: 'input_json_delta', partial_json: half }));
  return { start: { ...block, input: {} }, deltas };
}
