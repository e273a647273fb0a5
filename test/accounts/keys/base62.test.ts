import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { base62, base62Number } from '../../../src/accounts/keys/key-format.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const decoded = (text: string) => [...text].reduce((value, digit) => value * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
const asNumber = (bytes: Uint8Array) => bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);

test('32 bytes always take 43 characters, and every bit of them is there', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const text = base62(bytes, 43);
      expect(text).toMatch(/^[0-9A-Za-z]{43}$/);
      expect(decoded(text)).toBe(asNumber(bytes));
    }),
  );
});

test('the ends of the range', () => {
  expect(base62(new Uint8Array(32), 43)).toBe('0'.repeat(43));
  expect(decoded(base62(new Uint8Array(32).fill(0xff), 43))).toBe(2n ** 256n - 1n);
  expect(base62Number(61, 1)).toBe('z');
  expect(base62Number(62, 2)).toBe('10');
});

test('numbers keep their width and their order', () => {
  const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(base62Number(a, 6)).toHaveLength(6);
      expect(base62Number(a, 6) < base62Number(b, 6)).toBe(a < b);
    }),
  );
});
