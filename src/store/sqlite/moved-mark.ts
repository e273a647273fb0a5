// A database whose accounts went on to PostgreSQL says so, and no server or command goes on with it: two that both go on
// would each spend the same balances.

import type { Database } from 'bun:sqlite';
import { StoreRefused } from '../refusal.ts';

const NAME = 'moved_to';

/** Where to and when; undefined if it was not moved. Also of a file of the first version, which has no settings. */
export function movedTo(db: Database): string | undefined {
  if (!db.query(`SELECT 1 FROM sqlite_schema WHERE name = 'settings'`).get()) return undefined;
  return db.query<{ value: string }, [string]>('SELECT value FROM settings WHERE name = ?').get(NAME)?.value;
}

/** Throws StoreRefused. */
export function refuseMoved(db: Database): void {
  const place = movedTo(db);
  if (place === undefined) return;
  throw new StoreRefused(
    `this database was moved to PostgreSQL (${place}) and is only kept: set DATABASE_URL and SECRETS_PEPPER to go on there; if the move was cut short and nothing is there, or to go on here without what happened there since, run the command "move undo"`,
  );
}

export function markMoved(db: Database, place: string, at: number): void {
  db.query('INSERT INTO settings (name, value) VALUES (?, ?)').run(NAME, `${place}, ${new Date(at).toISOString()}`);
}

/** False if it was not marked. */
export function unmarkMoved(db: Database): boolean {
  return db.query('DELETE FROM settings WHERE name = ?').run(NAME).changes > 0;
}
