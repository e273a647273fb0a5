/** @jsxImportSource hono/jsx */
// The requests of an account that were served, in pages, and those that run.

import { count, dateTime } from '../../../site/format.ts';
import { Money } from '../../../site/parts/amount.tsx';
import { RequestStatus } from '../../../site/parts/attempts.tsx';
import { IdLink } from '../../../site/parts/button.tsx';
import { DataTable, figure, TableSection, Under } from '../../../site/parts/table.tsx';
import { AccountFrame, type AccountProps, OlderPages, tabPath } from './account-frame.tsx';
import { requestPath } from './request.tsx';

/** Requests that run; the page of each is found by its id. */
const SHOWN_HOLDS = 20;

export function RequestsTab(props: AccountProps & { isNewest: boolean }) {
  const { context, account, isNewest } = props;
  const { accounts } = context.words;
  return (
    <AccountFrame {...props} tab="requests">
      {account.holds.length > 0 && isNewest ? <Holds {...props} /> : null}
      <Usage {...props} none={isNewest ? accounts.noUsage : accounts.noneOlder} />
      <OlderPages
        {...{ context, isNewest }}
        path={tabPath(account.accountId, 'requests')}
        name="cursor"
        next={account.usageNext}
      />
    </AccountFrame>
  );
}

function Holds({ context, account }: AccountProps) {
  const { accounts } = context.words;
  return (
    <TableSection
      title={`${accounts.holds} (${count(account.holds.length)})`}
      columns={[accounts.request, accounts.key]}
      rows={account.holds
        .slice(0, SHOWN_HOLDS)
        .map(({ requestId, keyId }) => [
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
        ...[accounts.at, `${accounts.model} · ${accounts.channel}`, accounts.outcome],
        ...[figure(accounts.tokens), figure(accounts.cost)],
      ]}
      isCompact
      rows={account.usage.map((record) => [
        <>
          <span class="number">{dateTime(record.at)}</span>
          <a class="under id" href={requestPath(account.accountId, record.requestId)}>
            {record.requestId}
          </a>
        </>,
        <Under of={<span class="id">{record.model}</span>} text={record.channel ?? '–'} class="id" />,
        <RequestStatus language={context.language} status={record.status} />,
        `${count(record.input + record.cachedInput + record.cacheWrite5m + record.cacheWrite1h)} / ${count(record.output)}`,
        <Money value={record.cost} />,
      ])}
    />
  );
}
