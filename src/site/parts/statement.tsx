/** @jsxImportSource hono/jsx */
// A statement as a page and on paper, for the customer and for the operator; and the form of whom it names.

import type { Child } from 'hono/jsx';
import { type Billing, publicNote, STATEMENT_LINES, type Statement, taxIn } from '../../accounts/statements.ts';
import type { Issuer } from '../../catalog/document.ts';
import { count, date, dateTime } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { Money } from './amount.tsx';
import { LinkButton, Submit } from './button.tsx';
import { TextField } from './field.tsx';
import { DataTable, type Fact, Facts, figure, Table } from './table.tsx';

interface StatementProps {
  language: Language;
  siteName: string;
  issuer: Issuer;
  statement: Statement;
  /** Where its CSV and the other statements are. */
  path: string;
}

export function StatementView(props: StatementProps) {
  const { language, issuer, statement, path } = props;
  const words = wordsOf(language).statements;
  const { opening, closing, lines, isRunning, month } = statement;
  const spent = -(lines.usage + lines.refunds);
  return (
    <div class="statement">
      <p class="row no-print">
        <button type="button" data-print hidden>
          {words.print}
        </button>
        <LinkButton look="quiet" href={`${path}/${month}/file`} text={words.csv} />
        <a href={path}>{words.back}</a>
      </p>
      {isRunning ? <p class="note">{words.running}</p> : null}
      <Parties {...props} />
      <h2>{words.summary}</h2>
      <table class="flows">
        <tbody>
          <SumRow title={words.opening} value={<Money value={opening} />} isStrong />
          {STATEMENT_LINES.filter((line) => lines[line] !== 0n || line === 'usage').map((line) => (
            <SumRow title={words.lines[line]} value={<Money value={lines[line]} isSigned />} />
          ))}
          <SumRow title={words.closing} value={<Money value={closing} />} isStrong />
        </tbody>
      </table>
      <p class="faint">{issuer.tax > 0 ? words.taxed(issuer.tax) : words.untaxed}</p>
      {spent > 0n && issuer.tax > 0 ? (
        <Facts
          facts={[
            [words.spent, <Money value={spent} />],
            [words.tax(issuer.tax), <Money value={taxIn(spent, issuer.tax)} />],
          ]}
          look="lines"
          valueLook="number"
        />
      ) : null}
      <h2>{words.models}</h2>
      <Models language={language} statement={statement} />
      <h2>{words.entries}</h2>
      <Entries language={language} statement={statement} />
      {issuer.invoice_note === null ? null : <p class="faint">{issuer.invoice_note}</p>}
      <p class="faint">{words.rounded}</p>
    </div>
  );
}

function SumRow({ title, value, isStrong = false }: { title: string; value: Child; isStrong?: boolean }) {
  return (
    <tr class={isStrong ? 'sum' : ''}>
      <th scope="row">{title}</th>
      <td class="right number">{isStrong ? <strong>{value}</strong> : value}</td>
    </tr>
  );
}

function Parties({ language, siteName, issuer, statement }: StatementProps) {
  const words = wordsOf(language).statements;
  const { billing, accountId, from, to } = statement;
  const known = (title: string, value: string | null): Fact[] => (value === null ? [] : [[title, value]]);
  return (
    <div class="two">
      <Facts
        look="lines"
        facts={[
          [words.issuer, issuer.name ?? siteName],
          ...known(words.taxId, issuer.tax_id),
          ...known(words.address, issuer.address),
          ...known(words.phone, issuer.phone),
        ]}
      />
      <Facts
        look="lines"
        facts={[
          ...known(words.customer, billing.name),
          ...known(words.taxId, billing.taxId),
          [words.account, <span class="id">{accountId}</span>],
          [words.period, `${date(from)} – ${date(to - 1)}`],
        ]}
      />
    </div>
  );
}

function Models({ language, statement: { models, lines } }: Pick<StatementProps, 'language' | 'statement'>) {
  const words = wordsOf(language).statements;
  const requests = models.reduce((sum, one) => sum + one.requests, 0);
  const rows = models.map((one) => [one.model ?? words.notKept, count(one.requests), <Money value={one.amount} />]);
  const total = [
    <strong>{words.total}</strong>,
    <strong>{count(requests)}</strong>,
    <strong>
      <Money value={-lines.usage} />
    </strong>,
  ];
  return (
    <DataTable
      label={words.models}
      none={words.noModels}
      isCompact
      columns={[words.model, figure(words.requests), figure(words.amount)]}
      rows={models.length > 1 ? [...rows, total] : rows}
    />
  );
}

/** As many as fit on a light page. */
const MAX_ENTRIES = 100;

function Entries({
  language,
  statement: { entries, accountId, hasMoreEntries },
}: Pick<StatementProps, 'language' | 'statement'>) {
  const { statements: words, account } = wordsOf(language);
  if (entries.length === 0) return <p class="empty">{words.noEntries}</p>;
  return (
    <>
      <Table label={words.entries} columns={[words.time, words.entry, figure(words.amount)]} class="flows">
        {entries.slice(0, MAX_ENTRIES).map((entry) => (
          <tr>
            <td class="number may-wrap">{dateTime(entry.at)}</td>
            <td class="as-written">
              {account.entryKinds[entry.kind]}
              {publicNote(entry) === null ? null : ` · ${publicNote(entry)}`}
              <span class="under id may-wrap">{entry.refundOf ?? entry.reference}</span>
            </td>
            <td class="right number">
              <Money value={entry.credit === accountId ? entry.amount : -entry.amount} isSigned />
            </td>
          </tr>
        ))}
      </Table>
      {hasMoreEntries || entries.length > MAX_ENTRIES ? (
        <p class="faint">{words.firstEntries(Math.min(entries.length, MAX_ENTRIES))}</p>
      ) : null}
    </>
  );
}

interface MonthsProps {
  language: Language;
  months: readonly string[];
  path: string;
}

export function StatementMonths({ language, months, path }: MonthsProps) {
  const words = wordsOf(language).statements;
  // Newest first: the month that runs, then those that are over.
  return (
    <ul class="months">
      {months.map((month, index) => (
        <li>
          <a href={`${path}/${month}`}>{words.one(month)}</a>
          {index === 0 ? <span class="chip">{words.open}</span> : null}
        </li>
      ))}
    </ul>
  );
}

interface BillingFormProps {
  language: Language;
  action: string;
  billing: Billing;
  /** The refused input; empty without one. */
  form: URLSearchParams;
  wrong?: 'name' | 'taxId' | undefined;
}

export function BillingForm({ language, action, billing, form, wrong }: BillingFormProps) {
  const words = wordsOf(language).statements;
  return (
    <section>
      <h2>{words.billing}</h2>
      <p class="faint">{words.billingLead}</p>
      <form method="post" action={action} class="narrow">
        <TextField
          name="billing_name"
          label={words.name}
          value={form.get('billing_name') ?? billing.name ?? ''}
          fault={wrong === 'name' ? words.wrongName : undefined}
          hasFocus
          maxlength={100}
          autocomplete="organization"
        />
        <TextField
          name="tax_id"
          label={words.taxId}
          help={words.taxIdHelp}
          value={form.get('tax_id') ?? billing.taxId ?? ''}
          fault={wrong === 'taxId' ? words.wrongTaxId : undefined}
          hasFocus
          inputmode="numeric"
          maxlength={8}
        />
        <Submit look="quiet" text={words.save} />
      </form>
    </section>
  );
}
