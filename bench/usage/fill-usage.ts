// A store with the usage of one account over 90 days, inserted by the database itself: a million requests are not sent.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, systemClock } from '../../src/kit/clock.ts';
import { OFFSET_MS } from '../../src/kit/taipei.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { SUMMED } from '../../src/store/usage-queries.ts';
import { startPostgres } from '../../test/support/postgres.ts';

export const ACCOUNT = 'acc_bench';
export const DAYS = 90;

export interface Subject {
  store: Store;
  close(): Promise<void>;
}

interface Filling {
  records: number;
  /** The time of the newest record. */
  now: number;
}

const RECORD_COLUMNS = `request_id, account_id, key_id, at, model, channel, endpoint, status, stream, input_tokens,
  cached_input_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, images,
  first_token_ms, total_ms, held_nano, cost_nano, balance_after_nano, estimated, revision, attempts, rule, upstream_nano`;

/** The same rows in both databases: 3 keys, 8 models (one of them rare), 2 channels, some failures. */
function insertion({ records, now }: Filling, flag: (yes: boolean) => string, series: string): string {
  const step = Math.floor((DAYS * DAY_MS) / records);
  return `INSERT INTO usage_records (${RECORD_COLUMNS})
    SELECT 'req_' || substr('00000000000000000000000000' || i, -26), '${ACCOUNT}', 'key_' || (i % 3),
      ${now} - (${records} - i) * ${step},
      CASE WHEN i % 20000 = 0 THEN 'rare' ELSE 'model-' || (i % 7) END,
      CASE WHEN i % 50 = 0 THEN NULL ELSE 'channel-' || (i % 2) END,
      '/v1/chat/completions', CASE WHEN i % 50 = 0 THEN 'upstream_failed' ELSE 'ok' END, ${flag(true)},
      1000 + i % 500, 200, 0, 0, 300, 20, 0, 400, 2500, 900000, 800000 + i % 1000, 5000000, ${flag(false)}, 1,
      '[{"channel":"channel-0","outcome":"ok","ms":2400}]', 'served', CASE WHEN i % 7 = 0 THEN NULL ELSE 600000 END
    FROM ${series}`;
}

/** On SQLite the writer updates the sums, not a trigger. Columns are named: migrations append new ones. */
const SUM_UP = `INSERT INTO usage_days (account_id, day, key_id, model, channel, status, requests, ${SUMMED.join(', ')},
    upstream_nano, known_requests, known_revenue_nano)
  SELECT account_id, (at + ${OFFSET_MS}) / ${DAY_MS}, key_id, model, coalesce(channel, ''), status, count(*),
    ${SUMMED.map((name) => `sum(${name})`).join(', ')}, coalesce(sum(upstream_nano), 0), count(upstream_nano),
    sum(CASE WHEN upstream_nano IS NULL THEN 0 ELSE cost_nano END)
  FROM usage_records GROUP BY 1, 2, 3, 4, 5, 6`;

export async function fillSqlite(filling: Filling): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const file = join(folder, 'gateway.sqlite');
  const db = openDatabase(file, { unsafeNoSync: true });
  migrate(db);
  const numbers = `SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${filling.records}`;
  db.run(insertion(filling, (yes) => (yes ? '1' : '0'), `(WITH RECURSIVE n (i) AS (${numbers}) SELECT i FROM n)`));
  db.run(SUM_UP);
  db.close();
  const store = await openSqliteStore({ file, clock: systemClock });
  return {
    store,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function fillPostgres(filling: Filling): Promise<Subject> {
  const server = await startPostgres();
  const { url, sql } = await server.createDatabase();
  const right = (text: string) => text.replace(/substr\('(0+)' \|\| i, -26\)/, "right('$1' || i, 26)");
  await sql(right(insertion(filling, String, `generate_series(1::bigint, ${filling.records}) AS i`)));
  // As autovacuum would have done long before there are so many.
  await sql('ANALYZE');
  const store = await openPostgresStore({ url, clock: systemClock });
  return {
    store,
    async close() {
      await store.close();
      await server.stop();
    },
  };
}
