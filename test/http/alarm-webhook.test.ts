// ALARM_WEBHOOK_URL: an alarm is called where the operator wants it, and a webhook that is away hurts nobody; the log
// says what did not take an alarm, and why.

import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { systemRandom } from '../../src/kit/random.ts';
import { webhookSecretOf } from '../../src/kit/webhook-signature.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { errorScript } from '../support/openai-chat.ts';

let gateway: TestGateway;
let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await gateway.stop();
  await server?.stop(true);
  server = undefined;
});

async function startWith(env: Record<string, string>, clock?: ManualClock): Promise<void> {
  gateway = await startTestGateway({ env, ...(clock ? { clock } : {}) });
  gateway.upstream.otherwise(errorScript(401, { message: 'no such key' }));
}

async function callModel(): Promise<Response> {
  const account = await gateway.register();
  return gateway.chat(account.key, { model: 'up-paid' });
}

async function raiseAlarm(url: string, clock?: ManualClock): Promise<Response> {
  await startWith({ ALARM_WEBHOOK_URL: url }, clock);
  return callModel();
}

const told = () => gateway.log.lines().filter(({ event }) => event === 'alarm_not_delivered');

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
    severity: 'critical',
    model: 'up-paid',
    request_id: response.headers.get('x-request-id') ?? '',
  });
});

test('with a secret, an alarm is signed as a webhook is', async () => {
  const calls: { body: string; headers: Record<string, string> }[] = [];
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      calls.push({ body: await request.text(), headers: Object.fromEntries(request.headers) });
      return new Response();
    },
  });
  const secret = webhookSecretOf(systemRandom.bytes(32));
  await startWith({ ALARM_WEBHOOK_URL: `http://127.0.0.1:${server.port}/`, ALARM_WEBHOOK_SECRET: secret });
  await callModel();
  const { body, headers } = await eventually('the webhook is called', () => calls[0]);
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ alarm: 'upstream_refused_our_key' });
  expect(headers['webhook-id']).toStartWith('alm_');
});

test.each([500, 404, 302])('a webhook that answers %d is one line in the log', async (status) => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(null, { status, headers: { location: '/' } }),
  });
  await raiseAlarm(`http://127.0.0.1:${server.port}/alarms`);
  await eventually('the log says so', () => told().length > 0);
  const detail = `webhook: it answered ${status}`;
  expect(told()).toMatchObject([{ level: 'warn', code: 'upstream_refused_our_key', detail }]);
});

test('a webhook that never answers is one line in the log, after five seconds', async () => {
  const clock = createManualClock();
  let called = 0;
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      called++;
      return new Promise(() => {});
    },
  });
  await raiseAlarm(`http://127.0.0.1:${server.port}/alarms`, clock);
  await eventually('the webhook is called', () => called > 0);
  expect(told()).toEqual([]);
  await clock.advance(5_000);
  await eventually('the log says so', () => told().length > 0);
  expect(told()).toMatchObject([{ detail: 'webhook: no answer within 5 s' }]);
});

test('a webhook that is away is one line in the log', async () => {
  expect((await raiseAlarm('http://127.0.0.1:9/')).status).toBe(502);
  await eventually('the log says so', () => told().length > 0);
  expect(told()).toMatchObject([{ detail: 'webhook: it could not be reached' }]);
});

test('a database that does not take an alarm is named in the log', async () => {
  await startWith({});
  const db = new Database(gateway.databaseFile, { readwrite: true });
  db.run('PRAGMA busy_timeout = 5000');
  db.run("CREATE TRIGGER full BEFORE INSERT ON alarms BEGIN SELECT RAISE(ABORT, 'full'); END");
  db.close();
  await callModel();
  await eventually('the log says so', () => told().length > 0);
  expect(told()).toMatchObject([{ level: 'warn', code: 'upstream_refused_our_key', detail: 'database' }]);
});
