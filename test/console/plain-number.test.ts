import { expect, test } from 'bun:test';
import { plainNumber } from '../../src/site/console/plain-number.ts';

test.each([
  ['1,234', '1234'],
  ['12,345,678.5', '12345678.5'],
  ['1234.5', '1234.5'],
  ['12,5', '12,5'],
  ['1,5', '1,5'],
  ['1,2345', '1,2345'],
  ['1.234,5', '1.234,5'],
  [',5', ',5'],
])('%s is read as %s', (typed, read) => {
  expect(plainNumber(typed)).toBe(read);
});
