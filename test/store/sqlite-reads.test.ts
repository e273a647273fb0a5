// SQLite keeps the statements of its reads prepared, but not every text that was ever asked.

import { expect, test } from 'bun:test';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { prepareReads } from '../../src/store/sqlite/prepare-reads.ts';

test('a read whose text was dropped is prepared again', () => {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db);
  const answer = prepareReads(db);
  const filtered = (count: number) =>
    answer('usagePage', [{ accountId: 'acc_1', limit: 1, models: Array.from({ length: count }, (_, n) => `m${n}`) }]);
  const prepare = db.prepare.bind(db);
  let prepared = 0;
  db.prepare = (...args: Parameters<typeof prepare>) => {
    prepared++;
    return prepare(...args);
  };
  for (let count = 1; count <= 100; count++) filtered(count);
  expect(prepared).toBe(200);
  filtered(100);
  expect(prepared).toBe(200);
  expect(filtered(1)).toMatchObject({ records: [], hasMore: false, totals: { requests: 0 } });
  expect(prepared).toBe(202);
  db.close();
});
