// S25: the operator's port is another one than the public one, on loopback, and opens to its token alone.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { OPERATOR_ROUTES } from '../../../src/admin/port/route-table.ts';
import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import type { Answer } from '../../support/answer.ts';
import { createGate, eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { type Operator, operatorOf } from '../../support/operator.ts';

let gateway: TestGateway;
let operator: Operator;
let others: TestGateway[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({ env: { HOST: '0.0.0.0' } });
  operator = operatorOf(gateway);
});
afterEach(async () => {
  for (const one of others) await one.stop();
  others = [];
});
afterAll(() => gateway.stop());

async function another(env: Record<string, string>, clock: Clock = systemClock): Promise<TestGateway> {
  const one = await startTestGateway({ env, clock });
  others.push(one);
  return one;
}

/** The number is the usual one, so the address must be another than that of a run beside this one. */
function ownLoopback(): string {
  const [a, b] = crypto.getRandomValues(new Uint8Array(2));
  return `127.1.${a}.${b}`;
}

const metricsWith = (one: TestGateway, token: string | undefined) =>
  fetch(`${one.gateway.adminUrl}/metrics`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

describe('the token', () => {
  test('is 256 random bits that this user alone can read', () => {
    const file = join(gateway.dataDir, 'admin-token');
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  });

  test('given as ADMIN_TOKEN takes the place of the kept one', async () => {
    const one = await another({ ADMIN_TOKEN: 'a token of the operator’s own'.replaceAll(/[^a-z]/g, '-') });
    expect(await Bun.file(join(one.dataDir, 'admin-token')).exists()).toBe(false);
    expect((await metricsWith(one, 'a-token-of-the-operator-s-own')).status).toBe(200);
    expect((await metricsWith(one, operator.token)).status).toBe(401);
  });

  test('that is wrong, empty or missing is refused, and late', async () => {
    const since = performance.now();
    const wrong = [undefined, '', 'wrong', 'x'.repeat(64), 'Bearer', `${operator.token}0`, operator.token.slice(1)];
    const answers = await Promise.all(wrong.map((token) => metricsWith(gateway, token)));
    expect(performance.now() - since).toBeGreaterThan(900);
    for (const response of answers) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toStartWith('Bearer');
      expect(((await response.json()) as Answer).error.code).toBe('invalid_admin_token');
    }
  });

  test('is needed on every path, be there a route or not', async () => {
    const routes = [...OPERATOR_ROUTES, { method: 'GET', path: '/none' }];
    const answers = await Promise.all(
      routes.map(({ method, path }) => fetch(gateway.gateway.adminUrl + path, { method })),
    );
    // More than ten wrong ones are not looked into any more.
    for (const { status, headers } of answers) {
      expect([401, 429]).toContain(status);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('is in no log line, nor is a wrong one', () => {
    for (const text of [operator.token, 'x'.repeat(64)]) expect(gateway.log.text()).not.toContain(text);
  });

  test('after ten wrong ones in a minute the next is refused at once; the right one passes all the same', async () => {
    const clock = createManualClock();
    const one = await another({}, clock);
    const own = operatorOf(one);
    const answered: number[] = [];
    const wrong = Array.from({ length: 10 }, () =>
      metricsWith(one, 'wrong').then(({ status }) => answered.push(status)),
    );
    await eventually('they have waited', async () => {
      await clock.advance(100);
      return answered.length === 10;
    });
    await Promise.all(wrong);
    expect(new Set(answered)).toEqual(new Set([401]));
    // The clock stands still: whoever waited now would wait forever.
    const next = await metricsWith(one, 'wrong');
    expect(next.status).toBe(429);
    expect(Number(next.headers.get('retry-after'))).toBeWithin(1, 61);
    expect((await own.call('/metrics')).status).toBe(200);
  });
});

describe('the port', () => {
  test('is told in the log', () => {
    expect(gateway.log.lines().find(({ event }) => event === 'operator_serving')).toMatchObject({
      url: gateway.gateway.adminUrl,
    });
  });

  test('is on loopback alone, whatever HOST says', () => {
    expect(new URL(gateway.gateway.adminUrl).hostname).toBe('127.0.0.1');
  });

  // Elsewhere than on Linux a machine without a network has no other address.
  const elsewhere = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  const addresses = process.platform === 'linux' ? [ownLoopback(), ...elsewhere] : elsewhere;
  test.skipIf(addresses.length === 0)('is not at another address of the machine, where HOST is', async () => {
    const { port } = new URL(gateway.gateway.adminUrl);
    for (const address of addresses) {
      expect((await fetch(`http://${address}:${gateway.port}/healthz`)).status).toBe(200);
      await expect(fetch(`http://${address}:${port}/metrics`)).rejects.toThrow();
    }
  });

  test('that is named and in use keeps the gateway from starting; nothing stays open', async () => {
    const busy = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const port = String(await freePort());
    try {
      const start = startTestGateway({ env: { ADMIN_PORT: String(busy.port), PORT: port } });
      await expect(start).rejects.toThrow(`127.0.0.1:${busy.port}: the port is in use; set ADMIN_PORT to another one`);
      await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    } finally {
      await busy.stop(true);
    }
  });

  test('not named, two gateways on one machine each have one', async () => {
    const ports = [await another({ ADMIN_PORT: '' }), await another({ ADMIN_PORT: '' })].map(
      (one) => new URL(one.gateway.adminUrl).port,
    );
    expect(new Set(ports).size).toBe(2);
    for (const one of others) expect((await operatorOf(one).call('/metrics')).status).toBe(200);
  });

  // Elsewhere a machine has one loopback address, and somebody may listen there.
  test.skipIf(process.platform !== 'linux')('not named, leaves its usual number to PORT', async () => {
    const one = await another({ HOST: ownLoopback(), PORT: '8788', ADMIN_PORT: '' });
    expect(new URL(one.gateway.adminUrl).port).not.toBe('8788');
  });

  test('answers no other name than a loopback one, token or not', async () => {
    const { port } = new URL(gateway.gateway.adminUrl);
    const host = async (name: string) => (await operator.call('/metrics', { headers: { host: name } })).status;
    expect(await host('evil.example')).toBe(403);
    expect(await host(`localhost.evil.example:${port}`)).toBe(403);
    expect(await host(`localhost:${port}`)).toBe(200);
    expect(await host(`LOCALHOST:${port}`)).toBe(200);
    expect(await host(`127.0.0.1:${port}`)).toBe(200);
    expect(await host(`[::1]:${port}`)).toBe(200);
  });

  test('knows its routes and methods', async () => {
    expect((await operator.call('/none')).status).toBe(404);
    const wrong = await operator.call('/metrics', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
    // What the public port has is not here; the front page is the console's.
    for (const path of ['/healthz', '/v1/models', '/api/public/status', '/account']) {
      expect((await operator.call(path)).status).toBe(404);
    }
  });
});

test('nothing of it is on the public port, with the token or without', async () => {
  expect(await (await gateway.call('/openapi.json')).text()).not.toContain('/api/admin');
  // The public port has a description of its own.
  for (const { path } of OPERATOR_ROUTES.filter((route) => route.path !== '/openapi.json')) {
    for (const headers of [{}, { authorization: `Bearer ${operator.token}` }]) {
      const response = await gateway.call(path, { headers });
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain('gateway_');
    }
  }
});

test('it goes on while the gateway drains, and ends with it', async () => {
  const one = await startTestGateway();
  const { adminUrl } = one.gateway;
  const own = operatorOf(one);
  const { key } = await one.register();
  const gate = createGate();
  one.upstream.otherwise({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const calling = one.chat(key, { model: 'up-paid' });
  await one.upstream.request(0);
  const draining = one.gateway.drain(20_000);
  expect((await own.scrape()).value('gateway_ready')).toBe(0);
  gate.open();
  await draining;
  await calling;
  await expect(fetch(adminUrl)).rejects.toThrow();
  await one.stop();
});
