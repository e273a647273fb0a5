// The kinds of client and the kinds of upstream, each under one face.

import type { Answer } from '../support/answer.ts';
import { checkAnthropicRequest } from '../support/grammar/anthropic-request.ts';
import { checkChatRequest } from '../support/grammar/chat-request.ts';
import { readChatStream } from '../support/grammar/chat-stream.ts';
import { readGeminiStream, readGeminiWhole } from '../support/grammar/gemini-answer.ts';
import { checkGeminiRequest } from '../support/grammar/gemini-request.ts';
import { readMessagesStream } from '../support/grammar/messages-stream.ts';
import { checkResponsesRequest } from '../support/grammar/responses-request.ts';
import { readResponsesStream } from '../support/grammar/responses-stream.ts';
import type { Told } from '../support/grammar/told.ts';
import { readChatWhole, readMessagesWhole, readResponsesWhole } from '../support/grammar/wholes.ts';
import type { Script } from '../support/script.ts';
import { UPSTREAM_KEY } from '../support/test-document.ts';
import { anthropicReply } from './anthropic-replies.ts';
import { geminiReply } from './gemini-replies.ts';
import { openaiReply } from './openai-replies.ts';
import { responsesReply } from './responses-replies.ts';
import type { Reply, Said } from './said.ts';

export type ClientName = 'chat' | 'messages' | 'responses' | 'gemini';
export type UpstreamName = 'openai' | 'anthropic' | 'gemini' | 'openai-responses';
type Fields = Record<string, unknown>;

export interface Client {
  path: string;
  /** Completes a body that says only what its test is about. */
  body(fields: Fields): Fields;
  readWhole(answer: Answer): Told;
  readStream(text: string): Told;
}

const QUESTION = [{ role: 'user', content: 'Hi' }];

export const CLIENTS: Readonly<Record<ClientName, Client>> = {
  chat: {
    path: '/v1/chat/completions',
    body: (fields) => ({
      messages: QUESTION,
      ...(fields.stream ? { stream_options: { include_usage: true } } : {}),
      ...fields,
    }),
    readWhole: readChatWhole,
    readStream: readChatStream,
  },
  messages: {
    path: '/v1/messages',
    body: (fields) => ({ messages: QUESTION, max_tokens: 300, ...fields }),
    readWhole: readMessagesWhole,
    readStream: readMessagesStream,
  },
  responses: {
    path: '/v1/responses',
    body: (fields) => ({ input: 'Hi', ...fields }),
    readWhole: readResponsesWhole,
    readStream: readResponsesStream,
  },
  gemini: {
    path: '/v1beta/models',
    body: (fields) => ({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
      ...fields,
    }),
    readWhole: readGeminiWhole,
    readStream: readGeminiStream,
  },
};

/** How a body is sent: the path of a Gemini call has the model and whether to stream. */
export function requestOf(client: ClientName, body: Fields): { path: string; body: Fields } {
  const { path } = CLIENTS[client];
  if (client !== 'gemini') return { path, body };
  const { model, stream, ...rest } = body;
  return { path: `${path}/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, body: rest };
}

export interface Upstream {
  /** The model's name there, unless a test says another. */
  model: string;
  /** `base` is where the scripted upstream listens. */
  channel(name: string, base: string, fields?: Fields): Fields;
  says(said: Said): Reply;
  /** One event as the bytes of a stream. */
  frame(event: unknown): string;
  /** Throws on what the vendor would refuse. */
  check(request: Answer): void;
}

const dataFrame = (event: unknown) =>
  typeof event === 'string' ? (event === '[DONE]' ? 'data: [DONE]\n\n' : event) : `data: ${JSON.stringify(event)}\n\n`;

const namedFrame = (event: unknown) =>
  typeof event === 'string' ? event : `event: ${(event as Answer).type}\ndata: ${JSON.stringify(event)}\n\n`;

export const UPSTREAMS: Readonly<Record<UpstreamName, Upstream>> = {
  openai: {
    model: 'scripted-2026-01',
    channel: (name, base, fields) => channelOf(name, 'openai', `${base}/v1`, { endpoints: ['chat'], ...fields }),
    says: openaiReply,
    frame: dataFrame,
    check: checkChatRequest,
  },
  anthropic: {
    model: 'claude-opus-5',
    channel: (name, base, fields) => channelOf(name, 'anthropic', base, fields),
    says: anthropicReply,
    frame: namedFrame,
    check: checkAnthropicRequest,
  },
  gemini: {
    model: 'gemini-3-pro',
    channel: (name, base, fields) => channelOf(name, 'gemini', `${base}/v1beta`, fields),
    says: geminiReply,
    frame: dataFrame,
    check: checkGeminiRequest,
  },
  'openai-responses': {
    model: 'scripted-2026-01',
    channel: (name, base, fields) => channelOf(name, 'openai', `${base}/v1`, { endpoints: ['responses'], ...fields }),
    says: responsesReply,
    frame: namedFrame,
    check: checkResponsesRequest,
  },
};

function channelOf(name: string, kind: string, baseUrl: string, fields: Fields = {}): Fields {
  return { name, kind, base_url: baseUrl, api_key: UPSTREAM_KEY, ...fields };
}

const OWN_UPSTREAM: Readonly<Partial<Record<ClientName, UpstreamName>>> = {
  chat: 'openai',
  messages: 'anthropic',
  responses: 'openai-responses',
  gemini: 'gemini',
};

/** Same dialect on both sides: nothing is translated. */
export function isTranslated(client: ClientName, upstream: UpstreamName): boolean {
  return OWN_UPSTREAM[client] !== upstream;
}

export const PAIRS: readonly (readonly [ClientName, UpstreamName])[] = (Object.keys(CLIENTS) as ClientName[]).flatMap(
  (client) =>
    (Object.keys(UPSTREAMS) as UpstreamName[])
      .filter((upstream) => isTranslated(client, upstream))
      .map((upstream) => [client, upstream] as const),
);

/** Stands in a case for what would be too long to write down. */
const MEGABYTES = '(megabytes)';

export function replyScript(upstream: UpstreamName, reply: Reply, isStream: boolean): Script {
  const { status = 200, headers = {}, whole, stream = [] } = reply;
  if (isStream && status === 200) {
    return {
      headers: { 'content-type': 'text/event-stream', ...headers },
      framing: 'chunked',
      body: stream.map((event) => UPSTREAMS[upstream].frame(event).replace(MEGABYTES, () => 'm'.repeat(3_000_000))),
    };
  }
  const body = typeof whole === 'string' ? whole : JSON.stringify(whole);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: [body] };
}
