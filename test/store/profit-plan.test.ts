// Profit is read from sums by day, found by their day. Of entries and records only refunds and their requests are looked at,
// by their keys.

import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { READS } from '../../src/store/read-table.ts';
import { PROFIT_BY } from '../../src/store/reads.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';

let db: Database;
beforeAll(() => {
  db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db);
});
afterAll(() => db.close());

test.each([...PROFIT_BY])('by %s', (by) => {
  const questions = READS.profit.ask({ by, from: 20_000, to: 20_008, limit: 501 });
  expect(questions).toHaveLength(by === 'day' ? 1 : 2);
  for (const { sql, values } of questions) {
    const plan = db.query<{ detail: string }, (string | number)[]>(`EXPLAIN QUERY PLAN ${sql}`);
    const looks = plan
      .all(...(values as number[]))
      .flatMap(({ detail }) => /^(?:SCAN|SEARCH) (?!parts)(.*)/.exec(detail)?.[1] ?? []);
    expect(looks.toSorted()).toEqual([
      'e USING INDEX sqlite_autoindex_entries_1 (kind=?)',
      'loss_sums USING INDEX loss_sums_by_day (day>? AND day<?)',
      'u USING PRIMARY KEY (request_id=?) LEFT-JOIN',
      'usage_days USING INDEX usage_days_by_day (day>? AND day<?)',
    ]);
  }
});
