/** @jsxImportSource hono/jsx */
// What an account spent, what came in, its entries, what is held, and its requests, in pages.

import { taipeiDay } from '../../../kit/taipei.ts';
import { count, dateTime, money } from '../../../site/format.ts';
import { RequestStatus } from '../../../site/parts/request-status.tsx';
import type { Entry } from '../../../store/rows.ts';
import { dayText } from '../../actions/ledger.ts';
import { DataTable } from '../parts/data-table.tsx';
import { MoneyBars } from '../parts/money-bars.tsx';
import { consoleWords } from '../words/words.ts';
import type { AccountProps } from './account-props.ts';
import { requestPath } from './request.tsx';

export function AccountMoney(props: AccountProps) {
  const { context, account } = props;
  const { accounts } = consoleWords(context.language);
  return (
    <>
      {account.spendByDay.length > 0 ? (
        <section>
          <h2>{accounts.spend}</h2>
          <MoneyBars language={context.language} days={lastDays(props)} label={accounts.spendLabel} />
        </section>
      ) : null}
      <Entries {...props} />
      <Holds {...props} />
      <Usage {...props} />
    </>
  );
}

/** The last thirty, those without a request included. */
function lastDays({ account, now }: AccountProps): { day: string; amount: bigint }[] {
  const costs = new Map(account.spendByDay.map(({ day, cost }) => [day, cost]));
  const today = taipeiDay(now);
  return Array.from({ length: DAYS }, (_, index) => {
    const day = today - DAYS + 1 + index;
    return { day: dayText(day), amount: costs.get(day) ?? 0n };
  });
}

const DAYS = 30;

function Entries({ context, account, pages }: AccountProps) {
  const { accounts } = consoleWords(context.language);
  const { accountId, entries, entriesNext, credits, creditsNext } = account;
  return (
    <>
      <section id="credits">
        <h2>{accounts.credits}</h2>
        <EntryTable
          context={context}
          account={account}
          entries={credits}
          label={accounts.credits}
          none={pages.credits === undefined ? accounts.noCredits : accounts.noneOlder}
        />
        <Pages context={context} path={`/accounts/${accountId}`} name="credits" next={creditsNext} pages={pages} />
      </section>
      <section id="entries">
        <h2>{accounts.entries}</h2>
        <EntryTable
          context={context}
          account={account}
          entries={entries}
          label={accounts.entries}
          none={pages.entries === undefined ? accounts.noEntries : accounts.noneOlder}
        />
        <Pages context={context} path={`/accounts/${accountId}`} name="entries" next={entriesNext} pages={pages} />
      </section>
    </>
  );
}

interface EntryTableProps extends Pick<AccountProps, 'context' | 'account'> {
  entries: readonly Entry[];
  label: string;
  none: string;
}

function EntryTable({ context, account: { accountId }, entries, label, none }: EntryTableProps) {
  const { accounts } = consoleWords(context.language);
  const kinds = {
    trial: accounts.trial,
    card: accounts.card,
    credit: accounts.kindCredit,
    usage: accounts.usage,
    write_off: accounts.write_off,
  };
  if (entries.length === 0) return <p class="empty">{none}</p>;
  return (
    <DataTable
      label={label}
      columns={[
        { text: accounts.at },
        { text: accounts.entry },
        { text: accounts.change, isFigure: true },
        { text: accounts.after, isFigure: true },
        { text: accounts.note, isTyped: true },
      ]}
      rows={entries.map((entry) => [
        <span class="number">{dateTime(entry.at)}</span>,
        kinds[entry.kind],
        entry.credit === accountId ? `+${money(entry.amount)}` : money(-entry.amount),
        entry.balanceAfter === null ? '–' : money(entry.balanceAfter),
        <>
          {entry.note}
          <span class={entry.note === null ? 'id faint' : 'under id'}>
            {entry.kind === 'usage' ? (
              <a href={requestPath(accountId, entry.reference)}>{entry.reference}</a>
            ) : (
              entry.reference
            )}
          </span>
        </>,
      ])}
    />
  );
}

interface PagesProps {
  context: AccountProps['context'];
  path: string;
  /** Of the part of the page, and of what its address says. */
  name: keyof AccountProps['pages'];
  next: number | string | null;
  pages: AccountProps['pages'];
}

/** The other parts of the page stay where they are. */
function Pages({ context, path, name, next, pages }: PagesProps) {
  const { accounts } = consoleWords(context.language);
  const href = (at: number | string | null) => {
    const query = new URLSearchParams();
    for (const [part, value] of Object.entries({ ...pages, [name]: at })) if (value) query.set(part, String(value));
    return `${path}${query.size > 0 ? `?${query}` : ''}#${name}`;
  };
  if (next === null && pages[name] === undefined) return null;
  return (
    <p class="row">
      {pages[name] === undefined ? null : <a href={href(null)}>{accounts.newest}</a>}
      {next === null ? null : <a href={href(next)}>{accounts.older}</a>}
    </p>
  );
}

function Holds({ context, account }: AccountProps) {
  const { accounts } = consoleWords(context.language);
  return (
    <section>
      <h2>{accounts.holds}</h2>
      {account.holds.length === 0 ? (
        <p class="empty">{accounts.noHolds}</p>
      ) : (
        <DataTable
          label={accounts.holds}
          columns={[{ text: accounts.request }, { text: accounts.key }]}
          rows={account.holds.map(({ requestId, keyId }) => [
            <a class="id" href={requestPath(account.accountId, requestId)}>
              {requestId}
            </a>,
            <span class="id">{keyId}</span>,
          ])}
        />
      )}
    </section>
  );
}

function Usage({ context, account, pages }: AccountProps) {
  const { accounts } = consoleWords(context.language);
  return (
    <section id="usage">
      <h2>{accounts.latest}</h2>
      {account.usage.length === 0 ? (
        <p class="empty">{pages.usage === undefined ? accounts.noUsage : accounts.noneOlder}</p>
      ) : (
        <DataTable
          label={accounts.latest}
          columns={[
            { text: accounts.at },
            { text: accounts.model },
            { text: accounts.channel },
            { text: accounts.outcome },
            { text: accounts.tokens, isFigure: true },
            { text: accounts.cost, isFigure: true },
          ]}
          rows={account.usage.map((record) => [
            <>
              <span class="number">{dateTime(record.at)}</span>
              <a class="under id" href={requestPath(account.accountId, record.requestId)}>
                {record.requestId}
              </a>
            </>,
            <span class="id">{record.model}</span>,
            <span class="id">{record.channel ?? '–'}</span>,
            <RequestStatus language={context.language} status={record.status} />,
            `${count(record.input + record.cachedInput + record.cacheWrite5m + record.cacheWrite1h)} / ${count(record.output)}`,
            money(record.cost),
          ])}
        />
      )}
      <Pages
        context={context}
        path={`/accounts/${account.accountId}`}
        name="usage"
        next={account.usageNext}
        pages={pages}
      />
    </section>
  );
}
