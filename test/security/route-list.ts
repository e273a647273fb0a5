// Every route of the public port for the security checks, from the table of routes. What is decided here a second time is
// who may call a route and how large its body may be: one that is not named needs a key and takes little.

import type { HttpRoute } from '../../src/http/operation.ts';
import { ROUTES } from '../../src/http/route-table.ts';

export interface ListedRoute extends Pick<HttpRoute, 'name' | 'method' | 'path' | 'auth' | 'maxBytes'> {
  /** The most that it takes in JSON; `maxBytes` may be for a form. */
  jsonBytes: number;
  /** Of a call that succeeds on the gateway of `start-secure.ts`. */
  body?: Readonly<Record<string, unknown>>;
  /** Parameters that it reads. */
  query: readonly string[];
}

type RouteName = (typeof ROUTES)[number]['name'];

export const OPEN_ROUTES: readonly RouteName[] = [
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'GET /api/public/catalog',
  'GET /api/public/status',
  'POST /api/agent/register',
  'POST /mcp',
];

/** For keys that manage. */
export const MANAGING_ROUTES: readonly RouteName[] = [
  'PATCH /api/me',
  'GET /api/events',
  'POST /api/keys/:id/rotate',
  'GET /api/webhooks',
  'POST /api/webhooks',
  'GET /api/webhooks/:id',
  'PATCH /api/webhooks/:id',
  'DELETE /api/webhooks/:id',
  'POST /api/webhooks/:id/rotate',
  'POST /api/webhooks/:id/test',
  'GET /api/webhooks/:id/deliveries',
  'POST /api/webhooks/:id/replay',
];

/** For keys that manage, and for those that delegate. */
export const DELEGATING_ROUTES: readonly RouteName[] = [
  'GET /api/keys',
  'POST /api/keys',
  'PATCH /api/keys/:id',
  'DELETE /api/keys/:id',
];

const KIB = 1024;
const MIB = 1024 * KIB;

/** More than any other takes. */
export const SMALL_BYTES = 64 * KIB;
export const LARGE_ROUTES: Readonly<Partial<Record<RouteName, number>>> = {
  'POST /api/quote': 25 * MIB + 64 * KIB,
  'POST /v1/messages/count_tokens': 20 * MIB,
  'POST /v1/responses/input_tokens': 20 * MIB,
  'POST /v1/chat/completions': 20 * MIB,
  'POST /v1/responses': 20 * MIB,
  'POST /v1/responses/compact': 20 * MIB,
  'POST /v1/messages': 20 * MIB,
  'POST /v1/embeddings': 5 * MIB,
  'POST /v1/images/generations': 25 * MIB,
  'POST /v1/images/edits': 51 * MIB,
  'POST /v1/images/variations': 51 * MIB,
  'POST /v1/audio/speech': MIB,
  'POST /v1/rerank': 5 * MIB,
  'POST /v2/rerank': 5 * MIB,
  'POST /v1/moderations': 20 * MIB,
  'POST /v1/audio/transcriptions': 26 * MIB,
  'POST /v1/audio/translations': 26 * MIB,
  'POST /v1beta/models/:model:generateContent': 20 * MIB,
  'POST /v1beta/models/:model:streamGenerateContent': 20 * MIB,
  'POST /v1beta/models/:model:countTokens': 20 * MIB,
  'POST /v1beta/models/:model:embedContent': 5 * MIB,
  'POST /v1beta/models/:model:batchEmbedContents': 5 * MIB,
  'POST /mcp': MIB,
};

const MESSAGES = [{ role: 'user', content: 'Hi' }];

