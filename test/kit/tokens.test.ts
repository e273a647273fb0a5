import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addTokens, countTokens, NO_TOKENS, sameTokens, type TokenCount } from '../../src/kit/tokens.ts';

const ENGLISH = 'The quick brown fox jumps over the lazy dog while the old cat sleeps by the warm fire.';
const CHINESE = '敏捷的棕色狐狸跳過懶惰的狗，老貓在溫暖的火爐邊睡覺。';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary-ascii' }),
  fc.string({ unit: fc.constantFrom(...'漢字假名ひらがな한국어 abc123🎉') }),
);

function expectOrdered({ lower, estimate, upper }: TokenCount): void {
  for (const count of [lower, estimate, upper]) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  expect(lower).toBeLessThanOrEqual(estimate);
  expect(estimate).toBeLessThanOrEqual(upper);
}

test('the bounds stand in order for any text, whole numbers all', () => {
  fc.assert(fc.property(anyText, (text) => expectOrdered(countTokens(text))));
});

test('a text is never more than the sum of its parts, so counting by parts is safe for holds', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      const pieces = addTokens(countTokens(a), countTokens(b));
      expect(countTokens(a + b).upper).toBeLessThanOrEqual(pieces.upper);
      expect(countTokens(a + b).lower).toBeGreaterThanOrEqual(pieces.lower);
      expectOrdered(pieces);
    }),
  );
});

test('nothing is nothing', () => {
  expect(countTokens('')).toEqual(NO_TOKENS);
});

describe('languages', () => {
  test('English prose is about one token for four or five characters', () => {
    const { estimate } = countTokens(ENGLISH);
    expect(estimate).toBeGreaterThan(ENGLISH.length / 6);
    expect(estimate).toBeLessThan(ENGLISH.length / 3);
  });

  test('Traditional Chinese is about one token a character, not one for four', () => {
    const { estimate, lower, upper } = countTokens(CHINESE);
    expect(estimate).toBeGreaterThan(CHINESE.length * 0.7);
    expect(estimate).toBeLessThan(CHINESE.length * 1.3);
    expect(upper).toBeGreaterThanOrEqual(CHINESE.length);
    expect(lower).toBeGreaterThan(CHINESE.length / 4);
  });

  test.each(['ひらがなとカタカナ', '한국어로 쓴 문장'])('%s counts as wide', (text) => {
    expect(countTokens(text).estimate).toBeGreaterThan(text.length / 2);
  });

  test('an emoji outside the basic plane may take four tokens, one for each of its bytes', () => {
    expect(countTokens('🎉').upper).toBeGreaterThanOrEqual(4);
  });

  test('digits, capitals and punctuation may take one token each', () => {
    expect(countTokens('{"A1":[!]}').upper).toBe(10);
  });
});

test('one exact count is all three', () => {
  expect(sameTokens(7)).toEqual({ lower: 7, estimate: 7, upper: 7 });
});
