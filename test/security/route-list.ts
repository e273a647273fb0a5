// Every route of the public port as the security checks expect it, written down by hand a second time: a route that is
// added, opened or widened in the product must be decided on here, too.

export interface ListedRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  auth: 'none' | 'key';
  /** 0: it takes no body. */
  maxBytes: number;
  /** Of a call that succeeds on the gateway of `start-secure.ts`. */
  body?: Readonly<Record<string, unknown>>;
  /** Parameters that it reads. */
  query?: readonly string[];
}

const KIB = 1024;
const MIB = 1024 * KIB;
const MESSAGES = [{ role: 'user', content: 'Hi' }];
const USAGE_QUERY = ['from', 'to', 'model', 'channel', 'key_id', 'status', 'limit', 'cursor', 'format'];

export const LISTED_ROUTES: readonly ListedRoute[] = [
  { method: 'GET', path: '/healthz', auth: 'none', maxBytes: 0 },
  { method: 'GET', path: '/readyz', auth: 'none', maxBytes: 0 },
  { method: 'GET', path: '/openapi.json', auth: 'none', maxBytes: 0 },
  { method: 'GET', path: '/api/public/catalog', auth: 'none', maxBytes: 0 },
  { method: 'GET', path: '/api/public/status', auth: 'none', maxBytes: 0 },
  { method: 'POST', path: '/api/agent/register', auth: 'none', maxBytes: 4 * KIB, body: { agent: 'x' } },
  { method: 'GET', path: '/api/me', auth: 'key', maxBytes: 0 },
  { method: 'GET', path: '/api/usage', auth: 'key', maxBytes: 0, query: USAGE_QUERY },
  { method: 'GET', path: '/api/receipts/:id', auth: 'key', maxBytes: 0 },
  { method: 'POST', path: '/api/redeem', auth: 'key', maxBytes: 4 * KIB, body: { code: 'PC-0000' } },
  { method: 'GET', path: '/api/keys', auth: 'key', maxBytes: 0 },
  {
    method: 'POST',
    path: '/api/keys',
    auth: 'key',
    maxBytes: 64 * KIB,
    body: {
      name: 'a',
      models: ['up-paid'],
      daily_budget_ntd: 1,
      expires_at: '2099-01-01T00:00:00+08:00',
      manage: false,
    },
  },
  { method: 'PATCH', path: '/api/keys/:id', auth: 'key', maxBytes: 64 * KIB, body: { name: 'b' } },
  { method: 'DELETE', path: '/api/keys/:id', auth: 'key', maxBytes: 64 * KIB },
  { method: 'POST', path: '/api/keys/:id/rotate', auth: 'key', maxBytes: 64 * KIB, body: { grace_seconds: 0 } },
  { method: 'GET', path: '/v1/models', auth: 'key', maxBytes: 0 },
  { method: 'GET', path: '/v1/models/:id', auth: 'key', maxBytes: 0 },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    auth: 'key',
    maxBytes: 20 * MIB,
    body: { model: 'up-message', messages: MESSAGES, system: 'x' },
  },
  {
    method: 'POST',
    path: '/v1/chat/completions',
    auth: 'key',
    maxBytes: 20 * MIB,
    body: { model: 'up-paid', max_tokens: 20, messages: MESSAGES, user: 'u', stop: ['x'], prompt_cache_key: 'k' },
  },
  {
    method: 'POST',
    path: '/v1/responses',
    auth: 'key',
    maxBytes: 20 * MIB,
    body: { model: 'up-paid', max_output_tokens: 20, input: 'Hi', instructions: 'x' },
  },
  {
    method: 'POST',
    path: '/v1/messages',
    auth: 'key',
    maxBytes: 20 * MIB,
    body: { model: 'up-message', max_tokens: 20, messages: MESSAGES, system: 'x', metadata: { user_id: 'u' } },
  },
  {
    method: 'POST',
    path: '/v1/embeddings',
    auth: 'key',
    maxBytes: 5 * MIB,
    body: { model: 'vectors', input: 'Hi', user: 'u' },
  },
  {
    method: 'POST',
    path: '/v1/images/generations',
    auth: 'key',
    maxBytes: 25 * MIB,
    body: { model: 'paint', prompt: 'a cat', n: 1, user: 'u' },
  },
];

/** The path with something in place of `:id`. */
export function pathOf({ path }: Pick<ListedRoute, 'path'>, id = 'none'): string {
  return path.replace(':id', id);
}

export const KEYED_ROUTES = LISTED_ROUTES.filter(({ auth }) => auth === 'key');
export const ROUTES_WITH_BODY = LISTED_ROUTES.filter(({ maxBytes }) => maxBytes > 0);
