// Sums of usage by Taipei day and by everything that a listing can be filtered by, written in the transaction of the
// records themselves. Records of one kind are summed up here first, so that each sum is written once.

import type { Database } from 'bun:sqlite';
import { taipeiDay } from '../../kit/taipei.ts';
import { addBuckets, type Buckets, NO_BUCKETS, type UsageRecord } from '../rows.ts';
import { ALL_SUM_COLUMNS, type UsageTotals } from '../usage-queries.ts';
import { whenRun } from './when-run.ts';

/** One row of the sums, and all its counts together. */
interface Sum extends UsageTotals {
  key: [accountId: string, day: number, keyId: string, model: string, channel: string, status: string];
  counted: number;
  upstreamCost: bigint;
  knownRequests: number;
  knownRevenue: bigint;
}

const KEY = ['account_id', 'day', 'key_id', 'model', 'channel', 'status'];

export function prepareAddToDays(db: Database): (usage: readonly UsageRecord[]) => void {
  const columns = [...KEY, ...ALL_SUM_COLUMNS];
  const upsert = whenRun(
    db,
    `INSERT INTO usage_days (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${ALL_SUM_COLUMNS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  );
  return (usage) => {
    for (const sum of sumUp(usage)) {
      const { key, requests, cost } = sum;
      upsert().run(...key, requests, ...countsOf(sum), cost, sum.upstreamCost, sum.knownRequests, sum.knownRevenue);
    }
  };
}

/** In the order of their columns. */
function countsOf(used: Buckets & { reasoning: number }): number[] {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, reasoning, images } = used;
  const { seconds, characters, searches } = used;
  return [input, cachedInput, cacheWrite5m, cacheWrite1h, output, reasoning, images, seconds, characters, searches];
}

function sumUp(usage: readonly UsageRecord[]): Sum[] {
  const sums: Sum[] = [];
  const open = new Map<string, Sum>();
  for (const record of usage) {
    const key = keyOf(record);
    const name = key.join('\0');
    const counted = countsOf(record).reduce((all, count) => all + count, 0);
    let sum = open.get(name);
    // Above this a count would not be exact, so a second sum is begun.
    if (!sum || sum.counted + counted > Number.MAX_SAFE_INTEGER) {
      const known = { upstreamCost: 0n, knownRequests: 0, knownRevenue: 0n };
      sum = { key, ...NO_BUCKETS, requests: 0, reasoning: 0, cost: 0n, counted: 0, ...known };
      open.set(name, sum);
      sums.push(sum);
    }
    Object.assign(sum, addBuckets(sum, record));
    sum.requests++;
    sum.reasoning += record.reasoning;
    sum.cost += record.cost;
    sum.counted += counted;
    if (record.upstreamCost === null) continue;
    sum.upstreamCost += record.upstreamCost;
    sum.knownRequests++;
    sum.knownRevenue += record.cost;
  }
  return sums;
}

/** Where no channel served, its name is empty: a primary key knows no NULL. */
function keyOf({ accountId, at, keyId, model, channel, status }: UsageRecord): Sum['key'] {
  return [accountId, taipeiDay(at), keyId, model, channel ?? '', status];
}