/** Where the example of the description would not succeed, or does not say everything that the route reads. */
const BODIES: Readonly<Partial<Record<RouteName, ListedRoute['body']>>> = {
  'POST /api/agent/register': { agent: 'x' },
  'POST /api/redeem': { code: 'PC-0000' },
  'POST /api/keys': {
    name: 'a',
    models: ['up-paid'],
    daily_budget_ntd: 1,
    budgets: { day_ntd: 1, month_ntd: 1, total_ntd: 1, session_ntd: 1 },
    rates: { requests_per_minute: 1, tokens_per_minute: 1, in_flight: 1 },
    expires_at: '2099-01-01T00:00:00+08:00',
    manage: false,
    delegate: false,
    parent_id: null,
  },
  'PATCH /api/keys/:id': { name: 'b' },
  'POST /api/keys/:id/rotate': { grace_seconds: 0 },
  'POST /api/quote': { endpoint: '/v1/chat/completions', body: { model: 'up-paid', messages: MESSAGES } },
  'POST /v1/messages/count_tokens': { model: 'up-message', messages: MESSAGES, system: 'x' },
  'POST /v1/responses/input_tokens': { model: 'up-paid', input: 'Hi', instructions: 'x' },
  'POST /v1/chat/completions': {
    model: 'up-paid',
    max_tokens: 20,
    messages: MESSAGES,
    user: 'u',
    stop: ['x'],
    prompt_cache_key: 'k',
  },
  'POST /v1/responses': { model: 'up-paid', max_output_tokens: 20, input: 'Hi', instructions: 'x' },
  'POST /v1/responses/compact': { model: 'up-paid', max_output_tokens: 20, input: 'Hi', instructions: 'x' },
  'POST /v1/messages': {
    model: 'up-message',
    max_tokens: 20,
    messages: MESSAGES,
    system: 'x',
    metadata: { user_id: 'u' },
  },
  'POST /v1/embeddings': { model: 'vectors', input: 'Hi', user: 'u' },
  'POST /v1/images/generations': { model: 'paint', prompt: 'a cat', n: 1, user: 'u' },
  'POST /v1/images/edits': { model: 'paint', prompt: 'a cat', images: [{ image_url: 'https://x.test/a' }], user: 'u' },
  // Only a form can hold their files.
  'POST /v1/images/variations': { n: 1 },
  'POST /v1/audio/speech': { model: 'speech', input: 'Hi', voice: 'alloy', instructions: 'x' },
  'POST /v1/rerank': { model: 'rerank', query: 'Hi', documents: ['a', { text: 'b' }], top_n: 1 },
  'POST /v2/rerank': { model: 'rerank', query: 'Hi', documents: ['a'] },
  'POST /v1/moderations': { model: 'moderation', input: 'Hi' },
  'POST /v1/audio/transcriptions': { language: 'en' },
  'POST /v1/audio/translations': { temperature: 0 },
  'POST /mcp': {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ask', arguments: { model: 'up-paid', messages: MESSAGES, prompt: 'Hi', max_tokens: 20 } },
  },
};

export const LISTED_ROUTES: readonly ListedRoute[] = ROUTES.map((route) => {
  const { name, method, path, auth, maxBytes, query, example } = route;
  const body = BODIES[name] ?? (example as ListedRoute['body']);
  const jsonBytes = 'call' in route ? route.call.maxBytes : maxBytes;
  return {
    name,
    method,
    path,
    auth,
    maxBytes,
    jsonBytes,
    query: Object.keys(query?.shape ?? {}),
    ...(body ? { body } : {}),
  };
});

/** The path with something in place of its parameters. */
export function pathOf({ path }: Pick<ListedRoute, 'path'>, id = 'none', model = modelFor(path)): string {
  return path.replace(':id', () => id).replace(':model', () => model);
}

function modelFor(path: string): string {
  return /embed/i.test(path) ? 'vectors' : 'up-paid';
}

/** Whether its body or its path names a model that it calls, or counts for. */
export function asksModel({ path, body }: ListedRoute): boolean {
  return body !== undefined && (body.model !== undefined || path.includes(':model'));
}

export const KEYED_ROUTES = LISTED_ROUTES.filter(({ auth }) => auth !== 'none');
export const ROUTES_WITH_BODY = LISTED_ROUTES.filter(({ maxBytes }) => maxBytes > 0);
