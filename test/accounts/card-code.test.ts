// The code on a card: what a hand may do to it and be forgiven, and that no slip of one character passes.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  CARD_CODE_SHAPE,
  createCardCode,
  createCardHasher,
  createSerial,
  readCardCode,
} from '../../src/accounts/card-code.ts';
import { systemRandom } from '../../src/kit/random.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Any code there can be, from the 26 random bytes it is made of. */
const codes = fc
  .uint8Array({ minLength: 26, maxLength: 26 })
  .map((bytes) => createCardCode({ bytes: () => bytes, fraction: () => 0 }));
const positions = [...Array(28).keys()];

const plainOf = (code: string) => code.slice(3).replaceAll('-', '');
const fullWidth = (text: string) => text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
const changed = (plain: string, at: number, char: string) => plain.slice(0, at) + char + plain.slice(at + 1);

describe('a new code', () => {
  test('is PC-, 26 characters and 2 of check, in groups of four', () => {
    const code = createCardCode(systemRandom);
    expect(code).toMatch(/^PC(-[0-9A-HJKMNP-TV-Z]{4}){7}$/);
    expect(readCardCode(code)).toBe(code);
    expect(CARD_CODE_SHAPE).toBe(`PC${code.slice(2).replace(/[^-]/g, 'X')}`);
  });

  test('reads back as itself, whatever its bytes', () => {
    fc.assert(fc.property(codes, (code) => expect(readCardCode(code)).toBe(code)));
  });

  test('uses all its randomness: each byte of 26 changes it', () => {
    const made = positions.slice(0, 26).map((at) => {
      const bytes = new Uint8Array(26);
      bytes[at] = 1;
      return createCardCode({ bytes: () => bytes, fraction: () => 0 });
    });
    expect(new Set(made).size).toBe(26);
  });
});

describe('forgiven', () => {
  test('case, spaces, dashes of any kind and none, and look-alike letters', () => {
    fc.assert(
      fc.property(
        codes,
        fc.array(fc.constantFrom('', ' ', '-', '–', '—', '−', '－', '﹣', 'ー', '─', '　', '\u200b', '\t', ' - '), {
          minLength: 28,
        }),
        (code, gaps) => {
          const spread = [...plainOf(code)].map((char, index) => char + (gaps[index] ?? '')).join('');
          for (const text of [`PC-${spread}`, `pc${spread.toLowerCase()}`, ` p c ${spread} `, spread]) {
            expect(readCardCode(text)).toBe(code);
          }
        },
      ),
    );
  });

  test('full-width letters, digits and dashes, as an input method leaves them', () => {
    fc.assert(
      fc.property(codes, (code) => {
        for (const text of [fullWidth(code), fullWidth(code.toLowerCase()), `　${fullWidth(plainOf(code))}`]) {
          expect(readCardCode(text)).toBe(code);
        }
      }),
    );
  });

  test('O for 0, I and L for 1, in either case', () => {
    fc.assert(
      fc.property(codes, (code) => {
        const plain = plainOf(code);
        for (const one of ['I', 'L', 'i', 'l', '1']) {
          for (const zero of ['O', 'o', '0']) {
            expect(readCardCode(`PC-${plain.replaceAll('1', one).replaceAll('0', zero)}`)).toBe(code);
          }
        }
      }),
    );
  });
});

test('the prefix may be left out, even of a code that goes on as it begins', () => {
  fc.assert(
    fc.property(codes, (code) => {
      const body = `PC${plainOf(code).slice(2, 26)}`;
      const spelt = createCardCode({
        bytes: () => Uint8Array.from(body, (char) => ALPHABET.indexOf(char)),
        fraction: () => 0,
      });
      expect(plainOf(spelt)).toStartWith('PC');
      expect(readCardCode(plainOf(spelt))).toBe(spelt);
    }),
  );
});

describe('refused', () => {
  test('one wrong character, at every position and by every other character', () => {
    fc.assert(
      fc.property(codes, (code) => {
        const plain = plainOf(code);
        for (const at of positions) {
          for (const char of ALPHABET) {
            if (char !== plain[at]) expect(readCardCode(`PC-${changed(plain, at, char)}`)).toBeUndefined();
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  test('a character that no code has', () => {
    fc.assert(
      fc.property(
        codes,
        fc.constantFrom(...positions),
        fc.constantFrom('U', 'u', '!', '٣', '！', '\0', '😀'),
        (code, at, char) => {
          expect(readCardCode(`PC-${changed(plainOf(code), at, char)}`)).toBeUndefined();
        },
      ),
    );
  });

  test('two neighbours swapped, at every position', () => {
    fc.assert(
      fc.property(codes, (code) => {
        const plain = plainOf(code);
        for (const at of positions.slice(1)) {
          const swapped = plain.slice(0, at - 1) + plain.charAt(at) + plain.charAt(at - 1) + plain.slice(at + 1);
          if (swapped !== plain) expect(readCardCode(`PC-${swapped}`)).toBeUndefined();
        }
      }),
    );
  });

  test('a character too few or too many, at every position', () => {
    fc.assert(
      fc.property(codes, fc.constantFrom(...ALPHABET), (code, extra) => {
        const plain = plainOf(code);
        for (const at of positions) {
          expect(readCardCode(`PC-${plain.slice(0, at)}${plain.slice(at + 1)}`)).toBeUndefined();
          expect(readCardCode(`PC-${plain.slice(0, at)}${extra}${plain.slice(at)}`)).toBeUndefined();
        }
      }),
    );
  });

  test.each(['', 'PC-', 'PC', 'XX-0000-0000', '0'.repeat(100), 'sk-svc-0000'])('%p', (text) => {
    expect(readCardCode(text)).toBeUndefined();
  });
});

test('what is stored of a code depends on the pepper, and a serial says nothing of it', () => {
  const code = createCardCode(systemRandom);
  const [one, other] = [createCardHasher('a-fake-pepper-0001'), createCardHasher('a-fake-pepper-0002')];
  expect(one(code)).toMatch(/^[0-9a-f]{64}$/);
  expect(one(code)).toBe(createCardHasher('a-fake-pepper-0001')(code));
  expect(one(code)).not.toBe(other(code));
  expect(createSerial(systemRandom)).toMatch(/^SN[0-9A-HJKMNP-TV-Z]{12}$/);
});
