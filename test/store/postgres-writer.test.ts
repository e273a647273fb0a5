// A connection that commits is sent only so many different statements: the server keeps every one of them.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openConnection } from '../../src/store/postgres/connection.ts';
import { createWriter } from '../../src/store/postgres/writer.ts';
import { sharePostgres, type TestDatabases } from '../support/postgres.ts';

let postgres: TestDatabases;
beforeAll(async () => {
  postgres = await sharePostgres();
});
afterAll(() => postgres.stop());

test('after so many different statements another connection takes its place, and leaves nothing behind', async () => {
  const database = await postgres.createDatabase();
  let connects = 0;
  const connect = () => {
    connects++;
    return openConnection({ url: database.url, settings: { application_name: 'writer' } }, systemClock);
  };
  const writer = createWriter({
    clock: systemClock,
    connect,
    connectToAsk: connect,
    away: () => undefined,
    whenUp: () => Promise.resolve(),
    mostTexts: 2,
  });
  const renew = (nodeId: string) =>
    writer.transact([{ name: 'lease', input: { nodeId, host: 'here', pid: 7, expiresAt: 1 } }]);
  for (const nodeId of ['one', 'two', 'three']) await renew(nodeId);
  expect(connects).toBe(1);
  // That one is there, and so another statement.
  await renew('one');
  expect(connects).toBe(1);
  await renew('four');
  expect(connects).toBe(2);
  expect(await database.sql('SELECT batch FROM writers')).toEqual([{ batch: 1n }]);
  expect(await database.sql('SELECT count(*) AS n FROM leases')).toEqual([{ n: 4n }]);
  await writer.close();
  await database.drop();
});
