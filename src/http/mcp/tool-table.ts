// The tools of the MCP server. Each is one call of the API: its arguments become the request, and its result is the
// answer. So limits, faults and charges are those of the API.

import { z } from 'zod';
import { newKeyFields } from '../../accounts/keys/read-key-fields.ts';
import { cardGiven } from '../../accounts/redeem-card.ts';
import { usageFilters } from '../../accounts/usage/read-query.ts';
import { SESSION_HEADER } from '../../dialects/conversation.ts';
import { readAnswerText } from '../../dialects/openai-chat/read-answer.ts';
import { assert } from '../../kit/assert.ts';
import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { idOf, number, text } from '../../kit/shapes.ts';
import type { HttpRoute } from '../operation.ts';
import { QUOTE_HEADER } from '../quoted-price.ts';
import { ACCOUNT_CALLS } from '../routes/account.ts';
import { showCatalog } from '../routes/catalog.ts';
import { KEY_CALLS } from '../routes/keys.ts';
import { chatCompletions } from '../routes/model-calls.ts';
import { providerShape } from '../routes/outlines.ts';
import { createQuote } from '../routes/quote.ts';
import { register } from '../routes/register.ts';
import { showStatus } from '../routes/status.ts';

const chatPath = chatCompletions.path;

/** The fields of a question. A quote takes the same. */
const askFields = z.object({
  model: text.describe('An id of the tool models. auto:free costs nothing.'),
  models: z.array(text).optional().describe('Other models to ask in this order if the model fails.'),
  provider: providerShape.optional(),
  prompt: text.optional().describe('The question. After messages, if there are any.'),
  messages: z
    .array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: text }))
    .optional()
    .describe('The conversation so far.'),
  max_tokens: z.int().min(1).optional().describe('The most output tokens, which limits the cost.'),
  session: text.optional().describe('A name for the session, which session budgets count by.'),
});

/** Fields in a fixed order: a quote holds for exactly this text. Some clients send null for what is left out. */
function writeChat({ model, models, provider, prompt, messages, max_tokens: maxTokens }: Arguments) {
  const asked = prompt === undefined || prompt === null ? [] : [{ role: 'user', content: prompt }];
  const before = messages ?? [];
  // The call itself refuses a value that is no list.
  return {
    model,
    models: models ?? undefined,
    provider: provider ?? undefined,
    messages: Array.isArray(before) ? [...before, ...asked] : before,
    max_tokens: maxTokens ?? undefined,
  };
}

const answer = z.object({
  text: text.describe('The answer.'),
  model: text,
  finish_reason: text.nullable().describe('length: max_tokens was reached.'),
  channel: text.describe('The upstream channel that served.'),
  cost_ntd: number.describe('What it cost, in NT$.'),
  balance_ntd: number.describe('The balance after it, in NT$.'),
  request_id: idOf('req'),
  budget_warning: text.optional().describe('A budget of the key that is nearly used up.'),
});

function readAnswer(completion: JsonObject, headers: Headers): ToolAnswer {
  const { text: said, model, finishReason } = readAnswerText(completion);
  const warning = headers.get('x-svc-budget-warning');
  const facts = {
    model,
    finish_reason: finishReason,
    channel: headers.get('x-svc-channel') ?? '',
    cost_ntd: Number(headers.get('x-svc-cost-ntd')),
    balance_ntd: Number(headers.get('x-svc-balance-ntd')),
    request_id: headers.get('x-request-id') ?? '',
    ...(warning === null ? {} : { budget_warning: warning }),
  };
  return { structured: { text: said, ...facts }, texts: [said, JSON.stringify(facts)] };
}

function askHeaders({ quote_id: quote, session }: Arguments): Record<string, string> {
  return {
    ...(typeof quote === 'string' ? { [QUOTE_HEADER]: headerText(quote) } : {}),
    ...(typeof session === 'string' ? { [SESSION_HEADER]: headerText(session) } : {}),
  };
}

