// The mark of a database that was moved to PostgreSQL. No server or command uses a marked database, because the same
// balances could then be spent in both.

import type { Database } from 'bun:sqlite';
import { StoreRefused } from '../refusal.ts';

const NAME = 'moved_to';

/**
 * The target and the time of the move; undefined if it was not moved. Also works for files of the first version, which have
 * no table of settings.
 */
export function movedTo(db: Database): string | undefined {
  if (!db.query(`SELECT 1 FROM sqlite_schema WHERE name = 'settings'`).get()) return undefined;
  return db.query<{ value: string }, [string]>('SELECT value FROM settings WHERE name = ?').get(NAME)?.value;
}

/** Throws StoreRefused. */
export function refuseMoved(db: Database): void {
  const place = movedTo(db);
  if (place === undefined) return;
  throw new StoreRefused(
    `this database was moved to PostgreSQL (${place}) and is kept as it was. To use the new database, set DATABASE_URL and SECRETS_PEPPER. If the move was interrupted and the new database is empty, or to use this one again without the changes made there, run the command "move undo"`,
  );
}

export function markMoved(db: Database, place: string, at: number): void {
  db.query('INSERT INTO settings (name, value) VALUES (?, ?)').run(NAME, `${place}, ${new Date(at).toISOString()}`);
}

/** False if it was not marked. */
export function unmarkMoved(db: Database): boolean {
  return db.query('DELETE FROM settings WHERE name = ?').run(NAME).changes > 0;
}
