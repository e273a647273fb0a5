// A hand in the database that should not be there: changes that no code of the gateway would make.

import type { SQLQueryBindings } from 'bun:sqlite';
import { openPosted } from './with-tables.ts';

/** Entries are append-only by trigger; a hand that can write can drop it first. */
const TRIGGERS = ['entries_are_not_updated', 'entries_are_not_deleted'];

export function writeSql(file: string, statement: string, ...values: SQLQueryBindings[]): void {
  const db = openPosted(file);
  try {
    for (const name of TRIGGERS) db.run(`DROP TRIGGER IF EXISTS ${name}`);
    const { changes } = db.query(statement).run(...values);
    if (changes === 0) throw new Error(`nothing was changed by: ${statement}`);
  } finally {
    db.close();
  }
}
