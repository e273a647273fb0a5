// The field of a QR code: what always stands there, so that readers find it, and where the text goes.

import { sizeOf, type Version } from './versions.ts';

export interface Grid {
  size: number;
  isDark(x: number, y: number): boolean;
  /** Belongs to the pattern, not to the text. */
  isFixed(x: number, y: number): boolean;
  fix(x: number, y: number, isDark: boolean): void;
  set(x: number, y: number, isDark: boolean): void;
}

const FORMAT_POLYNOMIAL = 0x537;
const FORMAT_MASK = 0x5412;
const VERSION_POLYNOMIAL = 0x1f25;
const FIRST_WITH_VERSION = 7;

export function createGrid(version: Version): Grid {
  const size = sizeOf(version);
  const dark = new Uint8Array(size * size);
  const fixed = new Uint8Array(size * size);
  const grid: Grid = {
    size,
    isDark: (x, y) => dark[y * size + x] === 1,
    isFixed: (x, y) => fixed[y * size + x] === 1,
    fix(x, y, isDark) {
      fixed[y * size + x] = 1;
      grid.set(x, y, isDark);
    },
    set: (x, y, isDark) => {
      dark[y * size + x] = isDark ? 1 : 0;
    },
  };
  fixTiming(grid);
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    fixSquare(grid, x, y, 4, (ring) => ring !== 2 && ring !== 4);
  }
  fixAlignment(grid, version);
  fixVersion(grid, version);
  // Its place is taken now; what it says depends on the mask.
  fixFormat(grid, 0);
  return grid;
}

function fixTiming(grid: Grid): void {
  for (let index = 0; index < grid.size; index++) {
    grid.fix(6, index, index % 2 === 0);
    grid.fix(index, 6, index % 2 === 0);
  }
}

function fixSquare(grid: Grid, x: number, y: number, radius: number, isDark: (ring: number) => boolean): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      const [column, row] = [x + dx, y + dy];
      if (column < 0 || row < 0 || column >= grid.size || row >= grid.size) continue;
      grid.fix(column, row, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }
}

function fixAlignment(grid: Grid, { alignment }: Version): void {
  const last = alignment.length - 1;
  for (const [column, x] of alignment.entries()) {
    for (const [row, y] of alignment.entries()) {
      const isInCorner =
        (column === 0 && row === 0) || (column === 0 && row === last) || (column === last && row === 0);
      if (!isInCorner) fixSquare(grid, x, y, 2, (ring) => ring !== 1);
    }
  }
}

function fixVersion(grid: Grid, { number }: Version): void {
  if (number < FIRST_WITH_VERSION) return;
  const bits = (number << 12) | remainder(number, 12, VERSION_POLYNOMIAL);
  for (let index = 0; index < 18; index++) {
    const isDark = ((bits >>> index) & 1) === 1;
    const [far, near] = [grid.size - 11 + (index % 3), Math.floor(index / 3)];
    grid.fix(far, near, isDark);
    grid.fix(near, far, isDark);
  }
}

/** Twice what level (M, which is 00) and mask are. */
export function fixFormat(grid: Grid, mask: number): void {
  const { size } = grid;
  const bits = ((mask << 10) | remainder(mask, 10, FORMAT_POLYNOMIAL)) ^ FORMAT_MASK;
  const isDark = (index: number) => ((bits >>> index) & 1) === 1;
  for (let index = 0; index < 15; index++) {
    const [x, y] = firstFormatPlace(index);
    grid.fix(x, y, isDark(index));
    if (index < 8) grid.fix(size - 1 - index, 8, isDark(index));
    else grid.fix(8, size - 15 + index, isDark(index));
  }
  grid.fix(8, size - 8, true);
}

/** Around the first finder, without the timing patterns. */
function firstFormatPlace(index: number): [x: number, y: number] {
  if (index < 6) return [8, index];
  if (index < 8) return [8, index + 1];
  return index === 8 ? [7, 8] : [14 - index, 8];
}

function remainder(value: number, degree: number, polynomial: number): number {
  let rest = value;
  for (let step = 0; step < degree; step++) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * polynomial);
  return rest;
}
