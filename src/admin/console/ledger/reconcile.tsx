/** @jsxImportSource hono/jsx */
// An upstream's bill beside our own records: what differs stands first and says so in words.

import { count, money } from '../../../site/format.ts';
import { Field } from '../../../site/parts/field.tsx';
import type { BillRow, BillSide, Reconciled } from '../../actions/reconcile.ts';
import { TextField } from '../frame/field.tsx';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { FaultList } from '../parts/fault-list.tsx';
import { consoleWords } from '../words/words.ts';
import { ledgerTabs } from './tabs.ts';

interface ReconcileProps {
  context: ConsoleContext;
  channels: readonly { name: string; isGone: boolean }[];
  /** What was sent, else empty. */
  form: URLSearchParams;
  result?: Reconciled | undefined;
  notice?: Notice | undefined;
}

export function ReconcilePage({ context, channels, form, result, notice }: ReconcileProps) {
  const { ledger } = consoleWords(context.language);
  const asked = form.get('channel');
  // One whose traffic is long forgotten may have been asked for, too.
  const isListed = asked === null || channels.some(({ name }) => name === asked);
  const listed = isListed ? channels : [...channels, { name: asked, isGone: true }];
  return (
    <ConsolePage
      context={context}
      section="ledger"
      title={ledger.tabReconcile}
      lead={ledger.reconcileLead}
      tabs={ledgerTabs(context.language)}
      notice={notice}
    >
      <FaultList title={ledger.faults} faults={result?.faults ?? []} />
      {result && result.faults.length === 0 ? <Result context={context} result={result} /> : null}
      <form method="post" action="/ledger/reconcile" enctype="multipart/form-data">
        <div class="filters">
          <Field name="channel" label={ledger.channel}>
            <select id="channel" name="channel">
              {listed.map(({ name, isGone }) => (
                <option value={name} selected={asked === name}>
                  {isGone ? ledger.gone(name) : name}
                </option>
              ))}
            </select>
          </Field>
          <TextField name="rate" label={ledger.rate} help={ledger.rateHelp} value={form.get('rate') ?? '1'} isFigure />
        </div>
        <Field name="bill" label={ledger.bill} help={ledger.billHelp}>
          <textarea id="bill" name="bill" class="code" rows={10} spellcheck={false} wrap="off">
            {`\n${form.get('bill') ?? ''}`}
          </textarea>
        </Field>
        <Field name="file" label={ledger.file}>
          <input id="file" name="file" type="file" accept=".csv,text/csv" />
        </Field>
        <button type="submit">{ledger.compare}</button>
      </form>
    </ConsolePage>
  );
}

function Result({ context, result }: { context: ConsoleContext; result: Reconciled }) {
  const { ledger } = consoleWords(context.language);
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
        columns={[
          { text: ledger.model },
          { text: ledger.verdict },
          { text: ledger.input, isFigure: true },
          { text: ledger.output, isFigure: true },
          { text: ledger.amount, isFigure: true },
        ]}
        rows={[
          ...sorted.map((row) => billCells(context, row)),
          [<strong>{ledger.totals}</strong>, '', ...sides(totals.bill, totals.ours)],
        ]}
      />
    </section>
  );
}

function wholeVerdict(context: ConsoleContext, count: Record<'differing' | 'unclear' | 'unpriced', number>): string {
  const { ledger } = consoleWords(context.language);
  if (count.differing > 0) return ledger.someDiffer(count.differing);
  if (count.unclear > 0) return ledger.someUnclear(count.unclear);
  return count.unpriced > 0 ? ledger.someUnpriced(count.unpriced) : ledger.allAgree;
}

function isCompared({ difference }: BillRow): boolean {
  return Object.values(difference).some((part) => part !== null);
}

/** The bill has an amount, and there is nothing to hold it against. */
function isUnpriced({ agrees, bill, difference }: BillRow): boolean {
  return agrees && bill !== undefined && bill.amount !== null && difference.amount === null;
}

function verdictOf(context: ConsoleContext, row: BillRow): string {
  const { ledger } = consoleWords(context.language);
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
    <>
      <span class="id">{row.model}</span>
      <span class="under number">{row.period}</span>
    </>,
    <span class={`state ${stateOf(row)}${isUnpriced(row) ? ' is-sentence' : ''}`}>{verdictOf(context, row)}</span>,
    ...sides(row.bill, row.ours),
  ];
}

function sides(bill: BillSide | undefined, ours: Reconciled['totals']['ours'] | null | undefined) {
  const tokens = (value: number | null | undefined) => (value == null ? '–' : count(value));
  const amount = (value: bigint | null | undefined) => (value == null ? '–' : money(value));
  return [
    <Pair first={tokens(bill?.inputTokens)} second={tokens(ours?.inputTokens)} />,
    <Pair first={tokens(bill?.outputTokens)} second={tokens(ours?.outputTokens)} />,
    <Pair first={amount(bill?.amount)} second={amount(ours?.amount)} />,
  ];
}

function Pair({ first, second }: { first: string; second: string }) {
  return (
    <>
      {first}
      <span class="under">{second}</span>
    </>
  );
}
