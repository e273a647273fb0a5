// Paging through usage: every record that was there at the start comes once, whatever arrives meanwhile.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';

const RECORDS = 230;
const clock = createManualClock();
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  const limits = { free_per_minute: 100_000, free_per_day_positive: 100_000 };
  gateway = await startTestGateway({
    clock,
    limits,
    document: (doc) => ({ ...doc, guards: { free_in_flight: null } }),
  });
  account = await gateway.register();
  // Many records of the same millisecond: their order must still be total.
  for (let made = 0; made < RECORDS; made += 46) {
    await Promise.all(Array.from({ length: 46 }, () => ask()));
    await clock.advance(1);
  }
});
afterAll(() => gateway.stop());

async function ask(): Promise<string> {
  const response = await gateway.chat(account.key, { model: 'auto:free' });
  expect(response.status).toBe(200);
  return response.headers.get('x-request-id') ?? '';
}

async function pages(limit: number, between: () => Promise<unknown>): Promise<string[][]> {
  const found: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer = await gateway.get(`/api/usage?limit=${limit}&cursor=${cursor}`, account.key);
    found.push(page.data.map(({ request_id }: Answer) => request_id));
    expect(page.has_more).toBe(page.next_cursor !== null);
    cursor = page.next_cursor;
    await between();
  }
  return found;
}

test('no gap and no repeat while new records arrive', async () => {
  const before = gateway.sql<{ request_id: string }>(
    'SELECT request_id FROM usage_records ORDER BY at DESC, request_id DESC',
  );
  const found = await pages(7, ask);
  expect(found.flat()).toEqual(before.map(({ request_id }) => request_id));
  expect(found.slice(0, -1).every((page) => page.length === 7)).toBe(true);
});

test('a page has 50 records unless asked otherwise, and never more than 200', async () => {
  const size = async (query: string) => (await gateway.get(`/api/usage${query}`, account.key)).data.length;
  expect(await size('')).toBe(50);
  expect(await size('?limit=200')).toBe(200);
  expect(await size('?limit=100000')).toBeLessThanOrEqual(200);
});

test('a full last page is the last page', async () => {
  const total = (await gateway.get('/api/usage?limit=1', account.key)).totals.requests;
  const size = Math.max(...Array.from({ length: 200 }, (_, index) => index + 1).filter((n) => total % n === 0));
  const found = await pages(size, async () => {});
  expect(found.at(-1)).toHaveLength(size);
  expect(new Set(found.flat()).size).toBe(total);
});

test("another account's cursor shows nothing of that account", async () => {
  const { next_cursor } = await gateway.get('/api/usage?limit=5', account.key);
  const stranger = await gateway.register();
  const page = await gateway.get(`/api/usage?cursor=${next_cursor}`, stranger.key);
  expect(page.data).toEqual([]);
  expect(page.totals.requests).toBe(0);
});
