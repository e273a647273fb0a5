// What may take long keeps no key's look-up waiting: it has a thread of its own on SQLite, connections of its own on
// PostgreSQL, and both databases agree on what that is.

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { prepareReads } from '../../src/store/postgres/prepare-reads.ts';
import { READ_NAMES, READS, type ReadName, type Reads } from '../../src/store/reads.ts';
import { readsThrough } from '../../src/store/sqlite/reads-through.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { writeSql } from '../support/write-sql.ts';
import { registration, T0 } from './suite/samples.ts';

/** Says by failing that it was asked. */
function telling(name: string) {
  const ask = () => Promise.reject(new Error(name));
  return { ask, askTogether: ask, reset: () => {}, close: async () => {}, end: () => {} };
}

/** Serves as whatever a read wants first. */
const ANYTHING = { accountId: '', text: '', deadNodes: [], limit: 1 };

async function whoIsAsked(reads: Reads, name: ReadName): Promise<string> {
  const read = reads[name] as (wanted: unknown) => Promise<unknown>;
  return read(ANYTHING).then(
    () => 'nobody',
    (error) => error.details?.internal ?? error.message,
  );
}

const quick = telling('quick');
const slowPool = telling('slow');
const postgres = prepareReads({ pool: quick, pulsePool: quick, slowPool });
const reader = { ...quick, ask: async ({ do: what }: { do: string }) => what !== 'isBehind' && quick.ask() };
const sqlite = readsThrough({ reader, slowReader: slowPool, post: async () => true });

test.each(READ_NAMES)('%s is as slow as its row says', async (name) => {
  const expected = READS[name].slow ? 'slow' : 'quick';
  expect(await whoIsAsked(postgres, name)).toBe(expected);
  expect(await whoIsAsked(sqlite, name)).toBe(`store: ${expected}`);
});

const MANY_KEYS = `INSERT INTO keys (key_id, account_id, hash, last4, manage, created_at)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
  SELECT 'many' || n, account_id, 'many' || n, 'last', 0, 0 FROM numbers, accounts`;

test('a key is found while unused ones are looked for among many', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-slow-'));
  const file = join(folder, 'gateway.sqlite');
  const store = await openSqliteStore({ file, clock: systemClock });
  await store.commit('register', registration());
  writeSql(file, MANY_KEYS);
  const answered: string[] = [];
  const unused = store.read.unusedKeys(T0, 20_000).then(() => answered.push('unused keys'));
  // With the first answer it is known that nothing is in the journal: the search is under way before the second question.
  await store.read.keyByHash('many1');
  await store.read.keyByHash('many2').then((key) => answered.push(key?.keyId ?? 'none'));
  await unused;
  expect(answered).toEqual(['many2', 'unused keys']);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
