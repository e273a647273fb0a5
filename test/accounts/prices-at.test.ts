// Prices of past revisions: each is read once, also when many ask at once, and only so many are kept.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPriceLists, createPricesAt, MAX_REVISIONS, type PricesAt } from '../../src/accounts/prices-at.ts';
import { FREE } from '../../src/kit/prices.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { appliedLine } from '../support/applied-line.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { plainDocument, ROUTE } from '../support/plain-document.ts';

const NOW = 1_000_000;

let folder: string;
let store: Store;
let asked: number[];
let isAway: boolean;
let pricesAt: PricesAt;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-prices-'));
  store = await openSqliteStore({
    file: join(folder, 'gateway.sqlite'),
    clock: createManualClock(),
    unsafeNoSync: true,
  });
  asked = [];
  isAway = false;
  const revision: Store['read']['revision'] = async (number) => {
    asked.push(number);
    if (isAway) throw new Error('the store is away');
    return store.read.revision(number);
  };
  const catalog = () => ({ revision: 0, find: () => undefined, from: 0, until: NOW });
  const priceListAt = createPriceLists({ read: { ...store.read, revision } });
  pricesAt = createPricesAt({ priceListAt, catalog });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A revision in which the model `sold`, also called `also`, has this price of input. */
async function revise(input: number): Promise<void> {
  const model = { id: 'sold', aliases: ['also'], price: { input, output: 100 }, routes: [ROUTE] };
  const document = plainDocument();
  await store.commit('revise', {
    document: JSON.stringify({ ...document, models: [...document.models, model] }),
    source: 'operator',
    sourceHash: String(input),
    at: input,
    log: appliedLine(input),
  });
}

test('each revision has its own, by id and alias, and is read once', async () => {
  await revise(1);
  await revise(2);
  for (let round = 0; round < 3; round++) {
    expect(await pricesAt(1, 'sold', NOW)).toMatchObject({ input: 1_000n, output: 100_000n });
    expect(await pricesAt(2, 'also', NOW)).toMatchObject({ input: 2_000n, output: 100_000n });
    expect(await pricesAt(2, 'never-was', NOW)).toBe(FREE);
  }
  expect(asked).toEqual([1, 2]);
});

test('many who ask at once share one reading', async () => {
  await revise(1);
  const told = await Promise.all(Array.from({ length: 50 }, () => pricesAt(1, 'sold', NOW)));
  expect(new Set(told).size).toBe(1);
  expect(asked).toEqual([1]);
});

test('what could not be read is not kept', async () => {
  await revise(1);
  isAway = true;
  const told = await Promise.allSettled([pricesAt(1, 'sold', NOW), pricesAt(1, 'sold', NOW)]);
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await pricesAt(1, 'sold', NOW)).toMatchObject({ input: 1_000n });
  expect(asked).toEqual([1, 1]);
});

test('those asked for last are kept, and no more', async () => {
  for (let input = 1; input <= MAX_REVISIONS + 1; input++) await revise(input);
  for (let revision = 1; revision <= MAX_REVISIONS; revision++) await pricesAt(revision, 'sold', NOW);
  await pricesAt(1, 'sold', NOW);
  await pricesAt(MAX_REVISIONS + 1, 'sold', NOW);
  asked.length = 0;
  expect(await pricesAt(1, 'sold', NOW)).toMatchObject({ input: 1_000n });
  expect(asked).toEqual([]);
  expect(await pricesAt(2, 'sold', NOW)).toMatchObject({ input: 2_000n });
  expect(asked).toEqual([2]);
});
