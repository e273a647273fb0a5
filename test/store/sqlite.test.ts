// The shared suite on the embedded database.

import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { writeSql } from '../support/write-sql.ts';
import { describeStore } from './suite/describe-store.ts';

describeStore('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-store-'));
  const file = join(folder, 'gateway.sqlite');
  const store = await openSqliteStore({ file, clock: systemClock });
  return {
    store,
    async sql(query) {
      const db = new Database(file, { readwrite: true, safeIntegers: true });
      try {
        db.run('PRAGMA busy_timeout = 5000');
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
