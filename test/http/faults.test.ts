// Faults in the caller's envelope, each with the headers its row promises, whatever went wrong.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { keyFromSecret } from '../../src/accounts/keys/key-format.ts';
import type { Answer } from '../support/answer.ts';
import { createExpiredKey, createKey } from '../support/create-key.ts';
import { type CallOptions, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { rawCall } from '../support/raw-call.ts';

const CHAT = '/v1/chat/completions';
let gateway: TestGateway;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
  key = account.key;
});
afterAll(() => gateway.stop());

interface Case {
  path: string;
  options?: CallOptions;
  status: number;
  code: string;
  headers?: Record<string, string>;
}
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const BODY = '{"model":"auto:free","messages":[{"role":"user","content":"x"}]}';

const cases: [what: string, make: () => Case][] = [
  ['an unknown route', () => ({ path: '/v2/none', status: 404, code: 'route_not_found' })],
  ['an unknown route below /v1', () => ({ path: '/v1/none', options: { key }, status: 404, code: 'route_not_found' })],
  ['an unknown route below /api', () => ({ path: '/api/none', status: 404, code: 'route_not_found' })],
  [
    'GET on chat',
    () => ({ path: CHAT, options: { key }, status: 405, code: 'method_not_allowed', headers: { allow: 'POST' } }),
  ],
  [
    'DELETE on the models',
    () => ({
      path: '/v1/models',
      options: { key, method: 'DELETE' },
      status: 405,
      code: 'method_not_allowed',
      headers: { allow: 'GET, HEAD' },
    }),
  ],
  [
    'PUT on register',
    () => ({
      path: '/api/agent/register',
      options: { method: 'PUT', body: '{}' },
      status: 405,
      code: 'method_not_allowed',
    }),
  ],
  ['no key', () => ({ path: CHAT, options: { body: BODY }, status: 401, code: 'invalid_api_key' })],
  [
    'garbage for a key',
    () => ({ path: CHAT, options: { key: 'garbage', body: BODY }, status: 401, code: 'invalid_api_key' }),
  ],
  [
    'a key with a wrong checksum',
    () => ({ path: CHAT, options: { key: `${key.slice(0, -1)}!`, body: BODY }, status: 401, code: 'invalid_api_key' }),
  ],
  ['broken JSON', () => ({ path: CHAT, options: { key, body: '{"model":' }, status: 400, code: 'invalid_request' })],
  ['an empty body', () => ({ path: CHAT, options: { key, body: '' }, status: 400, code: 'invalid_request' })],
  ['a list for a body', () => ({ path: CHAT, options: { key, body: '[]' }, status: 400, code: 'invalid_request' })],
  [
    'text after the body',
    () => ({ path: CHAT, options: { key, body: `${BODY}x` }, status: 400, code: 'invalid_request' }),
  ],
  [
    'JSON 65 deep',
    () => ({ path: CHAT, options: { key, body: `{"a":${nested(64)}}` }, status: 400, code: 'invalid_request' }),
  ],
  [
    'JSON 100,000 deep',
    () => ({ path: CHAT, options: { key, body: `{"a":${nested(100_000)}}` }, status: 400, code: 'invalid_request' }),
  ],
  [
    'more than 100,000 values',
    () => ({
      path: CHAT,
      options: { key, body: `{"a":[${'1,'.repeat(100_001)}1]}` },
      status: 400,
      code: 'invalid_request',
    }),
  ],
  [
    'a compressed body',
    () => ({
      path: CHAT,
      options: { key, body: BODY, headers: { 'content-encoding': 'gzip' } },
      status: 400,
      code: 'invalid_request',
    }),
  ],
  ['no model', () => ({ path: CHAT, options: { key, body: '{"messages":[]}' }, status: 400, code: 'invalid_request' })],
  [
    'an unknown model',
    () => ({
      path: CHAT,
      options: { key, body: '{"model":"nope","messages":[]}' },
      status: 404,
      code: 'model_not_found',
    }),
  ],
];
const TYPES: Record<number, string> = {
  401: 'authentication_error',
  400: 'invalid_request_error',
  404: 'invalid_request_error',
};

test.each(cases)('%s', async (_, make) => {
  const { path, options, status, code, headers = {} } = make();
  const response = await gateway.call(path, options);
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toStartWith('application/json');
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
  for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value);
  const { error, ...rest }: Answer = await response.json();
  expect(rest).toEqual({});
  expect(error).toMatchObject({
    code,
    type: TYPES[status] ?? 'invalid_request_error',
    request_id: response.headers.get('x-request-id'),
    docs_url: `${gateway.url}/docs/errors#${code}`,
  });
  expect(error.message).toMatch(/^[A-Za-z].*[.:]/);
});

