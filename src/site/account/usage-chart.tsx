/** @jsxImportSource hono/jsx */
// Usage as a chart, split by model or key. It is drawn from sums by day, or by hour of a single day; a bar and an entry of
// the legend lead to the requests behind them.

import type { UsageGroup, UsageQuery, UsageTotals } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import { compactCount, count, roundedMoney } from '../format.ts';
import { Links } from '../frame.tsx';
import type { Language } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import { Chart, type ChartLook } from '../parts/chart.tsx';
import { DataTable, figure, typedText } from '../parts/table.tsx';
import { type UsageProps, usageAddress } from './usage-filters.tsx';
import { columnsOf, type Dates, datesOf, type Period, unitOf } from './usage-period.ts';

export const MEASURES = ['cost', 'requests', 'tokens'] as const;
export type Measure = (typeof MEASURES)[number];
export const GROUPS = ['model', 'key'] as const satisfies readonly UsageGroup[];

/** The usage of one model or key on one day, or in one hour of a period of one day. */
export interface UsagePart extends UsageTotals {
  at: number;
  name: string;
}

export async function readUsageParts(
  { read }: Store,
  query: UsageQuery,
  by: UsageGroup,
  period: Period,
): Promise<UsagePart[]> {
  if (unitOf(period) !== 'hour') {
    const days = await read.usageByDay(query, by, period.first, period.end);
    return days.map(({ day, ...sums }) => ({ at: day, ...sums }));
  }
  const hours = await read.usageByHour(query, by, period.first);
  return hours.map(({ hour, ...sums }) => ({ at: hour, ...sums }));
}

interface UsageChartProps {
  context: PageContext;
  period: Period;
  parts: readonly UsagePart[];
  measure: Measure;
  by: UsageGroup;
  nameOf: (id: string) => string;
  hrefOfDates: (dates: Dates) => string;
  hrefOfGroup: (id: string) => string;
}

/** Others are one series. */
const MAX_SERIES = 4;
/** Rows in the table of a single day: the largest groups. */
const MAX_ROWS = 20;

export function UsageChart(props: UsageChartProps) {
  const { context, period, parts, measure, by, nameOf } = props;
  const { usageView } = context.words.account;
  const unit = unitOf(period);
  const columns = columnsOf(period);
  const groups = groupsOf(parts, measure);
  const [shown, rest] = [groups.slice(0, MAX_SERIES), groups.slice(MAX_SERIES)];
  const sums = sumsOf(parts, columns, shown, measure);
  const series = shown.map(({ id }, index) => ({
    name: nameOf(id),
    look: (index + 1) as ChartLook,
    values: sums[index] ?? [],
    href: props.hrefOfGroup(id),
  }));
  const others = {
    name: usageView.others(count(rest.length)),
    look: 'rest' as const,
    values: sums[shown.length] ?? [],
  };
  const { from, to } = datesOf(period);
  return (
    <>
      <Chart
        title={usageView.chart(usageView.measures[measure], usageView.groups[by], from, to)}
        columns={columns.map((column) => ({
          label: column.label,
          title: column.title,
          // A filter by date has no hours.
          href: unit === 'hour' ? undefined : props.hrefOfDates(datesOf(column)),
        }))}
        series={rest.length > 0 ? [...series, others] : series}
        format={formatOf(context.language, measure)}
        isWhole={measure !== 'cost'}
        tableText={usageView.asTable}
        columnText={usageView.units[unit]}
      />
      {unit === 'hour' ? <Breakdown {...props} /> : null}
    </>
  );
}

