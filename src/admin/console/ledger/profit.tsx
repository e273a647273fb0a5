/** @jsxImportSource hono/jsx */
// The report of profit: revenue, upstream cost, losses and profit by model, channel, customer or day; and prepaid amounts.

import { NANO_PER_NTD, type Nano, ntdNumber } from '../../../kit/money.ts';
import { count, percent, roundedMoney } from '../../../site/format.ts';
import { Tabs } from '../../../site/frame.tsx';
import { Figure, Money } from '../../../site/parts/amount.tsx';
import { IdLink } from '../../../site/parts/button.tsx';
import { Chart, type ChartSeries } from '../../../site/parts/chart.tsx';
import { DataTable, Facts, figure, Under } from '../../../site/parts/table.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import { fileResponse } from '../../../site/respond.ts';
import {
  PROFIT_BY,
  PROFIT_DAYS,
  type Profit,
  type ProfitBy,
  type ProfitRow,
  type ProfitView,
  profitFile,
  showProfit,
} from '../../actions/profit.ts';
import { channelPath } from '../channels/list.tsx';
import { Customer, type Nicknames, readNicknames } from '../customer.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { OWN_URL } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';

const PATH = '/ledger/profit';
/** Rows of models, channels and customers; the file has more. */
const SHOWN_ROWS = 50;

export function addProfitPage(visits: ConsoleVisits): void {
  visits.get(PATH, show);
  visits.file(`${PATH}.csv`, async (visit) => {
    const view = await showProfit(visit.tools, questionOf(visit));
    return fileResponse(OWN_URL, `profit-${view.by}-${view.from}-${view.to}.csv`, profitFile(view));
  });
}

function questionOf({ url: { searchParams } }: ConsoleVisit): { by: ProfitBy; days: number } {
  const asked = wholeNumber(searchParams, 'days');
  return {
    by: PROFIT_BY.find((one) => one === searchParams.get('by')) ?? PROFIT_BY[0],
    days: PROFIT_DAYS.find((one) => one === asked) ?? PROFIT_DAYS[0],
  };
}

const queryOf = (by: ProfitBy, days: number) => `?by=${by}&days=${days}`;

interface ProfitProps {
  context: ConsoleContext;
  view: ProfitView;
}

async function show(visit: ConsoleVisit): Promise<Response> {
  const { page: context, tools } = visit;
  const { profit: words } = context.words;
  const { by, days } = questionOf(visit);
  const daily = await showProfit(tools, { by: 'day', days });
  const view = by === 'day' ? daily : await showProfit(tools, { by, days });
  const listed = by === 'account' ? view.rows.slice(0, SHOWN_ROWS).map(({ key }) => key) : [];
  const nicknames = await readNicknames(tools, listed);
  return visit.show(
    <ConsolePage context={context} section="ledger" title={words.title} lead={words.lead}>
      <Period context={context} view={view} />
      <Figures context={context} view={view} />
      <UnknownCosts context={context} total={view.total} />
      {view.total.requests > 0 ? <DayChart context={context} daily={daily.rows} /> : null}
      <Rows context={context} view={view} nicknames={nicknames} />
      <PaidInAdvance context={context} view={view} />
    </ConsolePage>,
  );
}

function Period({ context, view: { by, days, from, to } }: ProfitProps) {
  const { profit: words } = context.words;
  const periods = PROFIT_DAYS.map((many) => ({ path: PATH + queryOf(by, many), text: words.days(many) }));
  return (
    <>
      <Tabs label={words.daysLabel} links={periods} current={PATH + queryOf(by, days)} />
      <p class="faint">{words.span(from, to)}</p>
    </>
  );
}

function Figures({ context, view: { total, days } }: ProfitProps) {
  const { profit: words } = context.words;
  const known = (amount: Nano | null) => amount ?? words.unknown;
  return (
    <div class="cards">
      <Figure title={words.revenue} value={total.revenue} />
      <Figure title={words.cost} value={known(total.cost)} />
      <Figure title={<a href={`/ledger/losses?by=reason&days=${days}`}>{words.loss}</a>} value={total.loss} />
      <Figure title={words.profit} value={known(total.profit)} />
      <Figure title={words.margin} value={shareOf(total.margin)} />
    </div>
  );
}

function UnknownCosts({ context, total }: { context: ConsoleContext; total: Profit }) {
  const { profit: words } = context.words;
  const { unknownCostRequests: requests, unknownCostRevenue: revenue } = total;
  if (requests === 0) return null;
  return (
    <div class="notice is-warning" role="status">
      <p>{words.unknownNotice(count(requests), roundedMoney(revenue))}</p>
      <p class="faint">
        {words.unknownHelp} <a href="/models">{words.setCosts}</a>
      </p>
    </div>
  );
}

