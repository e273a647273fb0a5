// Upstreams: they get headers we built from nothing and give clients none of theirs (S13); and what they say is not
// trusted in size, shape or usage (S29).

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createGate, eventually } from '../support/eventually.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { UPSTREAM_KEY, upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { LISTED_ROUTES } from './route-list.ts';
import { answerAny, startSecure } from './start-secure.ts';

const CASES = 60;
let gateway: TestGateway;
let elsewhere: ScriptedUpstream;
let account: TestAccount;
beforeAll(async () => {
  elsewhere = await startUpstream();
  gateway = await startSecure({
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        // A model for each bad answer: what one does to its channel's health must not decide the next.
        ...Array.from({ length: CASES }, (_, n) =>
          upModel(`case-${n}`, { price: { input: 10, output: 40 }, routes: [{ channel: 'up', model: `case-${n}` }] }),
        ),
      ],
    }),
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(answerAny);
  account = await gateway.register();
});
afterAll(async () => {
  await gateway.stop();
  await elsewhere.close();
});

const RELAYED = LISTED_ROUTES.filter(({ path, body }) => body?.model !== undefined && !/_tokens$/.test(path));
const relayed = RELAYED.flatMap((route) => {
  const streams = ['/v1/chat/completions', '/v1/messages', '/v1/responses'].includes(route.path);
  return [false, ...(streams ? [true] : [])].map(
    (stream) =>
      [
        `${route.path}${stream ? ', streamed' : ''}`,
        route.path,
        { ...route.body, ...(stream ? { stream } : {}) },
      ] as const,
  );
});

const FROM_CLIENT = {
  cookie: 'session=of-the-client',
  'x-forwarded-for': '203.0.113.9',
  forwarded: 'for=203.0.113.9',
  'user-agent': 'client/1.0',
  'openai-organization': 'org-client',
  'x-stainless-lang': 'client-js',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'x-anything': 'at all',
  'proxy-authorization': 'Basic client',
  te: 'client-trailers',
  host: 'client.example',
  connection: 'x-hop',
  'x-hop': 'client-hop',
  'anthropic-dangerous-direct-browser-access': 'true',
};
const TO_UPSTREAM = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
  'x-svc-loop',
  'x-api-key',
  'anthropic-version',
  'anthropic-beta',
  'traceparent',
]);

const FROM_UPSTREAM = {
  'set-cookie': 'upstream=cookie',
  server: 'upstream-server/1.0',
  via: '1.1 upstream-proxy',
  'x-powered-by': 'upstream-framework',
  'x-request-id': 'req_upstream',
  'request-id': 'req_upstream',
  'openai-organization': 'org-upstream',
  'openai-project': 'proj-upstream',
  'anthropic-organization-id': 'org-upstream',
  'cf-ray': 'upstream-ray',
  'x-ratelimit-remaining-requests': '9999999',
  'x-svc-channel': 'forged',
  'x-svc-cost-ntd': '0.forged',
  'access-control-allow-credentials': 'true',
  location: 'https://upstream.example/',
  'x-anything': 'upstream-anything',
};
const TO_CLIENT =
  /^(content-type|content-length|transfer-encoding|connection|date|keep-alive|cache-control|x-content-type-options|x-request-id|request-id|x-should-retry|retry-after|x-ratelimit-(limit|remaining|reset)-requests|anthropic-ratelimit-requests-(limit|remaining|reset)|x-svc-(channel|cost-ntd|balance-ntd|max-tokens|dropped|translated)|access-control-(allow-origin|expose-headers)|x-accel-buffering)$/;

