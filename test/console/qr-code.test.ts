// The QR codes of cards, against figures of the standard, and read back by a reader that shares only the tables.
import { expect, test } from 'bun:test';
import { codewordsOf, versionFor } from '../../src/site/console/qr/codewords.ts';
import { createGrid, fixFormat } from '../../src/site/console/qr/grid.ts';
import { MASKS } from '../../src/site/console/qr/masks.ts';
import { createQrCode, type QrCode, textPlaces } from '../../src/site/console/qr/qr-code.ts';
import { correctionOf, multiply } from '../../src/site/console/qr/reed-solomon.ts';
import { countBits, sizeOf, VERSIONS, type Version } from '../../src/site/console/qr/versions.ts';

const LINK = 'https://gateway.example.tw/account/redeem#PC-0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV';

test('the correction of the well-known HELLO WORLD', () => {
  const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
  expect(correctionOf(data, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
});

test('the correction of the example in the standard', () => {
  const data = [16, 32, 12, 86, 97, 128, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17];
  expect(correctionOf(data, 10)).toEqual([165, 36, 212, 193, 237, 54, 199, 135, 44, 85]);
});

test('the format and version bits of the standard', () => {
  const formats = ['101010000010010', '101000100100101', '101111001111100', '101101101001011'];
  formats.push('100010111111001', '100000011001110', '100111110010111', '100101010100000');
  for (const [mask, expected] of formats.entries()) {
    const grid = createGrid(version(1));
    fixFormat(grid, mask);
    expect(formatOf(grid)).toBe(expected);
  }
  const seventh = createGrid(version(7));
  const bits = Array.from({ length: 18 }, (_, index) => seventh.isDark(34 + (index % 3), Math.floor(index / 3)));
  expect(bits.reverse().map(Number).join('')).toBe('000111110010010100');
});

test('texts of every length that fits are read back, and nothing longer is taken', () => {
  for (let length = 1; length <= 213; length += 4) {
    const text = 'k7#'.repeat(80).slice(0, length);
    expect(readBack(createQrCode(text), text.length)).toBe(text);
  }
  expect(readBack(createQrCode(LINK), LINK.length)).toBe(LINK);
  expect(createQrCode('x'.repeat(214))).toBeUndefined();
});

test('every version takes as much as the standard says at level M', () => {
  for (const [index, most] of [14, 26, 42, 62, 84, 106, 122, 152, 180, 213].entries()) {
    expect(versionFor(new Uint8Array(most))?.number).toBe(index + 1);
    expect(versionFor(new Uint8Array(most + 1))?.number).not.toBe(index + 1);
  }
});

test('every block of a long code divides without a rest', () => {
  for (const one of VERSIONS) {
    const bytes = new Uint8Array(one.number * 10).fill(77);
    for (const block of blocksOf(codewordsOf(bytes, one), one)) expect(syndromesOf(block, one.correction)).toBe(0);
  }
});

function version(number: number): Version {
  const found = VERSIONS.find((one) => one.number === number);
  if (!found) throw new Error(`no version ${number}`);
  return found;
}

/** Bit 14 first, as tables print it, from beside the first finder. */
function formatOf({ isDark }: QrCode): string {
  const places = [0, 1, 2, 3, 4, 5, 7, 8].map((x): [number, number] => [x, 8]);
  places.push(...[7, 5, 4, 3, 2, 1, 0].map((y): [number, number] => [8, y]));
  return places.map(([x, y]) => (isDark(x, y) ? '1' : '0')).join('');
}

function readBack(code: QrCode | undefined, length: number): string {
  const found = VERSIONS.find((one) => sizeOf(one) === code?.size);
  if (!code || !found) throw new Error('no code');
  const mask = Number.parseInt(formatOf(code), 2) ^ 0x5412;
  const inverts = MASKS[(mask >>> 10) & 7];
  const { isFixed } = createGrid(found);
  const bits = [...textPlaces({ size: code.size, isFixed })].map(([x, y]) => code.isDark(x, y) !== inverts?.(x, y));
  const whole = Array.from({ length: Math.floor(bits.length / 8) }, (_, index) =>
    Number.parseInt(
      bits
        .slice(index * 8, index * 8 + 8)
        .map(Number)
        .join(''),
      2,
    ),
  );
  const data = blocksOf(whole, found).flatMap((block, index) => block.slice(0, found.blocks[index]));
  const text = data.map((codeword) => codeword.toString(2).padStart(8, '0')).join('');
  const start = 4 + countBits(found);
  expect(text.slice(0, start)).toBe(`0100${length.toString(2).padStart(countBits(found), '0')}`);
  const bytes = Array.from({ length }, (_, index) => Number.parseInt(text.slice(start + index * 8).slice(0, 8), 2));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Data and correction of each block, as they were before they were interleaved. */
function blocksOf(codewords: readonly number[], { blocks, correction }: Version): number[][] {
  const rest = [...codewords];
  const lists: number[][] = blocks.map(() => []);
  const deal = (lengths: readonly number[]) => {
    for (let place = 0; place < Math.max(...lengths); place++) {
      for (const [index, most] of lengths.entries()) if (place < most) lists[index]?.push(rest.shift() ?? -1);
    }
  };
  deal(blocks);
  deal(blocks.map(() => correction));
  return lists;
}

function syndromesOf(block: readonly number[], count: number): number {
  let root = 1;
  let wrong = 0;
  for (let index = 0; index < count; index++) {
    wrong |= block.reduce((value, codeword) => multiply(value, root) ^ codeword, 0);
    root = multiply(root, 2);
  }
  return wrong;
}
