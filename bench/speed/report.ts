// A run as tables: for the terminal, and as Markdown for docs/performance.md.

import { METRICS, type MetricName } from './metrics.ts';
import { METRIC_NAMES, type Result, type Run } from './results.ts';
import type { Figure } from './statistics.ts';

type Cell = (metric: MetricName, result: Result) => string;

const figureCell: Cell = (metric, { figure }) => spread(figure, METRICS[metric].decimals);
const ratioCell: Cell = (_, { ratio }) => (ratio ? spread(ratio, 2) : '–');

function spread({ median, least, most }: Figure, decimals: number): string {
  const write = (value: number) =>
    value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return least === most ? write(median) : `${write(median)} (${write(least)}–${write(most)})`;
}

/** The first row names the columns. */
function table({ targets, results }: Run, cell: Cell): string[][] {
  const rows = METRIC_NAMES.map((metric) => [
    `${METRICS[metric].label}, ${METRICS[metric].unit}`,
    ...targets.map(({ name }) => {
      const result = results[name]?.[metric];
      return result ? cell(metric, result) : '–';
    }),
  ]);
  const hasFigures = (row: readonly string[]) => row.slice(1).some((text) => text !== '–');
  return [['measured', ...targets.map(({ label }) => label)], ...rows.filter(hasFigures)];
}

function asText(rows: readonly string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join('  ')).join('\n');
}

function asMarkdown([head = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

const SAID = 'Medians of the rounds, with minimum and maximum.';

function withoutUnits([head = [], ...rows]: string[][]): string[][] {
  return [head, ...rows.map(([label = '', ...cells]) => [label.replace(/, [^,]+$/, ''), ...cells])];
}

function rounds({ options }: Run): string {
  return `${options.rounds} rounds of load, ${options.starts} of starts`;
}

export function textReport(run: Run): string {
  return [
    `${run.date}: ${run.machine}`,
    `${rounds(run)}, in ${Math.round(run.seconds)} s. ${SAID}`,
    ...run.targets.map(({ label, description }) => `  ${label}: ${description}`),
    ...run.missing.map(({ label, why }) => `  ${label}: not measured, ${why}`),
    '',
    asText(table(run, figureCell)),
    '',
    'As ratios to the bare relay in the same round:',
    asText(withoutUnits(table(run, ratioCell))),
    '',
    'No errors, every answer byte for byte, and the ledger is the upstream’s count times the price.',
  ].join('\n');
}

export function markdownReport(run: Run): string {
  return [
    `Measured on ${run.date} on ${run.machine}: ${rounds(run)}. ${SAID}`,
    '',
    ...run.targets.map(({ label, description }) => `- ${label}: ${description}`),
    ...run.missing.map(({ label, why }) => `- ${label}: not measured, ${why}`),
    '',
    '### Ratios to the bare relay in the same round',
    '',
    asMarkdown(withoutUnits(table(run, ratioCell))),
    '',
    '### Figures',
    '',
    asMarkdown(table(run, figureCell)),
  ].join('\n');
}
