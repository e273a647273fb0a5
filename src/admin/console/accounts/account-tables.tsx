/** @jsxImportSource hono/jsx */
// The keys of an account by their last four, what it spent, its entries, what is held, and its requests, in pages.

import type { Child } from 'hono/jsx';
import { LIMIT_NAMES, limitOf } from '../../../accounts/keys/limit-fields.ts';
import { taipeiDay } from '../../../kit/taipei.ts';
import { count, date, dateTime, money } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { wordsOf } from '../../../site/language.ts';
import { RequestStatus } from '../../../site/parts/attempts.tsx';
import { MoneyBars } from '../../../site/parts/bars.tsx';
import { IdLink, LinkButton } from '../../../site/parts/button.tsx';
import { action, DataTable, figure, TableSection, typedText, Under } from '../../../site/parts/table.tsx';
import type { Entry } from '../../../store/rows.ts';
import type { AccountView, KeyView } from '../../actions/accounts.ts';
import { dayText } from '../../actions/ledger.ts';
import type { ConsoleContext } from '../frame.tsx';
import { requestPath } from './request.tsx';

export interface AccountProps {
  context: ConsoleContext;
  account: AccountView;
  now: number;
  /** Where each part of the page begins that is not at its newest. */
  pages: { credits?: number | undefined; entries?: number | undefined; usage?: string | undefined };
  /** For the form that makes a key, so that it makes one. */
  ticket: string;
  /** What was sent and refused, else empty. */
  form: URLSearchParams;
  faults?: Readonly<Record<string, string>>;
  notice?: Notice | undefined;
}

export function AccountTables(props: AccountProps) {
  const { context, account } = props;
  const { accounts } = context.words;
  return (
    <>
      <Keys {...props} />
      {account.spendByDay.length > 0 ? (
        <section>
          <h2>{accounts.spend}</h2>
          <MoneyBars language={context.language} days={lastDays(props)} label={accounts.spendLabel} />
        </section>
      ) : null}
      <Part {...props} name="credits" title={accounts.credits} next={account.creditsNext} none={accounts.noCredits}>
        {(none) => <EntryTable {...props} entries={account.credits} label={accounts.credits} none={none} />}
      </Part>
      <Part {...props} name="entries" title={accounts.entries} next={account.entriesNext} none={accounts.noEntries}>
        {(none) => <EntryTable {...props} entries={account.entries} label={accounts.entries} none={none} />}
      </Part>
      <Holds {...props} />
      <Part {...props} name="usage" title={accounts.latest} next={account.usageNext} none={accounts.noUsage}>
        {(none) => <Usage {...props} none={none} />}
      </Part>
    </>
  );
}

function Keys({ context, account: { accountId, keys } }: AccountProps) {
  const { accounts, frame } = context.words;
  return (
    <TableSection
      title={accounts.keys}
      none={accounts.noKeys}
      columns={[
        ...[accounts.key, typedText(accounts.name), accounts.created, accounts.manages, accounts.limits],
        action(accounts.revoke),
      ]}
      rows={keys.map((key) => [
        <Under of={<span class="id">…{key.last4}</span>} text={key.keyId} class="id" />,
        <KeyName context={context} key_={key} keys={keys} />,
        <span class="number">{dateTime(key.createdAt)}</span>,
        key.manage ? frame.yes : frame.no,
        limitsOf(context, key),
        key.revokedAt === null ? (
          <LinkButton
            look="quiet small"
            href={`/accounts/${accountId}/keys/${key.keyId}/revoke`}
            text={accounts.revoke}
            about={` …${key.last4}`}
          />
        ) : (
          <span class="faint">{accounts.revoked(date(key.revokedAt))}</span>
        ),
      ])}
    />
  );
}

interface KeyNameProps {
  context: ConsoleContext;
  key_: KeyView;
  keys: readonly KeyView[];
}

