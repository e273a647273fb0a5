import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  chargedTier,
  FREE,
  highestPrices,
  type ListPrices,
  leastInput,
  type Prices,
  pricesFor,
  servedTier,
} from '../../src/kit/prices.ts';

const price = fc.bigInt({ min: 0n, max: 1_000_000n });
const prices: fc.Arbitrary<Prices> = fc.record({
  ...{ input: price, cachedInput: price, cacheWrite5m: price, cacheWrite1h: price },
  ...{ output: price, image: price, second: price, character: price, search: price },
});
const TIERS = ['flex', 'priority', 'scale'];
const lists: fc.Arbitrary<ListPrices> = fc
  .record({
    base: prices,
    tiers: fc.array(fc.record({ inputTokens: fc.nat(50), isInclusive: fc.boolean(), prices }), { maxLength: 3 }),
    factors: fc.array(fc.bigInt({ min: 1n, max: 5_000n }), { maxLength: 3 }),
  })
  .map(({ base, tiers, factors }) => ({
    ...base,
    rules: {
      tiers: tiers.toSorted((a, b) => leastInput(a) - leastInput(b)),
      serviceTiers: new Map(factors.map((factor, index) => [TIERS[index] ?? '', factor])),
      tools: new Map(),
    },
  }));
const word = fc.constantFrom(undefined, ...TIERS, 'default', 'auto', 'unheard-of');

test('no request costs more than the highest prices for what it named and for at least its input', () => {
  fc.assert(
    fc.property(lists, fc.nat(60), fc.nat(10), word, word, (list, input, more, sent, reported) => {
      const most = highestPrices(list, input + more, sent);
      const charged = pricesFor(list, input, chargedTier(list, { sent, reported }));
      for (const name of Object.keys(FREE) as (keyof Prices)[]) expect(charged[name] <= most[name]).toBe(true);
    }),
  );
});

test('a tier that is charged is one that the receipt finds again', () => {
  fc.assert(
    fc.property(lists, word, word, (list, sent, reported) => {
      const charged = chargedTier(list, { sent, reported });
      expect(charged === null || list.rules?.serviceTiers.has(charged)).toBe(true);
    }),
  );
});

describe('a list without rules', () => {
  const flat: ListPrices = { ...FREE, input: 3n };
  test('is its own prices, whatever the request', () => {
    expect(pricesFor(flat, 1_000_000, 'flex')).toBe(flat);
    expect(highestPrices(flat, 1_000_000, 'priority')).toBe(flat);
    expect(chargedTier(flat, { sent: 'flex', reported: 'flex' })).toBeNull();
  });
});

describe('the tier that served', () => {
  const list: ListPrices = {
    ...FREE,
    rules: { tiers: [], serviceTiers: new Map([['flex', 500n]]), tools: new Map() },
  };
  test.each([
    ['flex', undefined, 'flex'],
    ['flex', 'default', null],
    ['flex', 'standard', null],
    [undefined, 'flex', 'flex'],
    ['priority', 'scale', null],
  ])('named %p, reported %p', (sent, reported, served) => {
    expect(servedTier(list, { sent, reported })).toBe(served);
  });
});
