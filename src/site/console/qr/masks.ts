// Eight ways to break up large areas of one colour, and how troublesome a code is for readers: the least is taken.

import type { Grid } from './grid.ts';

export const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

const FINDER_LIKE = ['10111010000', '00001011101'];

/** Masking twice takes the mask away again. */
export function applyMask(grid: Grid, mask: number): void {
  const inverts = MASKS[mask];
  for (let y = 0; y < grid.size; y++) {
    for (let x = 0; x < grid.size; x++) {
      if (!grid.isFixed(x, y) && inverts?.(x, y)) grid.set(x, y, !grid.isDark(x, y));
    }
  }
}

export function penaltyOf(grid: Grid): number {
  const { size } = grid;
  const indexes = Array.from({ length: size }, (_, index) => index);
  const rows = indexes.map((y) => indexes.map((x) => (grid.isDark(x, y) ? '1' : '0')).join(''));
  const columns = indexes.map((x) => rows.map((row) => row.charAt(x)).join(''));
  const lines = [...rows, ...columns].reduce((sum, line) => sum + linePenalty(line), 0);
  const dark = rows.join('').replaceAll('0', '').length;
  const balance = 10 * (Math.ceil(Math.abs(dark * 20 - size * size * 10) / (size * size)) - 1);
  return lines + squarePenalty(rows) + Math.max(0, balance);
}

function linePenalty(line: string): number {
  const runs = (line.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0);
  let finders = 0;
  for (let start = 0; start + 11 <= line.length; start++) {
    if (FINDER_LIKE.includes(line.slice(start, start + 11))) finders++;
  }
  return runs + finders * 40;
}

function squarePenalty(rows: readonly string[]): number {
  let squares = 0;
  for (const [y, row] of rows.entries()) {
    const below = rows[y + 1] ?? '';
    for (let x = 0; x + 1 < below.length; x++) {
      const four = row.slice(x, x + 2) + below.slice(x, x + 2);
      if (four === '0000' || four === '1111') squares++;
    }
  }
  return squares * 3;
}
