/** @jsxImportSource hono/jsx */
// Every chart of the site and the console: drawn here as SVG, so that it needs no script, with an axis, a legend, and the
// same figures as a table. Bars of several series stand on each other; what is below zero hangs below the zero line.

import type { Child } from 'hono/jsx';
import { Table } from './table.tsx';

interface ChartColumn {
  /** Short, below the chart: 11-15. If some are empty, all others are shown. */
  label: string;
  /** In full: 2026-11-15. */
  title: string;
  href?: string | undefined;
}

/** Colors by meaning: 1 to 6 distinguish series, `rest` is all others, and only failures are red. */
export type ChartLook = 1 | 2 | 3 | 4 | 5 | 6 | 'rest' | 'good' | 'bad';

export interface ChartSeries {
  name: string;
  look: ChartLook;
  /** One for each column; null where nothing is known. */
  values: readonly (number | null)[];
  href?: string | undefined;
}

interface ChartProps {
  /** The title, also above the table. */
  title: string;
  columns: readonly ChartColumn[];
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** Formats the figures of the axis, if they differ. */
  axisFormat?: (value: number) => string;
  kind?: 'bars' | 'lines';
  /** For what is counted. */
  isWhole?: boolean;
  /** Opens the table: "Show as a table". */
  tableText: string;
  /** The head of the column that names the columns of the chart, such as "Day". */
  columnText: string;
  /** In place of the chart's own table: one that has more. */
  table?: Child;
}

/** More labels than this would touch each other on a phone. */
const MAX_LABELS = 7;
const FULL = 100;
/** Part of a column's width that its bar takes: less where columns are wide. */
const BAR = 0.72;
const BAR_OF_FEW = 0.4;
const FEW = 8;
/** A column so near to an edge has its label begin or end there. */
const EDGE = 6;

export function Chart({ title, columns, series, format, kind = 'bars', isWhole = false, ...texts }: ChartProps) {
  const scale = scaleOf(...range(series, columns.length, kind), isWhole);
  return (
    <figure class="chart" aria-label={title}>
      {series.length > 1 ? <Legend series={series} /> : null}
      <div class="chart-plot">
        <div class="chart-axis" aria-hidden="true">
          {scale.ticks.map((tick) => (
            <span>{(texts.axisFormat ?? format)(tick)}</span>
          ))}
        </div>
        {/* Who does not see it has the table below. */}
        <svg class="chart-drawing" aria-hidden="true">
          {scale.ticks.map((tick) => (
            <line
              class={tick === 0 ? 'zero' : ''}
              x1="0"
              x2="100%"
              y1={percent(scale.below(tick))}
              y2={percent(scale.below(tick))}
            />
          ))}
          <Drawing scale={scale} series={series} count={columns.length} kind={kind} />
          {columns.map((column, index) => (
            <Column column={column} index={index} chart={{ columns, series, format }} />
          ))}
        </svg>
        <ColumnLabels columns={columns} />
      </div>
      <details>
        <summary>{texts.tableText}</summary>
        {texts.table ?? <Figures {...{ title, columns, series, format }} columnText={texts.columnText} />}
      </details>
    </figure>
  );
}

/** Also the filter by series, where a series leads somewhere. */
function Legend({ series }: { series: readonly ChartSeries[] }) {
  return (
    <ul class="chart-legend">
      {series.map(({ name, look, href }) => (
        <li class={`series-${look}`}>{href ? <a href={href}>{name}</a> : name}</li>
      ))}
    </ul>
  );
}

type FiguresProps = Pick<ChartProps, 'title' | 'columns' | 'series' | 'format' | 'columnText'>;

