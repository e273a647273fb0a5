/** @jsxImportSource hono/jsx */
// An upstream's bill compared with our records, differences first.

import { count, money } from '../../../site/format.ts';
import { Submit } from '../../../site/parts/button.tsx';
import { CodeArea, SelectField, TextField } from '../../../site/parts/field.tsx';
import { DataTable, figure, Under } from '../../../site/parts/table.tsx';
import { typed } from '../../../site/read-form.ts';
import { type BillRow, type BillSide, billedChannels, type Reconciled, reconcile } from '../../actions/reconcile.ts';
import { type ConsoleContext, ConsolePage, FaultList } from '../frame.tsx';
import type { Shown } from '../refused.ts';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';

export function addReconcile(visits: ConsoleVisits): void {
  visits.get('/ledger/reconcile', show);
  visits.post('/ledger/reconcile', compare, show);
}

async function compare(visit: ConsoleVisit): Promise<Response> {
  const { form, page, tools } = visit;
  const csv = typed(form, 'file') || typed(form, 'bill');
  if (csv === '') return show(visit, { notice: { text: page.words.ledger.empty, isBad: true }, status: 422 });
  const rate = typed(form, 'rate') || undefined;
  const result = await reconcile(tools, form.get('channel') ?? '', csv, { rate, actor: ACTOR });
  return show(visit, { status: result.faults.length > 0 ? 422 : 200 }, result);
}

async function show(visit: ConsoleVisit, { notice, status = 200 }: Shown = {}, result?: Reconciled): Promise<Response> {
  const { page: context, form } = visit;
  const { ledger } = context.words;
  const channels = await billedChannels(visit.tools);
  const asked = form.get('channel');
  // The bill may be of a channel whose traffic is no longer kept.
  const isListed = asked === null || channels.some(({ name }) => name === asked);
  const listed = isListed ? channels : [...channels, { name: asked, isGone: true }];
  const choices = listed.map(({ name, isGone }) => [name, isGone ? ledger.gone(name) : name] as const);
  return visit.show(
    <ConsolePage
      context={context}
      section="ledger"
      title={ledger.tabReconcile}
      lead={ledger.reconcileLead}
      notice={notice}
    >
      <FaultList title={ledger.faults} faults={result?.faults ?? []} />
      {result && result.faults.length === 0 ? <Result context={context} result={result} /> : null}
      <form method="post" action="/ledger/reconcile" enctype="multipart/form-data">
        <div class="filters">
          <SelectField name="channel" label={ledger.channel} value={asked} choices={choices} />
          <TextField
            name="rate"
            label={ledger.rate}
            help={ledger.rateHelp}
            value={form.get('rate') ?? '1'}
            inputmode="decimal"
          />
        </div>
        <CodeArea name="bill" label={ledger.bill} help={ledger.billHelp} rows={10} value={form.get('bill') ?? ''} />
        <TextField name="file" label={ledger.file} type="file" accept=".csv,text/csv" />
        <Submit text={ledger.compare} />
      </form>
    </ConsolePage>,
    { status },
  );
}

function Result({ context, result }: { context: ConsoleContext; result: Reconciled }) {
  const { ledger } = context.words;
  const { rows, totals } = result;
  if (rows.length === 0) return <p class="empty">{ledger.noLines}</p>;
  const differing = rows.filter((row) => !row.agrees && isCompared(row)).length;
  const unclear = rows.filter((row) => !isCompared(row)).length;
  const unpriced = rows.filter(isUnpriced).length;
  const { revenue, requests } = totals.ours;
  const sorted = [...rows].sort((a, b) => Number(a.agrees) - Number(b.agrees));
  return (
    <section>
      <div class={differing + unclear + unpriced > 0 ? 'notice is-bad' : 'notice'} role="status">
        <p>
          <strong>{wholeVerdict(context, { differing, unclear, unpriced })}</strong>{' '}
          {revenue === null || requests === null ? ledger.soldNotKept : ledger.sold(money(revenue), count(requests))}
        </p>
      </div>
      {result.notes.map(({ code, models, keptFrom = '' }) => (
        <p class="note">{ledger.billNotes[code](models.join(ledger.listMark), keptFrom)}</p>
      ))}
      <DataTable
        label={ledger.tabReconcile}
        caption={ledger.side}
        columns={[ledger.model, ledger.verdict, figure(ledger.input), figure(ledger.output), figure(ledger.amount)]}
        rows={[
          ...sorted.map((row) => billCells(context, row)),
          [<strong>{ledger.totals}</strong>, '', ...sides(totals.bill, totals.ours)],
        ]}
      />
    </section>
  );
}

function wholeVerdict(context: ConsoleContext, count: Record<'differing' | 'unclear' | 'unpriced', number>): string {
  const { ledger } = context.words;
  if (count.differing > 0) return ledger.someDiffer(count.differing);
  if (count.unclear > 0) return ledger.someUnclear(count.unclear);
  return count.unpriced > 0 ? ledger.someUnpriced(count.unpriced) : ledger.allAgree;
}

function isCompared({ difference }: BillRow): boolean {
  return Object.values(difference).some((part) => part !== null);
}

/** The bill has an amount, but there are no records to compare it with. */
function isUnpriced({ agrees, bill, difference }: BillRow): boolean {
  return agrees && bill !== undefined && bill.amount !== null && difference.amount === null;
}

function verdictOf(context: ConsoleContext, row: BillRow): string {
  const { ledger } = context.words;
  if (row.agrees) return isUnpriced(row) ? ledger.tokensAgree : ledger.agrees;
  if (row.ours === null) return ledger.notKept;
  if (row.isMixed) return ledger.unclear;
  if (row.bill === undefined) return ledger.missing;
  if (row.ours === undefined) return ledger.unknown;
  return isCompared(row) ? ledger.differs : ledger.unclear;
}

function stateOf(row: BillRow): 'operational' | 'degraded' | 'down' {
  if (row.agrees) return isUnpriced(row) ? 'degraded' : 'operational';
  return isCompared(row) ? 'down' : 'degraded';
}

function billCells(context: ConsoleContext, row: BillRow) {
  return [
    <Under of={<span class="id">{row.model}</span>} text={row.period} class="number" />,
    <span class={`state ${stateOf(row)}${isUnpriced(row) ? ' is-sentence' : ''}`}>{verdictOf(context, row)}</span>,
    ...sides(row.bill, row.ours),
  ];
}

function sides(bill: BillSide | undefined, ours: Reconciled['totals']['ours'] | null | undefined) {
  const tokens = (value: number | null | undefined) => (value == null ? '–' : count(value));
  const amount = (value: bigint | null | undefined) => (value == null ? '–' : money(value));
  return [
    <Under of={tokens(bill?.inputTokens)} text={tokens(ours?.inputTokens)} />,
    <Under of={tokens(bill?.outputTokens)} text={tokens(ours?.outputTokens)} />,
    <Under of={amount(bill?.amount)} text={amount(ours?.amount)} />,
  ];
}
