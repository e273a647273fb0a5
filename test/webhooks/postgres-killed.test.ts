import { afterAll, beforeAll } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sharePostgres, type TestDatabases } from '../support/postgres.ts';
import { testKilled } from './killed.ts';

let server: TestDatabases;
beforeAll(async () => {
  server = await sharePostgres();
});
afterAll(() => server.stop());

testKilled('PostgreSQL', async () => {
  const { url } = await server.createDatabase();
  return {
    env: { DATABASE_URL: url, SECRETS_PEPPER: 'a pepper for this test' },
    open: () => openPostgresStore({ url, clock: systemClock }),
  };
});
