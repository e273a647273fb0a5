// A gateway that is told to stop: no new work, running work ends whole; what has not ended in time is cut, says so, and
// costs nothing.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fault } from '../../src/faults/fault.ts';
import { faultText } from '../../src/site/fault-text.ts';
import { signedIn } from '../site/site-client.ts';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually, type Gate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';
import { readSse, textOf } from '../support/sse.ts';

const PARTS = (chatStream().body ?? []) as string[];
let gateway: TestGateway;
let account: TestAccount;
let gate: Gate;

beforeEach(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
  gate = createGate();
  const paused = [...PARTS.slice(0, 2), gate.opened, ...PARTS.slice(2)];
  const held = [gate.opened, ...(chatAnswer().body ?? [])];
  gateway.upstream.otherwise(({ json }) =>
    json.stream ? { ...chatStream(), body: paused } : { ...chatAnswer(), body: held },
  );
});
afterEach(async () => {
  gate.open();
  await gateway.stop();
});

const stream = () =>
  gateway.chat(account.key, { model: 'up-paid', stream: true, stream_options: { include_usage: true } });
const rows = (query: string) => gateway.sql<Answer>(query);

describe('while it drains', () => {
  test('it is not ready at once, but alive', async () => {
    const running = await stream();
    const drained = gateway.gateway.drain(10_000);
    const ready = await gateway.call('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ ready: false });
    expect((await gateway.call('/healthz')).status).toBe(200);
    gate.open();
    await running.text();
    await drained;
  });

  test('new work is refused with a wait, and what only informs goes on', async () => {
    const running = await stream();
    const drained = gateway.gateway.drain(10_000);
    const work: [path: string, body: unknown][] = [
      ['/v1/chat/completions', { model: 'auto:free', messages: [{ role: 'user', content: 'x' }] }],
      ['/api/agent/register', {}],
      ['/api/redeem', { code: 'PC-0' }],
      ['/api/keys', {}],
    ];
    for (const [path, body] of work) {
      const refused = await gateway.call(path, { key: account.key, body });
      expect(refused.status, path).toBe(503);
      expect(Number(refused.headers.get('retry-after')), path).toBeGreaterThan(0);
      expect(((await refused.json()) as Answer).error.code, path).toBe('unavailable');
    }
    for (const path of ['/v1/models', '/api/me', '/api/usage', '/api/public/catalog']) {
      expect((await gateway.call(path, { key: account.key })).status, path).toBe(200);
    }
    gate.open();
    await running.text();
    await drained;
    expect(rows('SELECT * FROM accounts')).toHaveLength(1);
  });

  test('pages take no work either; signing out goes on', async () => {
    const client = await signedIn(gateway, account.key);
    const running = await stream();
    const drained = gateway.gateway.drain(10_000);
    const work: [path: string, form: Record<string, string>][] = [
      ['/account/create', {}],
      ['/account/sign-in', { key: account.key }],
      ['/account/keys', { name: 'x', known: '1' }],
      ['/account/redeem', { code: 'PC-0' }],
      ['/account/access', { name: 'somebody', password: 'long enough password' }],
    ];
    for (const [path, form] of work) {
      const refused = await client.post(path, form);
      expect(refused.status, path).toBe(503);
      expect(refused.headers.getSetCookie(), path).toEqual([]);
      expect(await refused.text(), path).toContain(faultText('en', fault('unavailable')));
    }
    const asked = await fetch(`${gateway.url}/account/play`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `session=${client.cookies.get('session')}` },
      body: JSON.stringify({ model: 'auto:free', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(asked.status).toBe(503);
    expect(((await asked.json()) as Answer).error.code).toBe('unavailable');
    expect((await client.get('/account/usage')).status).toBe(200);
    expect((await client.post('/account/sign-out')).status).toBe(303);
    expect((await client.get('/account/usage')).status).toBe(401);
    gate.open();
    await running.text();
    await drained;
    expect(rows('SELECT * FROM accounts')).toHaveLength(1);
    expect(rows('SELECT * FROM keys')).toHaveLength(1);
  });

  test('the running stream and the running call end whole and are paid', async () => {
    const running = await stream();
    const whole = gateway.chat(account.key, { model: 'up-paid' });
    await gateway.upstream.request(1);
    const drained = gateway.gateway.drain(10_000);
    gate.open();
    const events = await readSse(running);
    expect(textOf(events)).toBe('Hello there');
    expect(events.at(-2)?.json.usage.cost_nano).toBe('390861');
    expect(events.at(-1)?.data).toBe('[DONE]');
    expect((await whole).status).toBe(200);
    await drained;
    expect(rows('SELECT status, cost_nano FROM usage_records')).toEqual([
      { status: 'ok', cost_nano: 390_861n },
      { status: 'ok', cost_nano: 390_861n },
    ]);
    expect(rows('SELECT * FROM holds')).toEqual([]);
    expect(gateway.audit()).toEqual([]);
  });

  test('afterwards the port is closed', async () => {
    await gateway.gateway.drain(1_000);
    await expect(gateway.call('/healthz')).rejects.toThrow();
    expect(gateway.log.lines().at(-1)?.event).toBe('stopped');
  });
});

describe('when the time runs out', () => {
  test('a stream is cut with an error in it, and costs nothing', async () => {
    const running = await stream();
    const reading = readSse(running);
    await gateway.gateway.drain(50);
    const events = await reading;
    expect(textOf(events)).toBe('Hello');
    expect(events.at(-1)?.json.error).toMatchObject({ code: 'unavailable', type: 'server_error' });
    const seen = await gateway.upstream.request(0);
    await eventually('the upstream to be left', () => seen.abortedAt);
    expect(rows('SELECT status, cost_nano, channel FROM usage_records')).toEqual([
      { status: 'unavailable', cost_nano: 0n, channel: 'up' },
    ]);
    expect(rows('SELECT balance_nano, held_nano FROM wallets')).toEqual([
      { balance_nano: 1_000_000_000n, held_nano: 0n },
    ]);
    expect(gateway.audit()).toEqual([]);
  });

  test('a call without a first byte is a 503, and costs nothing', async () => {
    const running = gateway.chat(account.key, { model: 'up-paid' });
    await gateway.upstream.request(0);
    const drained = gateway.gateway.drain(50);
    const response = await running;
    expect(response.status).toBe(503);
    expect(((await response.json()) as Answer).error.code).toBe('unavailable');
    await drained;
    expect(rows('SELECT status, cost_nano FROM usage_records')).toEqual([{ status: 'unavailable', cost_nano: 0n }]);
    expect(rows('SELECT * FROM holds')).toEqual([]);
  });

  test('a free call gets its slot back', async () => {
    const running = await gateway.chat(account.key, { model: 'up-free', stream: true });
    const reading = readSse(running);
    await gateway.gateway.drain(20);
    await reading;
    const [window] = rows(`SELECT slots, day_count FROM windows WHERE window_id = 'free:${account.accountId}'`);
    expect(window).toEqual({ slots: '[]', day_count: 0n });
  });

  test('many streams all get the error and are all released', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => untilHeard(stream)));
    const reading = Promise.all(responses.map((response) => readSse(response)));
    await gateway.gateway.drain(20);
    for (const events of await reading) expect(events.at(-1)?.json?.error?.code).toBe('unavailable');
    expect(rows('SELECT * FROM holds')).toEqual([]);
    expect(rows('SELECT DISTINCT status, cost_nano FROM usage_records')).toEqual([
      { status: 'unavailable', cost_nano: 0n },
    ]);
    expect(gateway.audit()).toEqual([]);
  });
});
