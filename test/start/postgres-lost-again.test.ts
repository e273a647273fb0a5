// A database that comes while a gateway waits for it, and goes away again before the start is over.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '../support/eventually.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { createWorkplace, logged, type Workplace } from '../support/start-process.ts';

const SECRETS_PEPPER = 'a pepper for every node';
const START_MS = 15_000;

let postgres: TestPostgres;
let place: Workplace;
/** Between gateway and database: so many more connections are let through. */
let door: { left: number; server: Server; open: Set<Socket> };

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  place = createWorkplace();
  const open = new Set<Socket>();
  const server = createServer((outside) => {
    outside.on('error', () => {});
    if (door.left-- <= 0) return void outside.destroy();
    const inside = connect(postgres.port, '127.0.0.1');
    inside.on('error', () => outside.destroy());
    outside.pipe(inside).pipe(outside);
    outside.on('close', () => inside.destroy());
    inside.on('close', () => outside.destroy());
    open.add(outside);
  });
  door = { left: 0, server, open };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await place.remove();
  for (const socket of door.open) socket.destroy();
  door.server.close();
});

function throughDoor(url: string): string {
  const address = door.server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return url.replace(/:\d+\//, `:${port}/`);
}

test('is waited for once more', async () => {
  const { url } = await postgres.createDatabase({ empty: true });
  const server = await place.begin({ DATABASE_URL: throughDoor(url), SECRETS_PEPPER });
  await eventually('it waits', () => logged(server, 'store_awaited').length === 1, START_MS);
  // Enough for the schema, and for nothing else.
  door.left = 1;
  await eventually('it waits again', () => logged(server, 'store_awaited').length > 1, START_MS);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  door.left = Number.POSITIVE_INFINITY;
  await eventually('it serves', () => logged(server, 'serving').length === 1, START_MS);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
});

test('what a late start has to tell stands among the alarms', async () => {
  const database = await postgres.createDatabase({ empty: true });
  const env = { DATABASE_URL: throughDoor(database.url), SECRETS_PEPPER };
  door.left = Number.POSITIVE_INFINITY;
  const before = await place.serve(env);
  before.signal('SIGTERM');
  await before.ended;
  door.left = 0;
  const server = await place.begin({ ...env, GATEWAY_CONFIG: place.write('bad.yaml', 'channels: 3\n') });
  await eventually('it waits', () => logged(server, 'store_awaited').length === 1, START_MS);
  door.left = Number.POSITIVE_INFINITY;
  await eventually('it serves', () => logged(server, 'serving').length === 1, START_MS);
  await eventually('the alarm', async () => (await database.sql('SELECT name FROM alarms')).length === 1);
  expect(await database.sql('SELECT name FROM alarms')).toEqual([{ name: 'config_rejected' }]);
});
