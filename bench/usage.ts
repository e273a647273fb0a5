// `npm run bench:usage`: the usage page of one account with a million records, and profit over all. Prints the time of each query in the
// database, without HTTP: the median and the slowest of several runs. Options: --records N, --runs N,
// --postgres (a server from npm instead of the embedded database).

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DAY_MS, systemClock } from '../src/kit/clock.ts';
import { taipeiDay, taipeiDayStart } from '../src/kit/taipei.ts';
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts';
import type { ProfitBy, UsageQuery } from '../src/store/reads.ts';
import { migrate } from '../src/store/sqlite/migrate.ts';
import { openDatabase } from '../src/store/sqlite/open-database.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import { startPostgres } from '../test/support/postgres.ts';

const DAYS = 90;
const ACCOUNT = 'acc_bench';
const NOW = Date.now();

interface Subject {
  store: Store;
  close(): Promise<void>;
}

const RECORD_COLUMNS = `request_id, account_id, key_id, at, model, channel, endpoint, status, stream, input_tokens,
  cached_input_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, images,
  first_token_ms, total_ms, held_nano, cost_nano, balance_after_nano, estimated, revision, attempts, rule, upstream_nano`;

/** The same rows in both databases: 3 keys, 8 models (one of them rare), 2 channels, some failures. */
function insertion(records: number, flag: (yes: boolean) => string, series: string): string {
  const step = Math.floor((DAYS * DAY_MS) / records);
  return `INSERT INTO usage_records (${RECORD_COLUMNS})
    SELECT 'req_' || substr('00000000000000000000000000' || i, -26), '${ACCOUNT}', 'key_' || (i % 3),
      ${NOW} - (${records} - i) * ${step},
      CASE WHEN i % 20000 = 0 THEN 'rare' ELSE 'model-' || (i % 7) END,
      CASE WHEN i % 50 = 0 THEN NULL ELSE 'channel-' || (i % 2) END,
      '/v1/chat/completions', CASE WHEN i % 50 = 0 THEN 'upstream_failed' ELSE 'ok' END, ${flag(true)},
      1000 + i % 500, 200, 0, 0, 300, 20, 0, 400, 2500, 900000, 800000 + i % 1000, 5000000, ${flag(false)}, 1,
      '[{"channel":"channel-0","outcome":"ok","ms":2400}]', 'served', CASE WHEN i % 7 = 0 THEN NULL ELSE 600000 END
    FROM ${series}`;
}

async function sqlite(records: number): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const file = join(folder, 'gateway.sqlite');
  const db = openDatabase(file, { unsafeNoSync: true });
  migrate(db);
  const series = `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${records}) SELECT i FROM n)`;
  db.run(insertion(records, (yes) => (yes ? '1' : '0'), series));
  // On this database the writer updates the sums, not a trigger.
  db.run(`INSERT INTO usage_days
    SELECT account_id, (at + 28800000) / 86400000, key_id, model, coalesce(channel, ''), status, count(*),
      sum(input_tokens), sum(cached_input_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
      sum(output_tokens), sum(reasoning_tokens), sum(images), sum(cost_nano), coalesce(sum(upstream_nano), 0),
      count(upstream_nano), sum(CASE WHEN upstream_nano IS NULL THEN 0 ELSE cost_nano END)
    FROM usage_records GROUP BY 1, 2, 3, 4, 5, 6`);
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

async function postgres(records: number): Promise<Subject> {
  const server = await startPostgres();
  const { url, sql } = await server.createDatabase();
  const flag = (yes: boolean) => String(yes);
  const right = (text: string) => text.replace(/substr\('(0+)' \|\| i, -26\)/, "right('$1' || i, 26)");
  await sql(right(insertion(records, flag, `generate_series(1::bigint, ${records}) AS i`)));
  const store = await openPostgresStore({ url, clock: systemClock });
  return {
    store,
    async close() {
      await store.close();
      await server.stop();
    },
  };
}

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '15' },
    postgres: { type: 'boolean', default: false },
  },
});
const records = Number(options.records);
const page = (query: Partial<UsageQuery>) => (store: Store) =>
  store.read.usagePage({ accountId: ACCOUNT, limit: 50, ...query });
const profit = (by: ProfitBy, days: number) => (store: Store) =>
  store.read.profit({ by, from: taipeiDay(NOW) - days + 1, to: taipeiDay(NOW) + 2, limit: 501 });
const middle = { at: NOW - 60 * DAY_MS, requestId: 'req_' };

const MONTH = [taipeiDay(NOW) - 29, taipeiDay(NOW) + 1] as const;

const QUESTIONS: Record<string, (store: Store) => Promise<unknown>> = {
  'first page, with totals': page({}),
  'first page of 200': page({ limit: 200 }),
  'deep page': page({ after: middle }),
  'last 30 days': page({ from: NOW - 30 * DAY_MS }),
  'three hours': page({ from: NOW - 40 * DAY_MS, to: NOW - 40 * DAY_MS + 10_800_000 }),
  'one of seven models': page({ models: ['model-3'] }),
  'one model, deep page': page({ models: ['model-3'], after: middle }),
  'failed ones of one key': page({ status: 'upstream_failed', keyId: 'key_1' }),
  'a rare model': page({ models: ['rare'] }),
  'a model that was never used': page({ models: ['never'] }),
  'spend of 30 days': (store) => store.read.spendByDay(ACCOUNT, taipeiDay(NOW) - 29),
  'profit of 7 days by model': profit('model', 7),
  'profit of 90 days by account': profit('account', 90),
  'profit of 90 days by day': profit('day', 90),
  'chart of 30 days by model': (store) => store.read.usageByDay({ accountId: ACCOUNT, limit: 0 }, 'model', ...MONTH),
  'first page of the site': (store) =>
    Promise.all([
      page({ from: taipeiDayStart(MONTH[0]), limit: 15 })(store),
      store.read.usageByDay({ accountId: ACCOUNT, limit: 0 }, 'model', ...MONTH),
    ]),
  'highest cost': page({ sort: 'cost', limit: 15 }),
  'any failure': page({ isFailed: true, limit: 15 }),
};

const startedAt = performance.now();
const subject = await (options.postgres ? postgres : sqlite)(records);
try {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${options.postgres ? 'PostgreSQL' : 'SQLite'}, ${records.toLocaleString('en')} records of one account over ${DAYS} days (made in ${seconds} s)`,
  );
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const times: number[] = [];
    for (let run = 0; run < Number(options.runs); run++) {
      const begun = performance.now();
      await ask(subject.store);
      times.push(performance.now() - begun);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const [median, slowest] = [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0];
    console.log(`${name.padEnd(30)} ${median.toFixed(1).padStart(8)} ms  (slowest ${slowest.toFixed(1)})`);
  }
} finally {
  await subject.close();
}
