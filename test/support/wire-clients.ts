// The kinds of client and upstream under one face, so that every promise of the relay is kept for all of them.

import type { Answer } from './answer.ts';
import { messageAnswer, messageError, messageStream } from './anthropic-messages.ts';
import { type Assembled, assembleChat, assembleMessages } from './assemble.ts';
import { assembleResponses } from './assemble-responses.ts';
import { chatAnswer, chatStream, errorScript, type Usage } from './openai-chat.ts';
import { type ResponseOptions, responseAnswer, responseStream } from './openai-responses.ts';
import type { Script } from './script.ts';
import { UPSTREAM_KEY } from './test-document.ts';

export interface Tokens {
  /** Without what was cached. */
  input: number;
  cachedInput?: number;
  output: number;
  /** Part of the output. */
  reasoning?: number;
}

export interface Saying {
  pieces?: readonly string[];
  /** `null`: none. */
  tokens?: Tokens | null;
  /** The output ran into its limit. */
  isCutShort?: boolean;
}

export interface WireClient {
  name: 'chat' | 'messages' | 'responses';
  path: string;
  /** Where the text of a plain answer stands. */
  textSlot: string;
  /** What the output bound is called; tests say `max_tokens`. */
  limitField: 'max_tokens' | 'max_output_tokens';
  body(fields: Record<string, unknown>): Record<string, unknown>;
  channel(name: string, baseUrl: string, fields?: Record<string, unknown>): Record<string, unknown>;
  whole(saying?: Saying): Script;
  stream(saying?: Saying): Script;
  refusal(
    status: number,
    reason: 'too_long' | 'content' | 'prefill' | 'other',
    headers?: Record<string, string>,
  ): Script;
  assemble(text: string): Assembled;
  readWhole(body: Answer): { text: string; model: string };
  /** The assistant's message that stands last in a request, if one does. */
  prefillOf(request: Answer): string | undefined;
  /** The status of a fault whose status elsewhere is 503. */
  unavailable: number;
}

const MESSAGES = [{ role: 'user', content: 'Hi' }];
const lastAssistant = ({ messages }: Answer): string | undefined =>
  messages.at(-1).role === 'assistant' ? messages.at(-1).content : undefined;

const chat: WireClient = {
  name: 'chat',
  path: '/v1/chat/completions',
  textSlot: '0/content',
  limitField: 'max_tokens',
  body: (fields) => ({
    messages: MESSAGES,
    max_tokens: 200,
    ...(fields.stream ? { stream_options: { include_usage: true } } : {}),
    ...fields,
  }),
  channel: (name, baseUrl, fields) => ({
    name,
    kind: 'openai',
    base_url: baseUrl,
    api_key: UPSTREAM_KEY,
    ...fields,
  }),
  whole: (saying) => chatAnswer(chatOptions(saying)),
  stream: (saying) => chatStream(chatOptions(saying)),
  refusal: (status, reason, headers) =>
    errorScript(status, { message: `refused: ${reason}`, type: 'x', code: CHAT_CODES[reason] }, headers),
  assemble: assembleChat,
  readWhole: ({ choices, model }) => ({ text: choices[0].message.content, model }),
  prefillOf: lastAssistant,
  unavailable: 503,
};

const CHAT_CODES = {
  too_long: 'context_length_exceeded',
  content: 'content_policy_violation',
  prefill: 'invalid_value',
  other: 'server_error',
};

function chatOptions({ pieces, tokens, isCutShort }: Saying = {}) {
  return {
    ...(pieces ? { pieces } : {}),
    ...(tokens ? { usage: chatUsage(tokens) } : {}),
    ...(tokens === null ? { usage: null } : {}),
    ...(isCutShort ? { finish: 'length' } : {}),
  };
}

