// PROCESSES: several processes of one gateway on one port, with one PostgreSQL behind them.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { isProcessAlive } from '../../../src/server/processes/processes.ts';
import type { Answer } from '../../support/answer.ts';
import { childProcesses } from '../../support/child-processes.ts';
import { createGate, eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { chatAnswer, chatStream } from '../../support/openai-chat.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../../support/postgres.ts';
import { readScrape, type Scrape } from '../../support/prometheus.ts';
import { countOf, race } from '../../support/race.ts';
import { parseSse, textOf } from '../../support/sse.ts';
import { createWorkplace, logged, type RunningServer, type Workplace } from '../../support/start-process.ts';
import { testDocument, upModel } from '../../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../../support/upstream.ts';

const TOKEN = 'a-token-of-the-operator';
const FREE_PER_MINUTE = 25;
/** A drain may wait two seconds for connections that are only kept, and the machine may be busy. */
const WITHIN_MS = 90_000;

/** Processes are started, on a machine that may be busy. */
setDefaultTimeout(120_000);
const STREAM = (chatStream().body ?? []) as string[];

let postgres: TestDatabases;
let upstream: ScriptedUpstream;
let database: TestDatabase;
let place: Workplace;
let server: RunningServer;

beforeAll(async () => {
  postgres = await sharePostgres();
  upstream = await startUpstream();
});
afterAll(async () => {
  await upstream.close();
  await postgres.stop();
});
beforeEach(async () => {
  database = await postgres.createDatabase({ empty: true });
  place = createWorkplace();
  upstream.reset();
  upstream.otherwise(chatAnswer());
});
afterEach(async () => {
  await place.remove();
  await database.drop();
});

const environment = () => ({
  PROCESSES: '2',
  DATABASE_URL: database.url,
  SECRETS_PEPPER: 'a pepper for every process',
  ADMIN_TOKEN: TOKEN,
});

const document = () => {
  const { limits, guards, ...standard } = testDocument(upstream.baseUrl);
  return {
    ...standard,
    limits: { ...limits, free_per_minute: FREE_PER_MINUTE },
    guards: { ...guards, free_in_flight: null },
  };
};

async function serveTwo(): Promise<void> {
  place.write('gateway.yaml', document());
  server = await place.serve(environment());
  await servingLines(2);
}

const servingLines = (count: number) =>
  eventually(`${count} have served`, () => logged(server, 'serving').length === count, WITHIN_MS);

async function register(): Promise<string> {
  const response = await fetch(`${server.url}/api/agent/register`, { method: 'POST', keepalive: false });
  return ((await response.json()) as Answer).api_key;
}

const call = (key: string, model: string, rest: Record<string, unknown> = {}) => ({
  port: Number(new URL(server.url).port),
  path: '/v1/chat/completions',
  key,
  body: { model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], ...rest },
});

/** The figures of every process that has served, in the order in which they began. */
const scrapes = (): Promise<Scrape[]> =>
  Promise.all(
    logged(server, 'operator_serving').map(async ({ url }) => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
      return readScrape(await response.text());
    }),
  );

const answeredBy = async (model: string) =>
  (await scrapes()).map((scrape) => scrape.sum('gateway_requests_total', { model, outcome: 'ok' }));

const sumOf = (figures: readonly number[]) => figures.reduce((sum, one) => sum + one, 0);

/** A stream that waits in the middle until the test lets it go on. */
async function openStream(key: string) {
  const gate = createGate();
  upstream.next({ ...chatStream(), body: [...STREAM.slice(0, 2), gate.opened, ...STREAM.slice(2)] });
  const { path, body } = call(key, 'up-paid', { stream: true });
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  const [hold] = await database.sql<{ pid: bigint }>('SELECT pid FROM holds JOIN leases USING (node_id)');
  return { gate, pid: Number(hold?.pid), text: response.text() };
}

const pids = () => childProcesses(server.pid);

const revisions = async () => Number((await database.sql('SELECT count(*) AS n FROM revisions'))[0]?.n);