/** The parts of a day's revenue are stacked; a negative profit is below the axis. */
export function DayChart({ context, daily }: { context: ConsoleContext; daily: readonly ProfitRow[] }) {
  const { profit: words } = context.words;
  const hasUnknown = daily.some(({ unknownCostRevenue }) => unknownCostRevenue > 0n);
  return (
    <DaysChart
      context={context}
      daily={daily}
      titles={words}
      series={[
        { name: words.cost, look: 'rest', amount: ({ cost }) => cost },
        { name: words.loss, look: 5, amount: ({ loss }) => loss },
        { name: words.profit, look: 4, amount: ({ profit }) => profit },
        ...(hasUnknown
          ? [{ name: words.unknownRevenue, look: 2 as const, amount: (row: ProfitRow) => row.unknownCostRevenue }]
          : []),
      ]}
    />
  );
}

function Rows({ context, view: { by, days, rows: all }, nicknames }: ProfitProps & { nicknames: Nicknames }) {
  const { profit: words } = context.words;
  const rows = by === 'day' ? all.toReversed().slice(0, DRAWN_DAYS) : all.slice(0, SHOWN_ROWS);
  const { requests, revenue, cost, loss, profit, margin } = words;
  const groups = PROFIT_BY.map((name) => ({ path: PATH + queryOf(name, days), text: words.by[name] }));
  return (
    <section>
      <h2>{words.rows}</h2>
      <Tabs label={words.byLabel} links={groups} current={PATH + queryOf(by, days)} />
      <DataTable
        none={words.none}
        label={words.title}
        columns={[words.by[by], ...[requests, revenue, cost, loss, profit, margin].map(figure)]}
        rows={rows.map((row) => [
          <SumKey {...{ by, name: row.key, none: by === 'channel' ? words.noChannel : words.noRequest, nicknames }} />,
          count(row.requests),
          <Revenue context={context} row={row} />,
          row.cost === null ? words.unknown : <Money value={row.cost} />,
          <Money value={row.loss} />,
          row.profit === null ? words.unknown : <Money value={row.profit} />,
          shareOf(row.margin),
        ])}
      />
      {all.length > rows.length ? (
        <p class="note">{by === 'day' ? words.moreDays(count(rows.length)) : words.more(count(rows.length))}</p>
      ) : null}
      <p>
        <a class="button quiet small" href={`${PATH}.csv${queryOf(by, days)}`} download>
          {words.file}
        </a>{' '}
        <a href={`/ledger/losses?by=reason&days=${days}`}>{words.lossLink}</a>
      </p>
    </section>
  );
}

/** With the minus sign that amounts have. */
function shareOf(margin: number | null): string {
  return percent(margin).replace('-', '−');
}

/** If only a part has a known cost, the other part is shown below. */
function Revenue({ context, row }: { context: ConsoleContext; row: Profit }) {
  const { revenue, unknownCostRevenue: unknown, cost } = row;
  if (unknown === 0n || cost === null) return <Money value={revenue} />;
  return <Under of={<Money value={revenue} />} text={context.words.profit.unknownPart(roundedMoney(unknown))} />;
}

interface SumKeyProps {
  by: string;
  name: string | null;
  /** In place of a name. */
  none: string;
  nicknames: Nicknames;
}

/** What the sums of a row are of. */
export function SumKey({ by, name, none, nicknames }: SumKeyProps) {
  if (name === null) return <span class="faint">{none}</span>;
  if (by === 'account') return <Customer accountId={name} nicknames={nicknames} />;
  if (by === 'channel') return <IdLink href={channelPath(name)} text={name} />;
  return <span class={by === 'day' ? 'number' : 'id'}>{name}</span>;
}

function PaidInAdvance({ context, view: { cards } }: ProfitProps) {
  const { profit: words } = context.words;
  return (
    <section id="paid-in-advance">
      <h2>{words.cards}</h2>
      <p class="faint">{words.cardsLead}</p>
      <Facts
        look="lines"
        valueLook="number"
        facts={[
          [words.sold, <Money value={cards.sold} />],
          [words.redeemed, <Money value={cards.redeemed} />],
          [words.unredeemed, <Money value={cards.unredeemed} />],
          [words.unspent, <Money value={cards.unspent} />],
          [
            words.owed,
            <strong>
              <Money value={cards.owed} />
            </strong>,
          ],
          [words.balances, <Money value={cards.balances} />],
        ]}
      />
      <p class="note">{words.spendNote}</p>
    </section>
  );
}

/** More days than this are drawn by week. */
const DRAWN_DAYS = 31;
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
        format={chartMoney}
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

/** A figure of a chart, in NT$. */
export function chartMoney(value: number): string {
  return roundedMoney(BigInt(Math.round(value * Number(NANO_PER_NTD))));
}
