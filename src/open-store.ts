// The store that the settings name, and the pepper that goes with it.

import type { Settings } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { assert } from './kit/assert.ts';
import type { Clock } from './kit/clock.ts';
import type { Random } from './kit/random.ts';
import { openPostgresStore } from './store/postgres/postgres-store.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

export interface OpenedStore {
  store: Store;
  pepper: string;
}

/** Rejects with StoreRefused, in one line for the operator. */
export async function openStore(
  settings: Settings,
  clock: Clock,
  random: Random,
  maxPages?: number,
): Promise<OpenedStore> {
  const { databaseUrl, dataDir, pepper, killOrder } = settings;
  if (databaseUrl !== undefined) {
    assert(pepper !== undefined, 'settings with a DATABASE_URL have a pepper');
    return { store: await openPostgresStore({ url: databaseUrl, clock }), pepper };
  }
  const folder = openDataFolder(dataDir, pepper, random);
  const file = folder.databaseFile;
  return { store: await openSqliteStore({ file, clock, killOrder, maxPages }), pepper: folder.pepper };
}
