// What an upstream of Google's own format says, as scripts: whole answers, streams, errors.

import { jsonScript, sseScript, sseText } from './openai-chat.ts';
import type { Script } from './script.ts';

export interface GeminiOptions {
  /** The text in the pieces it is streamed in. */
  pieces?: readonly string[];
  thoughts?: readonly string[];
  /** `args` is JSON text, and is sent as it is. */
  calls?: readonly GeminiCall[];
  finish?: string | null;
  /** `null` leaves it out. */
  usage?: Readonly<Record<string, unknown>> | null;
}

export interface GeminiCall {
  name: string;
  args: string;
  id?: string;
  signature?: string;
}

export const GEMINI_USAGE = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };
const HEAD = { modelVersion: 'scripted-2026-01', responseId: 'scripted-response' };

export function geminiAnswer(options: GeminiOptions = {}): Script {
  const { pieces = ['Hello', ' there'], thoughts = [] } = options;
  const parts = partsOf({
    ...options,
    pieces: pieces.length > 0 ? [pieces.join('')] : [],
    thoughts: thoughts.length > 0 ? [thoughts.join('')] : [],
  });
  const { finish = 'STOP', usage = GEMINI_USAGE } = options;
  return { ...jsonScript(200, {}), body: [chunkText(parts, finish, usage)] };
}

/** One event a part, so that framing, pauses and cuts can be laid between events. */
export function geminiStream(options: GeminiOptions = {}): Script {
  return sseScript(geminiChunks(options).map(sseText));
}

/** The same stream as one JSON list, as it comes from who does not ask for events. */
export function geminiList(options: GeminiOptions = {}): Script {
  const chunks = geminiChunks(options);
  const body = chunks.map((chunk, index) => `${index === 0 ? '[' : ',\r\n'}${chunk}`);
  return { headers: { 'content-type': 'application/json; charset=UTF-8' }, framing: 'chunked', body: [...body, '\n]'] };
}

/** The JSON texts of a stream. As with the vendor, the last one has the reason and the usage. */
export function geminiChunks(options: GeminiOptions = {}): string[] {
  const { finish = 'STOP', usage = GEMINI_USAGE } = options;
  const parts = partsOf(options);
  const last = parts.pop();
  return [
    ...parts.map((part) => chunkText([part], null, null)),
    chunkText(last === undefined ? [] : [last], finish, usage),
  ];
}

/** An error in Google's envelope. */
export function geminiError(
  status: number,
  error: Record<string, unknown>,
  details: readonly unknown[] = [],
  headers?: Record<string, string>,
): Script {
  return jsonScript(status, { error: { code: status, ...error, ...(details.length > 0 ? { details } : {}) } }, headers);
}

function partsOf({ pieces = ['Hello', ' there'], thoughts = [], calls = [] }: GeminiOptions): string[] {
  return [
    ...thoughts.map((text) => JSON.stringify({ text, thought: true })),
    ...pieces.map((text) => JSON.stringify({ text })),
    ...calls.map(callText),
  ];
}

function callText({ name, args, id, signature }: GeminiCall): string {
  const known = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  const signed = signature === undefined ? '' : `,"thoughtSignature":${JSON.stringify(signature)}`;
  return `{"functionCall":{${known}"name":${JSON.stringify(name)},"args":${args}}${signed}}`;
}

function chunkText(parts: readonly string[], finish: string | null, usage: unknown): string {
  const content = parts.length > 0 ? `"content":{"parts":[${parts.join(',')}],"role":"model"},` : '';
  const reason = finish === null ? '' : `"finishReason":${JSON.stringify(finish)},`;
  const counted = usage === null ? '' : `"usageMetadata":${JSON.stringify(usage)},`;
  return `{"candidates":[{${content}${reason}"index":0}],${counted}${JSON.stringify(HEAD).slice(1)}`;
}
