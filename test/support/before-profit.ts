// A database of the version before upstream costs were recorded, in the SQL of both databases, and what the migration makes
// of it: what a request cost then is unknown, and losses are summed by day.

import { expect } from 'bun:test';
import { taipeiDay } from '../../src/kit/taipei.ts';
import type { Migration } from '../../src/store/migration.ts';
import type { Store } from '../../src/store/store.ts';

export const beforeProfit = (migrations: readonly Migration[]) => migrations.filter(({ version }) => version < 19);

const DAY = taipeiDay(0);
const LOSS_COLUMNS = 'request_id, at, day, account_id, model, channel, reason, amount_nano';
const loss = (channel: string, amount: number) => `('req_1', 0, ${DAY}, 'acc_1', 'm', ${channel}, 'hedge', ${amount})`;

/** On PostgreSQL a trigger sums the record up. */
export function usedBefore(isSummed: boolean): string[] {
  return [
    `INSERT INTO accounts VALUES ('acc_1', 1)`,
    `INSERT INTO usage_records (request_id, account_id, key_id, at, model, channel, endpoint, status, stream, input_tokens,
        cached_input_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, images, total_ms,
        held_nano, cost_nano, balance_after_nano, estimated, revision, attempts)
      VALUES ('req_1', 'acc_1', 'key', 0, 'm', 'up', '/', 'ok', FALSE, 1, 0, 0, 0, 1, 0, 0, 1, 70, 70, 0, FALSE, 1, '[]')`,
    ...(isSummed
      ? []
      : [`INSERT INTO usage_days VALUES ('acc_1', ${DAY}, 'key', 'm', 'up', 'ok', 1, 1, 0, 0, 0, 1, 0, 0, 70)`]),
    `INSERT INTO losses (${LOSS_COLUMNS}) VALUES ${[loss("'up'", 5), loss("'up'", 6), loss('NULL', 7)]}`,
  ];
}

export async function checkUsedBefore(store: Store): Promise<void> {
  expect((await store.read.usageRecord('acc_1', 'req_1'))?.upstreamCost).toBeNull();
  const known = { knownRequests: 0, knownRevenue: 0n, cost: 0n };
  expect(await store.read.profit({ by: 'channel', from: DAY, to: DAY + 1, limit: 9 })).toEqual({
    totals: { requests: 1, revenue: 70n, ...known, loss: 18n },
    sums: [
      { key: 'up', requests: 1, revenue: 70n, ...known, loss: 11n },
      { key: null, requests: 0, revenue: 0n, ...known, loss: 7n },
    ],
  });
  const { sums } = await store.read.losses({ by: 'channel', from: DAY, to: DAY + 1, limit: 9 });
  expect(sums.map(({ key, losses, amount }) => [key, losses, amount])).toEqual([
    ['up', 2, 11n],
    [null, 1, 7n],
  ]);
  const { differences } = await store.read.audit({});
  expect(differences.filter(({ what }) => what === 'usage_day' || what === 'loss_sum')).toEqual([]);
}
