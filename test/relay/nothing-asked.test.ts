// max_tokens 0 warms a vendor's prompt cache. Where the upstream has none of that kind, there is nothing to ask it.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { parseSse } from '../support/sse.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const ask = (stream: boolean) =>
  gateway.call('/v1/messages', {
    key: account.key,
    body: { model: 'up-paid', max_tokens: 0, stream, messages: [{ role: 'user', content: 'Hi' }] },
  });

const moneyOf = ({ headers }: Response) => [headers.get('x-svc-cost-ntd'), headers.get('x-svc-balance-ntd')];

test('is answered here, with nothing, for nothing', async () => {
  const response = await ask(false);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-svc-channel')).toBe('gateway');
  expect(response.headers.get('anthropic-ratelimit-requests-limit')).not.toBeNull();
  expect(moneyOf(response)).toEqual(['0', '1']);
  expect(await response.json()).toMatchObject({
    type: 'message',
    model: 'up-paid',
    content: [],
    stop_reason: 'max_tokens',
    usage: { input_tokens: 0, output_tokens: 0 },
  });
});

test('as a stream too', async () => {
  const response = await ask(true);
  expect(moneyOf(response)).toEqual([null, null]);
  const events = parseSse(await response.text());
  expect(events.map(({ event }) => event)).toEqual(['message_start', 'message_delta', 'message_stop']);
  expect(events[1]?.json).toMatchObject({
    delta: { stop_reason: 'max_tokens' },
    usage: { output_tokens: 0, cost_nano: '0' },
  });
});

test('leaves no trace', async () => {
  expect(gateway.upstream.requests).toHaveLength(0);
  expect((await gateway.get('/api/usage', account.key)).data).toEqual([]);
  expect((await gateway.get('/api/me', account.key)).balance_nano).toBe('1000000000');
});
