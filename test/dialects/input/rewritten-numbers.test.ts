// How much numbers grow when they are written anew: never less than they really do.

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { addedDigits } from '../../../src/dialects/input/added-tokens.ts';

const digits = fc.integer({ min: 1, max: 99_999 });
const literal = fc.oneof(
  fc.tuple(digits, fc.integer({ min: -30, max: 30 })).map(([whole, power]) => `${whole}e${power}`),
  fc.tuple(digits, digits, fc.integer({ min: -30, max: 30 })).map(([a, b, power]) => `-${a}.${b}E${power}`),
  fc.integer().map(String),
  fc.constantFrom('0', '-0', '0.1', '100000', '5e-324', '1e308', '1e999'),
);

test('any list of numbers, however each is spelt', () => {
  fc.assert(
    fc.property(fc.array(literal), (numbers) => {
      const source = `[${numbers.join()}]`;
      const value = JSON.parse(source);
      const grown = JSON.stringify(value).length - source.length;
      // Four characters or fewer may be one more than their source.
      expect(addedDigits({ tools: [{ enum: value }] }, [])).toBeGreaterThanOrEqual(grown - numbers.length);
      expect(addedDigits({}, [value])).toBe(addedDigits({ tools: value }, []));
    }),
    { numRuns: 2_000 },
  );
});

test('a number in all its digits adds nothing to speak of', () => {
  expect(addedDigits({ tools: [{ enum: [1, 20, 3.5, 1024, 12_345, -0.25, 123_456_789] }] }, [])).toBe(0);
});
