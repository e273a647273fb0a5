// CORS without credentials: a web page may call the API with a key it holds, and read our headers.

import { GEMINI_BASE, GEMINI_UPLOADS } from './gemini-path.ts';

const EXPOSED = [
  'x-svc-channel',
  'x-svc-cost-ntd',
  'x-svc-balance-ntd',
  'x-svc-max-tokens',
  'x-svc-budget-warning',
  'x-svc-dropped',
  'x-svc-translated',
  'x-svc-model',
  'deprecation',
  'sunset',
  'link',
  'x-request-id',
  'request-id',
  'retry-after',
  'www-authenticate',
  'x-should-retry',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
  'anthropic-ratelimit-requests-limit',
  'anthropic-ratelimit-requests-remaining',
  'anthropic-ratelimit-requests-reset',
  'anthropic-ratelimit-tokens-limit',
  'anthropic-ratelimit-tokens-remaining',
  'anthropic-ratelimit-tokens-reset',
].join(', ');

const MAX_AGE_S = '86400';

const OPEN = ['/v1/', `${GEMINI_BASE}/`, `${GEMINI_UPLOADS}/`, '/api/public/'];

export function isOpenToPages(path: string): boolean {
  return path === '/v1' || OPEN.some((base) => path.startsWith(base));
}

export const CORS_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };

export function preflight(request: Request): Response {
  const asked = request.headers.get('access-control-request-headers');
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS_HEADERS,
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-max-age': MAX_AGE_S,
      ...(asked ? { 'access-control-allow-headers': asked, vary: 'access-control-request-headers' } : {}),
    },
  });
}
