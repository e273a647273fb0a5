/** @jsxImportSource hono/jsx */
// Usage by day as a chart, split by model or key. It is drawn from the sums by day; a bar and an entry of the legend lead to
// the requests behind them.

import type { GroupDay, UsageGroup } from '../../store/reads.ts';
import { compactCount, count, roundedMoney } from '../format.ts';
import type { Language } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import { Chart, type ChartLook } from '../parts/chart.tsx';
import { DataTable, figure } from '../parts/table.tsx';
import { columnsOf, type Dates, datesOf, isByMonth, type Period } from './usage-period.ts';

export const MEASURES = ['cost', 'requests', 'tokens'] as const;
export type Measure = (typeof MEASURES)[number];
export const GROUPS = ['model', 'key'] as const satisfies readonly UsageGroup[];

interface UsageChartProps {
  context: PageContext;
  period: Period;
  days: readonly GroupDay[];
  measure: Measure;
  by: UsageGroup;
  /** What a model or key is called. */
  nameOf: (id: string) => string;
  /** Where a click on a bar leads. */
  hrefOfDates: (dates: Dates) => string;
  /** Where a click on a model or key leads. */
  hrefOfGroup: (id: string) => string;
}

/** Others are one series. */
const MOST_SERIES = 4;

export function UsageChart(props: UsageChartProps) {
  const { context, period, days, measure, by, nameOf } = props;
  const { usageView } = context.words.account;
  const columns = columnsOf(period);
  if (columns.length === 1) return <Breakdown {...props} />;
  const groups = groupsOf(days, measure);
  const [shown, rest] = [groups.slice(0, MOST_SERIES), groups.slice(MOST_SERIES)];
  const valuesOf = (ids: readonly string[]) =>
    columns.map(({ first, end }) =>
      days
        .filter(({ day, name }) => day >= first && day < end && ids.includes(name))
        .reduce((sum, one) => sum + measured(one, measure), 0),
    );
  const series = shown.map(({ id }, index) => ({
    name: nameOf(id),
    look: (index + 1) as ChartLook,
    values: valuesOf([id]),
    href: props.hrefOfGroup(id),
  }));
  const others = {
    name: usageView.others(count(rest.length)),
    look: 'rest' as const,
    values: valuesOf(rest.map(({ id }) => id)),
  };
  const { from, to } = datesOf(period);
  return (
    <Chart
      title={usageView.chart(usageView.measures[measure], usageView.groups[by], from, to)}
      columns={columns.map((column) => ({
        label: column.label,
        title: column.title,
        href: props.hrefOfDates(datesOf(column)),
      }))}
      series={rest.length > 0 ? [...series, others] : series}
      format={formatOf(context.language, measure)}
      isWhole={measure !== 'cost'}
      tableText={usageView.asTable}
      columnText={isByMonth(period) ? usageView.month : usageView.day}
    />
  );
}

/** A single column is no chart: each model or key with its figures. */
function Breakdown({ context, period, days, measure, by, nameOf, hrefOfGroup }: UsageChartProps) {
  const { usageView } = context.words.account;
  const { measures, groups } = usageView;
  const { from, to } = datesOf(period);
  const sums = groupsOf(days, measure);
  return (
    <DataTable
      label={usageView.chart(measures[measure], groups[by], from, to)}
      columns={[groups[by], figure(measures.requests), figure(measures.tokens), figure(measures.cost)]}
      rows={sums.map(({ id, requests, tokens, cost }) => [
        <a class="id" href={hrefOfGroup(id)}>
          {nameOf(id)}
        </a>,
        count(requests),
        count(tokens),
        <Money value={cost} />,
      ])}
    />
  );
}

interface GroupSum {
  id: string;
  requests: number;
  tokens: number;
  cost: bigint;
}

/** The largest first. */
function groupsOf(days: readonly GroupDay[], measure: Measure): GroupSum[] {
  const sums = new Map<string, GroupSum>();
  for (const one of days) {
    const sum = sums.get(one.name) ?? { id: one.name, requests: 0, tokens: 0, cost: 0n };
    sum.requests += one.requests;
    sum.tokens += tokensOf(one);
    sum.cost += one.cost;
    sums.set(one.name, sum);
  }
  const size = (sum: GroupSum) => (measure === 'cost' ? Number(sum.cost) : sum[measure]);
  return [...sums.values()].sort((one, other) => size(other) - size(one) || other.requests - one.requests);
}

/** A chart draws numbers: amounts as nano, of which the last digits may be rounded. */
function measured(one: GroupDay, measure: Measure): number {
  if (measure === 'cost') return Number(one.cost);
  return measure === 'requests' ? one.requests : tokensOf(one);
}

export function tokensOf(sums: Omit<GroupDay, 'day' | 'name' | 'requests' | 'cost'>): number {
  return sums.input + sums.cachedInput + sums.cacheWrite5m + sums.cacheWrite1h + sums.output;
}

export function formatOf(language: Language, measure: Measure): (value: number) => string {
  if (measure === 'cost') return (value) => roundedMoney(BigInt(Math.round(value)));
  return (value) => compactCount(language, value);
}
