// A large body is not parsed for a call that its key, its model or a limit refuses: the bodies here are broken inside, and a
// parse would say so. A small body keeps the order of checks.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type CreatedKey, createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { upModel } from '../support/test-document.ts';

let gateway: TestGateway;
let limited: CreatedKey;
let used: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    // A limit that was met stands for a moment, which does not pass here.
    clock: createManualClock(),
    limits: { free_per_minute: 1, paid_per_minute: 1 },
    document: (doc) => ({
      ...doc,
      models: [...doc.models, upModel('paint', { kinds: ['images'], price: { image: 1 } })],
    }),
  });
  limited = await createKey(gateway, (await gateway.register()).key, { models: ['auto:free'] });
  used = await gateway.register();
  await gateway.chat(used.key, { model: 'auto:free' });
  await gateway.chat(used.key, { model: 'demo-small', max_tokens: 1 });
});
afterAll(() => gateway.stop());

const BROKEN = '"a":[nothing]';
const PADS: [size: string, bytes: number][] = [
  ['20 KB', 20_000],
  ['1 MB', 1_000_000],
];
const PATHS = ['/v1/chat/completions', '/v1/responses', '/v1/messages'];
const NO_WAIT = { 'x-svc-no-wait': '1' };

async function refusal(path: string, key: string, body: unknown) {
  const response = await gateway.call(path, { key, body, headers: NO_WAIT });
  const { error }: Answer = await response.json();
  const { request_id: _, ...rest } = error;
  return { status: response.status, error: rest };
}

const cases: [why: string, key: () => string, model: string, code: string][] = [
  ['a model that does not exist', () => used.key, 'demo-smal', 'model_not_found'],
  ['a model that the key may not use', () => limited.key, 'up-paid', 'model_not_allowed'],
  ['a model of another kind', () => used.key, 'paint', 'unsupported_endpoint'],
  ['an account over its limit', () => used.key, 'demo-small', 'rate_limited'],
];

describe.each(PADS)('of %s', (_, bytes) => {
  describe.each(PATHS)('on %s', (path) => {
    test.each(cases)('%s is refused unparsed, in the same words', async (_why, key, model, code) => {
      const pad = `"user":"${'x'.repeat(bytes)}"`;
      // The first one also makes a limit stand, as every refusal by the books does for a moment.
      const small = await refusal(path, key(), {
        model,
        max_tokens: 1,
        messages: [{ role: 'user', content: 'x' }],
        input: 'x',
      });
      for (const body of [`{"model":"${model}",${BROKEN},${pad}}`, `{${pad},${BROKEN},"model":"${model}"}`]) {
        const large = await refusal(path, key(), body);
        expect(large.error.code).toBe(code);
        expect({ ...large, error: stable(large.error) }).toEqual({ ...small, error: stable(small.error) });
      }
    });
  });
});

/** Without what the time changes. */
function stable(error: Answer): Answer {
  const { resets_at: _, ...rest } = error;
  return rest;
}

test.each(PADS)('what cannot be told without a parse is refused by the parse: %s', async (_, bytes) => {
  const body = `{"model":"nope",${BROKEN},"mod\\u0065l":"nope","user":"${'x'.repeat(bytes)}"}`;
  expect((await refusal('/v1/chat/completions', used.key, body)).error.code).toBe('invalid_request');
});

test.each(PADS)('a request that only warms a cache is answered although a limit stands: %s', async (_, bytes) => {
  const path = '/v1/messages';
  const body = { model: 'up-paid', messages: [{ role: 'user', content: 'x' }], system: 'x'.repeat(bytes) };
  expect((await refusal(path, used.key, { ...body, max_tokens: 1 })).error.code).toBe('rate_limited');
  for (const text of [
    JSON.stringify({ ...body, max_tokens: 0 }),
    JSON.stringify({ max_tokens: 0, ...body }, null, 2),
  ]) {
    const response = await gateway.call(path, { key: used.key, body: text, headers: NO_WAIT });
    expect(response.status).toBe(200);
    await response.text();
  }
});

test('a token count is refused unparsed, too', async () => {
  const body = `{"model":"nope",${BROKEN},"system":"${'x'.repeat(20_000)}"}`;
  expect((await refusal('/v1/messages/count_tokens', used.key, body)).error.code).toBe('model_not_found');
});

test('a small body is parsed first', async () => {
  expect((await refusal('/v1/chat/completions', used.key, `{"model":"nope",${BROKEN}}`)).error.code).toBe(
    'invalid_request',
  );
});
