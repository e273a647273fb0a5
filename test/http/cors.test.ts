// CORS: open to web pages on /v1 and the public catalog, never with credentials, closed elsewhere.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
const ORIGIN = { origin: 'https://page.example' };

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const preflight = (path: string, headers: Record<string, string> = {}) =>
  gateway.call(path, {
    method: 'OPTIONS',
    headers: { ...ORIGIN, 'access-control-request-method': 'POST', ...headers },
  });

describe('the preflight', () => {
  test.each(['/v1/chat/completions', '/v1/models', '/v1/anything', '/v1/v1/models', '/api/public/catalog'])(
    'of %s is 204 and reflects the headers asked for',
    async (path) => {
      const asked = 'authorization, content-type, x-stainless-os, x-anything';
      const response = await preflight(path, { 'access-control-request-headers': asked });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-headers')).toBe(asked);
      expect(response.headers.get('access-control-allow-methods')).toContain('POST');
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
      expect(await response.text()).toBe('');
    },
  );

  test.each(['/api/me', '/api/usage', '/api/agent/register', '/api/redeem', '/api/keys', '/healthz'])(
    'of %s allows nothing',
    async (path) => {
      const response = await preflight(path);
      for (const [name] of response.headers) expect(name).not.toStartWith('access-control-');
    },
  );
});

describe('an answer', () => {
  const EXPOSED = [
    'x-svc-channel',
    'x-svc-cost-ntd',
    'x-svc-balance-ntd',
    'x-svc-max-tokens',
    'x-svc-budget-warning',
    'x-svc-dropped',
    'x-svc-translated',
    'x-request-id',
    'request-id',
    'retry-after',
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
  ];
  test.each([
    ['a success', 200],
    ['a stream', 200],
    ['a fault', 401],
    ['an unknown route', 404],
  ])('that is %s shows a page our headers', async (what, status) => {
    const { key } = await gateway.register();
    const response = await (what === 'an unknown route'
      ? gateway.call('/v1/none', { headers: ORIGIN })
      : gateway.chat(
          what === 'a fault' ? 'none' : key,
          { model: 'auto:free', stream: what === 'a stream' },
          { headers: ORIGIN },
        ));
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ') ?? [];
    expect(exposed).toEqual(expect.arrayContaining(EXPOSED));
    await response.text();
  });

  test('names every x-svc header it carries', async () => {
    const { key } = await gateway.register();
    const { headers } = await gateway.chat(key, { model: 'demo-small', max_tokens: 100_000 });
    const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
    const ours = [...headers.keys()].filter((name) => name.startsWith('x-svc-'));
    expect(ours.length).toBeGreaterThanOrEqual(4);
    for (const name of ours) expect(exposed).toContain(name);
  });

  test('of the account is for no page', async () => {
    const { key } = await gateway.register();
    const { headers } = await gateway.call('/api/me', { key, headers: ORIGIN });
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });
});
