// Events of the embedded database under kill -9.

import { Database } from 'bun:sqlite';
import { test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { checkKills } from './events/check-kills.ts';

test('10,000 events under kill -9: none is lost, without its cause, or there twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-store-'));
  const file = join(folder, 'gateway.sqlite');
  const store = await openSqliteStore({ file, clock: systemClock });
  const db = new Database(file, { readonly: true, safeIntegers: true });
  try {
    const sql = async (query: string) => db.query<Record<string, unknown>, []>(query).all();
    await checkKills({ store, sql }, [file], async () => undefined);
  } finally {
    db.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
