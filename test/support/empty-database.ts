// A SQLite file as the first start would leave it, without running every migration again.

import { writeFileSync } from 'node:fs';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';

let bytes: Uint8Array | undefined;

export function writeEmptyDatabase(file: string): void {
  bytes ??= migratedAt(file);
  writeFileSync(file, bytes);
}

function migratedAt(file: string): Uint8Array {
  const db = openDatabase(file);
  try {
    migrate(db);
    return db.serialize();
  } finally {
    db.close();
  }
}
