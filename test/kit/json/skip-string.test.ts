// Where a string ends, whatever is escaped in it.

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { findStringEnd, skipString } from '../../../src/kit/json/skip-string.ts';

const part = fc.constantFrom(
  'a',
  'many words here ',
  '"',
  '\\',
  '\\"',
  '\n',
  '你',
  '😀',
  '"'.repeat(600),
  '\\'.repeat(700),
  '\\'.repeat(256),
  '\\'.repeat(255),
);
const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''));

test('after the quote that JSON.stringify wrote last', () => {
  fc.assert(
    fc.property(text, text, (before, inside) => {
      const literal = JSON.stringify(inside);
      expect(skipString(`${before}${literal}"`, before.length)).toBe(before.length + literal.length);
    }),
    { numRuns: 2_000 },
  );
});

test('nowhere if it is cut off', () => {
  fc.assert(
    fc.property(text, fc.nat(), (inside, at) => {
      const literal = JSON.stringify(inside);
      expect(skipString(literal.slice(0, 1 + (at % (literal.length - 1))), 0)).toBe(-1);
    }),
    { numRuns: 2_000 },
  );
});

test('the same in steps', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 700 }), (inside, size) => {
      const literal = JSON.stringify(inside);
      let end = ~1;
      while (end < 0) end = findStringEnd(`${literal}"`, ~end, ~end + size);
      expect(end).toBe(literal.length);
    }),
    { numRuns: 2_000 },
  );
});