/** With the key that it is a child of. */
function KeyName({ context, key_: key, keys }: KeyNameProps) {
  const { accounts } = context.words;
  const name = key.name ?? <span class="faint">{accounts.noName}</span>;
  const parent = keys.find(({ keyId }) => keyId === key.parentId);
  if (!parent) return <>{name}</>;
  return <Under of={name} text={accounts.childOf(parent.name ?? `…${parent.last4}`, key.depth)} />;
}

function limitsOf(context: ConsoleContext, key: KeyView): string {
  const { accounts } = context.words;
  const { keys, colon } = wordsOf(context.language).account;
  const { expiresAt, models, state, delegate } = key;
  const limits = [
    ...LIMIT_NAMES.flatMap((name) => {
      const value = limitOf(key, name);
      if (value === null) return [];
      return [keys.limits[name] + colon + (typeof value === 'bigint' ? money(value) : count(value))];
    }),
    ...(expiresAt === null ? [] : [accounts[state === 'expired' ? 'expired' : 'until'](dateTime(expiresAt))]),
    ...(models === null ? [] : [accounts.only(models.join(', '))]),
  ];
  return [limits.join(' · ') || accounts.noLimits, ...(delegate ? [accounts.delegates] : [])].join(' · ');
}

const DAYS = 30;

/** The last thirty, those without a request included. */
function lastDays({ account, now }: AccountProps): { day: string; amount: bigint }[] {
  const costs = new Map(account.spendByDay.map(({ day, cost }) => [day, cost]));
  const first = taipeiDay(now) - DAYS + 1;
  return Array.from({ length: DAYS }, (_, index) => ({
    day: dayText(first + index),
    amount: costs.get(first + index) ?? 0n,
  }));
}

interface PartProps extends Pick<AccountProps, 'context' | 'account' | 'pages'> {
  /** In the address. */
  name: keyof AccountProps['pages'];
  title: string;
  /** Where its next page begins. */
  next: number | string | null;
  /** What is said where its newest page has nothing. */
  none: string;
  children: (none: string) => Child;
}

/** Something in pages: the other parts stay where they are. */
function Part({ context, account, pages, name, title, next, none, children }: PartProps) {
  const { accounts } = context.words;
  const isNewest = pages[name] === undefined;
  const href = (at: number | string | null) => {
    const query = new URLSearchParams();
    for (const [part, value] of Object.entries({ ...pages, [name]: at })) if (value) query.set(part, String(value));
    return `/accounts/${account.accountId}${query.size > 0 ? `?${query}` : ''}#${name}`;
  };
  return (
    <section id={name}>
      <h2>{title}</h2>
      {children(isNewest ? none : accounts.noneOlder)}
      {next === null && isNewest ? null : (
        <p class="row">
          {isNewest ? null : <a href={href(null)}>{accounts.newest}</a>}
          {next === null ? null : <a href={href(next)}>{accounts.older}</a>}
        </p>
      )}
    </section>
  );
}

interface EntryTableProps extends Pick<AccountProps, 'context' | 'account'> {
  entries: readonly Entry[];
  label: string;
  none: string;
}

function EntryTable({ context, account: { accountId }, entries, label, none }: EntryTableProps) {
  const { accounts } = context.words;
  const kinds = { ...accounts, credit: accounts.kindCredit };
  return (
    <DataTable
      label={label}
      none={none}
      columns={[
        ...[accounts.at, accounts.entry, figure(accounts.change), figure(accounts.after)],
        typedText(accounts.note),
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

function Holds({ context, account }: AccountProps) {
  const { accounts } = context.words;
  return (
    <TableSection
      title={accounts.holds}
      none={accounts.noHolds}
      columns={[accounts.request, accounts.key]}
      rows={account.holds.map(({ requestId, keyId }) => [
        <IdLink href={requestPath(account.accountId, requestId)} text={requestId} />,
        <span class="id">{keyId}</span>,
      ])}
    />
  );
}

function Usage({ context, account, none }: AccountProps & { none: string }) {
  const { accounts } = context.words;
  return (
    <DataTable
      label={accounts.latest}
      none={none}
      columns={[
        ...[accounts.at, accounts.model, accounts.channel, accounts.outcome],
        ...[figure(accounts.tokens), figure(accounts.cost)],
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
  );
}