/** Each model or key of a single day with its figures. */
function Breakdown({ context, period, parts, measure, by, nameOf, hrefOfGroup }: UsageChartProps) {
  const { usageView } = context.words.account;
  const { measures, groups } = usageView;
  const { from, to } = datesOf(period);
  const sums = groupsOf(parts, measure).slice(0, MAX_ROWS);
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

/** The sums of each shown group and, last, of all others, by column. An account may have very many parts. */
function sumsOf(
  parts: readonly UsagePart[],
  columns: readonly Period[],
  shown: readonly GroupSum[],
  measure: Measure,
): number[][] {
  const sums = Array.from({ length: shown.length + 1 }, () => columns.map(() => 0));
  const seriesOf = new Map(shown.map(({ id }, index) => [id, index]));
  const columnOf = new Map<number, number>();
  for (const [index, { first, end }] of columns.entries()) {
    for (let at = first; at < end; at++) columnOf.set(at, index);
  }
  for (const part of parts) {
    const column = columnOf.get(part.at);
    const values = sums[seriesOf.get(part.name) ?? shown.length];
    if (column !== undefined && values) values[column] = (values[column] ?? 0) + measured(part, measure);
  }
  return sums;
}

type GroupSum = { id: string; cost: bigint } & Record<'requests' | 'tokens', number>;

/** The largest first. */
function groupsOf(parts: readonly UsagePart[], measure: Measure): GroupSum[] {
  const sums = new Map<string, GroupSum>();
  for (const one of parts) {
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
function measured(one: UsagePart, measure: Measure): number {
  if (measure === 'cost') return Number(one.cost);
  return measure === 'requests' ? one.requests : tokensOf(one);
}

function tokensOf(sums: Omit<UsageTotals, 'requests' | 'cost'>): number {
  return sums.input + sums.cachedInput + sums.cacheWrite5m + sums.cacheWrite1h + sums.output;
}

function formatOf(language: Language, measure: Measure): (value: number) => string {
  if (measure === 'cost') return (value) => roundedMoney(BigInt(Math.round(value)));
  return (value) => compactCount(language, value);
}

/** The sums of the usage page and its chart. Each sum is also the switch that makes the chart show it. */
export function UsageSums({ context, facts, totals }: UsageProps & { totals: UsageTotals }) {
  const { usageView } = context.words.account;
  const { filters, view, period, parts, keyNames } = facts;
  // Free models cost nothing: what is drawn then is how much they were used.
  const measure = view.measure ?? (totals.cost === 0n ? 'requests' : 'cost');
  const isChosen = (id: string) => filters[view.by] === id;
  return (
    <>
      <nav class="cards measures" aria-label={usageView.measure}>
        {MEASURES.map((name) => (
          <a href={usageAddress(facts, { measure: name })} {...(name === measure ? { 'aria-current': 'true' } : {})}>
            <span class="faint">{usageView.measures[name]}</span>
            <strong class="figure">
              <Sum context={context} measure={name} totals={totals} />
            </strong>
          </a>
        ))}
      </nav>
      <nav class="choices-line" aria-label={usageView.splitBy}>
        <span class="faint">{usageView.splitBy}</span>
        <Links
          links={GROUPS.map((by) => ({ path: usageAddress(facts, { by }), text: usageView.groups[by] }))}
          current={usageAddress(facts, { by: view.by })}
        />
      </nav>
      <UsageChart
        {...{ context, period, parts, measure, by: view.by }}
        nameOf={(id) => (view.by === 'key' ? (keyNames.get(id) ?? id) : id)}
        hrefOfDates={(dates) => usageAddress(facts, { ...dates })}
        hrefOfGroup={(id) => usageAddress(facts, { [view.by]: isChosen(id) ? '' : id })}
      />
    </>
  );
}

function Sum({ context, measure, totals }: { context: PageContext; measure: Measure; totals: UsageTotals }) {
  if (measure === 'cost') return <Money value={totals.cost} />;
  const value = measure === 'requests' ? totals.requests : tokensOf(totals);
  return <span title={count(value)}>{compactCount(context.language, value)}</span>;
}

const MAX_KEYS = 50;

/** The usage of each key, alone and with the keys below it. */
export function KeyUsageTable({ context, facts: { byKey: usage, keyNames } }: UsageProps) {
  const { usage: words } = context.words.account;
  const nameOf = (keyId: string | null) => keyNames.get(keyId ?? '') ?? '–';
  return (
    <details>
      <summary>{words.byKey}</summary>
      <DataTable
        label={words.byKey}
        columns={[
          words.key,
          typedText(words.under),
          figure(words.requests),
          figure(words.cost),
          figure(words.costWithChildren),
        ]}
        rows={usage
          .slice(0, MAX_KEYS)
          .map(({ key, own, subtree }) => [
            <span class="as-written">{nameOf(key.keyId)}</span>,
            nameOf(key.parentId),
            count(own.requests),
            <Money value={own.cost} />,
            <Money value={subtree.cost} />,
          ])}
      />
      {usage.length > MAX_KEYS ? <p class="faint">{words.firstKeys(count(MAX_KEYS), count(usage.length))}</p> : null}
    </details>
  );
}
