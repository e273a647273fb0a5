// Reports look at all there is, and take their time: they are not ended where a customer's read is. Nobody keeps the
// pulse waiting.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Reads } from '../../src/store/read-table.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';

let postgres: TestDatabases;
let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  postgres = await sharePostgres();
  database = await postgres.createDatabase();
  store = await openPostgresStore({ url: database.url, clock: systemClock });
});
afterAll(async () => {
  await store.close();
  await postgres.stop();
});

const WAITING = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
const untilWaiting = (count: number) =>
  eventually(`${count} to wait`, async () => {
    // A transaction sees the same activity as long as it lasts.
    await database.sql('SELECT pg_stat_clear_snapshot()');
    return (await database.sql(WAITING)).length === count;
  });

test.each<[string, (read: Reads) => Promise<unknown>[]]>([
  ['the house accounts and the revenue', (read) => [read.houseAccounts(), read.revenueByDay(0)]],
  ['what a channel served', (read) => [read.channelDays('up', 0, 1), read.channelRevisions('up', 0)]],
  ['losses', (read) => [read.losses({ by: 'account', from: 0, to: 1, limit: 1 })]],
  ['keys that nobody uses', (read) => [read.unusedKeys(1, 1)]],
])('%s may take longer than a read of a customer', async (_, ask) => {
  await database.sql('BEGIN');
  await database.sql('LOCK TABLE entries, usage_days, usage_records, keys, losses, loss_sums IN ACCESS EXCLUSIVE MODE');
  const asked = ask(store.read);
  const reports = Promise.allSettled(asked);
  await untilWaiting(asked.length);
  const page = await store.read.usagePage({ accountId: 'acc_1', limit: 1 }).catch(({ details }) => details.internal);
  expect(page).toContain('canceling statement due to statement timeout');
  await database.sql('COMMIT');
  expect((await reports).map(({ status }) => status)).not.toContain('rejected');
});

test('the pulse does not stand behind a crowd of look-ups', async () => {
  await database.sql('BEGIN');
  await database.sql('LOCK TABLE keys IN ACCESS EXCLUSIVE MODE');
  const found = Promise.all(Array.from({ length: 300 }, (_, index) => store.read.keyByHash(`hash ${index}`)));
  await untilWaiting(3);
  expect(await store.read.pulse()).toMatchObject({ revision: 0 });
  await database.sql('COMMIT');
  expect(new Set(await found)).toEqual(new Set([undefined]));
});
