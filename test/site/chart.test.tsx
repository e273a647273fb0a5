/** @jsxImportSource hono/jsx */
// Charts: the drawing says the same as the table, at the right height, also below zero.

import { describe, expect, test } from 'bun:test';
import { Chart, type ChartSeries, scaleOf } from '../../src/site/parts/chart.tsx';

describe('an axis', () => {
  const ticks = (...range: Parameters<typeof scaleOf>) => [...scaleOf(...range).ticks];

  test('has round steps up to the highest value', () => {
    expect(ticks(0, 4.9, false)).toEqual([6, 4, 2, 0]);
    expect(ticks(0, 8, false)).toEqual([8, 6, 4, 2, 0]);
    expect(ticks(0, 1_000_000, false)).toEqual([1_000_000, 750_000, 500_000, 250_000, 0]);
    expect(ticks(0, 0.0003, false)[0]).toBeCloseTo(0.0003, 10);
  });

  test('goes below zero where a value does', () => {
    expect(ticks(-1, 3, false)).toEqual([3, 2, 1, 0, -1]);
    expect(ticks(-5, 0, false)).toEqual([0, -2, -4, -6]);
  });

  test('counts in whole numbers', () => {
    expect(ticks(0, 1, true)).toEqual([1, 0]);
    expect(ticks(0, 3, true)).toEqual([3, 2, 1, 0]);
  });

  test('exists where there is nothing to show', () => {
    expect(ticks(0, 0, false)).toEqual([1, 0]);
  });

  test('contains every value of its range', () => {
    for (let power = -9; power < 12; power++) {
      for (const factor of [1, 1.3, 2.5, 4.999, 7, 9.99]) {
        const highest = factor * 10 ** power;
        const { below, ticks } = scaleOf(-highest / 3, highest, false);
        expect(below(highest)).toBeGreaterThanOrEqual(-1e-9);
        expect(below(-highest / 3)).toBeLessThanOrEqual(100 + 1e-9);
        expect(ticks.some((tick) => tick === 0)).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(8);
      }
    }
  });
});

const DAYS = ['11-01', '11-02', '11-03'].map((label) => ({
  label,
  title: `2026-${label}`,
  href: `?day=2026-${label}`,
}));
const draw = (series: readonly ChartSeries[], kind: 'bars' | 'lines' = 'bars') =>
  String(
    <Chart
      title="Spend"
      tableText="Show as a table"
      columnText="Day"
      columns={DAYS}
      series={series}
      format={(value) => `NT$${value}`}
      kind={kind}
    />,
  );

/** The bars of one series: where each begins from above, and how high it is, in per cent. */
function barsOf(html: string, look: string): [top: number, height: number][] {
  const [, path = ''] = new RegExp(`<path class="bars series-${look}" d="([^"]*)"`).exec(html) ?? [];
  return [...path.matchAll(/M[\d.]+ ([\d.]+)h[\d.]+v([\d.]+)h-[\d.]+z/g)].map(([, top, height]) => [
    Number(top),
    Number(height),
  ]);
}

test('bars of several series stand on each other', () => {
  const html = draw([
    { name: 'one', look: 1, values: [2, 0, 4] },
    { name: 'two', look: 2, values: [2, 1, 4] },
  ]);
  expect(barsOf(html, '1')).toEqual([
    [75, 25],
    [50, 50],
  ]);
  expect(barsOf(html, '2')).toEqual([
    [50, 25],
    [87.5, 12.5],
    [0, 50],
  ]);
});

test('what is below zero hangs below the zero line', () => {
  const html = draw([{ name: 'Profit', look: 'good', values: [3, -1, null] }]);
  expect(barsOf(html, 'good')).toEqual([
    [0, 75],
    [75, 25],
  ]);
});

test('a line is broken where nothing is known', () => {
  const html = draw([{ name: 'Latency', look: 1, values: [4, null, 2] }], 'lines');
  expect(html).toContain('d="M16.17 0h1M82.83 50h1"');
});

test('the table has every figure and every link of the drawing', () => {
  const html = draw([
    { name: 'one', look: 1, values: [2, null, 4], href: '?model=one' },
    { name: 'two & more', look: 'rest', values: [1, 0, 3] },
  ]);
  const table = html.slice(html.indexOf('<table'));
  const cells = [...table.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => cell);
  expect(cells).toEqual(['NT$2', 'NT$1', '–', 'NT$0', 'NT$4', 'NT$3']);
  for (const { href, title } of DAYS) expect(table).toContain(`<a href="${href}">${title}</a>`);
  expect(html).toContain('<a href="?model=one">one</a>');
  expect(html).not.toContain('two & more');
});
