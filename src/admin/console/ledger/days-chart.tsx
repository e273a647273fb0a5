/** @jsxImportSource hono/jsx */
// The days of the reports of profit and losses as a chart: many of them by week.

import { NANO_PER_NTD, type Nano, ntdNumber } from '../../../kit/money.ts';
import { roundedMoney } from '../../../site/format.ts';
import { Chart, type ChartSeries } from '../../../site/parts/chart.tsx';
import type { ProfitRow } from '../../actions/profit.ts';
import type { ConsoleContext } from '../frame.tsx';

/** More days than this are drawn by week. */
export const DRAWN_DAYS = 31;
const WEEK = 7;

interface DaysChartProps {
  context: ConsoleContext;
  daily: readonly ProfitRow[];
  titles: Readonly<Record<'chart' | 'weekChart', string>>;
  series: readonly (Pick<ChartSeries, 'name' | 'look'> & { amount: (row: ProfitRow) => Nano | null })[];
}

export function DaysChart({ context, daily, titles, series }: DaysChartProps) {
  const { profit: words } = context.words;
  const spans = inSpans(daily);
  const title = spans.length < daily.length ? titles.weekChart : titles.chart;
  return (
    <section>
      <h2>{title}</h2>
      <Chart
        title={title}
        columns={spans.map(columnOf)}
        series={series.map(({ amount, ...one }) => ({ ...one, values: spans.map((rows) => sumOf(rows, amount)) }))}
        format={amountText}
        tableText={words.chartTable}
        columnText={words.by.day}
      />
    </section>
  );
}

/** From the newest on, so that only the first may be shorter. */
function inSpans(daily: readonly ProfitRow[]): ProfitRow[][] {
  const length = daily.length > DRAWN_DAYS ? WEEK : 1;
  const spans: ProfitRow[][] = [];
  for (let end = daily.length; end > 0; end -= length) spans.unshift(daily.slice(Math.max(0, end - length), end));
  return spans;
}

function columnOf(rows: readonly ProfitRow[]): { label: string; title: string } {
  const [first = '', last = ''] = [rows[0]?.key ?? '', rows.at(-1)?.key ?? ''];
  return { label: first.slice('2026-'.length), title: first === last ? first : `${first} – ${last}` };
}

function sumOf(rows: readonly ProfitRow[], of: (row: ProfitRow) => Nano | null): number {
  return ntdNumber(rows.reduce((sum, row) => sum + (of(row) ?? 0n), 0n));
}

function amountText(value: number): string {
  return roundedMoney(BigInt(Math.round(value * Number(NANO_PER_NTD))));
}