test('two share the port, the database and the limits; a reload reaches both', async () => {
  await serveTwo();
  expect(new Set(logged(server, 'serving').map(({ node_id }) => node_id)).size).toBe(2);
  expect(await revisions()).toBe(1);
  const key = await register();

  const paid = await race(Array.from({ length: 30 }, () => call(key, 'up-paid')));
  expect(countOf(paid, 200)).toBe(30);
  const answered = await answeredBy('up-paid');
  expect(answered).toHaveLength(2);
  expect(Math.min(...answered)).toBeGreaterThan(0);
  expect(sumOf(answered)).toBe(30);

  const free = await race(Array.from({ length: 60 }, () => call(key, 'up-free')));
  expect(countOf(free, 200)).toBe(FREE_PER_MINUTE);
  expect(countOf(free, 429)).toBe(60 - FREE_PER_MINUTE);
  const admitted = await answeredBy('up-free');
  expect(sumOf(admitted)).toBe(FREE_PER_MINUTE);
  // One process may have been the first for all of them; the other then had refusals to tell.
  const refused = (await scrapes()).map((scrape) => scrape.sum('gateway_limits_hit_total'));
  expect(sumOf(refused)).toBe(60 - FREE_PER_MINUTE);
  expect(Math.min(...admitted.map((count, index) => count + (refused[index] ?? 0)))).toBeGreaterThan(0);
  const told = () => logged(server, 'request').length;
  await eventually('every call is told', () => told() >= 30 + FREE_PER_MINUTE, WITHIN_MS);
  expect(told()).toBe(30 + FREE_PER_MINUTE);

  const { models, ...rest } = document();
  place.write('gateway.yaml', { ...rest, models: [...models, upModel('up-new', { price: 'free' })] });
  server.signal('SIGHUP');
  const haveIt = async () => (await scrapes()).every((scrape) => scrape.value('gateway_catalog_revision') === 2);
  await eventually('both have the new revision', haveIt, WITHIN_MS);
  expect(await revisions()).toBe(2);

  const other = createWorkplace();
  try {
    const { port } = new URL(server.url);
    const second = await other.failToServe({ ...environment(), PORT: port });
    expect([second.exitCode, second.stderr]).toEqual([
      1,
      `cannot start: cannot listen on 127.0.0.1:${port}: the port is in use; set PORT to another one\n`,
    ]);
  } finally {
    await other.remove();
  }
});

test('SIGTERM drains both, and a stream ends completely', async () => {
  await serveTwo();
  const children = pids();
  expect(children).toHaveLength(2);
  const { gate, text } = await openStream(await register());
  server.signal('SIGTERM');
  await eventually('both drain', () => logged(server, 'draining').length === 2, WITHIN_MS);
  await eventually('one has ended', () => logged(server, 'stopped').length === 1, WITHIN_MS);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  gate.open();
  expect(textOf(parseSse(await text))).toBe('Hello there');
  const { exitCode, stdout, stderr } = await server.ended;
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(logged(server, 'stopped')).toHaveLength(2);
  expect(logged(server, 'process_ended')).toEqual([]);
  for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
  expect(children.filter(isProcessAlive)).toEqual([]);
});

test('one that is killed is replaced, and what it held is released; nothing is charged', async () => {
  await serveTwo();
  const key = await register();
  const { pid, text } = await openStream(key);
  const broken = text.catch(() => 'broken');
  expect(pids()).toContain(pid);
  process.kill(pid, 'SIGKILL');
  await servingLines(3);
  await broken;
  expect(logged(server, 'process_ended')).toMatchObject([{ code: '137', detail: expect.stringContaining(`(${pid})`) }]);
  await eventually('nothing is held', async () => (await database.sql('SELECT * FROM holds')).length === 0, WITHIN_MS);
  const me: Answer = await (await fetch(`${server.url}/api/me`, { headers: { 'x-api-key': key } })).json();
  expect(me).toMatchObject({ balance_ntd: 1, held_ntd: 0 });
  expect(pids()).toHaveLength(2);
  expect(countOf(await race(Array.from({ length: 20 }, () => call(key, 'up-paid'))), 200)).toBe(20);
});

