/** @jsxImportSource hono/jsx */
// The entries of an account in the ledger, all or only those that added money, in pages.

import { dateTime } from '../../../site/format.ts';
import { Links } from '../../../site/frame.tsx';
import { Money } from '../../../site/parts/amount.tsx';
import { DataTable, figure } from '../../../site/parts/table.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import type { Entry } from '../../../store/rows.ts';
import type { ConsoleVisit } from '../visits.tsx';
import { AccountFrame, type AccountProps, OlderPages, readAccount, tabPath } from './account.tsx';
import { requestPath } from './request.tsx';

export async function showLedger(visit: ConsoleVisit): Promise<Response> {
  const { searchParams } = visit.url;
  const before = wholeNumber(searchParams, 'before');
  const isNewest = before === undefined;
  const isCredits = searchParams.get('show') === 'credits';
  const props = await readAccount(visit, 'ledger', isCredits ? { creditsBefore: before } : { entriesBefore: before });
  const { context, account } = props;
  const { accounts, customers } = context.words;
  const all = tabPath(account.accountId, 'ledger');
  const credits = `${all}?show=credits`;
  const path = isCredits ? credits : all;
  const none = isCredits ? accounts.noCredits : accounts.noEntries;
  return visit.show(
    <AccountFrame {...props} tab="ledger">
      <nav class="choices-line" aria-label={accounts.entries}>
        <Links
          links={[
            { path: all, text: customers.allEntries },
            { path: credits, text: customers.onlyCredits },
          ]}
          current={path}
        />
      </nav>
      <EntryTable
        {...props}
        entries={isCredits ? account.credits : account.entries}
        label={isCredits ? accounts.credits : accounts.entries}
        none={isNewest ? none : accounts.noneOlder}
      />
      <OlderPages
        {...{ context, path, isNewest }}
        name="before"
        next={isCredits ? account.creditsNext : account.entriesNext}
      />
    </AccountFrame>,
  );
}

interface EntryTableProps extends Pick<AccountProps, 'context' | 'account'> {
  entries: readonly Entry[];
  label: string;
  none: string;
}

function EntryTable({ context, account: { accountId }, entries, label, none }: EntryTableProps) {
  const { accounts } = context.words;
  const kinds = { ...accounts, credit: accounts.kindCredit, ...context.words.refunds.kinds };
  return (
    <DataTable
      label={label}
      none={none}
      isCompact
      class="is-entries"
      columns={[accounts.at, accounts.entry, figure(accounts.change), figure(accounts.after)]}
      rows={entries.map((entry) => [
        <span class="number">{dateTime(entry.at)}</span>,
        <>
          <span class="entry-kind">{kinds[entry.kind]}</span>
          {entry.note === null ? null : <span class="as-written"> · {entry.note}</span>}
          <Reference accountId={accountId} entry={entry} />
        </>,
        <Money value={entry.credit === accountId ? entry.amount : -entry.amount} isSigned />,
        entry.balanceAfter === null ? '–' : <Money value={entry.balanceAfter} />,
      ])}
    />
  );
}

/** Trial credit has the account itself as reference, which the page names already. */
function Reference({ accountId, entry: { kind, reference } }: { accountId: string; entry: Entry }) {
  if (reference === accountId) return null;
  return (
    <span class="under id">
      {kind === 'usage' ? <a href={requestPath(accountId, reference)}>{reference}</a> : reference}
    </span>
  );
}
