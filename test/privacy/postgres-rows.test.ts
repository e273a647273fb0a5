// The same marked text where the rows are in PostgreSQL: in none of them, whatever the table.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { upstreamUrl } from '../support/test-document.ts';
import { createMark, findMark } from './find-mark.ts';
import { markedCalls, markedDocument, sendMarked } from './marked-calls.ts';

const mark = createMark();
const TEXT = Array.from({ length: 40 }, () => mark.join(' ')).join(' ');
const [WORD = ''] = mark;
let server: TestDatabases;
let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  server = await sharePostgres();
  database = await server.createDatabase();
  gateway = await startTestGateway({
    env: { DATABASE_URL: database.url, SECRETS_PEPPER: 'a pepper for this test' },
    document: (standard) => markedDocument(upstreamUrl(standard)),
  });
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

/** The tables in which it stands, and how many rows there are in all. */
async function searchRows(): Promise<{ found: string[]; rows: number }> {
  const tables = await database.sql<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  let rows = 0;
  for (const { name } of tables) {
    const texts = await database.sql<{ text: string }>(`SELECT one::text AS text FROM ${name} one`);
    rows += texts.length;
    if (findMark(mark, Buffer.from(texts.map(({ text }) => text).join('\n'))).length > 0) found.push(name);
  }
  return { found, rows };
}

test('marked text goes down every path and stands in no row', async () => {
  const { key } = await gateway.register();
  const { key: emptyKey } = await gateway.register();
  for (let i = 0; i < 3; i++) await (await gateway.chat(emptyKey, { model: 'auto:free', max_tokens: 1 })).text();
  const calls = markedCalls(TEXT, WORD, key, emptyKey);
  await sendMarked(gateway.url, gateway.upstream, calls);
  await eventually('every call to be closed', async () => (await database.sql('SELECT 1 FROM holds')).length === 0);
  const records = await database.sql('SELECT 1 FROM usage_records');
  expect(records.length).toBeGreaterThan(calls.filter(({ script }) => script !== undefined).length);
  const { found, rows } = await searchRows();
  expect(found).toEqual([]);
  expect(rows).toBeGreaterThan(records.length);
  expect(findMark(mark, Buffer.from(gateway.log.text()))).toEqual([]);

  // It would have been found: the name of a key is kept.
  await gateway.call('/api/keys', { key, body: { name: WORD } });
  expect((await searchRows()).found).toContain('public.keys');
});