function chatUsage({ input, cachedInput, output, reasoning }: Tokens): Usage {
  const details = cachedInput === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedInput } };
  const reasoned = reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } };
  return { prompt_tokens: input + (cachedInput ?? 0), completion_tokens: output, ...details, ...reasoned };
}

const messages: WireClient = {
  name: 'messages',
  path: '/v1/messages',
  textSlot: '0/text',
  limitField: 'max_tokens',
  body: (fields) => ({ messages: MESSAGES, max_tokens: 200, ...fields }),
  channel: (name, baseUrl, fields) => ({
    name,
    kind: 'anthropic',
    base_url: baseUrl.replace(/\/v1$/, ''),
    api_key: UPSTREAM_KEY,
    ...fields,
  }),
  whole: (saying) => messageAnswer(messageOptions(saying)),
  stream: (saying) => messageStream(messageOptions(saying)),
  refusal: (status, reason, headers) =>
    messageError(
      status,
      { type: status < 500 ? 'invalid_request_error' : 'api_error', message: WORDS[reason] },
      headers,
    ),
  assemble: assembleMessages,
  readWhole: ({ content, model }) => ({ text: content[0].text, model }),
  prefillOf: lastAssistant,
  unavailable: 529,
};

const WORDS = {
  too_long: 'prompt is too long: 210000 tokens > 200000 maximum',
  content: 'Output blocked by content filtering policy',
  prefill: 'This model does not support assistant message prefill.',
  other: 'refused',
};

function messageOptions({ pieces, tokens, isCutShort }: Saying = {}) {
  return {
    ...(pieces ? { pieces } : {}),
    ...(tokens ? { usage: messageUsage(tokens) } : {}),
    ...(tokens === null ? { usage: null } : {}),
    ...(isCutShort ? { stop: 'max_tokens' } : {}),
  };
}

function messageUsage({ input, cachedInput, output, reasoning }: Tokens): Record<string, unknown> {
  const cached = cachedInput === undefined ? {} : { cache_read_input_tokens: cachedInput };
  const reasoned = reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } };
  return { input_tokens: input, ...cached, output_tokens: output, ...reasoned };
}

let runs = 0;

const responses: WireClient = {
  name: 'responses',
  path: '/v1/responses',
  textSlot: '0/text/0',
  limitField: 'max_output_tokens',
  body: ({ max_tokens = 200, messages: input = 'Hi', ...fields }) => ({
    input,
    max_output_tokens: max_tokens,
    ...fields,
  }),
  channel: (name, baseUrl, fields) => chat.channel(name, baseUrl, { endpoints: ['responses'], ...fields }),
  whole: (saying) => responseAnswer(responseOptions(saying)),
  stream: (saying) => responseStream(responseOptions(saying)),
  refusal: chat.refusal,
  assemble: assembleResponses,
  readWhole: ({ output, model }) => ({ text: output[0].content[0].text, model }),
  prefillOf: ({ input }) =>
    Array.isArray(input) && input.at(-1).role === 'assistant' ? input.at(-1).content : undefined,
  unavailable: 503,
};

/** Every run has ids of its own. */
function responseOptions({ pieces, tokens, isCutShort }: Saying = {}): ResponseOptions {
  return {
    run: `run${runs++}`,
    ...(pieces ? { pieces } : {}),
    ...(tokens ? { usage: responseUsage(tokens) } : {}),
    ...(tokens === null ? { usage: null } : {}),
    ...(isCutShort ? { isCutShort } : {}),
  };
}

function responseUsage({ input, cachedInput, output, reasoning }: Tokens): Record<string, unknown> {
  const details = cachedInput === undefined ? {} : { input_tokens_details: { cached_tokens: cachedInput } };
  const reasoned = reasoning === undefined ? {} : { output_tokens_details: { reasoning_tokens: reasoning } };
  return { input_tokens: input + (cachedInput ?? 0), ...details, output_tokens: output, ...reasoned };
}

export const WIRE_CLIENTS: WireClient[] = [chat, messages, responses];
