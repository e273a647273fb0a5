// S6: which routes need a key is decided twice, with their descriptions and in `route-list.ts`; and no way of writing a
// request turns a keyed route into an open one.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { TestGateway } from '../support/gateway.ts';
import { rawGet, sendRaw } from './raw-bytes.ts';
import {
  DELEGATING_ROUTES,
  KEYED_ROUTES,
  LARGE_ROUTES,
  LISTED_ROUTES,
  MANAGING_ROUTES,
  OPEN_ROUTES,
  pathOf,
  SMALL_BYTES,
} from './route-list.ts';
import { startSecure } from './start-secure.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startSecure();
});
afterAll(() => gateway.stop());

const named = KEYED_ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

test('S6 the open routes and those for managing keys are the ones listed here; any other needs a key', () => {
  const named = (auth: string) => LISTED_ROUTES.filter((route) => route.auth === auth).map(({ name }) => name);
  expect(named('none').toSorted()).toEqual([...OPEN_ROUTES].toSorted());
  expect(named('manage').toSorted()).toEqual([...MANAGING_ROUTES].toSorted());
  expect(named('delegate').toSorted()).toEqual([...DELEGATING_ROUTES].toSorted());
});

test('S6 a route takes no more than is listed here, and one that takes a body has one for these checks', () => {
  const large = LISTED_ROUTES.filter(({ maxBytes }) => maxBytes > SMALL_BYTES);
  expect(Object.fromEntries(large.map(({ name, maxBytes }) => [name, maxBytes]))).toEqual(LARGE_ROUTES);
  expect(LISTED_ROUTES.filter(({ method, maxBytes }) => method === 'GET' && maxBytes > 0)).toEqual([]);
  const without = LISTED_ROUTES.filter(({ method, maxBytes, body }) => maxBytes > 0 && !body && method !== 'DELETE');
  expect(without).toEqual([]);
});

