// A request with two faults: the first in the order of checks answers. Framing and size, key, JSON, model, allow-list,
// kind, context, limits, money.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type CreatedKey, createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { rawCall } from '../support/raw-call.ts';
import { upModel } from '../support/test-document.ts';

let gateway: TestGateway;
let limited: CreatedKey;
let used: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({
    limits: { free_per_minute: 1, paid_per_minute: 1 },
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('dear', { price: { input: 100_000, output: 100_000 } }),
        upModel('dear-short', { context_tokens: 100, price: { input: 100_000, output: 100_000 } }),
        upModel('short', { context_tokens: 100, price: 'free' }),
        upModel('paint', { kinds: ['images'], price: { image: 1 } }),
      ],
    }),
  });
  limited = await createKey(gateway, (await gateway.register()).key, { models: ['auto:free'] });
  used = await gateway.register();
  await gateway.chat(used.key, { model: 'auto:free' });
  await gateway.chat(used.key, { model: 'demo-small', max_tokens: 1 });
});
afterAll(() => gateway.stop());

const LONG = [{ role: 'user', content: 'word '.repeat(2_000) }];
const SHORT = [{ role: 'user', content: 'x' }];

const table: [both: string, key: () => string, body: unknown, code: string][] = [
  ['bad key + bad JSON', () => 'bad', '{', 'invalid_api_key'],
  ['bad key + unknown model', () => 'bad', { model: 'nope' }, 'invalid_api_key'],
  ['bad JSON + a model not allowed', () => limited.key, '{"model":"up-paid"', 'invalid_request'],
  ['unknown model + bad messages', () => used.key, { model: 'nope', messages: 7 }, 'model_not_found'],
  ['unknown model + an allow-list', () => limited.key, { model: 'nope', messages: SHORT }, 'model_not_found'],
  ['not allowed + wrong kind', () => limited.key, { model: 'paint', messages: SHORT }, 'model_not_allowed'],
  ['not allowed + bad messages', () => limited.key, { model: 'up-paid', messages: 7 }, 'model_not_allowed'],
  ['not allowed + no money', () => limited.key, { model: 'dear', messages: SHORT }, 'model_not_allowed'],
  ['wrong kind + too long', () => used.key, { model: 'paint', messages: LONG }, 'unsupported_endpoint'],
  ['wrong kind + no money', () => used.key, { model: 'paint', messages: SHORT, n: 100 }, 'unsupported_endpoint'],
  ['too long + free limit', () => used.key, { model: 'short', messages: LONG }, 'context_length_exceeded'],
  ['too long + no money', () => used.key, { model: 'dear-short', messages: LONG }, 'context_length_exceeded'],
  ['paid limit + no money', () => used.key, { model: 'dear', messages: SHORT }, 'rate_limited'],
  ['free limit alone', () => used.key, { model: 'auto:free', messages: SHORT }, 'free_minute_limit'],
];

test.each(table)('%s', async (_, key, body, code) => {
  const headers = { 'x-svc-no-wait': '1' };
  const response = await gateway.call('/v1/chat/completions', { key: key(), body, headers });
  expect(((await response.json()) as Answer).error.code).toBe(code);
});

test('too large + bad key', async () => {
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer bad\r\n';
  const { status } = await rawCall(gateway.port, `${head}content-length: 30000000\r\n\r\n`);
  expect(status).toBe(413);
});

test('a wrong method + no key', async () => {
  expect((await gateway.call('/v1/chat/completions')).status).toBe(405);
});

test('no money alone, where the limit is free', async () => {
  const { key } = await gateway.register();
  expect((await gateway.chat(key, { model: 'dear' })).status).toBe(402);
});
