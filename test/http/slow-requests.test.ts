// Clients whose body comes slowly, to keep a connection busy: they are told so. And clients that never finish: they are no
// failure of ours.

import { afterEach, describe, expect, test } from 'bun:test';
import { dial as dialPort, type Line } from '../support/dial.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { operatorOf } from '../support/operator.ts';

const BODY = '{"model":"auto:free","messages":[{"role":"user","content":"x"}]}';
const BODY_MS = 30_000;
let gateway: TestGateway;
const lines = new Set<Line>();
afterEach(async () => {
  for (const line of lines) line.hangUp();
  lines.clear();
  await gateway.stop();
});

async function dial(port = gateway.port): Promise<Line> {
  const line = await dialPort(port);
  lines.add(line);
  return line;
}

async function open(path: string, key: string | undefined, framing: string): Promise<Line> {
  const line = await dial();
  const auth = key === undefined ? '' : `authorization: Bearer ${key}\r\n`;
  line.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${auth}${framing}\r\n\r\n`);
  return line;
}

describe('bodies that trickle', () => {
  const waiting = (clock: { pending(): number }, timers: number) =>
    eventually('the body to be waited for', () => clock.pending() > timers);

  const routes: [path: string, framing: string, piece: string][] = [
    ['/v1/chat/completions', `content-length: ${BODY.length}`, BODY.slice(0, 10)],
    ['/v1/chat/completions', 'transfer-encoding: chunked', '3\r\n{"m\r\n'],
    ['/v1/messages', `content-length: ${BODY.length}`, '{'],
    ['/api/redeem', 'content-length: 20', '{'],
    ['/api/agent/register', 'content-length: 20', '{'],
    ['/api/keys', 'content-length: 20', ''],
  ];
  test.each(routes)(
    '%s with %s: 408 after 30 s, in the shape of the path, and nothing has happened',
    async (path, framing, piece) => {
      const clock = createManualClock();
      gateway = await startTestGateway({ clock });
      const { key } = await gateway.register();
      const timers = clock.pending();
      const line = await open(path, path.includes('register') ? undefined : key, framing);
      line.write(piece);
      await waiting(clock, timers);
      await clock.advance(BODY_MS - 1);
      expect(line.text()).toBe('');
      await clock.advance(1);
      await eventually('an answer', () => line.text().endsWith('}'));
      expect(line.text()).toStartWith('HTTP/1.1 408');
      // What is still to come of the body is not taken for another request.
      expect(line.text().toLowerCase()).toContain('\r\nconnection: close\r\n');
      await eventually('the line to be closed', () => line.isClosed());
      const body = JSON.parse(line.text().split('\r\n\r\n')[1] ?? '');
      expect(body.error).toMatchObject({ code: 'request_timeout', type: 'invalid_request_error' });
      expect(body.type).toBe(path === '/v1/messages' ? 'error' : undefined);
      expect((await gateway.get('/api/usage', key)).data).toEqual([]);
      expect(gateway.sql('SELECT 1 FROM accounts')).toHaveLength(1);
    },
  );

  test('the time is for the whole body: a byte now and then wins nothing', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const { key } = await gateway.register();
    const timers = clock.pending();
    const line = await open('/v1/chat/completions', key, `content-length: ${BODY.length}`);
    await waiting(clock, timers);
    for (const byte of BODY.slice(0, 29)) {
      line.write(byte);
      await clock.advance(1_000);
    }
    expect(line.text()).toBe('');
    await clock.advance(1_000);
    await eventually('an answer', () => line.text().startsWith('HTTP/1.1 408'));
  });

  test('a body that is whole in time is served', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const { key } = await gateway.register();
    const timers = clock.pending();
    const line = await open('/api/keys', key, 'content-length: 15');
    await waiting(clock, timers);
    line.write('{"name"');
    await clock.advance(BODY_MS - 1);
    line.write(':"slow"}');
    await eventually('an answer', () => line.text().startsWith('HTTP/1.1 201'));
  });
});

describe('bodies that are on their way when the gateway is told to stop', () => {
  const DRAIN_MS = 120_000;

  async function sendSlowly(line: Line, head: string, body: string, clock: ManualClock): Promise<string> {
    const timers = clock.pending();
    line.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 1)}`);
    await eventually('the body to be waited for', () => clock.pending() > timers);
    let hasEnded = false;
    const draining = gateway.gateway.drain(DRAIN_MS).then(() => {
      hasEnded = true;
    });
    await clock.advance(BODY_MS / 2);
    expect(hasEnded).toBe(false);
    expect((await gateway.call('/readyz')).status).toBe(503);
    line.write(body.slice(1));
    await eventually('an answer', () => line.text() !== '');
    await eventually('the end', async () => {
      await clock.advance(1_000);
      return hasEnded;
    });
    await draining;
    return line.text();
  }

  const routes: [path: string, body: string, status: number][] = [
    ['/v1/chat/completions', BODY, 200],
    ['/v1/messages/count_tokens', BODY, 200],
    ['/api/agent/register', '{}', 201],
    ['/api/keys', '{"name":"slow"}', 201],
  ];
  test.each(routes)('%s is waited for and answered', async (path, body, status) => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const { key } = await gateway.register();
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}`;
    expect(await sendSlowly(await dial(), head, body, clock)).toStartWith(`HTTP/1.1 ${status}`);
    expect(gateway.audit()).toEqual([]);
  });

  test('so it is on the operator’s port', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const { token } = operatorOf(gateway);
    const line = await dial(Number(new URL(gateway.gateway.adminUrl).port));
    const head = `POST /api/admin/cards HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}`;
    const answer = await sendSlowly(line, head, '{"amount_ntd":100,"count":1}', clock);
    expect(answer).toStartWith('HTTP/1.1 201');
    expect(gateway.sql('SELECT 1 FROM cards')).toHaveLength(1);
  });

  test('what came later and only reads is not waited for', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    let isOn = true;
    let answered = 0;
    const read = async () => {
      while (isOn) {
        await gateway.get('/api/usage', key);
        answered++;
      }
    };
    const readers = Array.from({ length: 8 }, () => read().catch(() => {}));
    await eventually('all of them to read', () => answered >= 2 * readers.length);
    const since = performance.now();
    await gateway.gateway.drain(20_000);
    expect(performance.now() - since).toBeLessThan(5_000);
    isOn = false;
    await Promise.all(readers);
  });
});

describe('bodies that never end', () => {
  const BROKEN = 'zz\r\n{"model"\r\n';
  const cuts: [what: string, path: string, framing: string, piece: string][] = [
    ['a short one', '/v1/chat/completions', `content-length: ${BODY.length}`, BODY.slice(0, 10)],
    ['a long one', '/v1/messages', 'content-length: 5000000', BODY],
    ['one in chunks', '/v1/responses', 'transfer-encoding: chunked', '3\r\n{"m\r\n'],
    ['one whose chunks are broken', '/v1/chat/completions', 'transfer-encoding: chunked', BROKEN],
    ['one for an account', '/api/redeem', 'content-length: 20', '{'],
    ['a form', '/account/sign-in', 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 20', 'key='],
  ];

  test.each(cuts)('%s: a client that leaves is neither counted nor logged', async (_, path, framing, piece) => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const operator = operatorOf(gateway);
    const { key } = await gateway.register();
    const timers = clock.pending();
    const line = await open(path, key, framing);
    if (piece !== BROKEN) await eventually('the body to be waited for', () => clock.pending() > timers);
    // What has left comes before the end of the connection does.
    await line.write(piece);
    if (piece !== BROKEN) line.hangUp();
    await eventually('the call to be over', () => line.isClosed() && clock.pending() === timers);
    expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
    expect((await operator.scrape()).sum('gateway_faults_total')).toBe(0);
    expect(gateway.log.lines().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('nor is it on the operator’s port', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const { token } = operatorOf(gateway);
    const timers = clock.pending();
    const line = await dial(Number(new URL(gateway.gateway.adminUrl).port));
    line.write(
      `POST /api/admin/cards HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-length: 20\r\n\r\n{`,
    );
    await eventually('the body to be waited for', () => clock.pending() > timers);
    line.hangUp();
    await eventually('the call to be over', () => clock.pending() === timers);
    expect(gateway.log.lines().filter(({ level }) => level === 'error')).toEqual([]);
  });
});
