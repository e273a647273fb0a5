// The shared suite on PostgreSQL.

import { afterAll, beforeAll } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sharePostgres, type TestDatabases } from '../support/postgres.ts';
import { describeStore } from './suite/describe-store.ts';

let server: TestDatabases;
beforeAll(async () => {
  server = await sharePostgres();
});
afterAll(() => server.stop());

describeStore('PostgreSQL', async () => {
  const database = await server.createDatabase();
  const store = await openPostgresStore({ url: database.url, clock: systemClock });
  return {
    store,
    sql: database.sql,
    plant: database.plant,
    async close() {
      await store.close();
      await database.drop();
    },
  };
});
