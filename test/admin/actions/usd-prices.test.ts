// Prices of vendors in US$ as prices of the document: rounded up, and never 0 by mistake.

import { expect, test } from 'bun:test';
import { convertUsd, readConversion } from '../../../src/admin/actions/usd-prices.ts';

const conversion = readConversion('32.5', '20');

test('cost and sale price are rounded up to the decimals of a price', () => {
  expect<object>(convertUsd({ prices: { input: '0.0001', output: '1.1' } }, conversion)).toEqual({
    cost: { input: 0.004, output: 35.75 },
    sale: { input: 0.004, output: 42.9 },
  });
});

test('only a list of zeros is free', () => {
  expect(convertUsd({ prices: { input: '0', output: '0.0' } }, conversion).sale).toBeUndefined();
  const { sale } = convertUsd({ prices: { input: '0', output: '1' } }, conversion);
  expect<object | undefined>(sale).toEqual({ input: 0, output: 39 });
});

test.each(['1e-7', '', '-1', 'free', '0.0000000001'])('%p is no price, and makes nothing free', (input) => {
  expect(() => convertUsd({ prices: { input } }, conversion)).toThrow('must be a plain decimal number of US$');
});
