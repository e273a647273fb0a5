// The table of promises shows the figures of the last recorded runs, in both languages.

import { expect, test } from 'bun:test';
import { FIGURES } from '../../scripts/figure-lists.ts';
import { hasChineseName } from '../../scripts/figure-names.ts';
import { type RecordedRun, readFigures } from '../../scripts/record-figures.ts';
import { reliabilityTableMarkdown } from '../../scripts/reliability-table.ts';

const RUN: RecordedRun = {
  command: 'npm run failover -- --all',
  date: '2026-01-02',
  commit: 'abcd1234',
  cores: 3,
  figures: { faults: '40', time: '2 min' },
};

const rowWith = (text: string, table: string) => table.split('\n').filter((row) => row.includes(text));

test('a recorded run is shown with its command, figures, date and cores', () => {
  const figures = new Map([['failover', RUN]]);
  expect(rowWith('failover', reliabilityTableMarkdown('en', figures))).toEqual([
    expect.stringContaining('| `npm run failover -- --all`: faults: 40; time: 2 min (2026-01-02, abcd1234, 3 cores) |'),
  ]);
  expect(rowWith('failover', reliabilityTableMarkdown('zh-TW', figures))).toEqual([
    expect.stringContaining('| `npm run failover -- --all`：故障：40；時間：2 min（2026-01-02，abcd1234，3 核心） |'),
  ]);
});

test('a run without figures is shown as not recorded', () => {
  expect(rowWith('failover', reliabilityTableMarkdown('en', new Map()))).toEqual([
    expect.stringContaining('| `npm run failover`: not recorded |'),
  ]);
});

test('a run that no promise shows is refused', () => {
  expect(() => reliabilityTableMarkdown('en', new Map([['other', RUN]]))).toThrow('the run other');
});

test('every figure has a Chinese name in scripts/figure-names.ts', () => {
  expect(
    Object.values(FIGURES)
      .flat()
      .filter((name) => !hasChineseName(name)),
  ).toEqual([]);
});

test('the recorded figures are those that the commands write', () => {
  const runs = readFigures();
  const recorded = [...runs].map(([name, { figures }]) => [name, Object.keys(figures)]);
  const listed = Object.entries(FIGURES).filter(([name]) => runs.has(name));
  expect(Object.fromEntries(recorded)).toEqual(Object.fromEntries(listed));
});
