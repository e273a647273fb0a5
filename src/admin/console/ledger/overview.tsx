/** @jsxImportSource hono/jsx */
// The ledger at a glance: whether it agrees, where the money is, what came in, what was lost.

import { count, dateTime, money } from '../../../site/format.ts';
import { wordsOf } from '../../../site/language.ts';
import type { Entry } from '../../../store/rows.ts';
import type { DayRevenue } from '../../actions/ledger.ts';
import type { AuditPass } from '../../actions/tools.ts';
import { type ConsoleContext, ConsolePage } from '../frame/frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { MoneyBars } from '../parts/money-bars.tsx';
import { consoleWords } from '../words/words.ts';
import { ledgerTabs } from './tabs.ts';

interface LedgerProps {
  context: ConsoleContext;
  audit: AuditPass | undefined;
  house: readonly { account: string; amount: bigint }[];
  revenue: readonly DayRevenue[];
  writeOffs: readonly Entry[];
}

export function LedgerPage(props: LedgerProps) {
  const { context } = props;
  const { ledger } = consoleWords(context.language);
  return (
    <ConsolePage
      context={context}
      section="ledger"
      title={ledger.title}
      lead={ledger.lead}
      tabs={ledgerTabs(context.language)}
    >
      <Audit {...props} />
      <div class="two">
        <House {...props} />
        <Revenue {...props} />
      </div>
      <WriteOffs {...props} />
    </ConsolePage>
  );
}

function Audit({ context, audit }: LedgerProps) {
  const { ledger } = consoleWords(context.language);
  const isBad = audit !== undefined && (audit.report.differences.length > 0 || audit.report.total !== 0n);
  return (
    <section>
      <h2>{ledger.audit}</h2>
      <div class={isBad ? 'notice is-bad' : 'notice'} role={isBad ? 'alert' : 'status'}>
        {audit === undefined ? (
          <p>{ledger.auditNever}</p>
        ) : (
          <AuditFacts context={context} audit={audit} isBad={isBad} />
        )}
        <form method="post" action="/ledger/audit">
          <button type="submit" class="quiet small">
            {ledger.run}
          </button>
        </form>
      </div>
      {isBad && audit ? <Differences context={context} audit={audit} /> : null}
    </section>
  );
}

function AuditFacts({ context, audit, isBad }: { context: ConsoleContext; audit: AuditPass; isBad: boolean }) {
  const { ledger } = consoleWords(context.language);
  const { colon } = wordsOf(context.language).account;
  const { at, isFull, report } = audit;
  const told = isFull ? ledger.auditFull : ledger.auditShort;
  return (
    <>
      <p>
        <strong class={isBad ? 'bad' : 'good'}>
          {isBad ? ledger.auditBad(report.differences.length) : ledger.auditGood}
        </strong>{' '}
        {told(dateTime(at), count(report.wallets), count(report.entries))}
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
  const { ledger } = consoleWords(context.language);
  return (
    <DataTable
      label={ledger.difference}
      columns={[
        { text: ledger.difference },
        { text: ledger.subject },
        { text: ledger.expected, isFigure: true },
        { text: ledger.found, isFigure: true },
      ]}
      rows={audit.report.differences.map(({ what, subject, expected, found }) => [
        <span class="id">{what}</span>,
        <a class="id" href={`/accounts?q=${encodeURIComponent(subject)}`}>
          {subject}
        </a>,
        expected,
        found,
      ])}
    />
  );
}

function House({ context, house }: LedgerProps) {
  const { ledger } = consoleWords(context.language);
  const names: Readonly<Record<string, unknown>> = ledger;
  return (
    <section>
      <h2>{ledger.house}</h2>
      <p class="faint">{ledger.houseLead}</p>
      <dl class="lines">
        {house.map(({ account, amount }) => (
          <div>
            <dt>{String(names[account] ?? account)}</dt>
            <dd class="number">{money(amount)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Revenue({ context, revenue }: LedgerProps) {
  const { ledger } = consoleWords(context.language);
  const firstKept = revenue.findIndex((day) => day.revenue !== null);
  return (
    <section>
      <h2>{ledger.revenue}</h2>
      <MoneyBars
        language={context.language}
        days={revenue.map(({ day, revenue: amount }) => ({ day, amount }))}
        label={ledger.revenueLabel}
      />
      {firstKept > 0 ? <p class="note">{ledger.keptFrom(revenue[firstKept]?.day ?? '')}</p> : null}
      <details>
        <summary>{ledger.table}</summary>
        <DataTable
          label={ledger.revenue}
          columns={[
            { text: ledger.day },
            { text: ledger.requests, isFigure: true },
            { text: ledger.accounts, isFigure: true },
            { text: ledger.took, isFigure: true },
          ]}
          rows={[...revenue]
            .reverse()
            .map((day) => [
              <span class="number">{day.day}</span>,
              day.requests === null ? ledger.notKept : count(day.requests),
              day.accounts === null ? ledger.notKept : count(day.accounts),
              day.revenue === null ? ledger.notKept : money(day.revenue),
            ])}
        />
      </details>
    </section>
  );
}

function WriteOffs({ context, writeOffs }: LedgerProps) {
  const { ledger } = consoleWords(context.language);
  return (
    <section>
      <h2>{ledger.writeOffs}</h2>
      <p class="faint">{ledger.writeOffsLead}</p>
      {writeOffs.length === 0 ? (
        <p class="empty">{ledger.noWriteOffs}</p>
      ) : (
        <DataTable
          label={ledger.writeOffs}
          columns={[{ text: ledger.at }, { text: ledger.reference }, { text: ledger.amount, isFigure: true }]}
          rows={writeOffs.map(({ at, reference, amount }) => [
            <span class="number">{dateTime(at)}</span>,
            <a class="id" href={`/accounts?q=${encodeURIComponent(reference)}`}>
              {reference}
            </a>,
            money(amount),
          ])}
        />
      )}
    </section>
  );
}