test('one that takes the place of another applies nothing, be the file edited or missing; SIGHUP still does', async () => {
  place.write('gateway.yaml', document());
  server = await place.serve({ ...environment(), GATEWAY_CONFIG: place.path('gateway.yaml') });
  await servingLines(2);
  const { models, ...rest } = document();
  place.write('gateway.yaml', { ...rest, models: [...models, upModel('up-new', { price: 'free' })] });
  const killOne = (index: number) => process.kill(pids().toSorted((one, other) => one - other)[index] ?? 0, 'SIGKILL');
  killOne(0);
  await servingLines(3);
  killOne(0);
  await servingLines(4);
  rmSync(place.path('gateway.yaml'));
  killOne(0);
  await servingLines(5);
  expect(await revisions()).toBe(1);
  // On a busy machine one may also give up at its start, and is replaced.
  expect(logged(server, 'process_ended').filter(({ code }) => code === '137')).toHaveLength(3);

  place.write('gateway.yaml', { ...rest, models: [...models, upModel('up-new', { price: 'free' })] });
  server.signal('SIGHUP');
  await eventually('the file is applied', async () => (await revisions()) === 2, WITHIN_MS);
});

test('a log on a full disk keeps none of them from serving, nor from its end', async () => {
  place.write('gateway.yaml', document());
  server = await place.serveInto('/dev/full', environment());
  await eventually('two run', () => pids().length === 2, WITHIN_MS);
  const key = await register();
  expect(countOf(await race(Array.from({ length: 20 }, () => call(key, 'up-paid'))), 200)).toBe(20);
  server.signal('SIGTERM');
  const { exitCode, stderr } = await server.ended;
  expect([exitCode, stderr]).toEqual([0, '']);
});

test('if the one that started them is killed, they drain by themselves', async () => {
  await serveTwo();
  const children = pids();
  const { gate, pid, text } = await openStream(await register());
  server.signal('SIGKILL');
  const gone = (one: number) => !isProcessAlive(one);
  await eventually('the idle one ends', () => children.filter(gone).length === 1, WITHIN_MS);
  expect(gone(pid)).toBe(false);
  gate.open();
  expect(textOf(parseSse(await text))).toBe('Hello there');
  await eventually('all have ended', () => children.every(gone), WITHIN_MS);
  expect(await database.sql('SELECT * FROM holds')).toEqual([]);
});

/** A port that is in use, with a free one before it. */
async function occupyOneAfterFree() {
  for (;;) {
    const before = await freePort();
    try {
      return { busy: Bun.serve({ port: before + 1, hostname: '127.0.0.1', fetch: () => new Response() }), before };
    } catch {
      // Somebody else has it.
    }
  }
}

describe('a start that cannot succeed ends with one line and code 1', () => {
  test('a port of any of them is in use: nothing is started', async () => {
    const { busy, before } = await occupyOneAfterFree();
    try {
      for (const first of [busy.port, before]) {
        const ended = await place.failToServe({ ...environment(), ADMIN_PORT: String(first) });
        expect(ended).toEqual({
          exitCode: 1,
          stdout: '',
          stderr: `cannot start: cannot listen on 127.0.0.1:${busy.port}: the port is in use; set ADMIN_PORT to another one\n`,
        });
      }
    } finally {
      await busy.stop(true);
    }
  });

  test('the catalog file is refused: the first ends all', async () => {
    place.write('gateway.yaml', { ...document(), models: [] });
    const ended = await place.failToServe(environment());
    expect([ended.exitCode, ended.stderr.split('\n')[0]]).toEqual([
      1,
      `cannot start: ${place.path('gateway.yaml')} is refused:`,
    ]);
    expect(logged({ stdout: () => ended.stdout }, 'serving')).toEqual([]);
  });

  test('there is no PostgreSQL to share', async () => {
    const ended = await place.failToServe({ PROCESSES: '2' });
    expect([ended.exitCode, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toMatch(/^cannot start: PROCESSES above 1 needs DATABASE_URL: [^\n]+PostgreSQL\n$/);
  });
});
