/** @jsxImportSource hono/jsx */
// Overview of the ledger: the audit, the internal accounts, revenue and losses.

import { ntdNumber } from '../../../kit/money.ts';
import { count, dateTime, money, roundedMoney } from '../../../site/format.ts';
import { wordFor, wordsOf } from '../../../site/language.ts';
import { Money } from '../../../site/parts/amount.tsx';
import { IdLink, Submit } from '../../../site/parts/button.tsx';
import { Chart } from '../../../site/parts/chart.tsx';
import { DataTable, type Fact, Facts, figure } from '../../../site/parts/table.tsx';
import { auditResult, dailyRevenue, internalAccounts, runFullAudit, writeOffs } from '../../actions/ledger.ts';
import type { AuditPass } from '../../actions/tools.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { chartMoney } from './profit.tsx';

const DAYS = 30;
const SHOWN_WRITE_OFFS = 50;

export function addLedgerPages(visits: ConsoleVisits): void {
  visits.get('/ledger', (visit) => show(visit, auditResult(visit.tools)));
  visits.post('/ledger/audit', async (visit) => show(visit, await runFullAudit(visit.tools, ACTOR)));
}

async function readProps({ tools, page: context }: ConsoleVisit, audit: AuditPass | undefined) {
  return {
    context: { ...context, path: '/ledger', query: '' },
    audit,
    internalAccounts: await internalAccounts(tools),
    revenue: await dailyRevenue(tools, DAYS),
    writeOffs: await writeOffs(tools, SHOWN_WRITE_OFFS),
  };
}

type LedgerProps = Awaited<ReturnType<typeof readProps>>;

async function show(visit: ConsoleVisit, audit: AuditPass | undefined): Promise<Response> {
  const props = await readProps(visit, audit);
  const { ledger } = props.context.words;
  return visit.show(
    <ConsolePage context={props.context} section="ledger" title={ledger.title} lead={ledger.lead}>
      <Audit {...props} />
      <div class="two">
        <InternalAccounts {...props} />
        <Revenue {...props} />
      </div>
      <WriteOffs {...props} />
    </ConsolePage>,
  );
}

function Audit({ context, audit }: LedgerProps) {
  const { ledger } = context.words;
  const isBad = audit !== undefined && (audit.report.differences.length > 0 || audit.report.total !== 0n);
  return (
    <section>
      <h2>{ledger.audit}</h2>
      <div
        class={audit === undefined ? 'notice is-unknown' : isBad ? 'notice is-bad' : 'notice'}
        role={isBad ? 'alert' : 'status'}
      >
        {audit === undefined ? (
          <p>{ledger.auditNever}</p>
        ) : (
          <AuditFacts context={context} audit={audit} isBad={isBad} />
        )}
        <form method="post" action="/ledger/audit">
          <Submit look="quiet small" text={ledger.run} />
        </form>
      </div>
      {isBad && audit ? <Differences context={context} audit={audit} /> : null}
    </section>
  );
}

function AuditFacts({ context, audit, isBad }: { context: ConsoleContext; audit: AuditPass; isBad: boolean }) {
  const { ledger } = context.words;
  const { colon } = wordsOf(context.language).account;
  const { at, isFull, report } = audit;
  const describe = isFull ? ledger.auditFull : ledger.auditShort;
  return (
    <>
      <p>
        <strong class={isBad ? 'bad' : 'good'}>
          {isBad ? ledger.auditBad(report.differences.length) : ledger.auditGood}
        </strong>{' '}
        {describe(dateTime(at), count(report.wallets), count(report.entries))}
      </p>
      {isFull ? (
        <p>
          {ledger.total}
          {colon}
          <span class="number">{money(report.total)}</span> <span class="faint">{ledger.totalHelp}</span>
        </p>
      ) : null}
    </>
  );
}

function Differences({ context, audit }: { context: ConsoleContext; audit: AuditPass }) {
  const { ledger } = context.words;
  return (
    <DataTable
      label={ledger.difference}
      columns={[ledger.difference, ledger.subject, figure(ledger.expected), figure(ledger.found)]}
      rows={audit.report.differences.map(({ what, subject, expected, found }) => [
        <span class="id">{what}</span>,
        <IdLink href={`/accounts?q=${encodeURIComponent(subject)}`} text={subject} />,
        expected,
        found,
      ])}
    />
  );
}

function InternalAccounts({ context, internalAccounts }: LedgerProps) {
  const { ledger } = context.words;
  return (
    <section>
      <h2>{ledger.internalAccounts}</h2>
      <p class="faint">{ledger.internalAccountsLead}</p>
      <Facts
        look="lines"
        facts={[
          ...internalAccounts.map(
            ({ account, amount }): Fact => [wordFor(ledger, account) ?? account, <Money value={amount} />],
          ),
          [
            ledger.internalSum,
            <strong>
              <Money value={internalAccounts.reduce((sum, { amount }) => sum + amount, 0n)} />
            </strong>,
          ],
        ]}
        valueLook="number"
      />
    </section>
  );
}

function Revenue({ context, revenue }: LedgerProps) {
  const { ledger } = context.words;
  const firstKept = revenue.findIndex((day) => day.revenue !== null);
  const total = revenue.reduce((sum, day) => sum + (day.revenue ?? 0n), 0n);
  const values = revenue.map((day) => (day.revenue === null ? null : ntdNumber(day.revenue)));
  return (
    <section>
      <h2>{ledger.revenue}</h2>
      <p class="faint">{ledger.revenueLabel(roundedMoney(total))}</p>
      <Chart
        title={ledger.revenue}
        columns={revenue.map(({ day }) => ({ label: day.slice('2026-'.length), title: day }))}
        series={[{ name: ledger.took, look: 1, values }]}
        format={chartMoney}
        tableText={ledger.table}
        columnText={ledger.day}
        table={<RevenueTable context={context} revenue={revenue} />}
      />
      {firstKept > 0 ? <p class="note">{ledger.keptFrom(revenue[firstKept]?.day ?? '')}</p> : null}
    </section>
  );
}

/** The newest day first. */
function RevenueTable({ context, revenue }: Pick<LedgerProps, 'context' | 'revenue'>) {
  const { ledger } = context.words;
  return (
    <DataTable
      label={ledger.revenue}
      columns={[ledger.day, figure(ledger.requests), figure(ledger.accounts), figure(ledger.took)]}
      rows={revenue
        .toReversed()
        .map((day) => [
          <span class="number">{day.day}</span>,
          day.requests === null ? ledger.notKept : count(day.requests),
          day.accounts === null ? ledger.notKept : count(day.accounts),
          day.revenue === null ? ledger.notKept : <Money value={day.revenue} />,
        ])}
    />
  );
}

function WriteOffs({ context, writeOffs }: LedgerProps) {
  const { ledger } = context.words;
  return (
    <section>
      <h2>{ledger.writeOffs}</h2>
      <p class="faint">{ledger.writeOffsLead}</p>
      <DataTable
        none={ledger.noWriteOffs}
        label={ledger.writeOffs}
        columns={[ledger.at, ledger.reference, figure(ledger.amount)]}
        rows={writeOffs.map(({ at, reference, amount }) => [
          <span class="number">{dateTime(at)}</span>,
          <IdLink href={`/accounts?q=${encodeURIComponent(reference)}`} text={reference} />,
          <Money value={amount} />,
        ])}
      />
    </section>
  );
}
