// Vectors as text: little-endian 32-bit floats in base64, as the official clients ask for and decode them.

import type { JsonDocument } from '../../kit/json/json.ts';

export function wantsPacked({ value }: JsonDocument): boolean {
  return value.encoding_format === 'base64';
}

export function packFloats(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

export function unpackFloats(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
