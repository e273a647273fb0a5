// What an upstream of the OpenAI chat format says, as scripts: whole answers, streams, errors.

import type { Part, Script } from './script.ts';

export interface Usage {
  prompt_tokens: unknown;
  completion_tokens: unknown;
  total_tokens?: unknown;
  prompt_tokens_details?: unknown;
  completion_tokens_details?: unknown;
}

export interface ChatOptions {
  /** The text in the pieces it is streamed in. */
  pieces?: readonly string[];
  reasoning?: readonly string[];
  /** Of a stream: what a model says that does not answer. */
  refusal?: string;
  finish?: string | null;
  /** `null` leaves it out. */
  usage?: Usage | null;
  /** Further members of the answer, or of every chunk. */
  extra?: Readonly<Record<string, unknown>>;
}

export const UPSTREAM_MODEL = 'scripted-2026-01';
export const SCRIPTED_USAGE: Usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const HEAD = { id: 'chatcmpl-scripted', created: 1_790_000_000, model: UPSTREAM_MODEL };

export function chatAnswer(options: ChatOptions = {}): Script {
  const { pieces = ['Hello', ' there'], reasoning = [], finish = 'stop', usage = SCRIPTED_USAGE, extra } = options;
  const message = {
    role: 'assistant',
    content: pieces.join(''),
    ...(reasoning.length > 0 ? { reasoning_content: reasoning.join('') } : {}),
  };
  return jsonScript(200, {
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finish }],
    ...(usage === null ? {} : { usage }),
    ...extra,
  });
}

/** One event a part, so that framing, pauses and cuts can be laid between events. */
export function chatStream(options: ChatOptions = {}): Script {
  return {
    headers: { 'content-type': 'text/event-stream' },
    framing: 'chunked',
    body: [...chatChunks(options).map((chunk) => sseText(JSON.stringify(chunk))), sseText('[DONE]')],
  };
}

export function chatChunks(options: ChatOptions = {}): Record<string, unknown>[] {
  const { pieces = ['Hello', ' there'], reasoning = [], finish = 'stop', usage = SCRIPTED_USAGE, extra } = options;
  const { refusal } = options;
  const chunk = (choices: unknown[], rest: Record<string, unknown> = {}) => ({
    ...HEAD,
    object: 'chat.completion.chunk',
    ...extra,
    choices,
    ...rest,
  });
  const delta = (value: unknown) => chunk([{ index: 0, delta: value, finish_reason: null }]);
  return [
    delta({ role: 'assistant', content: '' }),
    ...reasoning.map((text) => delta({ reasoning_content: text })),
    ...pieces.map((text) => delta({ content: text })),
    ...(refusal === undefined ? [] : [delta({ refusal })]),
    ...(finish === null ? [] : [chunk([{ index: 0, delta: {}, finish_reason: finish }])]),
    ...(usage === null ? [] : [chunk([], { usage })]),
  ];
}

export function sseScript(parts: readonly Part[], rest: Partial<Script> = {}): Script {
  return { headers: { 'content-type': 'text/event-stream' }, framing: 'chunked', body: parts, ...rest };
}

export function sseText(data: string): string {
  return `data: ${data}\n\n`;
}

export function jsonScript(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Script {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: [JSON.stringify(body)] };
}

/** An error in OpenAI's envelope. */
export function errorScript(status: number, error: Record<string, unknown>, headers?: Record<string, string>): Script {
  return jsonScript(status, { error }, headers);
}
