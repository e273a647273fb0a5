import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { testKilled } from './killed.ts';

testKilled('SQLite', async () => ({
  env: {},
  open: ({ dataDir }) => openSqliteStore({ file: join(dataDir, 'gateway.sqlite'), clock: systemClock }),
}));
