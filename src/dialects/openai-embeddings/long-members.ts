// Many vectors at once: how large their answer may be, and each of them as the client asked for it.

import { fault } from '../../faults/fault.ts';
import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { type LongMember, parseLong } from '../../kit/json/long-members.ts';
import type { LongMemberRules, RelayRequest } from '../dialect.ts';

/** The size of one vector: as many numbers as the largest models return, each on a separate line with all digits. */
const MAX_NUMBERS = 4_096;
const NUMBER_BYTES = 32;

export const LONG_MEMBERS: LongMemberRules = {
  member: 'embedding',
  mostBytes: ({ document }) => inputsOf(document.value.input) * MAX_NUMBERS * NUMBER_BYTES,
  write,
  tooLarge,
};

export function inputsOf(input: Json | undefined): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

function write(member: LongMember, { document }: RelayRequest): Iterable<string | Uint8Array> {
  const isPacked = member.kind === 'string';
  if (isPacked === wantsPacked(document)) return member.chunks;
  const value = parseLong(member);
  const converted = Array.isArray(value) ? packFloats(value.map(Number)) : unpackFloats(String(value));
  return [JSON.stringify(converted)];
}

function tooLarge({ document }: RelayRequest) {
  const packed = wantsPacked(document) ? '' : ', or set encoding_format to base64, which is a third as long';
  return fault('invalid_request', {
    param: 'input',
    message: `The vectors of all inputs are larger than one answer can hold. Nothing was charged. Send fewer inputs at once${packed}.`,
  });
}

// Vectors as text: little-endian 32-bit floats in base64, as the official clients ask for and decode them.
export function wantsPacked({ value }: JsonDocument): boolean {
  return value.encoding_format === 'base64';
}

export function packFloats(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

/** At least one whole number of 4 bytes. */
export function isPacked(text: string): boolean {
  const bytes = Buffer.byteLength(text, 'base64');
  return bytes > 0 && bytes % 4 === 0;
}

export function unpackFloats(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
