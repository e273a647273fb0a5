// The shared suite on the embedded database.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { writeEmptyDatabase } from '../support/empty-database.ts';
import { openPosted } from '../support/with-tables.ts';
import { writeSql } from '../support/write-sql.ts';
import { describeStore } from './suite/describe-store.ts';

describeStore('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-store-'));
  const file = join(folder, 'gateway.sqlite');
  writeEmptyDatabase(file);
  const store = await openSqliteStore({ file, clock: systemClock });
  return {
    store,
    async sql(query) {
      const db = openPosted(file);
      try {
        return db.query<Record<string, unknown>, []>(query).all();
      } finally {
        db.close();
      }
    },
    plant: async (statement) => writeSql(file, statement),
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
