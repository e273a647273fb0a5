// The upper bound against real tokenizers: what pays for a hold must never be too little.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens } from '../../src/kit/tokens.ts';

const ALPHABETS: Record<string, [from: number, to: number][]> = {
  'lower-case letters': [[0x61, 0x7a]],
  'base64 and code': [[0x20, 0x7e]],
  digits: [[0x30, 0x39]],
  'control characters': [[0x01, 0x1f]],
  'Latin, Greek, Cyrillic': [[0xc0, 0x4ff]],
  'Arabic and Thai': [
    [0x600, 0x6ff],
    [0xe01, 0xe5b],
  ],
  'symbols and private use': [
    [0x2000, 0x2bff],
    [0xe000, 0xf8ff],
  ],
  'kana and hangul': [
    [0x3041, 0x30ff],
    [0xac00, 0xd7a3],
  ],
  'Chinese, common and rare': [
    [0x3400, 0x4db5],
    [0x4e00, 0x9fa5],
  ],
  'emoji and characters beyond 16 bits': [
    [0x1f300, 0x1f9ff],
    [0x20000, 0x2a6d6],
  ],
};

describe('the upper bound holds for real tokenizers', () => {
  for (const [name, ranges] of Object.entries(ALPHABETS)) {
    test(name, () => {
      const char = fc.oneof(
        ...ranges.map(([min, max]) => fc.integer({ min, max }).map((c) => String.fromCodePoint(c))),
      );
      fc.assert(
        fc.property(fc.array(char, { minLength: 200, maxLength: 600 }), (chars) => {
          const text = chars.join('');
          const { upper } = countTokens(text);
          expect(o200k(text).length).toBeLessThanOrEqual(upper);
          expect(cl100k(text).length).toBeLessThanOrEqual(upper);
        }),
        { numRuns: 40 },
      );
    });
  }
});

test('ordinary prose is estimated within a third', () => {
  const texts = [
    'It was a bright cold day in April, and the clocks were striking. Nothing moved in the street but a cat. ',
    '這是一段一般的繁體中文，用來估計詞元的數量；標點符號、數字 123 與英文 words 也會出現在裡面。',
    'export function add(a: number, b: number): number {\n  return a + b;\n}\n',
  ];
  for (const text of texts) {
    const long = text.repeat(20);
    const real = o200k(long).length;
    const { estimate } = countTokens(long);
    expect(estimate).toBeGreaterThan(real * 0.66);
    expect(estimate).toBeLessThan(real * 1.34);
  }
});