describe('a message names what to use instead', () => {
  test.each([
    ['GET', CHAT, 'This path does not support GET. Use POST.'],
    ['DELETE', '/v1/models', 'This path does not support DELETE. Use GET or HEAD.'],
    ['PUT', '/api/keys', 'This path does not support PUT. Use GET or POST or HEAD.'],
    ['GET', '/v1/none', 'This path does not exist. Choose one of those in /openapi.json.'],
  ])('%s %s', async (method, path, message) => {
    const { error }: Answer = await (await gateway.call(path, { key, method })).json();
    expect(error.message).toBe(message);
  });

  test('of a path that resembles another', async () => {
    const { error }: Answer = await (await gateway.call('/api/chat/completions', { key, body: {} })).json();
    expect(error.message).toBe(`This path does not exist. ${error.hint}`);
  });
});

describe('an unknown route', () => {
  const answerAt = async (path: string, options?: CallOptions) => {
    const response = await gateway.call(path, options);
    expect(response.status).toBe(404);
    return (await response.json()) as Answer;
  };

  test.each([
    ...['/v1beta', '/v1beta/none', '/v1beta/tunedModels/x:generateContent', '/v1beta/cachedContents'],
    ...['/upload/v1beta', '/upload/v1beta/files'],
  ])('at %s is in Google’s envelope', async (path) => {
    for (const options of [{}, { key, body: {} }]) {
      const { error } = await answerAt(path, options);
      expect(error).toMatchObject({ code: 404, status: 'NOT_FOUND', details: [{ reason: 'route_not_found' }, {}] });
    }
  });

  test('of files and caches at Google says what to do instead', async () => {
    const { error } = await answerAt('/upload/v1beta/files', { body: {} });
    expect(error.details[0].metadata.hint).toContain('inlineData');
  });

  test.each(['/v1/files', '/v1/complete', '/none', '/v1/messages/none'])(
    'at %s is in Anthropic’s envelope for its clients',
    async (path) => {
      const answer = await answerAt(path, { key, headers: { 'anthropic-version': '2023-06-01' } });
      expect(answer).toMatchObject({
        type: 'error',
        error: { type: 'not_found_error', code: 'route_not_found' },
        request_id: expect.stringMatching(/^req_/),
      });
    },
  );

  test('does not change the envelope of a route that exists', async () => {
    const response = await gateway.call(CHAT, { body: BODY, headers: { 'anthropic-version': '2023-06-01' } });
    expect(Object.keys((await response.json()) as Answer)).toEqual(['error']);
  });
});

test('a web page may read a fault of an upload to Google', async () => {
  const response = await gateway.call('/upload/v1beta/files', { body: {} });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});

describe('a fault of rerank', () => {
  test.each(['/v1/rerank', '/v2/rerank', '/rerank'])(
    'at %s has its message where clients of Cohere read it',
    async (path) => {
      for (const options of [{ body: {} }, { key, body: {} }]) {
        const { message, error, ...rest }: Answer = await (await gateway.call(path, options)).json();
        expect(rest).toEqual({});
        expect(message).toBe(error.message);
        expect(message).not.toBe('');
      }
    },
  );
});

test.each([
  ['65 deep', `{"a":${nested(64)}}`, 'nested too deeply'],
  ['of too many values', `{"a":[${'1,'.repeat(100_000)}1]}`, 'too many values'],
  ['broken', '{"model":', 'not valid JSON'],
  ['that is no object', '7', 'JSON object'],
  ['with a field twice', '{"model":1,"model":2}', 'twice'],
])('JSON %s says what is wrong with it', async (_, body, words) => {
  const { error }: Answer = await (await gateway.call(CHAT, { key, body })).json();
  expect(error.message).toContain(words);
});

test('JSON 64 deep is read', async () => {
  const body = `{"model":"auto:free","messages":[{"role":"user","content":"x"}],"a":${nested(63)}}`;
  expect((await gateway.call(CHAT, { key, body })).status).toBe(200);
});

