// The tools of the MCP server. Each is one call of the API: its arguments become the request, and its result is the
// answer. So limits, faults and charges are those of the API.

import { z } from 'zod';
import { newKeyFields } from '../../accounts/keys/read-key-fields.ts';
import { cardGiven } from '../../accounts/redeem-card.ts';
import { usageFilters } from '../../accounts/usage/read-query.ts';
import { assert } from '../../kit/assert.ts';
import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { HttpRoute } from '../operation.ts';
import { ACCOUNT_CALLS } from '../routes/account.ts';
import { showCatalog } from '../routes/catalog.ts';
import { KEY_CALLS } from '../routes/keys.ts';
import { createQuote } from '../routes/quote.ts';
import { register } from '../routes/register.ts';
import { showStatus } from '../routes/status.ts';
import { ask, askFields, askHeaders, chatPath, writeChat } from './ask-tool.ts';
import type { Arguments, McpTool } from './tool.ts';

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
