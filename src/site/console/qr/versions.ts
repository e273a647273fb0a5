// The sizes of QR codes that a card's link can need, at level M, which forgives 15 % of stains and folds.

export interface Version {
  number: number;
  /** Data codewords of each block. */
  blocks: readonly number[];
  correction: number;
  /** Centres of the alignment patterns, in both directions. */
  alignment: readonly number[];
}

const times = (count: number, length: number) => Array.from({ length: count }, () => length);

export const VERSIONS: readonly Version[] = [
  { number: 1, blocks: [16], correction: 10, alignment: [] },
  { number: 2, blocks: [28], correction: 16, alignment: [6, 18] },
  { number: 3, blocks: [44], correction: 26, alignment: [6, 22] },
  { number: 4, blocks: times(2, 32), correction: 18, alignment: [6, 26] },
  { number: 5, blocks: times(2, 43), correction: 24, alignment: [6, 30] },
  { number: 6, blocks: times(4, 27), correction: 16, alignment: [6, 34] },
  { number: 7, blocks: times(4, 31), correction: 18, alignment: [6, 22, 38] },
  { number: 8, blocks: [38, 38, 39, 39], correction: 22, alignment: [6, 24, 42] },
  { number: 9, blocks: [36, 36, 36, 37, 37], correction: 22, alignment: [6, 26, 46] },
  { number: 10, blocks: [43, 43, 43, 43, 44], correction: 26, alignment: [6, 28, 50] },
];

export function sizeOf({ number }: Version): number {
  return number * 4 + 17;
}

export function dataCodewords({ blocks }: Version): number {
  return blocks.reduce((sum, length) => sum + length, 0);
}

/** Bits that say how long the text is. */
export function countBits({ number }: Version): number {
  return number < 10 ? 8 : 16;
}
