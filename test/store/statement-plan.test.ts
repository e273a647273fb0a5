// A statement looks at the entries of its account once, and at the other entries of the month by their own index.

import { expect, test } from 'bun:test';
import { READS } from '../../src/store/read-table.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';

test('one scan of the account, and lookups by key', () => {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db);
  const looks = READS.statement.ask('acc_1', 1, 2).flatMap(({ sql, values }) =>
    db
      .query<{ detail: string }, (string | number)[]>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...(values as number[]))
      .flatMap(({ detail }) => /^(?:SCAN|SEARCH) (?!own)(.*)/.exec(detail)?.[1] ?? []),
  );
  expect(looks).toEqual([
    'entries USING INDEX entries_by_account (account_id=?)',
    'usage_records USING PRIMARY KEY (request_id=?)',
    'entries USING INDEX entries_in_by_account (account_id=?)',
  ]);
  db.close();
});
