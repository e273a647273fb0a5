// A channel that leads back to the gateway itself, directly or through another gateway: refused the first time round.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

async function hopOf(headers: Record<string, string> = {}): Promise<string> {
  const { key } = await gateway.register();
  gateway.upstream.reset();
  gateway.upstream.next(chatAnswer());
  expect((await gateway.chat(key, { model: 'up-paid' }, { headers })).status).toBe(200);
  return gateway.upstream.requests[0]?.headers['x-svc-loop'] ?? '';
}

test('a call that comes in with our own name is refused, before any limit or hold', async () => {
  const own = await hopOf();
  expect(own).toMatch(/^[A-Za-z0-9]{16}$/);
  const { key } = await gateway.register();
  const response = await gateway.chat(key, { model: 'up-paid' }, { headers: { 'x-svc-loop': `other,${own}` } });
  expect(response.status).toBe(508);
  expect(response.headers.get('x-should-retry')).toBe('false');
  expect(await response.json()).toMatchObject({ error: { code: 'loop_detected' } });
  const message = await gateway.call('/v1/messages', {
    key,
    headers: { 'x-svc-loop': own },
    body: { model: 'auto:free', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
  });
  expect(message.status).toBe(508);
  expect(await message.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  expect((await gateway.get('/api/usage', key)).data).toEqual([]);
});

test('gateways before us stay in the list, rubbish does not', async () => {
  const own = await hopOf();
  expect(await hopOf({ 'x-svc-loop': 'gateway-a, gateway-b' })).toBe(`gateway-a,gateway-b,${own}`);
  expect(await hopOf({ 'x-svc-loop': `a b,${'x'.repeat(80)},<script>` })).toBe(own);
  const long = Array.from({ length: 40 }, (_, n) => `hop${n}`).join(',');
  expect((await hopOf({ 'x-svc-loop': long })).split(',')).toHaveLength(10);
});

test('a channel that points at its own gateway fails at once, not in a storm', async () => {
  const other = await startTestGateway();
  const { key } = await other.register();
  await other.apply((doc) => ({
    ...doc,
    channels: [...doc.channels, openaiChannel('self', `${other.url}/v1`, { api_key: key })],
    models: [...doc.models, upModel('circle', { price: 'free', routes: [{ channel: 'self', model: 'circle' }] })],
  }));
  const response = await other.chat(key, { model: 'circle' });
  expect(response.status).toBe(502);
  expect((await other.get('/api/usage', key)).data).toHaveLength(1);
  await other.stop();
});
