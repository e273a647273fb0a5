// CORS without credentials: a web page may call the API with a key it holds, and read our headers.

import { GEMINI_BASE, GEMINI_UPLOADS } from './gemini-path.ts';

const RATES = ['limit', 'remaining', 'reset'];
export const rateHeaderNames = (unit: 'requests' | 'tokens') => RATES.map((name) => `x-ratelimit-${name}-${unit}`);
export const anthropicRateNames = (unit: 'requests' | 'tokens') =>
  RATES.map((name) => `anthropic-ratelimit-${unit}-${name}`);

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
  ...rateHeaderNames('requests'),
  ...rateHeaderNames('tokens'),
  ...anthropicRateNames('requests'),
  ...anthropicRateNames('tokens'),
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
