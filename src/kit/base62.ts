// Fixed-width base62 of a byte string, for secrets that people copy by double-click.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function base62(bytes: Uint8Array, width: number): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return base62Number(value, width);
}

export function base62Number(number: bigint, width: number): string {
  let value = number;
  let text = '';
  for (let i = 0; i < width; i++) {
    text = DIGITS.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}
