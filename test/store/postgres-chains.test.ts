// Trees of keys on PostgreSQL with two nodes: under load, killed in the middle, and against a model.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { checkAfterKill, checkRace } from './chains/describe-race.ts';
import { killInTheMiddle } from './chains/kill.ts';
import { runChainHistory } from './chains/run-histories.ts';
import { renewLease } from './suite/samples.ts';

const HISTORIES = 8;

let server: TestDatabases;
let database: TestDatabase;
let nodes: Store[];
beforeAll(async () => {
  server = await sharePostgres();
  database = await server.createDatabase();
  nodes = await Promise.all(
    [1, 2].map((writers) => openPostgresStore({ url: database.url, clock: systemClock, writers })),
  );
  await renewLease(nodes[0] as Store);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await server.stop();
});

const isIdle = async () => {
  const busy = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND state <> 'idle'`;
  return (await database.sql(busy)).length === 0;
};

test('a thousand calls on two nodes exceed no level by one nano, and none is refused that has room', async () => {
  await checkRace(nodes);
}, 120_000);

test('two nodes that are killed leave books in order, and nothing held after the sweep', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-chains-'));
  try {
    const first = nodes[0] as Store;
    const { keyIds, limits } = await killInTheMiddle(first, [database.url, database.url], folder);
    // Their last transactions may still be on their way.
    await eventually('the server has ended what they began', isIdle);
    await checkAfterKill(first, keyIds, limits);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

test(`${HISTORIES} histories of random trees agree with the model`, async () => {
  for (let seed = 101; seed <= 100 + HISTORIES; seed++) {
    await runChainHistory(nodes[seed % 2] as Store, seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${error}`);
    });
  }
  expect((await (nodes[0] as Store).read.audit({})).differences).toEqual([]);
}, 300_000);
