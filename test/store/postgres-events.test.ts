// Events on PostgreSQL: numbered in the order of commits, whichever node commits, also if nodes are killed.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { EVENTS_LOCK } from '../../src/store/postgres/writer.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { checkKills } from './events/check-kills.ts';
import { createAccount, registration } from './suite/samples.ts';

let server: TestDatabases;
let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  server = await sharePostgres();
  database = await server.createDatabase();
  store = await openPostgresStore({ url: database.url, clock: systemClock });
});
afterAll(async () => {
  await store.close();
  await server.stop();
});

test('an event is not there before those with a lower number', async () => {
  const { accountId } = await createAccount(store);
  const { newestEvent } = await store.read.pulse();
  const numbers = async () => (await store.read.eventsSince(newestEvent, 10)).map(({ eventId }) => eventId);
  const isAwaited = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  // As another node does, whose commit is slow.
  await database.sql('BEGIN');
  await database.sql('SELECT pg_advisory_xact_lock($1::bigint)', EVENTS_LOCK);
  await database.sql(`INSERT INTO events (account_id, type, at, data) VALUES ('${accountId}', 'key.created', 0, '{}')`);
  const quick = store.commit('register', registration());
  await eventually('the other one waits', async () => (await database.sql(isAwaited)).length > 0);
  expect(await numbers()).toEqual([]);
  await database.sql('COMMIT');
  expect(await quick).toMatchObject({ ok: true });
  expect(await numbers()).toEqual([newestEvent + 1, newestEvent + 2]);
  await database.sql(`DELETE FROM events WHERE data = '{}'`);
}, 60_000);

test('10,000 events of two nodes under kill -9: none is lost, without its cause, there twice, or missed', async () => {
  const own = await server.createDatabase();
  const follower = await openPostgresStore({ url: own.url, clock: systemClock });
  const busy = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND state <> 'idle'`;
  try {
    await checkKills({ store: follower, sql: own.sql }, [own.url, own.url], () =>
      eventually('the server has ended what they began', async () => (await own.sql(busy)).length === 0),
    );
  } finally {
    await follower.close();
    await own.drop();
  }
}, 120_000);
