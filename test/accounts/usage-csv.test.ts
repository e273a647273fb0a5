// Usage as one file: however much there is, nobody else waits for it to be written, and no more of it is read than is taken.

import { expect, test } from 'bun:test';
import { openUsageFile } from '../../src/accounts/usage/usage-file.ts';
import { Fault, fault } from '../../src/faults/fault.ts';
import type { LogFields } from '../../src/kit/log.ts';
import { Load } from '../../src/limits/load.ts';
import type { UsageRecord } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';

const PAGES = 100;
const PER_PAGE = 10;
const MIB = 1024 * 1024;

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
  seconds: 0,
  characters: 0,
  searches: 0,
  reasoning: 0,
  firstTokenMs: 10,
  totalMs: 20,
  held: 1n,
  cost: 123_456_789n,
  balanceAfter: 987_654_321n,
  estimated: false,
  revision: 1,
  attempts: [],
  rule: 'served',
  serviceTier: null,
  toolCalls: null,
  pricedAt: null,
  upstreamCost: null,
});

interface Asked {
  /** How many records had been written when each page was asked for. */
  writtenBefore: number[];
  file: string | ReadableStream<Uint8Array>;
  log: string[];
  load: Load;
  leave(): void;
}

/** A store without end; from one page on it may fail. */
async function openFile(failsAt = Number.POSITIVE_INFINITY): Promise<Asked> {
  let written = 0;
  const writtenBefore: number[] = [];
  const log: string[] = [];
  const usagePage = async () => {
    const page = writtenBefore.push(written) - 1;
    if (page >= failsAt) throw fault('unavailable', { internal: 'store: it broke' });
    const records = Array.from({ length: PER_PAGE }, (_, index) => ({
      ...record(page, index),
      get model() {
        written++;
        return 'demo-small';
      },
    }));
    return { records, hasMore: true, totals: {} };
  };
  const load = new Load({ requests: 100, bodyBytes: 64 * MIB });
  const leaving = new AbortController();
  const tools = {
    load,
    store: { read: { usagePage } } as unknown as Store,
    log: (_level: string, event: string, { detail }: LogFields = {}) => void log.push(`${event} ${detail}`),
  };
  const file = await openUsageFile(tools, { accountId: 'acc_1', limit: 1 }, { gone: leaving.signal });
  return { writtenBefore, log, load, file, leave: () => leaving.abort() };
}

test('the largest file is written page by page, each before the next is asked for', async () => {
  const { writtenBefore, file, load } = await openFile();
  expect(load.requests).toBe(1);
  const lines = (await new Response(file).text()).split('\r\n');
  expect(writtenBefore).toEqual(Array.from({ length: PAGES }, (_, page) => page * PER_PAGE));
  expect(load.requests).toBe(0);
  expect(lines).toHaveLength(1 + PAGES * PER_PAGE + 1);
  expect([lines[1], lines.at(-2)].map((line) => line?.split(',')[0])).toEqual(['req_0_0', 'req_99_9']);
});

test('a page is read when it is wanted, and none for who has left', async () => {
  const { writtenBefore, file, log, load } = await openFile();
  if (typeof file === 'string') throw new Error('it was read whole');
  const reader = file.getReader();
  expect(writtenBefore).toHaveLength(1);
  for (const pages of [1, 2, 3]) {
    await reader.read();
    expect(writtenBefore).toHaveLength(pages);
  }
  const last = reader.read();
  await reader.cancel();
  expect(await last).toEqual({ done: true, value: undefined });
  expect(writtenBefore.length).toBeLessThanOrEqual(4);
  expect(log).toEqual([]);
  expect(load.requests).toBe(0);
});

test('one that nobody begins to read takes no room once its client has left', async () => {
  const { load, leave } = await openFile();
  leave();
  expect(load.requests).toBe(0);
});

test('a store that fails refuses the file, or breaks it off', async () => {
  await expect(openFile(0)).rejects.toBeInstanceOf(Fault);
  const { file, log, load } = await openFile(2);
  await expect(new Response(file).text()).rejects.toBeInstanceOf(Fault);
  expect(log).toEqual(['usage_file_failed store: it broke']);
  expect(load.requests).toBe(0);
});
