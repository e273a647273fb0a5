// What may take long keeps no key's look-up waiting: it has a thread of its own on SQLite, connections of its own on
// PostgreSQL, and both databases agree on what that is.

import { expect, test } from 'bun:test';
import { prepareReads } from '../../src/store/postgres/prepare-reads.ts';
import { READ_NAMES, READS, type ReadName, type Reads } from '../../src/store/read-table.ts';
import { readsThrough } from '../../src/store/sqlite/sqlite-store.ts';

/** Says by failing that it was asked. */
function telling(name: string) {
  const ask = () => Promise.reject(new Error(name));
  return { ask, askTogether: ask, reset: () => {}, close: async () => {}, end: () => {} };
}

/** Serves as whatever a read wants first. */
const ANYTHING = { accountId: '', text: '', deadNodes: [], limit: 1, sort: 'created' };

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
