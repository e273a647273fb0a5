// A key: `sk-svc-`, 43 base62 characters (256 random bits), 6 characters of checksum. The checksum refuses garbage
// without a database query; it is not secret and proves nothing else.

import { OWN_KEY_PREFIX } from '../../kit/own-key.ts';
import type { Random } from '../../kit/random.ts';

export const SECRET_BYTES = 32;
const SECRET_CHARS = 43;
const CHECK_CHARS = 6;
const SHAPE = new RegExp(`^${OWN_KEY_PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECK_CHARS}}$`);

export function createKeyText(random: Random): string {
  return keyFromSecret(random.bytes(SECRET_BYTES));
}

export function keyFromSecret(secret: Uint8Array): string {
  const body = OWN_KEY_PREFIX + base62(secret, SECRET_CHARS);
  return body + checksum(body);
}

export function hasKeyShape(text: string): boolean {
  return SHAPE.test(text);
}

export function isWellFormedKey(text: string): boolean {
  return hasKeyShape(text) && checksum(text.slice(0, -CHECK_CHARS)) === text.slice(-CHECK_CHARS);
}

export function lastFour(key: string): string {
  return key.slice(-4);
}

function checksum(body: string): string {
  let crc = 0xffffffff;
  for (let i = 0; i < body.length; i++) {
    crc = (CRC_TABLE[(crc ^ body.charCodeAt(i)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return base62Number((crc ^ 0xffffffff) >>> 0, CHECK_CHARS);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Secrets have no other characters, so that people can copy them by double-click. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function base62(bytes: Uint8Array, width: number): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (let i = 0; i < width; i++) {
    text = DIGITS.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}

/** For safe integers. */
export function base62Number(number: number, width: number): string {
  let value = number;
  let text = '';
  for (let i = 0; i < width; i++) {
    text = DIGITS.charAt(value % 62) + text;
    value = Math.floor(value / 62);
  }
  return text;
}
