// A QR code of a short text, such as the link on a card: byte mode, level M.

import { codewordsOf, versionFor } from './codewords.ts';
import { createGrid, fixFormat, type Grid } from './grid.ts';
import { applyMask, MASKS, penaltyOf } from './masks.ts';

export interface QrCode {
  size: number;
  isDark(x: number, y: number): boolean;
}

/** Undefined if the text is longer than 213 bytes. */
export function createQrCode(text: string): QrCode | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes);
  if (!version) return undefined;
  const grid = createGrid(version);
  placeCodewords(grid, codewordsOf(bytes, version));
  const masks = MASKS.map((_, mask) => {
    fixFormat(grid, mask);
    applyMask(grid, mask);
    const penalty = penaltyOf(grid);
    applyMask(grid, mask);
    return { mask, penalty };
  });
  const { mask } = masks.reduce((best, one) => (one.penalty < best.penalty ? one : best));
  fixFormat(grid, mask);
  applyMask(grid, mask);
  return grid;
}

/** Up and down in pairs of columns from the right, past what is fixed. */
function placeCodewords(grid: Grid, codewords: readonly number[]): void {
  let bit = 0;
  for (const [x, y] of textPlaces(grid)) {
    const codeword = codewords[bit >>> 3] ?? 0;
    grid.set(x, y, ((codeword >>> (7 - (bit & 7))) & 1) === 1);
    bit++;
  }
}

export function* textPlaces({ size, isFixed }: Pick<Grid, 'size' | 'isFixed'>): Generator<[x: number, y: number]> {
  let goesUp = true;
  for (let right = size - 1; right >= 1; right -= 2) {
    // The column of the timing pattern is not one of a pair.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = goesUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) if (!isFixed(x, y)) yield [x, y];
    }
    goesUp = !goesUp;
  }
}
