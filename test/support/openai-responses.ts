// What an upstream of the OpenAI Responses format says, as scripts: whole answers and streams.

import { jsonScript, UPSTREAM_MODEL } from './openai-chat.ts';
import type { Script } from './script.ts';

export interface ResponseOptions {
  /** The text in the pieces it is streamed in. */
  pieces?: readonly string[];
  /** A summary of reasoning, in pieces. */
  reasoning?: readonly string[];
  tools?: readonly { name: string; arguments: readonly string[]; callId: string }[];
  /** The output ran into its limit. */
  isCutShort?: boolean;
  usage?: Readonly<Record<string, unknown>> | null;
  /** What ids end in: every run has its own. */
  run?: string;
}

export type ResponseEvent = { type: string } & Record<string, unknown>;

export const RESPONSE_USAGE = { input_tokens: 11, output_tokens: 7, total_tokens: 18 };

interface Item {
  start: Record<string, unknown>;
  events: ResponseEvent[];
  end: Record<string, unknown>;
}

function textItem(pieces: readonly string[], run: string): Item {
  const at = { item_id: `msg_${run}`, content_index: 0 };
  const part = (text: string) => ({ type: 'output_text', annotations: [], text });
  const text = pieces.join('');
  const item = { id: `msg_${run}`, type: 'message', role: 'assistant' };
  return {
    start: { ...item, status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', ...at, part: part('') },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
      { type: 'response.output_text.done', ...at, text },
      { type: 'response.content_part.done', ...at, part: part(text) },
    ],
    end: { ...item, status: 'completed', content: [part(text)] },
  };
}

function reasoningItem(pieces: readonly string[], run: string): Item {
  const at = { item_id: `rs_${run}`, summary_index: 0 };
  const part = (text: string) => ({ type: 'summary_text', text });
  const text = pieces.join('');
  return {
    start: { id: `rs_${run}`, type: 'reasoning', summary: [] },
    events: [
      { type: 'response.reasoning_summary_part.added', ...at, part: part('') },
      ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part: part(text) },
    ],
    end: { id: `rs_${run}`, type: 'reasoning', summary: [part(text)], encrypted_content: `enc_${run}` },
  };
}

function toolItem(tool: NonNullable<ResponseOptions['tools']>[number], run: string): Item {
  const id = `fc_${tool.callId}_${run}`;
  const item = { id, type: 'function_call', call_id: `${tool.callId}_${run}`, name: tool.name };
  const text = tool.arguments.join('');
  return {
    start: { ...item, status: 'in_progress', arguments: '' },
    events: [
      ...tool.arguments.map((delta) => ({ type: 'response.function_call_arguments.delta', item_id: id, delta })),
      { type: 'response.function_call_arguments.done', item_id: id, arguments: text },
    ],
    end: { ...item, status: 'completed', arguments: text },
  };
}

function itemsOf({ pieces = ['Hello', ' there'], reasoning = [], tools = [], run = 'a' }: ResponseOptions): Item[] {
  return [
    ...(reasoning.length > 0 ? [reasoningItem(reasoning, run)] : []),
    ...(pieces.length > 0 ? [textItem(pieces, run)] : []),
    ...tools.map((tool) => toolItem(tool, run)),
  ];
}

function headOf({ run = 'a' }: ResponseOptions): Record<string, unknown> {
  return { id: `resp_${run}`, object: 'response', created_at: 1, model: UPSTREAM_MODEL };
}

/** The response when it has ended. */
export function responseObject(options: ResponseOptions = {}): Record<string, unknown> {
  const { isCutShort = false, usage = RESPONSE_USAGE } = options;
  return {
    ...headOf(options),
    status: isCutShort ? 'incomplete' : 'completed',
    incomplete_details: isCutShort ? { reason: 'max_output_tokens' } : null,
    output: itemsOf(options).map(({ end }) => end),
    usage: usage && { ...usage },
  };
}

export function responseEvents(options: ResponseOptions = {}): ResponseEvent[] {
  const begun = { ...headOf(options), status: 'in_progress', output: [] };
  const last = responseObject(options);
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...itemsOf(options).flatMap(({ start, events, end }, output_index) => [
      { type: 'response.output_item.added', output_index, item: start },
      ...events.map((event) => ({ ...event, output_index })),
      { type: 'response.output_item.done', output_index, item: end },
    ]),
    { type: `response.${last.status}`, response: last },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

export function responseFrame(event: ResponseEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function responseStream(options: ResponseOptions = {}): Script {
  return {
    headers: { 'content-type': 'text/event-stream' },
    framing: 'chunked',
    body: responseEvents(options).map(responseFrame),
  };
}

export function responseAnswer(options: ResponseOptions = {}): Script {
  return jsonScript(200, responseObject(options));
}
