// The shared suite on PostgreSQL. A database with its connections takes far longer to make than its few rows to delete, so
// a subject that is closed is emptied, and serves as the next fresh one.

import { afterAll, beforeAll } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { describeStore } from './suite/describe-store.ts';

/** What a fresh database has in its tables. */
const KEEP_FRESH = `CREATE SCHEMA fresh;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TABLE fresh.%I AS TABLE public.%I', name, name);
    END LOOP;
  END $$`;
const EMPTY = `DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('DELETE FROM public.%I', name);
      EXECUTE format('INSERT INTO public.%I OVERRIDING SYSTEM VALUE TABLE fresh.%I', name, name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
      EXECUTE format('ALTER SEQUENCE public.%I RESTART', name);
    END LOOP;
  END $$`;

interface Prepared {
  database: TestDatabase;
  store: Store;
}

let server: TestDatabases;
const idle: Prepared[] = [];
beforeAll(async () => {
  server = await sharePostgres();
});
afterAll(async () => {
  for (const { store } of idle) await store.close();
  await server.stop();
});

async function prepare(): Promise<Prepared> {
  const database = await server.createDatabase();
  await database.plant(KEEP_FRESH);
  return { database, store: await openPostgresStore({ url: database.url, clock: systemClock }) };
}

describeStore('PostgreSQL', async () => {
  const prepared = idle.pop() ?? (await prepare());
  const { database, store } = prepared;
  return {
    store,
    sql: database.sql,
    plant: database.plant,
    async close() {
      await database.plant(EMPTY);
      idle.push(prepared);
    },
  };
});
