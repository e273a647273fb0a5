// Sixteen bytes at a time or one by one: the same counts, the same ends of strings.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { plainScanner, ROOM_CHARS, vectorScanner } from '../../../../src/kit/json/scan/scan-bytes.ts';
import { skipString } from '../../../../src/kit/json/scan/skip-string.ts';
import { countTokens } from '../../../../src/kit/tokens.ts';

const encoder = new TextEncoder();
const units = [
  'a',
  'z',
  ' ',
  'A',
  '{',
  '`',
  '"',
  '\\',
  '\n',
  '\u001f',
  '\u007f',
  'é',
  '߿',
  'ࠀ',
  'ก',
  '\u2fff',
  '\u3000',
  '你',
  '\uffff',
  '😀',
];
const anyText = fc.string({
  unit: fc.constantFrom(...units, 'n', 't', 'u', 'o', 'p', 'q', 'words in between '),
  maxLength: 80,
});
const escaped = fc.string({
  unit: fc.constantFrom('\\"', '\\\\', '\\n', 'a', '你', '😀', 'plain words, many of them, '),
  maxLength: 80,
});
/** A common letter after another one or after a space. */
const PAIR = /(?<=[a-eg-il-pr-uy ])[a-eg-il-pr-uy]/g;
/** A backslash, if it is not the second of just two, goes before one of a few. */
const NOT_PLAIN = /[^ -\uffff]|(?<!(?<!\\)\\)\\(?!$|["\\/fnrt])/;

test('this machine works on sixteen bytes at once', () => expect(vectorScanner()).toBeDefined());

describe.each([
  ['sixteen at once', vectorScanner() ?? plainScanner()],
  ['one by one', plainScanner()],
] as const)('%s', (_, { room, count, findLong }) => {
  const put = (text: string) => encoder.encodeInto(text, room).written;

  test('counts what there is', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, escaped), (text) => {
        const codes = [...text].map((char) => char.codePointAt(0) ?? 0);
        const bytes = put(text);
        expect(count(0, bytes, false)).toEqual({
          bytes,
          easy: text.replaceAll(/[^a-z ]/g, '').length,
          pairs: text.match(PAIR)?.length ?? 0,
          high: encoder.encode(text).filter((byte) => byte >= 0x80).length,
          two: codes.filter((code) => code >= 0x80).length,
          three: codes.filter((code) => code >= 0x800).length,
          four: codes.filter((code) => code >= 0x10000).length,
          wide: codes.filter((code) => code >= 0x3000).length,
          isPlain: !NOT_PLAIN.test(text),
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test('finds the quote that ends a string', () => {
    fc.assert(
      fc.property(escaped, anyText, (inside, after) => {
        const alone = count(0, put(inside), false);
        expect(count(0, put(inside), true)).toEqual(alone);
        expect(count(0, put(`${inside}"${after}`), true)).toEqual(alone);
        const before = put('{"a\\\\":"');
        expect(count(before, put(`{"a\\\\":"${inside}"${after}`), true)).toEqual(alone);
      }),
      { numRuns: 2_000 },
    );
  });

  test('finds the next string that is long', () => {
    const text = fc.array(fc.tuple(escaped, fc.constantFrom(':', ',', ' \\ ', '{}')), { maxLength: 8 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 200 }), fc.nat({ max: 40 }), (parts, least, from) => {
        let at = from;
        let expected: number | undefined;
        for (const [inside, between] of parts) {
          const length = encoder.encode(inside).length + 1;
          if (length >= least) expected ??= at;
          at += length + 1 + between.length;
        }
        const end = put(' '.repeat(from) + parts.map(([inside, between]) => `"${inside}"${between}`).join(''));
        room.fill(0x22, end, end + 40);
        expect(findLong(from, end, least)).toBe(expected ?? end);
      }),
      { numRuns: 2_000 },
    );
  });

  test('one that never ends is long if so much of it is there', () => {
    const end = put(`"short""${'\\"'.repeat(100)}`);
    expect(findLong(0, end, 150)).toBe(7);
    expect(findLong(0, end, 300)).toBe(end);
    expect(count(8, end, true).bytes).toBe(end - 8);
  });
});

describe('strings longer than the room', () => {
  const unit = fc.constantFrom('\\"', '\\\\', '\\n', 'a', '你', '😀', '\\\\\\"', 'words and "'.replace('"', '\\"'));
  const long = fc
    .tuple(fc.array(unit, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 3 * ROOM_CHARS }))
    .map(([parts, chars]) => parts.join('').repeat(Math.ceil(chars / parts.join('').length)));

  test('end where they end', () => {
    fc.assert(
      fc.property(long, anyText, (inside, after) => {
        expect(skipString(`{"a":"${inside}"${after}`, 5)).toBe(inside.length + 7);
        expect(skipString(`"${inside}`, 0)).toBe(-1);
      }),
      { numRuns: 200 },
    );
  });

  test('end where they end, even if they are backslashes alone', () => {
    const inside = `${'\\"'.repeat(9)}${'\\'.repeat(4 * ROOM_CHARS)}`;
    expect(skipString(`"${inside}"`, 0)).toBe(inside.length + 2);
    expect(skipString(`"${inside}\\"`, 0)).toBe(-1);
  });

  test('are counted as the sum of their characters, less what pairs of letters save', () => {
    fc.assert(
      fc.property(long, (inside) => {
        const { upper } = countTokens(inside);
        const single = [...inside].map((char) => countTokens(char).upper);
        const pairs = inside.match(PAIR)?.length ?? 0;
        expect(upper).toBe(single.reduce((sum, one) => sum + one, 0) - Math.floor(pairs / 3));
      }),
      { numRuns: 100 },
    );
  });

  test('a half of a pair is counted as one', () => {
    const text = `${'a'.repeat(ROOM_CHARS - 1)}😀${'a'.repeat(ROOM_CHARS)}`;
    expect(countTokens(`${text}\ud83d`).upper).toBe(countTokens(text).upper + 2);
  });
});
