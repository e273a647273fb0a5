// Fixed-width base62 of a byte string, for secrets that people copy by double-click.

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
