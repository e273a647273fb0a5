// A base URL without its /v1: the call is the same as with it. Which paths are forgiven is written down here a second time, and
// none of them may be a page.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { Hono } from 'hono';
import { ROUTES } from '../../src/http/route-table.ts';
import { addSite } from '../../src/site/site.ts';
import type { SiteTools } from '../../src/site/tools.ts';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';

const OPENAI = [
  ...['/chat/completions', '/responses', '/embeddings', '/images/generations', '/images/edits', '/images/variations'],
  ...['/audio/transcriptions', '/audio/translations', '/audio/speech', '/rerank', '/moderations'],
  ...['/responses/compact', '/responses/input_tokens'],
];
const ANTHROPIC = ['/messages', '/messages/count_tokens'];
const POSTED = [...OPENAI, ...ANTHROPIC];
const FORGIVEN = [...POSTED, '/models'];

const hi = [{ role: 'user', content: 'Hi' }];
const BODIES: Record<string, Record<string, unknown>> = {
  '/chat/completions': { model: 'auto:free', messages: hi },
  '/responses': { model: 'auto:free', input: 'Hi' },
  '/responses/input_tokens': { model: 'auto:free', input: 'Hi' },
  '/messages': { model: 'auto:free', max_tokens: 20, messages: hi },
  '/messages/count_tokens': { model: 'auto:free', messages: hi },
};

let gateway: ClientGateway;
beforeAll(async () => {
  gateway = await startClientGateway();
});
afterAll(() => gateway.stop());

describe('without its /v1', () => {
  test.each(Object.entries(BODIES))('POST %s is answered as with it', async (path, body) => {
    const { key } = gateway;
    const shapeOf = async (asked: string) => {
      const response = await gateway.call(asked, { key, body });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      return Object.keys(await response.json());
    };
    expect(await shapeOf(path)).toEqual(await shapeOf(`/v1${path}`));
    expect(await shapeOf(`${path}/`)).toEqual(await shapeOf(`/v1${path}`));
  });

  test('GET /models is the list', async () => {
    const { key } = gateway;
    expect(await gateway.get('/models?limit=9', key)).toEqual(await gateway.get('/v1/models', key));
  });

  test.each(POSTED)('a refusal of %s is in the dialect of the path', async (path) => {
    const refusalOf = async (asked: string) => {
      const response = await gateway.call(asked, { body: '{}' });
      const text = (await response.text()).replace(/req_\w+/, '');
      return { status: response.status, body: JSON.parse(text) };
    };
    const refusal = await refusalOf(path);
    expect(refusal.status).toBe(401);
    expect(refusal.body.type).toBe(ANTHROPIC.includes(path) ? 'error' : undefined);
    expect(refusal).toEqual(await refusalOf(`/v1${path}`));
  });

  test('a web page may call it', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
    const response = await gateway.call('/chat/completions', { method: 'OPTIONS', headers });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('a record names the call by its own path', async () => {
    const { key } = await gateway.register();
    await (await gateway.call('/messages', { key, body: BODIES['/messages'] })).text();
    expect((await gateway.get('/api/usage', key)).data).toMatchObject([{ endpoint: '/v1/messages' }]);
  });
});

test('a client whose base URL lacks it is answered', async () => {
  const { url, key } = gateway;
  const withoutVersion = (address: string | URL | Request, init?: RequestInit) =>
    fetch(String(address).replace('/v1/', '/'), init);
  const client = new Anthropic({ baseURL: url, authToken: key, apiKey: null, fetch: withoutVersion });
  const message = await client.messages.create({
    model: 'auto:free',
    max_tokens: 20,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(message.type).toBe('message');
});

describe('nothing else is forgiven', () => {
  test.each([
    ...['/messages/none', '/chat', '/completions', '/images', '/images/none'],
    ...['/Messages', '/v2/messages', '/api/messages', '/v1/chat', '/me', '/usage', '/keys', '/agent/register'],
  ])('%s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const response = await gateway.call(path, {
        method,
        key: gateway.key,
        ...(method === 'POST' ? { body: {} } : {}),
      });
      expect([method, response.status]).toEqual([method, 404]);
    }
  });

  test('what the table has below /v1 is forgiven where no id stands in it', () => {
    const paths = new Set(ROUTES.map(({ path }) => path));
    const below = [...paths].filter((path) => path.startsWith('/v1/') && !path.includes(':'));
    expect(below.toSorted()).toEqual(FORGIVEN.map((path) => `/v1${path}`).toSorted());
  });
});

test('no page has such a path, but that browsers find the price list at /models', () => {
  const pages = new Hono();
  // Where pages are does not depend on what they show.
  addSite(pages, { docs: new Map(), assetFiles: new Map(), publicUrl: 'http://x' } as unknown as SiteTools);
  const paths = pages.routes.map(({ path }) => path).filter((path) => path !== '*' && path !== '/*');
  expect(paths).toEqual(expect.arrayContaining(['/pricing', '/account']));
  for (const path of paths.filter((path) => path !== '/models')) {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`);
    expect(FORGIVEN.filter((forgiven) => pattern.test(forgiven))).toEqual([]);
  }
});
