/** @jsxImportSource hono/jsx */
// The requests of an account that were served, in pages and by outcome, model and key, and those that run.

import { count, dateTime, milliseconds } from '../../../site/format.ts';
import { Money } from '../../../site/parts/amount.tsx';
import { RequestStatus } from '../../../site/parts/attempts.tsx';
import { IdLink, LinkButton, Submit } from '../../../site/parts/button.tsx';
import { SelectField, TextField } from '../../../site/parts/field.tsx';
import { action, DataTable, figure, TableSection, Under } from '../../../site/parts/table.tsx';
import { typed } from '../../../site/read-form.ts';
import type { UsageRecord } from '../../../store/rows.ts';
import type { UsageFilter } from '../../actions/accounts.ts';
import type { ConsoleVisit } from '../visits.tsx';
import { AccountFrame, type AccountProps, OlderPages, readAccount, tabPath } from './account.tsx';
import { requestPath } from './request.tsx';

/** Requests that run; the page of each is found by its id. */
const SHOWN_HOLDS = 20;
/** With more keys than this, the id of one is typed. */
const MAX_CHOICES = 50;

/** As typed: empty where everything is wanted. */
function filterIn(query: URLSearchParams) {
  return { outcome: typed(query, 'outcome'), model: typed(query, 'model'), key: typed(query, 'key') };
}

type RequestFilter = ReturnType<typeof filterIn>;

function usageFilter({ outcome, model, key }: RequestFilter): UsageFilter {
  return {
    ...(outcome === 'ok' ? { status: 'ok' } : outcome === 'failed' ? { isFailed: true } : {}),
    ...(model === '' ? {} : { models: [model] }),
    ...(key === '' ? {} : { keyId: key }),
  };
}

export async function showRequests(visit: ConsoleVisit): Promise<Response> {
  const usageCursor = visit.url.searchParams.get('cursor') || undefined;
  const isNewest = usageCursor === undefined;
  const filter = filterIn(visit.url.searchParams);
  const props = await readAccount(visit, 'requests', { usageCursor, usageFilter: usageFilter(filter) });
  const { context, account } = props;
  const { accounts, customers } = context.words;
  const chosen = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString();
  const path = tabPath(account.accountId, 'requests');
  const none = chosen === '' ? accounts.noUsage : customers.noMatch;
  return visit.show(
    <AccountFrame {...props} tab="requests">
      {account.holds.length > 0 && isNewest && chosen === '' ? <Holds {...props} /> : null}
      <Filters {...props} filter={filter} />
      {chosen === '' ? null : (
        <p>
          <a href={path}>{customers.noFilter}</a>
        </p>
      )}
      <Usage {...props} none={isNewest ? none : accounts.noneOlder} />
      <OlderPages
        {...{ context, isNewest }}
        path={chosen === '' ? path : `${path}?${chosen}`}
        name="cursor"
        next={account.usageNext}
      />
    </AccountFrame>,
  );
}

function Filters({ context, account, filter }: AccountProps & { filter: RequestFilter }) {
  const { accounts, customers } = context.words;
  const { keys } = account;
  const outcomes = [
    ['', customers.anyOutcome],
    ['ok', customers.succeeded],
    ['failed', customers.anyFailure],
  ] as const;
  const choices = keys.map(({ keyId, name, last4 }) => [keyId, `${name ?? accounts.noName} …${last4}`] as const);
  return (
    <form method="get" action={tabPath(account.accountId, 'requests')} class="filters">
      <SelectField name="outcome" label={customers.outcome} value={filter.outcome} choices={outcomes} />
      <TextField name="model" label={accounts.model} value={filter.model} maxlength={100} />
      {keys.length > MAX_CHOICES ? (
        <TextField name="key" label={accounts.key} value={filter.key} maxlength={60} />
      ) : (
        <SelectField
          name="key"
          label={accounts.key}
          value={filter.key}
          choices={[['', customers.anyKey] as const, ...choices]}
        />
      )}
      <Submit look="quiet" text={customers.filter} />
    </form>
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

function Usage({ context, account: { accountId, usage }, none }: AccountProps & { none: string }) {
  const { accounts, customers, refunds } = context.words;
  return (
    <DataTable
      label={accounts.latest}
      none={none}
      columns={[
        ...[accounts.at, `${accounts.model} · ${accounts.channel}`, accounts.outcome],
        ...[accounts.duration, accounts.tokens, accounts.cost, customers.upstreamCost].map(figure),
        action(refunds.refund),
      ]}
      rows={usage.map((record) => [
        <>
          <span class="number">{dateTime(record.at)}</span>
          <a class="under id" href={requestPath(accountId, record.requestId)}>
            {record.requestId}
          </a>
        </>,
        <Under of={<span class="id">{record.model}</span>} text={record.channel ?? '–'} class="id" />,
        <RequestStatus language={context.language} status={record.status} />,
        milliseconds(record.totalMs),
        `${count(record.input + record.cachedInput + record.cacheWrite5m + record.cacheWrite1h)} / ${count(record.output)}`,
        <Money value={record.cost} />,
        record.upstreamCost === null ? (
          <span class="faint">{customers.unknown}</span>
        ) : (
          <Money value={record.upstreamCost} />
        ),
        <RefundLink text={refunds.refund} accountId={accountId} record={record} />,
      ])}
    />
  );
}

function RefundLink({ text, accountId, record }: { text: string; accountId: string; record: UsageRecord }) {
  const { cost, requestId } = record;
  if (cost === 0n) return null;
  const href = `${requestPath(accountId, requestId)}#refund`;
  return <LinkButton look="quiet small" href={href} text={text} about={`: ${requestId}`} />;
}
