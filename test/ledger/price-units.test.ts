// Prices by the second, the character and the search: what they cost, what is held for them, and how a receipt lists them.

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { FREE, type ListPrices } from '../../src/kit/prices.ts';
import { costOf, holdFor, type PaidCall, receiptLines } from '../../src/ledger/cost.ts';
import { type Buckets, NO_BUCKETS } from '../../src/store/rows.ts';

/** NT$0.00325 for a second, NT$487.5 for a million characters, NT$65 for a thousand searches. */
const SPOKEN: ListPrices = { ...FREE, second: 3_250_000n, character: 487_500n, search: 65_000_000n };
const DEARER: ListPrices = { ...FREE, second: 4_000_000n };
const FLEX: ListPrices = {
  ...SPOKEN,
  rules: { tiers: [], serviceTiers: new Map([['flex', 333n]]), tools: new Map() },
};

const callOf = (
  prices: ListPrices,
  others: readonly ListPrices[],
  request: Partial<PaidCall['request']>,
): PaidCall => ({
  model: { prices },
  candidates: [prices, ...others].map((one) => ({ prices: one })),
  request: { choices: 1, images: 0, thinkingBudget: undefined, ...request },
  isStrict: false,
});

test('a cost is exact to the nano-NT$', () => {
  expect(costOf({ ...NO_BUCKETS, seconds: 61, characters: 1_001 }, SPOKEN)).toBe(61n * 3_250_000n + 1_001n * 487_500n);
  // The price of a unit is rounded up, not the sum.
  expect(costOf({ ...NO_BUCKETS, characters: 3 }, FLEX, 'flex')).toBe(3n * 162_338n);
});

test('the hold covers the most expensive model that may answer', () => {
  const { base } = holdFor(callOf(SPOKEN, [DEARER], { seconds: 60, characters: 100 }), 0, 0);
  expect(base).toBe(60n * 4_000_000n + 100n * 487_500n);
});

test('no quantity within its bound costs more than the hold', () => {
  const quantity = fc.nat(1_000_000);
  fc.assert(
    fc.property(quantity, quantity, quantity, quantity, fc.constantFrom(undefined, 'flex'), (...given) => {
      const [seconds, moreSeconds, characters, moreCharacters, serviceTier] = given;
      const bounds = { seconds: seconds + moreSeconds, characters: characters + moreCharacters, serviceTier };
      const { base } = holdFor(callOf(FLEX, [], bounds), 0, 0);
      expect(costOf({ ...NO_BUCKETS, seconds, characters }, FLEX, serviceTier ?? null) <= base).toBe(true);
    }),
  );
});

test('a receipt has a line for each, and they sum to the charge', () => {
  const used: Buckets = { ...NO_BUCKETS, seconds: 12, characters: 340, searches: 3 };
  const charged = costOf(used, SPOKEN);
  const lines = receiptLines({ ...used, serviceTier: null, toolCalls: null }, SPOKEN, charged);
  expect(lines).toEqual([
    { bucket: 'second', quantity: 12, unitPrice: 3_250_000n, amount: 39_000_000n },
    { bucket: 'character', quantity: 340, unitPrice: 487_500n, amount: 165_750_000n },
    { bucket: 'search', quantity: 3, unitPrice: 65_000_000n, amount: 195_000_000n },
  ]);
});
