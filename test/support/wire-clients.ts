// The kinds of client and upstream under one face, so that every promise of the relay is kept for all of them.

import type { Answer } from './answer.ts';
import { messageAnswer, messageError, messageStream } from './anthropic-messages.ts';
import { type Assembled, assembleChat, assembleMessages } from './assemble.ts';
import { assembleGemini, googleFault } from './assemble-gemini.ts';
import { assembleResponses } from './assemble-responses.ts';
import { GEMINI_USAGE, geminiAnswer, geminiChunks, geminiError } from './gemini.ts';
import { chatAnswer, chatStream, errorScript, sseScript, sseText, type Usage } from './openai-chat.ts';
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

type Fields = Record<string, unknown>;

export interface WireCall {
  path: string;
  body: Fields;
}

export interface WireClient {
  name: 'chat' | 'messages' | 'responses' | 'gemini';
  /** Where the text of a plain answer stands. */
  textSlot: string;
  /** `model`, `stream`, `max_tokens` and `messages` as chat names them; the other fields as the format does. */
  call(fields: Fields): WireCall;
  /** Its streams end with a mark after the event that has the reason. */
  hasEndMark: boolean;
  /** The output bound of a request. */
  boundOf(request: Answer): number;
  channel(name: string, baseUrl: string, fields?: Fields): Fields;
  whole(saying?: Saying): Script;
  stream(saying?: Saying): Script;
  refusal(
    status: number,
    reason: 'too_long' | 'content' | 'prefill' | 'other',
    headers?: Record<string, string>,
  ): Script;
  assemble(text: string): Assembled;
  /** Code, message, param and actions of an error body. */
  faultOf(body: Answer): Answer;
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
  textSlot: '0/content',
  hasEndMark: true,
  call: (fields) => ({
    path: '/v1/chat/completions',
    body: {
      messages: MESSAGES,
      max_tokens: 200,
      ...(fields.stream ? { stream_options: { include_usage: true } } : {}),
      ...fields,
    },
  }),
  boundOf: ({ max_tokens }) => max_tokens,
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
  faultOf: ({ error }) => error,
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
  textSlot: '0/text',
  hasEndMark: true,
  call: (fields) => ({ path: '/v1/messages', body: { messages: MESSAGES, max_tokens: 200, ...fields } }),
  boundOf: ({ max_tokens }) => max_tokens,
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
  faultOf: ({ error }) => error,
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
  textSlot: '0/text/0',
  hasEndMark: false,
  call: ({ max_tokens = 200, messages: input = 'Hi', ...fields }) => ({
    path: '/v1/responses',
    body: { input, max_output_tokens: max_tokens, ...fields },
  }),
  boundOf: ({ max_output_tokens }) => max_output_tokens,
  channel: (name, baseUrl, fields) => chat.channel(name, baseUrl, { endpoints: ['responses'], ...fields }),
  whole: (saying) => responseAnswer(responseOptions(saying)),
  stream: (saying) => responseStream(responseOptions(saying)),
  refusal: chat.refusal,
  assemble: assembleResponses,
  faultOf: ({ error }) => error,
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

const gemini: WireClient = {
  name: 'gemini',
  textSlot: 'text',
  hasEndMark: false,
  call: ({ model, stream, max_tokens = 200, messages: turns = MESSAGES, ...fields }) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: (turns as Answer[]).map(({ role, content }) => ({
        role: role === 'assistant' ? 'model' : role,
        parts: [{ text: content }],
      })),
      generationConfig: { maxOutputTokens: max_tokens },
      ...fields,
    },
  }),
  boundOf: ({ generationConfig }) => generationConfig.maxOutputTokens,
  channel: (name, baseUrl, fields) => ({
    name,
    kind: 'gemini',
    base_url: baseUrl.replace(/v1$/, 'v1beta'),
    api_key: UPSTREAM_KEY,
    ...fields,
  }),
  whole: (saying) => geminiAnswer(geminiOptions(saying)),
  // Its beginning and its end are chunks without words, so that cuts can be laid before and after each word.
  stream(saying) {
    const { finish, usage, ...said } = geminiOptions(saying);
    const silent = (fields: object) => geminiChunks({ pieces: [''], ...fields });
    const open = { finish: null, usage: null };
    const words = geminiChunks({ ...said, ...open }).filter((chunk) => chunk.includes('"text"'));
    return sseScript([...silent(open), ...words, ...silent({ finish, usage })].map(sseText));
  },
  refusal: (status, reason, headers) => {
    const message = GEMINI_WORDS[reason];
    return geminiError(status, { message, status: status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE' }, [], headers);
  },
  assemble: assembleGemini,
  faultOf: ({ error }) => googleFault(error),
  readWhole({ candidates, modelVersion: model }) {
    const parts: Answer[] = candidates[0].content?.parts ?? [];
    return { text: parts.map(({ text }) => text).join(''), model };
  },
  prefillOf: ({ contents }) => (contents.at(-1).role === 'model' ? contents.at(-1).parts[0].text : undefined),
  unavailable: 503,
};

const GEMINI_WORDS = {
  too_long: 'The input token count (210000) exceeds the maximum number of tokens allowed (200000).',
  content: 'The request was blocked by the content policy.',
  prefill: 'Please ensure that the last turn is one of the user.',
  other: 'refused',
};

function geminiOptions({ pieces, tokens, isCutShort }: Saying = {}) {
  return {
    ...(pieces ? { pieces } : {}),
    usage: tokens === undefined ? GEMINI_USAGE : tokens && geminiUsage(tokens),
    finish: isCutShort ? 'MAX_TOKENS' : 'STOP',
  };
}

function geminiUsage({ input, cachedInput = 0, output, reasoning = 0 }: Tokens): Fields {
  return {
    promptTokenCount: input + cachedInput,
    ...(cachedInput > 0 ? { cachedContentTokenCount: cachedInput } : {}),
    candidatesTokenCount: output - reasoning,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: input + cachedInput + output,
  };
}

export const WIRE_CLIENTS: WireClient[] = [chat, messages, responses, gemini];

/** Formats whose settings are fields of the body, not of the URL or of an object in the body. */
export const FLAT_CLIENTS: WireClient[] = [chat, messages, responses];

export function wireClient(name: string): WireClient {
  const found = WIRE_CLIENTS.find((client) => client.name === name);
  if (!found) throw new Error(`no client ${name}`);
  return found;
}

/** The model that a request to an upstream names. */
export function modelAsked({ path, json }: { path: string; json: Answer }): string {
  return json?.model ?? decodeURIComponent(/\/models\/(.+):\w+/.exec(path)?.[1] ?? '');
}
