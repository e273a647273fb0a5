// Prices that change at a date: what the document may say, and which price applies when.

import { describe, expect, test } from 'bun:test';
import { buildCatalog } from '../../src/catalog/catalog.ts';
import { publicCatalog } from '../../src/catalog/public-catalog.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import type { Answer } from '../support/answer.ts';
import { faultsOf, withModel } from '../support/plain-document.ts';

const FIRST = Date.UTC(2026, 11, 31, 16);
const SECOND = Date.UTC(2027, 1, 1);
const PRICE = {
  input: 10,
  output: 40,
  tools: { web_search: 0.3 },
  changes: [
    { effective_at: '2027-01-01', input: 20, tiers: [{ above_input_tokens: 1_000, input: 30 }] },
    { effective_at: '2027-02-01T00:00:00Z', output: 80, tools: {} },
  ],
};

function catalogAt(at: number) {
  const read = readDocument(withModel({ price: PRICE, routes: [{ channel: 'up', model: 'extra' }] }));
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return buildCatalog(read.document, 1, 0, { at });
}

const pricesAt = (at: number) => catalogAt(at).find('extra')?.prices;

describe('the price', () => {
  test('is the first one until the last millisecond before the change', () => {
    expect(pricesAt(FIRST - 1)).toMatchObject({ input: 10_000n, cachedInput: 10_000n, output: 40_000n });
    expect(pricesAt(FIRST - 1)?.rules?.tiers).toEqual([]);
  });

  test('changes in what the change names, and in what follows from it', () => {
    expect(pricesAt(FIRST)).toMatchObject({ input: 20_000n, cachedInput: 20_000n, output: 40_000n });
    expect(pricesAt(FIRST)?.rules?.tiers).toMatchObject([{ inputTokens: 1_000, prices: { input: 30_000n } }]);
    expect(pricesAt(FIRST)?.rules?.tools.get('web_search')).toBe(300_000_000n);
  });

  test('changes again on top of the change before', () => {
    expect(pricesAt(SECOND - 1)).toMatchObject({ input: 20_000n, output: 40_000n });
    expect(pricesAt(SECOND)).toMatchObject({ input: 20_000n, output: 80_000n });
    expect(pricesAt(SECOND)?.rules?.tools.size).toBe(0);
    expect(pricesAt(SECOND)?.rules?.tiers).toHaveLength(1);
  });

  test('of a route without a cost is its cost, too', () => {
    expect(catalogAt(FIRST).find('extra')?.routes[0]?.costs.input).toBe(20_000n);
  });
});

test('a catalog says from when until when it applies', () => {
  const periods = [FIRST - 1, FIRST, SECOND]
    .map(catalogAt)
    .map(({ from, until, updatedAt }) => [from, until, updatedAt]);
  expect(periods).toEqual([
    [Number.NEGATIVE_INFINITY, FIRST, 0],
    [FIRST, SECOND, FIRST],
    [SECOND, Number.POSITIVE_INFINITY, SECOND],
  ]);
});

test('the public catalog shows each later list as a whole, until it applies', () => {
  const shownAt = (at: number): Answer => (publicCatalog(catalogAt(at)) as Answer).data.at(-1).price;
  const { changes, ...now } = shownAt(FIRST - 1);
  expect(now).toMatchObject({ input: 10, output: 40, tools: { web_search: 0.3 } });
  expect(changes).toMatchObject([
    { effective_at: '2026-12-31T16:00:00.000Z', input: 20, output: 40, tools: { web_search: 0.3 } },
    { effective_at: '2027-02-01T00:00:00.000Z', input: 20, output: 80 },
  ]);
  expect(changes[1].tools).toBeUndefined();
  expect(shownAt(FIRST).changes).toHaveLength(1);
  expect(shownAt(SECOND).changes).toBeUndefined();
});

test.each([
  ['no moment', [{ input: 1 }], 'changes[0].effective_at: must be a date'],
  ['no price', [{ effective_at: '2027-01-01' }], 'changes[0]: needs a price'],
  ['a price of 0', [{ effective_at: '2027-01-01', input: 0 }], 'changes[0].input: must be above 0'],
  ['an unknown field', [{ effective_at: '2027-01-01', input: 1, changes: [] }], 'changes[0].changes: unknown field'],
  [
    'not in order',
    [
      { effective_at: '2027-01-01', input: 1 },
      { effective_at: '2026-12-31T16:00:00Z', input: 2 },
    ],
    'changes[1].effective_at: must be later than that of the change before it',
  ],
])('is refused: %s', (_, changes, fault) => {
  const faults = faultsOf(withModel({ price: { input: 10, output: 40, changes } }));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toStartWith(`models[2].price.${fault}`);
});

test('a cost of a route has no changes', () => {
  const routes = [{ channel: 'demo', model: 'demo', cost: { input: 1, changes: [] } }];
  expect(faultsOf(withModel({ price: { input: 10, output: 40 }, routes }))).toEqual([
    'models[2].routes[0].cost.changes: unknown field',
  ]);
});
