// The tables of a PostgreSQL at one moment; also copied into an SQLite in memory, so that the audit of the tests is the same for
// both databases.

import type { Database } from 'bun:sqlite';
import { SQL } from 'bun';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';

const NOT_COPIED = ['schema_migrations', 'journal', 'leases'];

/** Every statement of `look` sees the same rows, with integers as bigint. */
export async function withSnapshot<Result>(url: string, look: (client: SQL) => Promise<Result>): Promise<Result> {
  const client = new SQL(url, { max: 1, bigint: true, database: new URL(url).pathname.slice(1) });
  try {
    await client.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await look(client);
  } finally {
    await client.close();
  }
}

export function withLedgerCopy<Result>(url: string, look: (db: Database) => Result): Promise<Result> {
  return withSnapshot(url, async (client) => {
    const db = openDatabase(':memory:', { unsafeNoSync: true });
    try {
      migrate(db);
      db.run('PRAGMA foreign_keys = OFF');
      for (const name of namesOf(db, 'trigger')) db.run(`DROP TRIGGER ${name}`);
      for (const table of namesOf(db, 'table').filter((name) => !NOT_COPIED.includes(name))) {
        db.run(`DELETE FROM ${table}`);
        insert(db, table, await client.unsafe(`SELECT * FROM ${table}`));
      }
      return look(db);
    } finally {
      db.close();
    }
  });
}

function namesOf(db: Database, type: 'table' | 'trigger'): string[] {
  const query = "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%'";
  return db
    .query<{ name: string }, [string]>(query)
    .all(type)
    .map(({ name }) => name);
}

type Value = string | bigint | boolean | null;

function insert(db: Database, table: string, rows: readonly Record<string, Value>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return;
  const write = db.query(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`);
  db.transaction(() => {
    for (const row of rows) write.run(...columns.map((column) => row[column] ?? null));
  })();
}