describe('S13 headers', () => {
  test.each(relayed)('S13 %s: the upstream gets ours, the client gets ours', async (_, path, body) => {
    gateway.upstream.otherwise((request) => {
      const script = answerAny(request);
      return { ...script, headers: { ...FROM_UPSTREAM, ...script.headers } };
    });
    const response = await gateway.call(path, { key: account.key, body, headers: FROM_CLIENT });
    expect(response.status).toBe(200);
    const text = `${await response.text()} ${JSON.stringify([...response.headers])}`;
    for (const [name] of response.headers) expect(name).toMatch(TO_CLIENT);
    for (const value of Object.values(FROM_UPSTREAM).filter((one) => one !== 'true')) expect(text).not.toContain(value);
    for (const secret of [UPSTREAM_KEY, `127.0.0.1:${gateway.upstream.port}`]) expect(text).not.toContain(secret);

    const [seen] = gateway.upstream.requests;
    const names = seen?.rawHeaders.map(([name]) => name.toLowerCase()) ?? [];
    expect(names.filter((name) => !TO_UPSTREAM.has(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    const sent = JSON.stringify(seen?.rawHeaders);
    for (const value of [account.key, ...Object.values(FROM_CLIENT).filter((one) => one !== 'true')]) {
      expect(sent).not.toContain(value);
    }
    expect(sent).toContain(UPSTREAM_KEY);
  });

  test.each(relayed)('S13 %s: nor when the upstream fails', async (_, path, body) => {
    gateway.upstream.otherwise({ status: 418, headers: FROM_UPSTREAM, body: ['upstream-body'] });
    const response = await gateway.call(path, { key: (await gateway.register()).key, body });
    const text = `${await response.text()} ${JSON.stringify([...response.headers])}`;
    for (const [name] of response.headers) expect(name).toMatch(TO_CLIENT);
    expect(text).not.toContain('upstream-');
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  test('S13 no answer of any route names a server or sets a cookie', async () => {
    for (const { method, path, body } of LISTED_ROUTES) {
      const { headers } = await gateway.call(path, { method, key: account.key, ...(body ? { body } : {}) });
      for (const name of ['server', 'x-powered-by', 'set-cookie', 'via']) expect(headers.has(name)).toBe(false);
    }
  });

  test('S24 no answer is for a browser to guess what it is: served, refused or unknown, whole or streamed', async () => {
    gateway.upstream.otherwise(answerAny);
    const expectDeclared = ({ headers }: Response, what: string) =>
      expect([what, headers.get('x-content-type-options')]).toEqual([what, 'nosniff']);
    for (const { method, path, body } of LISTED_ROUTES) {
      const what = `${method} ${path}`;
      const sent = body ? { body } : {};
      expectDeclared(await gateway.call(path, { method, key: account.key, ...sent }), what);
      expectDeclared(await gateway.call(path, { method, ...sent }), `${what} without a key`);
      expectDeclared(await gateway.call(path, { method: 'PUT', key: account.key }), `PUT ${path}`);
    }
    for (const [what, path, body] of relayed) {
      const response = await gateway.call(path, { key: account.key, body });
      expect([what, response.status]).toEqual([what, 200]);
      expectDeclared(response, what);
    }
    const known = await gateway.call('/api/public/catalog');
    const headers = { 'if-none-match': known.headers.get('etag') ?? '' };
    expectDeclared(await gateway.call('/api/public/catalog', { headers }), 'not modified');
    expectDeclared(await gateway.call('/nothing'), 'unknown');
  });

  test('S13 a call that comes round is 508', async () => {
    await (await gateway.chat(account.key, { model: 'up-paid' })).text();
    const own = gateway.upstream.requests[0]?.headers['x-svc-loop'] ?? '';
    for (const [, path, body] of relayed) {
      const response = await gateway.call(path, { key: account.key, body, headers: { 'x-svc-loop': own } });
      expect(response.status).toBe(508);
    }
  });
});

let cases = 0;
const nextCase = () => {
  if (cases >= CASES) throw new Error('more cases than models');
  return `case-${cases++}`;
};
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('S29 an answer', () => {
  const usage = (prompt_tokens: unknown, completion_tokens: unknown): Script =>
    jsonScript(200, {
      id: 'x',
      object: 'chat.completion',
      model: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens, completion_tokens },
    });
  const claims: [what: string, script: Script][] = [
    ['far too much', usage(1e12, 1e12)],
    ['more than a number holds', usage(1e308, 2 ** 60)],
    ['less than nothing', usage(-1e9, -1e9)],
    ['halves', usage(0.5, 1.5)],
    ['text', usage('1000000000', '1e9')],
    ['nothing', usage(null, undefined)],
    ['lists', usage([1e9], { valueOf: 1 })],
    ['infinity', { ...usage(1, 1), body: [String(usage(1, 1).body?.[0]).replace(':1,', ':1e999,')] }],
    [
      'more in the cache than there is',
      jsonScript(200, {
        ...JSON.parse(String(usage(5, 5).body?.[0])),
        usage: { prompt_tokens: 5, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 1e12 } },
      }),
    ],
  ];
  test.each(claims)('S29 that claims usage of %s costs no more than was held', async (_, script) => {
    const gate = createGate();
    gateway.upstream.next({ ...script, body: [gate.opened, ...(script.body ?? [])] });
    const running = gateway.chat(account.key, { model: nextCase(), max_tokens: 20 });
    const held = await eventually('the hold', () => {
      const [row] = gateway.sql<{ amount_nano: bigint }>(
        'SELECT amount_nano FROM holds WHERE account_id = ?',
        account.accountId,
      );
      return row?.amount_nano;
    });
    gate.open();
    const response = await running;
    expect(response.status).toBe(200);
    await response.text();
    const me = await eventually('the settlement', async () => {
      const now = await gateway.get('/api/me', account.key);
      return now.held_nano === '0' ? now : undefined;
    });
    const cost = 1_000_000_000n - BigInt(me.balance_nano);
    expect(cost).toBeGreaterThanOrEqual(0n);
    expect(cost).toBeLessThanOrEqual(held);
    expect(gateway.audit()).toEqual([]);
  });

  const shapes: [what: string, script: Script][] = [
    ['no JSON', { status: 200, headers: { 'content-type': 'application/json' }, body: ['<html>upstream-page</html>'] }],
    ['a list', jsonScript(200, [])],
    ['null', jsonScript(200, null)],
    ['text', jsonScript(200, 'upstream-text')],
    ['nothing at all', { status: 200, headers: { 'content-type': 'application/json' }, body: [] }],
    ['half of it', { status: 200, headers: { 'content-type': 'application/json' }, body: ['{"choices":[{"mess'] }],
    ['choices that are none', jsonScript(200, { choices: 'upstream-choices' })],
    ['choices of nothing', jsonScript(200, { choices: [null, 7, []] })],
    [
      '100,000 levels',
      { status: 200, headers: { 'content-type': 'application/json' }, body: [`{"choices":${deep(100_000)}}`] },
    ],
    [
      'hostile names',
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: ['{"__proto__":{"choices":[1]},"constructor":1,"hasOwnProperty":2}'],
      },
    ],
    [
      'bytes that are no text',
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: [new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
      },
    ],
    ['another place', { status: 302, headers: { location: '' }, body: [] }],
    ['another status', { status: 299, body: ['upstream-odd'] }],
    ['an error as success', errorScript(200, { message: 'upstream-message', code: 'x' })],
    [
      'events where none were asked for',
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: ['data: upstream-event\n\n'] },
    ],
  ];
  test.each(shapes)('S29 that is %s is no answer: told in our words, paid by nobody', async (_, script) => {
    const location = `${elsewhere.baseUrl}/chat/completions`;
    const headers = { ...script.headers, ...(script.status === 302 ? { location } : {}) };
    gateway.upstream.otherwise({ ...script, headers });
    const response = await gateway.chat(account.key, { model: nextCase() });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 502 });
    expect(text).not.toContain('upstream-');
    expect(text).not.toContain(`127.0.0.1:${gateway.upstream.port}`);
    expect((await gateway.get('/api/me', account.key)).balance_nano).toBe('1000000000');
    expect(elsewhere.requests).toEqual([]);
  });
});
