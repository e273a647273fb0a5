// Which headers of a client an upstream of the Anthropic format sees: its version everywhere, betas only where they are known,
// and the one for a long context only where the model has one.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { messageAnswer } from '../support/anthropic-messages.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => {
      const url = upstreamUrl(doc);
      return {
        ...doc,
        channels: [
          ...doc.channels,
          { name: 'own', kind: 'anthropic', base_url: url, api_key: 'fake-key' },
          openaiChannel('vendor', 'http://127.0.0.1:9/v1', { anthropic_base_url: url }),
        ],
        models: [
          ...doc.models,
          upModel('on-own', { price: 'free', routes: [{ channel: 'own', model: 'scripted-2026-01' }] }),
          upModel('long-on-own', {
            price: 'free',
            context_tokens: 1_000_000,
            routes: [{ channel: 'own', model: 'scripted-2026-01' }],
          }),
          upModel('usual-on-own', {
            price: 'free',
            context_tokens: 200_000,
            routes: [{ channel: 'own', model: 'scripted-2026-01' }],
          }),
          upModel('on-vendor', { price: 'free', routes: [{ channel: 'vendor', model: 'scripted-2026-01' }] }),
        ],
      };
    },
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

test.each([
  ['on-own', 'interleaved-thinking-2025-05-14,other'],
  ['on-vendor', undefined],
])('%s', async (model, betas) => {
  gateway.upstream.next(messageAnswer());
  const response = await gateway.call('/v1/messages', {
    key,
    headers: { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'interleaved-thinking-2025-05-14,other' },
    body: { model, max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] },
  });
  expect(response.status).toBe(200);
  const { headers } = await gateway.upstream.request(0);
  expect([headers['anthropic-version'], headers['anthropic-beta']]).toEqual(['2026-10-21', betas]);
});

const LONG = 'context-1m-2025-08-07';
const OTHERS = 'interleaved-thinking-2025-05-14,other';

const askWith = (model: string, betas: string, headers: Record<string, string> = {}) =>
  gateway.call('/v1/messages', {
    key,
    headers: { 'anthropic-beta': betas, ...headers },
    body: { model, max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] },
  });

test.each([
  ['long-on-own', `${LONG},${OTHERS}`, `${LONG},${OTHERS}`, null],
  ['usual-on-own', `interleaved-thinking-2025-05-14, ${LONG} ,other`, OTHERS, LONG],
  ['on-own', LONG, undefined, LONG],
  ['on-vendor', LONG, undefined, null],
])('the beta for a long context: %s, asked with %s', async (model, asked, sent, dropped) => {
  gateway.upstream.next(messageAnswer());
  const response = await askWith(model, asked);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-svc-dropped')).toBe(dropped);
  expect((await gateway.upstream.request(0)).headers['anthropic-beta']).toBe(sent);
});

test('that beta is refused, where the client would rather lose nothing', async () => {
  const refused = await askWith('usual-on-own', `${OTHERS},${LONG}`, { 'x-svc-strict': '1' });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    error: { code: 'invalid_request', param: LONG, message: expect.stringContaining(`does not accept ${LONG}`) },
  });
  expect(gateway.upstream.requests).toEqual([]);
  gateway.upstream.next(messageAnswer());
  expect((await askWith('long-on-own', LONG, { 'x-svc-strict': '1' })).status).toBe(200);
});