describe('S6 without a key', () => {
  test.each(named)('S6 %s is refused', async (_, route) => {
    const { method, body } = route;
    const response = await gateway.call(pathOf(route), { method, ...(method === 'GET' ? {} : { body: body ?? {} }) });
    expect(response.status).toBe(401);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test.each(named)('S6 %s is refused with a header that means nothing here', async (_, route) => {
    const { method, body } = route;
    for (const headers of [
      { 'x-original-url': '/healthz', 'x-rewrite-url': '/healthz' },
      { 'x-http-method-override': 'OPTIONS', 'x-method-override': 'OPTIONS' },
      { 'x-forwarded-host': 'localhost', 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
      { 'x-account-id': 'acc_1', 'x-key-id': 'key_1', cookie: 'session=1; key=1' },
      { authorization: 'Basic YWRtaW46YWRtaW4=' },
      { authorization: 'Bearer null', 'x-api-key': 'undefined' },
      { authorization: 'Bearer sk-svc-' },
    ]) {
      const response = await gateway.call(pathOf(route), {
        method,
        headers,
        ...(method === 'GET' ? {} : { body: body ?? {} }),
      });
      expect({ headers, status: response.status }).toEqual({ headers, status: 401 });
    }
  });

  test('S6 a key in the query or the body is no key', async () => {
    const { key } = await gateway.register();
    const query = `?key=${key}&api_key=${key}&access_token=${key}`;
    expect((await gateway.call(`/api/me${query}`)).status).toBe(401);
    expect((await gateway.call('/api/redeem', { body: { code: 'x', api_key: key, authorization: key } })).status).toBe(
      401,
    );
  });
});

/** Ways to write a path; none may reach what stands behind it. */
const SPELLINGS: [how: string, write: (path: string) => string][] = [
  ['as it is', (path) => path],
  ['absolute', (path) => `http://x${path}`],
  ['absolute, another host', (path) => `https://healthz.example:1${path}`],
  ['absolute, with a name and a password', (path) => `http://a:b@x${path}`],
  ['absolute, without a host', (path) => `http://${path}`],
  ['absolute, a port that is none', (path) => `http://x:99999${path}`],
  ['two slashes before', (path) => `/${path}`],
  ['two slashes within', (path) => path.replace(/\/(?=[^/]+$)/, '//')],
  ['a slash at the end', (path) => `${path}/`],
  ['two slashes at the end', (path) => `${path}//`],
  ['a backslash', (path) => path.replaceAll('/', '\\').replace('\\', '/')],
  ['upper case', (path) => path.toUpperCase()],
  ['one capital', (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase())],
  ['a dot', (path) => `/.${path}`],
  ['dots from an open route', (path) => `/healthz/..${path}`],
  ['%2e%2e from an open route', (path) => `/healthz/%2e%2e${path}`],
  ['%2E. from an open route', (path) => `/api/public/catalog/%2E./../..${path}`],
  ['%252e%252e from an open route', (path) => `/healthz/%252e%252e${path}`],
  ['%2f', (path) => path.replace(/\/(?=[^/]+$)/, '%2f')],
  ['%2F everywhere', (path) => `/${path.slice(1).replaceAll('/', '%2F')}`],
  ['a letter in hex', (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
  ['a parameter of the path', (path) => `${path};a=b`],
  ['a parameter that is a route', (path) => `${path};/healthz`],
  ['%00', (path) => `${path}%00`],
  ['%00 and an open route', (path) => `${path}%00/healthz`],
  ['NUL', (path) => `${path}\0`],
  ['%0a', (path) => `${path}%0a`],
  ['a tab', (path) => `${path}\t`],
  ['%20', (path) => `${path}%20`],
  ['a dot at the end', (path) => `${path}.`],
  ['an ending', (path) => `${path}.json`],
  ['a query that is a route', (path) => `${path}?/healthz`],
  ['a fragment', (path) => `${path}#/healthz`],
  ['%23', (path) => `${path}%23`],
  ['%3f', (path) => `${path}%3f`],
  ['/v1 twice', (path) => path.replace(/^\/v1/, '/v1/v1')],
  ['/v1 three times', (path) => path.replace(/^\/v1/, '/v1/v1/v1')],
  ['without /v1', (path) => path.replace(/^\/v1/, '')],
  ['without /v1, a slash at the end', (path) => `${path.replace(/^\/v1/, '')}/`],
  ['/v1 before', (path) => `/v1/v1${path}`],
  ['below the docs', (path) => `/docs/..${path}`],
  ['wide letters', (path) => path.replace(/[a-z]/, '\u00e1')],
];
const REFUSED = [400, 401, 404, 405, 431, 505];

describe('S6 however it is written', () => {
  test.each(SPELLINGS)('S6 %s', async (_, write) => {
    const opened: string[] = [];
    for (const route of KEYED_ROUTES) {
      const target = write(pathOf(route));
      const body = route.method === 'GET' ? '' : 'content-length: 2\r\n';
      const request = rawGet(target, `host: x\r\n${body}`, route.method) + (body ? '{}' : '');
      const { statuses, text } = await sendRaw(gateway.port, request);
      if (!statuses.every((status) => REFUSED.includes(status)) || statuses.length > 1) {
        opened.push(`${route.method} ${target}: ${text.slice(0, 200)}`);
      }
    }
    expect(opened).toEqual([]);
  });

  const HOSTS = [
    '',
    'x',
    'a b',
    'x/healthz',
    'x/healthz?',
    'x/../healthz#',
    'x\\healthz',
    '[',
    '[::1',
    'x:99999',
    'x:y',
  ];
  test.each([...HOSTS, '/', '#', '?', '@', '%00', '%2fhealthz', '127.0.0.1:1@x'])(
    'S6 Host %p decides nothing, and is no error of ours',
    async (host) => {
      const keyed = await sendRaw(gateway.port, rawGet('/api/me', `host: ${host}\r\n`));
      expect(keyed.statuses).toEqual([401]);
      const open = await sendRaw(gateway.port, rawGet('/healthz', `host: ${host}\r\n`));
      expect(open.statuses).toEqual([200]);
    },
  );

  test('S6 two Hosts, or none, open nothing', async () => {
    expect((await sendRaw(gateway.port, rawGet('/api/me', 'host: a\r\nhost: b\r\n'))).statuses[0]).not.toBe(200);
    expect((await sendRaw(gateway.port, rawGet('/api/me', ''))).statuses).toEqual([400]);
  });

  const METHODS = [
    'HEAD',
    'PUT',
    'TRACE',
    'CONNECT',
    'PROPFIND',
    'SEARCH',
    'QUERY',
    'MKCOL',
    'LINK',
    'PURGE',
    'get',
    'FOO',
  ];
  test.each(METHODS)('S6 the method %s opens nothing', async (method) => {
    for (const route of KEYED_ROUTES) {
      const { statuses, text } = await sendRaw(gateway.port, rawGet(pathOf(route), 'host: x\r\n', method));
      expect([[], [401], [404], [405], [400]]).toContainEqual(statuses);
      if (statuses.length > 0 && method !== 'HEAD') expect(text).toMatch(/connection: close|"request_id":"req_/i);
    }
  });

  test('S6 OPTIONS answers with nothing, whatever it is asked', async () => {
    for (const route of LISTED_ROUTES) {
      const response = await gateway.call(pathOf(route), {
        method: 'OPTIONS',
        headers: { origin: 'https://a.example' },
      });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
    }
  });
});

test('S6 nothing of all this made a request that counts', () => {
  expect(gateway.upstream.requests).toEqual([]);
  expect(gateway.sql('SELECT * FROM usage_records')).toEqual([]);
});
