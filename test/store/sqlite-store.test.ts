import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { describeStore } from './suite/describe-store.ts';

describeStore('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-store-'));
  const store = await openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock: systemClock });
  return {
    store,
    async remove() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
