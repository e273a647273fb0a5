import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createKeyText, isWellFormedKey, keyFromSecret, lastFour } from '../../../src/accounts/keys/key-format.ts';
import { systemRandom } from '../../../src/kit/random.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('the shape of a key', () => {
  test('is sk-svc-, 43 base62 characters and 6 of checksum', () => {
    fc.assert(fc.property(secret, (bytes) => void expect(keyFromSecret(bytes)).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/)));
  });

  test('holds all 256 bits of its secret, so no two secrets share a key', () => {
    fc.assert(
      fc.property(secret, (bytes) => {
        const body = keyFromSecret(bytes).slice('sk-svc-'.length, -6);
        expect(body).toHaveLength(43);
        const value = [...body].reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
        expect(value).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
      }),
    );
  });

  test('a new key takes 32 random bytes', () => {
    const asked: number[] = [];
    const key = createKeyText({
      ...systemRandom,
      bytes(length) {
        asked.push(length);
        return new Uint8Array(length).fill(7);
      },
    });
    expect(asked).toEqual([32]);
    expect(key).toBe(keyFromSecret(new Uint8Array(32).fill(7)));
    expect(createKeyText(systemRandom)).not.toBe(createKeyText(systemRandom));
  });

  test('its last four characters are what is shown of it', () => {
    const key = createKeyText(systemRandom);
    expect(key.endsWith(lastFour(key))).toBe(true);
    expect(lastFour(key)).toHaveLength(4);
  });
});

describe('the checksum', () => {
  test('accepts every key that was made', () => {
    fc.assert(fc.property(secret, (bytes) => isWellFormedKey(keyFromSecret(bytes))));
  });

  test('catches every change of a single character, at any place', () => {
    const key = keyFromSecret(new Uint8Array(32).fill(0x5a));
    for (let at = 0; at < key.length; at++) {
      for (const digit of `${DIGITS}-_ `) {
        if (digit !== key[at]) expect(isWellFormedKey(key.slice(0, at) + digit + key.slice(at + 1))).toBe(false);
      }
    }
  });

  test('does so in any key', () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 55 }), fc.string({ minLength: 1, maxLength: 1 }), (bytes, at, digit) => {
        const key = keyFromSecret(bytes);
        fc.pre(digit !== key[at]);
        expect(isWellFormedKey(key.slice(0, at) + digit + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  test('catches two neighbours that changed places', () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 54 }), (bytes, at) => {
        const key = keyFromSecret(bytes);
        fc.pre(key[at] !== key[at + 1]);
        const swapped = `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
        expect(isWellFormedKey(swapped)).toBe(false);
      }),
    );
  });
});

test('what is longer, shorter, padded or of another kind is no key', () => {
  const key = keyFromSecret(new Uint8Array(32).fill(1));
  const others = [
    '',
    'sk-svc-',
    key.slice(1),
    key.slice(0, -1),
    `${key}0`,
    `${key}\n`,
    ` ${key}`,
    key.toUpperCase(),
    key.replace('sk-svc-', 'sk-ant-'),
    `Bearer ${key}`,
    'sk-svc-'.padEnd(56, '0'),
  ];
  expect(others.filter(isWellFormedKey)).toEqual([]);
});
