// Usage as one file: however much there is, nobody else waits for it to be written.

import { expect, test } from 'bun:test';
import { usageAsCsv } from '../../src/accounts/list-usage.ts';
import type { UsageRecord } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';

const PAGES = 100;
const PER_PAGE = 10;

const record = (page: number, index: number): UsageRecord => ({
  requestId: `req_${page}_${index}`,
  accountId: 'acc_1',
  keyId: 'key_1',
  at: 1_800_000_000_000 - page * PER_PAGE - index,
  model: 'demo-small',
  channel: 'demo',
  endpoint: '/v1/chat/completions',
  status: 'ok',
  stream: false,
  input: 1,
  cachedInput: 2,
  cacheWrite5m: 3,
  cacheWrite1h: 4,
  output: 5,
  images: 0,
  reasoning: 0,
  firstTokenMs: 10,
  totalMs: 20,
  held: 1n,
  cost: 123_456_789n,
  balanceAfter: 987_654_321n,
  estimated: false,
  revision: 1,
  attempts: [],
});

test('the largest file is written page by page, each before the next is asked for', async () => {
  let written = 0;
  const writtenBefore: number[] = [];
  const usagePage = async () => {
    const page = writtenBefore.push(written) - 1;
    const records = Array.from({ length: PER_PAGE }, (_, index) => ({
      ...record(page, index),
      get model() {
        written++;
        return 'demo-small';
      },
    }));
    return { records, hasMore: true, totals: {} };
  };
  const store = { read: { usagePage } } as unknown as Store;
  const lines = (await usageAsCsv(store, 'acc_1', new URLSearchParams())).split('\r\n');
  expect(writtenBefore).toEqual(Array.from({ length: PAGES }, (_, page) => page * PER_PAGE));
  expect(lines).toHaveLength(1 + PAGES * PER_PAGE + 1);
  expect([lines[1], lines.at(-2)].map((line) => line?.split(',')[0])).toEqual(['req_0_0', 'req_99_9']);
});
