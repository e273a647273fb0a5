// Text as the codewords of a QR code: bytes, padding, and the blocks with their correction, interleaved.

import { correctionOf } from './reed-solomon.ts';
import { countBits, dataCodewords, VERSIONS, type Version } from './versions.ts';

const BYTE_MODE = 0b0100;
const MODE_BITS = 4;
const PADDING = [0xec, 0x11];

/** Undefined if the text is too long for any version of the table. */
export function versionFor(bytes: Uint8Array): Version | undefined {
  return VERSIONS.find((version) => MODE_BITS + countBits(version) + bytes.length * 8 <= dataCodewords(version) * 8);
}

export function codewordsOf(bytes: Uint8Array, version: Version): number[] {
  const data = dataOf(bytes, version);
  let start = 0;
  const blocks = version.blocks.map((length) => {
    const block = data.slice(start, start + length);
    start += length;
    return { data: block, correction: correctionOf(block, version.correction) };
  });
  return [...interleave(blocks.map((block) => block.data)), ...interleave(blocks.map((block) => block.correction))];
}

function dataOf(bytes: Uint8Array, version: Version): number[] {
  const bits: number[] = [];
  const append = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1);
  };
  append(BYTE_MODE, MODE_BITS);
  append(bytes.length, countBits(version));
  for (const byte of bytes) append(byte, 8);
  const capacity = dataCodewords(version) * 8;
  append(0, Math.min(MODE_BITS, capacity - bits.length));
  append(0, -bits.length & 7);
  for (let index = 0; bits.length < capacity; index++) append(PADDING[index % 2] ?? 0, 8);
  return Array.from({ length: capacity / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((value, bit) => value * 2 + bit, 0),
  );
}

/** The first of each, then the second of each, … */
function interleave(lists: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