/** It scrolls on a phone: as lines, each cell would repeat the name of its series, most of the page then. */
function Figures({ title, columns, series, format, columnText }: FiguresProps) {
  return (
    <Table label={title} columns={[columnText, ...series.map(({ name }) => name)]} class="chart-figures">
      {columns.map((column, index) => (
        <tr>
          <th scope="row">{column.href ? <a href={column.href}>{column.title}</a> : column.title}</th>
          {series.map(({ values }) => (
            <td>{textOf(values[index], format)}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

interface ColumnProps {
  column: ChartColumn;
  index: number;
  chart: Pick<ChartProps, 'columns' | 'series' | 'format'>;
}

/** An area over the whole height of a column, which shows its figures on hover. */
function Column({ column, index, chart: { columns, series, format } }: ColumnProps) {
  const width = FULL / columns.length;
  const area = (
    <>
      <rect class="area" x={percent(index * width)} y="0" width={percent(width)} height="100%" />
      <title>{columnText(column, series, index, format)}</title>
    </>
  );
  // The table has the same link for those who do not point.
  return column.href ? (
    <a href={column.href} tabindex={-1}>
      {area}
    </a>
  ) : (
    <g>{area}</g>
  );
}

function columnText(
  { title }: ChartColumn,
  series: readonly ChartSeries[],
  index: number,
  format: ChartProps['format'],
) {
  const figures = series.map(({ name, values }) => `${name} ${textOf(values[index], format)}`);
  return [title, ...(series.length > 1 ? figures : [textOf(series[0]?.values[index], format)])].join('\n');
}

/** The part of each series in one bar, from zero up and from zero down; null where it has none. */
function stack(series: readonly ChartSeries[], index: number) {
  let [up, down] = [0, 0];
  return series.map(({ values }) => {
    const value = values[index] ?? 0;
    if (value === 0) return null;
    const from = value > 0 ? up : down;
    const to = from + value;
    if (value > 0) up = to;
    else down = to;
    return { from, to };
  });
}

interface DrawingProps {
  scale: Scale;
  series: readonly ChartSeries[];
  count: number;
  kind: 'bars' | 'lines';
}

/** One path for each series, however many columns there are. */
function Drawing({ scale, series, count, kind }: DrawingProps) {
  return (
    <svg viewBox={`0 0 ${FULL} ${FULL}`} preserveAspectRatio="none" width="100%" height="100%" aria-hidden="true">
      {series.map(({ look, values }, index) => (
        <path
          class={`${kind} series-${look}`}
          d={kind === 'bars' ? barsPath(series, index, scale, count) : linePath(values, scale, count)}
        />
      ))}
    </svg>
  );
}

function barsPath(series: readonly ChartSeries[], which: number, scale: Scale, count: number): string {
  const width = FULL / count;
  const bar = count <= FEW ? BAR_OF_FEW : BAR;
  return Array.from({ length: count }, (_, column) => {
    const part = stack(series, column)[which];
    if (!part) return '';
    const top = short(scale.below(Math.max(part.from, part.to)));
    const height = short(Math.abs(scale.below(part.from) - scale.below(part.to)));
    return `M${short((column + (1 - bar) / 2) * width)} ${top}h${short(bar * width)}v${height}h${short(-bar * width)}z`;
  }).join('');
}

/** Broken where a value is unknown; a single known value is a dash. */
function linePath(values: ChartSeries['values'], scale: Scale, count: number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const isBegun = index > 0 && values[index - 1] !== null;
      const isAlone = !isBegun && (values[index + 1] ?? null) === null;
      const [x, y] = [((index + 0.5) * FULL) / count, short(scale.below(value))];
      return isAlone ? `M${short(x - 0.5)} ${y}h1` : `${isBegun ? 'L' : 'M'}${short(x)} ${y}`;
    })
    .join('');
}

function ColumnLabels({ columns }: { columns: readonly ChartColumn[] }) {
  const every = columns.some(({ label }) => label === '') ? 1 : Math.ceil(columns.length / MAX_LABELS);
  const width = FULL / columns.length;
  return (
    <svg class="chart-labels" aria-hidden="true">
      {columns.map(({ label }, index) => {
        // Counted from the newest, so that the last column has its label.
        if (label === '' || (columns.length - 1 - index) % every !== 0) return null;
        const middle = (index + 0.5) * width;
        const anchor = middle < EDGE ? 'start' : middle > FULL - EDGE ? 'end' : 'middle';
        return (
          <text x={anchor === 'start' ? '0' : anchor === 'end' ? '100%' : percent(middle)} y="1em" text-anchor={anchor}>
            {label}
          </text>
        );
      })}
    </svg>
  );
}

/** The lowest and the highest point that is drawn. */
function range(series: readonly ChartSeries[], count: number, kind: string): [lowest: number, highest: number] {
  const points =
    kind === 'bars'
      ? Array.from({ length: count }, (_, index) => stack(series, index).map((part) => part?.to ?? 0)).flat()
      : series.flatMap(({ values }) => values.filter((value) => value !== null));
  return [Math.min(0, ...points), Math.max(0, ...points)];
}

function textOf(value: number | null | undefined, format: ChartProps['format']): string {
  return value === null || value === undefined ? '–' : format(value);
}

function percent(value: number): string {
  return `${short(value)}%`;
}

function short(value: number): number {
  return Number(value.toFixed(2));
}

interface Scale {
  /** The values at the grid lines, highest first. */
  ticks: readonly number[];
  /** The distance of a value from the top, in percent of the height. */
  below: (value: number) => number;
}

const STEPS = 4;
const ROUND = [1, 2, 2.5, 5, 10];
const PERCENT = 100;

/** `isWhole` for what is counted: there is no grid line at half a request. */
export function scaleOf(lowest: number, highest: number, isWhole: boolean): Scale {
  const step = roundStep((Math.max(0, highest) - Math.min(0, lowest)) / STEPS, isWhole);
  // A quotient that is whole but for its last bits must not add a grid line.
  const top = Math.ceil(Math.max(0, highest) / step - Number.EPSILON * STEPS) || 0;
  const bottom = Math.floor(Math.min(0, lowest) / step + Number.EPSILON * STEPS) || 0;
  const lines = Math.max(1, top - bottom);
  return {
    ticks: Array.from({ length: lines + 1 }, (_, index) => (bottom + lines - index) * step),
    below: (value) => PERCENT * (1 - (value / step - bottom) / lines),
  };
}

function roundStep(least: number, isWhole: boolean): number {
  if (least <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * (ROUND.find((factor) => factor * power >= least) ?? 10);
  return isWhole ? Math.max(1, Math.ceil(step)) : step;
}
