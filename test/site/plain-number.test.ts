import { expect, test } from 'bun:test';
import { plainNumber } from '../../src/site/read-form.ts';

test.each([
  ['1,234', '1234'],
  ['12,345,678.5', '12345678.5'],
  ['1234.5', '1234.5'],
  ['12,5', '12,5'],
  ['1,5', '1,5'],
  ['1,2345', '1,2345'],
  ['1.234,5', '1.234,5'],
  [',5', ',5'],
  ['１００', '100'],
  ['１，２３４．５', '1234.5'],
  ['１，５', '1,5'],
  ['0x10', '0x10'],
  ['10²', '10²'],
])('%s is read as %s', (typed, read) => {
  expect(plainNumber(typed)).toBe(read);
});
