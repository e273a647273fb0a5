// Opens the store of the settings with its pepper. A database stores a fingerprint of its pepper: with another one
// every key and card would fail without an obvious reason.

import { join } from 'node:path';
import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { fingerprintOf } from '../../kit/sealed.ts';
import type { BatchMeter } from '../../store/batcher.ts';
import type { StartWait } from '../../store/postgres/postgres-store.ts';
import { StoreRefused } from '../../store/refusal.ts';
import type { Store } from '../../store/store.ts';
import { expectDatabase, openDataFolder } from './data-folder.ts';
import type { Settings } from './settings.ts';

export interface OpenOptions {
  /** Refuses to create an embedded database. */
  mustExist?: boolean | undefined;
  maxPages?: number | undefined;
  /** How long an admission may wait for its commit to begin. */
  patienceMs?: number | undefined;
  meter?: BatchMeter | undefined;
  /** For a PostgreSQL that cannot be reached. */
  wait?: StartWait | undefined;
}

interface OpenedStore {
  store: Store;
  pepper: string;
}

/** Rejects with StoreRefused, in one line for the operator. */
export async function openStore(
  settings: Settings,
  clock: Clock,
  random: Random,
  options: OpenOptions = {},
): Promise<OpenedStore> {
  const opened = await openNamed(settings, clock, random, options);
  const fingerprint = fingerprintOf(opened.pepper);
  try {
    const known = await opened.store.commit('claim', { name: 'pepper', value: fingerprint });
    if (known.value === fingerprint) return opened;
    throw new StoreRefused(otherPepper(settings));
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

function otherPepper({ pepper, databaseUrl, dataDir }: Settings): string {
  const which = pepper === undefined ? `in ${join(dataDir, 'pepper')}` : 'of SECRETS_PEPPER';
  const database = databaseUrl === undefined ? join(dataDir, 'gateway.sqlite') : 'of DATABASE_URL';
  return `the pepper ${which} is not the one that the database ${database} was made with: no key or card would work with it`;
}

/** Loads only the driver that is used. */
async function openNamed(
  settings: Settings,
  clock: Clock,
  random: Random,
  { mustExist = false, maxPages, patienceMs, meter, wait }: OpenOptions,
): Promise<OpenedStore> {
  const { databaseUrl, dataDir, pepper, killOrder } = settings;
  if (databaseUrl !== undefined) {
    assert(pepper !== undefined, 'settings with a DATABASE_URL have a pepper');
    const { openPostgresStore } = await import('../../store/postgres/postgres-store.ts');
    return { store: await openPostgresStore({ url: databaseUrl, clock, patienceMs, meter, wait }), pepper };
  }
  if (mustExist) expectDatabase(dataDir);
  const folder = openDataFolder(dataDir, pepper, random);
  const file = folder.databaseFile;
  const { openSqliteStore } = await import('../../store/sqlite/sqlite-store.ts');
  return {
    store: await openSqliteStore({ file, clock, killOrder, maxPages, patienceMs, meter }),
    pepper: folder.pepper,
  };
}
