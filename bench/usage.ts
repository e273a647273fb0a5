// `npm run bench:usage`: the usage page of one account with a million records, and profit over all. Prints the time of each query in the
// database, without HTTP: the median and the slowest of several runs. Options: --records N, --runs N,
// --postgres (a server from npm instead of the embedded database).

import { parseArgs } from 'node:util';
import { DAY_MS } from '../src/kit/clock.ts';
import { taipeiDay, taipeiDayStart } from '../src/kit/taipei.ts';
import type { ProfitBy, UsageQuery } from '../src/store/reads.ts';
import type { Store } from '../src/store/store.ts';
import { ACCOUNT, DAYS, fillPostgres, fillSqlite } from './usage/fill-usage.ts';

const NOW = Date.now();

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
const subject = await (options.postgres ? fillPostgres : fillSqlite)({ records, now: NOW });
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
