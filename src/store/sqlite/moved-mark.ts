// A database whose accounts went on to PostgreSQL says so, and no server or command opens it any more: two that both go on
// would each spend the same balances.

import type { Database } from 'bun:sqlite';
import { StoreRefused } from '../refusal.ts';

const NAME = 'moved_to';

/** Throws StoreRefused. */
export function refuseMoved(db: Database): void {
  const mark = db.query<{ value: string }, [string]>('SELECT value FROM settings WHERE name = ?').get(NAME);
  if (!mark) return;
  throw new StoreRefused(
    `this database was moved to PostgreSQL (${mark.value}) and is only kept: set DATABASE_URL and SECRETS_PEPPER to go on there; if the move was cut short and nothing is there, or to go on here without what happened there since, run the command "move undo"`,
  );
}

export function markMoved(db: Database, place: string, at: number): void {
  db.query('INSERT INTO settings (name, value) VALUES (?, ?)').run(NAME, `${place}, ${new Date(at).toISOString()}`);
}

/** False if it was not marked. */
export function unmarkMoved(db: Database): boolean {
  return db.query('DELETE FROM settings WHERE name = ?').run(NAME).changes > 0;
}
