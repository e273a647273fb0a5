// ALARM_WEBHOOK_URL: an alarm is called where the operator wants it, and a webhook that is away hurts nobody.

import { afterEach, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { errorScript } from '../support/openai-chat.ts';

let gateway: TestGateway;
let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await gateway.stop();
  await server?.stop(true);
  server = undefined;
});

async function raiseAlarm(url: string): Promise<Response> {
  gateway = await startTestGateway({ env: { ALARM_WEBHOOK_URL: url } });
  gateway.upstream.otherwise(errorScript(401, { message: 'no such key' }));
  const account = await gateway.register();
  return gateway.chat(account.key, { model: 'up-paid' });
}

test('an alarm is one POST with its name and its fields', async () => {
  const calls: { method: string; body: Record<string, unknown> }[] = [];
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      calls.push({ method: request.method, body: (await request.json()) as Record<string, unknown> });
      return new Response();
    },
  });
  const response = await raiseAlarm(`http://127.0.0.1:${server.port}/alarms`);
  expect(response.status).toBe(502);
  await eventually('the webhook is called', () => calls.length > 0);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.method).toBe('POST');
  expect(calls[0]?.body).toMatchObject({
    alarm: 'upstream_refused_our_key',
    model: 'up-paid',
    request_id: response.headers.get('x-request-id') ?? '',
  });
});

test.each([500, 404, 302])('a webhook that answers %d is one line in the log', async (status) => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(null, { status, headers: { location: '/' } }),
  });
  await raiseAlarm(`http://127.0.0.1:${server.port}/alarms`);
  const told = () => gateway.log.lines().filter(({ event }) => event === 'alarm_not_delivered');
  await eventually('the log says so', () => told().length > 0);
  expect(told()).toMatchObject([{ level: 'warn', code: 'upstream_refused_our_key' }]);
});

test('a webhook that is away is one line in the log', async () => {
  expect((await raiseAlarm('http://127.0.0.1:9/')).status).toBe(502);
  await eventually('the log says so', () => gateway.log.lines().some(({ event }) => event === 'alarm_not_delivered'));
});
