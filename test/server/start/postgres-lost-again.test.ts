// A database that comes while a gateway waits for it, and goes away again before the start is over.

import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../../support/eventually.ts';
import { sharePostgres, type TestDatabases } from '../../support/postgres.ts';
import { createWorkplace, logged, type Workplace } from '../../support/start-process.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

const SECRETS_PEPPER = 'a pepper for every node';
const START_MS = 90_000;

/** Processes are started, on a machine that may be busy. */
setDefaultTimeout(120_000);

let postgres: TestDatabases;
let place: Workplace;
let proxy: TcpProxy;

beforeAll(async () => {
  postgres = await sharePostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  place = createWorkplace();
  proxy = await startTcpProxy(postgres.port);
});
afterEach(async () => {
  await place.remove();
  await proxy.close();
});

const throughProxy = (url: string) => url.replace(/:\d+\//, `:${proxy.port}/`);

test('is waited for once more', async () => {
  const { url } = await postgres.createDatabase({ empty: true });
  proxy.admit(0);
  const server = await place.begin({ DATABASE_URL: throughProxy(url), SECRETS_PEPPER });
  await eventually('it waits', () => logged(server, 'store_awaited').length === 1, START_MS);
  // Enough for the schema, and for nothing else.
  proxy.admit(1);
  await eventually('it waits again', () => logged(server, 'store_awaited').length > 1, START_MS);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  proxy.admit(Number.POSITIVE_INFINITY);
  await eventually('it serves', () => logged(server, 'serving').length === 1, START_MS);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
});

test('what a late start has to tell stands among the alarms', async () => {
  const database = await postgres.createDatabase({ empty: true });
  const env = { DATABASE_URL: throughProxy(database.url), SECRETS_PEPPER };
  const before = await place.serve(env);
  before.signal('SIGTERM');
  await before.ended;
  proxy.admit(0);
  const server = await place.begin({ ...env, GATEWAY_CONFIG: place.write('bad.yaml', 'channels: 3\n') });
  await eventually('it waits', () => logged(server, 'store_awaited').length === 1, START_MS);
  proxy.admit(Number.POSITIVE_INFINITY);
  await eventually('it serves', () => logged(server, 'serving').length === 1, START_MS);
  await eventually('the alarm', async () => (await database.sql('SELECT name FROM alarms')).length === 1);
  expect(await database.sql('SELECT name FROM alarms')).toEqual([{ name: 'config_rejected' }]);
});
