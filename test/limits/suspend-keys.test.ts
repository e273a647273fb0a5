// The guard suspend_unused_days on both stores, and what its owner sees.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { sharePostgres, type TestDatabases } from '../support/postgres.ts';
import { describeSuspendedKeys } from './suspended-keys.ts';

const DAY_MS = 86_400_000;
let server: TestDatabases;
beforeAll(async () => {
  server = await sharePostgres();
});
afterAll(() => server.stop());

describeSuspendedKeys('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-suspend-'));
  const store = await openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock: systemClock });
  return {
    store,
    sql: async () => [],
    plant: async () => {},
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

describeSuspendedKeys('PostgreSQL', async () => {
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

test('a suspended key is 401 like any bad one; its account stays', async () => {
  const clock = createManualClock();
  const gateway = await startTestGateway({
    clock,
    document: (doc) => ({ ...doc, guards: { ...doc.guards, suspend_unused_days: 2 } }),
  });
  try {
    const idle = await gateway.register();
    expect((await gateway.call('/api/me', { key: idle.key })).status).toBe(200);
    clock.step(2 * DAY_MS);
    const fresh = await gateway.register();
    await eventually('the suspension', async () => {
      await clock.advance(60_000);
      return (await gateway.call('/api/me', { key: idle.key })).status === 401;
    });
    const refused = await gateway.call('/v1/models', { key: idle.key });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect((await gateway.call('/api/me', { key: fresh.key })).status).toBe(200);
    expect(gateway.sql('SELECT 1 AS n FROM accounts WHERE account_id = ?', idle.accountId)).toHaveLength(1);
    const told = () => gateway.log.lines().filter(({ event }) => event === 'keys_suspended');
    await eventually('a line of it', () => told().length > 0);
    expect(told()).toMatchObject([{ count: 1 }]);
  } finally {
    await gateway.stop();
  }
});
