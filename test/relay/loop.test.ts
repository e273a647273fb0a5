// A channel that leads back to the gateway itself, directly or through another gateway: refused the first time round.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
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

describe('a channel that points at its own gateway', () => {
  let other: TestGateway;
  let key: string;
  beforeAll(async () => {
    other = await startTestGateway();
    key = (await other.register()).key;
    const self = { channel: 'self', model: 'circle' };
    await other.apply((doc) => ({
      ...doc,
      channels: [
        ...doc.channels,
        openaiChannel('self', `${other.url}/v1`, { api_key: key }),
        { name: 'own-messages', kind: 'anthropic', base_url: other.url, api_key: key },
      ],
      models: [
        ...doc.models,
        upModel('circle', { price: 'free', routes: [self] }),
        upModel('way-out', {
          price: 'free',
          routes: [self, { channel: 'up', model: 'scripted-2026-01', priority: 2 }],
        }),
        upModel('messages-circle', { price: 'free', routes: [{ channel: 'own-messages', model: 'messages-circle' }] }),
      ],
    }));
  });
  afterAll(() => other.stop());

  const receiptOf = (response: Response) => other.get(`/api/receipts/${response.headers.get('x-request-id')}`, key);
  const alarmsOf = (response: Response) => {
    const id = response.headers.get('x-request-id');
    return other.log.alarms('upstream_route_missing').filter(({ request_id }) => request_id === id);
  };

  test('is tried once, and the error is not retryable', async () => {
    const response = await other.chat(key, { model: 'circle' });
    expect(response.status).toBe(508);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await response.json()).toMatchObject({ error: { code: 'loop_detected' } });
    const { data } = await other.get('/api/usage', key);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ status: 'loop_detected', cost_nano: '0' });
    const { attempts } = await receiptOf(response);
    expect(attempts).toMatchObject([{ channel: 'self', outcome: 'looped' }]);
    expect(alarmsOf(response)).toMatchObject([{ channel: 'self', model: 'circle' }]);
  });

  test('in the Anthropic format, too', async () => {
    const response = await other.call('/v1/messages', {
      key,
      body: { model: 'messages-circle', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(response.status).toBe(508);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'api_error', code: 'loop_detected' } });
    expect(alarmsOf(response)).toHaveLength(1);
  });

  test('does not keep another channel from serving', async () => {
    other.upstream.next(chatAnswer());
    const response = await other.chat(key, { model: 'way-out' });
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'up']);
    const { attempts } = await receiptOf(response);
    expect(attempts).toMatchObject([
      { channel: 'self', outcome: 'looped' },
      { channel: 'up', outcome: 'ok' },
    ]);
    expect(alarmsOf(response)).toHaveLength(1);
  });

  test('is not reported where another channel failed for a temporary reason', async () => {
    other.upstream.otherwise(errorScript(500, { message: 'no' }));
    const response = await other.chat(key, { model: 'way-out' });
    other.upstream.reset();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_failed' } });
  });
});

test('another status 508 is a failure as any other', async () => {
  const { key } = await gateway.register();
  gateway.upstream.reset();
  gateway.upstream.next(errorScript(508, { message: 'no' }));
  gateway.upstream.next(chatAnswer());
  const response = await gateway.chat(key, { model: 'up-paid' });
  expect(response.status).toBe(200);
  expect(gateway.log.alarms('upstream_route_missing')).toEqual([]);
});