/** Escapes characters that a header cannot hold. */
function headerText(value: string): string {
  return value.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** The tool that costs money: one chat call, which is held, routed, charged and recorded like any other. */
const ask: McpTool = {
  name: 'ask',
  title: 'Ask a model',
  description:
    'Ask a model and get its answer as text. Costs money: the tokens at the price of the model, from the balance. The result names the cost.',
  input: askFields.extend({
    quote_id: text.optional().describe('Of the tool quote, with the same arguments: the price is as quoted.'),
  }),
  output: answer,
  isReadOnly: false,
  write: (given) => ({ path: chatPath, body: writeChat(given), headers: askHeaders(given) }),
  read: readAnswer,
};

const CALLS = [register, showCatalog, showStatus, createQuote, ...ACCOUNT_CALLS, ...KEY_CALLS];
type CallName = (typeof CALLS)[number]['name'];

interface ToolDescription extends Pick<McpTool, 'title' | 'description'> {
  input?: z.ZodObject;
  isReadOnly?: true;
  /** The body of a POST; the arguments if left out. */
  body?(given: Arguments): unknown;
  /** Headers of a POST; none if left out. */
  headers?(given: Arguments): Record<string, string>;
  /** The part of the answer that the tool shows; everything if left out. */
  shown?(answer: JsonObject): JsonObject;
}

const NOTHING = z.object({});

function apiTool(name: string, callName: CallName, description: ToolDescription): McpTool {
  const route: HttpRoute | undefined = CALLS.find((call) => call.name === callName);
  assert(route, `${callName} is a call of the API`);
  const { method, path, answer: output } = route;
  const {
    title,
    input = NOTHING,
    isReadOnly = false,
    body = (given) => given,
    headers = () => ({}),
    shown = (answer) => answer,
  } = description;
  return {
    name,
    title,
    description: description.description,
    input,
    output,
    isReadOnly,
    write: (given) =>
      method === 'GET' ? { path: path + queryOf(input, given) } : { path, body: body(given), headers: headers(given) },
    read(answer) {
      const structured = shown(answer);
      return { structured, texts: [JSON.stringify(structured)] };
    },
  };
}

/** Only the arguments that the tool describes: the call may have more parameters, such as another format of its answer. */
function queryOf({ shape }: z.ZodObject, given: Arguments): string {
  const known = Object.keys(shape).filter((name) => given[name] !== undefined && given[name] !== null);
  const query = new URLSearchParams(known.map((name) => [name, queryText(given[name])]));
  return query.size === 0 ? '' : `?${query}`;
}

/** The call itself refuses a value that is no text and no number. */
function queryText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A day of figures for each channel would fill the context of a model. */
function withoutHistory(status: JsonObject): JsonObject {
  return mapList(status, 'data', (model) => mapList(model, 'channels', (channel) => ({ ...channel, history: [] })));
}

function mapList(owner: JsonObject, name: string, map: (member: JsonObject) => JsonObject): JsonObject {
  const list: Json | undefined = owner[name];
  return Array.isArray(list) ? { ...owner, [name]: list.filter(isObject).map(map) } : owner;
}

export const TOOLS: readonly McpTool[] = [
  apiTool('register', 'POST /api/agent/register', {
    title: 'Register',
    description:
      'Create an account and its API key, with NT$1 of trial credit. Free, needs no key. The key is shown once: keep it, and send it to this server as "Authorization: Bearer KEY".',
  }),
  apiTool('models', 'GET /api/public/catalog', {
    title: 'Models and prices',
    description: 'List the models with their prices in NT$ per 1M tokens. Free, needs no key.',
    isReadOnly: true,
  }),
  apiTool('status', 'GET /api/public/status', {
    title: 'Status',
    description:
      'Show whether each model and channel works now, from real traffic, and open incidents. Free, needs no key.',
    isReadOnly: true,
    shown: withoutHistory,
  }),
  apiTool('quote', 'POST /api/quote', {
    title: 'Quote',
    description:
      'Show what the tool ask would cost at most and likely with these arguments, and whether it would be refused. Free. Its quote_id keeps the price for 10 minutes.',
    input: askFields,
    isReadOnly: true,
    body: (given) => ({ endpoint: chatPath, body: writeChat(given) }),
    headers: askHeaders,
  }),
  apiTool('balance', 'GET /api/me', {
    title: 'Balance',
    description: 'Show the balance in NT$, the limits and budgets of this key, and the free requests left. Free.',
    isReadOnly: true,
  }),
  apiTool('usage', 'GET /api/usage', {
    title: 'Usage',
    description:
      'List past requests, newest first, with model, channel, tokens and cost. Free. Set limit to read fewer.',
    input: usageFilters,
    isReadOnly: true,
  }),
  apiTool('redeem', 'POST /api/redeem', {
    title: 'Redeem a card',
    description: 'Add the amount of a prepaid card to the balance. Redeeming a card again never credits it twice.',
    input: cardGiven,
  }),
  apiTool('create_key', 'POST /api/keys', {
    title: 'Create a key',
    description:
      'Create an API key with limits, for a program or another agent: budgets in NT$, rates, allowed models, expiry. Free. The key is shown once.',
    input: newKeyFields,
  }),
  ask,
];

export type Arguments = Readonly<Record<string, unknown>>;

/** A request to the API; POST if it has a body. */
export interface ApiRequest {
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

interface ToolAnswer {
  structured: JsonObject;
  /** For clients that show text only. */
  texts: readonly string[];
}

/** How its arguments become a request to the API, and the answer its result. */
export interface McpTool {
  name: string;
  title: string;
  /** Read by models: a short text, with the cost of a call. */
  description: string;
  input: z.ZodObject;
  output: z.ZodType;
  /** Changes nothing, so a client need not ask its user. */
  isReadOnly: boolean;
  write(given: Arguments): ApiRequest;
  read(answer: JsonObject, headers: Headers): ToolAnswer;
}
