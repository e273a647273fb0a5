// Text inside a JSON string, looked at as bytes: it ends where a parser says, and weighs what its characters weigh.

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { PlainText } from '../../../src/kit/json/plain-text.ts';
import { weighTokens } from '../../../src/kit/tokens.ts';

const encoder = new TextEncoder();

/** The text up to the quote, and what it weighs; undefined if it was refused. */
function scan(bytes: Uint8Array, from: number) {
  const text = new PlainText();
  return text.scan(bytes, from) ? { end: text.end, weight: text.weight } : undefined;
}

test('any text without escapes is found whole, and weighs exactly the same', () => {
  const unit = fc.constantFrom(
    'a',
    'Z',
    ' ',
    '7',
    '.',
    '\u007f',
    'é',
    'п',
    'ก',
    'ހ',
    'አ',
    'ꀀ',
    '\u2fff',
    '\u3000',
    '你',
    '\ufeff',
    '\uffff',
    '\u2028',
    '🙂',
    '\u{10ffff}',
  );
  fc.assert(
    fc.property(fc.string({ unit }), fc.nat(5), fc.string(), (said, before, after) => {
      const bytes = encoder.encode(`${'"'.repeat(before)}${said}"${after}`);
      const end = before + encoder.encode(said).length;
      expect(scan(bytes, before)).toEqual({ end, weight: weighTokens(said) });
    }),
  );
});

test('bytes are taken exactly if they are what a strict decoder takes', () => {
  const byte = fc.oneof(
    fc.integer({ min: 0x20, max: 0xff }),
    fc.constantFrom(0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 6 }), (given) => {
      const bytes = Uint8Array.from([...given.filter((one) => one !== 0x22 && one !== 0x5c), 0x22]);
      const said = strictly(bytes.subarray(0, -1));
      expect(scan(bytes, 0)).toEqual(
        said === undefined ? undefined : { end: bytes.length - 1, weight: weighTokens(said) },
      );
    }),
    { numRuns: 5_000 },
  );
});

function strictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

test('what is escaped, a control character, or without an end is refused', () => {
  for (const text of ['a\\n"', 'a\n"', 'a\u0000"', 'a', '', '你', '\\"']) {
    expect(scan(encoder.encode(text), 0), text).toBeUndefined();
  }
  expect(scan(encoder.encode('你"').subarray(1), 0)).toBeUndefined();
});