test('bytes that are no UTF-8', async () => {
  const response = await fetch(gateway.url + CHAT, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
});

describe('a path that leads nowhere', () => {
  const refused = async (path: string): Promise<Answer> =>
    (await (await gateway.call(path, { body: {} })).json()).error;

  test.each([
    ['/api/v1/chat/completions', '/v1/chat/completions', 'OpenAI clients', '/v1'],
    ['/completions', '/v1/chat/completions', 'OpenAI clients', '/v1'],
    ['/anthropic/v1/messages', '/v1/messages', 'Anthropic clients', ''],
    ['/api/messages/count_tokens', '/v1/messages/count_tokens', 'Anthropic clients', ''],
  ])('%s: the right address and base URL are named', async (path, right, whose, base) => {
    expect((await refused(path)).hint).toBe(
      `Did you mean ${gateway.url}${right}? The base URL of ${whose} is ${gateway.url}${base}.`,
    );
  });

  test.each([
    ['/api/register', '/api/agent/register'],
    ['/v1/usage', '/api/usage'],
    ['/v1/completions', '/v1/chat/completions'],
    ['/v1/chat/messages', '/v1/messages'],
  ])('%s: the right address is named', async (path, right) => {
    expect((await refused(path)).hint).toBe(`Did you mean ${gateway.url}${right}?`);
  });

  test.each(['/none', '/x/:id', '/x//'])('%s: only where all calls are told', async (path) => {
    const error = await refused(path);
    expect(error).not.toHaveProperty('hint');
    expect(error.actions).toMatchObject([{ method: 'GET', href: `${gateway.url}/openapi.json` }]);
  });
});

describe('401', () => {
  test('has www-authenticate and forbids a retry', async () => {
    const { headers } = await gateway.call('/v1/models');
    expect(headers.get('www-authenticate')).toStartWith('Bearer');
    expect(headers.get('x-should-retry')).toBe('false');
  });

  test('is the same for a missing, malformed, unknown, revoked and expired key', async () => {
    const expired = await createExpiredKey(gateway, account);
    const revoked = await createKey(gateway, key);
    await gateway.call(`/api/keys/${revoked.id}`, { key, method: 'DELETE' });
    const unknown = keyFromSecret(new Uint8Array(32).fill(7));
    const bodies: Answer[] = [];
    for (const used of [undefined, 'sk-svc-short', unknown, revoked.key, expired.key]) {
      const response = await gateway.call('/api/me', { key: used });
      expect(response.status).toBe(401);
      const { error }: Answer = await response.json();
      bodies.push({ ...error, request_id: undefined });
    }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });
});

describe('a body too large', () => {
  const request = (path: string, head: string, body = '') =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${head}\r\n\r\n${body}`;
  const expectTooLarge = ({ status, json }: { status: number; json: Answer }) => {
    expect(status).toBe(413);
    expect(json).toMatchObject({ error: { code: 'request_too_large', type: 'invalid_request_error' } });
  };

  test.each([20 * 1024 * 1024 + 1, 100_000_000, 10_000_000_000])(
    'declared as %d bytes is refused unread',
    async (length) => {
      expectTooLarge(await rawCall(gateway.port, request(CHAT, `content-length: ${length}`)));
    },
  );

  test('in chunks is refused when it passes the limit', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (sent++ < 24) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const response = await fetch(gateway.url + CHAT, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body,
    });
    expectTooLarge({ status: response.status, json: await response.json() });
  });

  test('of exactly 20 MB is read', async () => {
    const body = BODY + ' '.repeat(20 * 1024 * 1024 - BODY.length);
    expect((await gateway.call(CHAT, { key, body })).status).toBe(200);
  });
});

describe('the envelope of /v1/messages', () => {
  test.each([
    ['GET', '/v1/messages', [401, 404, 405]],
    ['POST', '/v1/messages/none', [401, 404]],
    ['GET', '/v1/v1/messages/none', [401, 404]],
    ['GET', '/messages', [405]],
  ])('%s %s is Anthropic’s', async (method, path, statuses) => {
    const response = await gateway.call(path, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
    expect(statuses).toContain(response.status);
    const body: Answer = await response.json();
    expect(Object.keys(body).toSorted()).toEqual(['error', 'request_id', 'type']);
    expect(body.type).toBe('error');
    expect(body.request_id).toBe(response.headers.get('x-request-id'));
    expect(body.error.type).toMatch(/_error$/);
    expect(body.error.message).not.toBe('');
  });

  test.each(['/v1/messagesx', '/v1/chat/messages', '/messagesx', '/api/messages'])('%s has OpenAI’s', async (path) => {
    const body: Answer = await (await gateway.call(path)).json();
    expect(Object.keys(body)).toEqual(['error']);
  });
});

test('no fault shows a stack, a path or a word of ours about the inside', async () => {
  for (const [, make] of cases) {
    const { path, options } = make();
    const text = await (await gateway.call(path, options)).text();
    expect(text).not.toMatch(/\.ts\b|node_modules|at \w+ \(|sqlite|bun:/i);
  }
});

test('a body of the responses format, sent as a chat, is told its address', async () => {
  const body = {
    model: 'auto:free',
    stream: true,
    input: [{ role: 'user', content: 'Hi' }],
    text: { verbosity: 'low' },
  };
  const response = await gateway.call(CHAT, { key, body });
  expect(response.status).toBe(400);
  const { error } = await response.json();
  expect(error).toMatchObject({ code: 'invalid_request', param: 'input' });
  expect(error.message).toStartWith('This path takes messages, not input.');
  const beside = await gateway.call(CHAT, { key, body: { ...JSON.parse(BODY), input: 'x' } });
  expect(beside.status).toBe(200);
});
