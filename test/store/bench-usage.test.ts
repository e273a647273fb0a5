// The records of `npm run bench:usage`, fewer of them: what it measures is what the program itself would have written.

import { expect, test } from 'bun:test';
import { ACCOUNT, fillPostgres, fillSqlite } from '../../bench/usage/fill-usage.ts';
import { taipeiDay } from '../../src/kit/taipei.ts';

test.each([
  ['SQLite', fillSqlite],
  ['PostgreSQL', fillPostgres],
])('the sums of the records that are measured agree with them: %s', async (_, fill) => {
  const records = 700;
  const now = Date.UTC(2026, 10, 19);
  const { store, close } = await fill({ records, now });
  try {
    const page = await store.read.usagePage({ accountId: ACCOUNT, limit: 50 });
    expect(page.records).toHaveLength(50);
    expect(page.totals.requests).toBe(records);
    const days = { from: 0, to: taipeiDay(now) + 1, limit: 9 };
    const { totals } = await store.read.profit({ by: 'model', ...days });
    expect([totals.requests, totals.knownRequests, totals.cost]).toEqual([records, 600, 360_000_000n]);
    const { differences } = await store.read.audit({});
    expect(differences.filter(({ what }) => what === 'usage_day')).toEqual([]);
  } finally {
    await close();
  }
});
