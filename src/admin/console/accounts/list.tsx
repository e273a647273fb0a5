/** @jsxImportSource hono/jsx */
// The list of accounts, or those that a search found: sorted by one of their figures, in pages.

import type { Child } from 'hono/jsx';
import { readCardCode } from '../../../accounts/card-code.ts';
import { hasKeyShape } from '../../../accounts/keys/key-format.ts';
import { count, date, dateTime, percent } from '../../../site/format.ts';
import { Money } from '../../../site/parts/amount.tsx';
import { Submit } from '../../../site/parts/button.tsx';
import { TextField } from '../../../site/parts/field.tsx';
import { DataTable, Under } from '../../../site/parts/table.tsx';
import { typed } from '../../../site/read-form.ts';
import type { FoundBy } from '../../../store/reads.ts';
import { listCards } from '../../actions/cards.ts';
import {
  ACCOUNT_SORTS,
  type AccountListPage,
  type AccountRow,
  type AccountSort,
  listAccounts,
} from '../../actions/list-accounts.ts';
import { showRefusals } from '../../actions/refusals.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { FrozenState } from './account.tsx';
import { refusedPath, showRefusedPage } from './refused.tsx';
import { requestPath } from './request.tsx';

interface ListQuery {
  q: string;
  sort: AccountSort;
  order: 'asc' | 'desc';
  isFirst: boolean;
}

interface ListProps {
  context: ConsoleContext;
  query: ListQuery;
  list: AccountListPage;
}

async function list(visit: ConsoleVisit, query: ListQuery): Promise<Response> {
  const { page: context, tools } = visit;
  const { accounts, customers } = context.words;
  const { q, sort, order, isFirst } = query;
  const cursor = visit.url.searchParams.get('cursor') || undefined;
  const found = await listAccounts(tools, { q, sort, order, cursor, limit: ROWS });
  if (q !== '' && isFirst) {
    const path = await onlyPath(tools, q, found.data);
    if (path !== undefined) return visit.go(path);
  }
  const total = q === '' ? await tools.store.read.accountCount() : undefined;
  const props = { context, query, list: found };
  return visit.show(
    <ConsolePage context={context} section="accounts" title={accounts.title} lead={customers.lead} hasSearch>
      <search>
        {/* A POST, because a card's code may still have value and must not be in a URL. */}
        <form method="post" action="/accounts" class="search">
          <TextField name="q" label={accounts.search} type="search" value={q} maxlength={100} />
          <Submit look="quiet" text={accounts.find} />
        </form>
      </search>
      {q === '' ? null : (
        <p class="row">
          <strong>{customers.foundFor(q)}</strong> <a href="/accounts">{customers.all}</a>
        </p>
      )}
      {total === undefined ? null : <p class="faint">{customers.total(count(total))}</p>}
      {found.data.length === 0 ? (
        <p class="empty">{q === '' ? customers.noAccounts : customers.none}</p>
      ) : (
        <>
          <Sorts {...props} />
          <Table {...props} />
        </>
      )}
      {isFirst && found.nextCursor === null ? null : (
        <p class="row">
          {isFirst ? null : <a href={listPath(query)}>{customers.first}</a>}
          {found.nextCursor === null ? null : <a href={listPath(query, found.nextCursor)}>{customers.next}</a>}
        </p>
      )}
    </ConsolePage>,
  );
}

/** A search for a request opens the request. */
function foundPath({ accountId, by }: { accountId: string; by: FoundBy | null }, text: string): string {
  if (by === 'refused') return refusedPath(text);
  return by === 'request' ? requestPath(accountId, text) : `/accounts/${accountId}`;
}

/** In the order of the table; whether the column holds figures. */
const SORTS = [
  ['nickname', 'nickname', false],
  ['balance', 'balance', true],
  ['spend', 'spend', true],
  ['profit', 'profit', true],
  ['failure_rate', 'failureRate', true],
  ['last_seen', 'lastSeen', false],
  ['created', 'created', false],
] as const;

function listPath({ q, sort, order }: Pick<ListQuery, 'q' | 'sort' | 'order'>, cursor?: string): string {
  const query = new URLSearchParams({ ...(q === '' ? {} : { q }), sort, order, ...(cursor ? { cursor } : {}) });
  return `/accounts?${query}`;
}

/** The other order of what the list is sorted by; else the largest first, or names from the first. */
function sortPath(query: ListQuery, sort: AccountSort): string {
  const turned = query.order === 'asc' ? 'desc' : 'asc';
  return listPath({ q: query.q, sort, order: sort === query.sort ? turned : sort === 'nickname' ? 'asc' : 'desc' });
}

/** On a narrow screen a table has no heads. */
function Sorts({ context, query }: ListProps) {
  const { customers } = context.words;
  return (
    <nav class="sorts" aria-label={customers.sortBy}>
      <span>{customers.sortBy}</span>
      {SORTS.map(([sort, name]) => (
        <a href={sortPath(query, sort)} {...(sort === query.sort ? { 'aria-current': 'true' as const } : {})}>
          {customers[name]}
          <Arrow context={context} query={query} sort={sort} />
        </a>
      ))}
    </nav>
  );
}

function Arrow({ context, query, sort }: Omit<ListProps, 'list'> & { sort: AccountSort }) {
  if (sort !== query.sort) return null;
  const { ascending, descending } = context.words.customers;
  const isUp = query.order === 'asc';
  return (
    <>
      <span aria-hidden="true">{isUp ? ' ↑' : ' ↓'}</span>
      <span class="unseen"> {isUp ? ascending : descending}</span>
    </>
  );
}

function Table({ context, query, list }: ListProps) {
  const { accounts, customers, profit } = context.words;
  const columns = SORTS.map(([sort, name, isFigure]) => {
    const text = sort === 'nickname' ? accounts.account : customers[name];
    const direction = query.order === 'asc' ? ('ascending' as const) : ('descending' as const);
    const head = (
      <a href={sortPath(query, sort)}>
        {text}
        <Arrow context={context} query={query} sort={sort} />
      </a>
    );
    return { text, isFigure, head, sorted: sort === query.sort ? direction : undefined };
  });
  return (
    <DataTable
      label={accounts.title}
      columns={columns}
      rows={list.data.map((row) => [
        <Name context={context} text={query.q} row={row} />,
        <Money value={row.balance} />,
        <Money value={row.spend30d} />,
        row.profit30d === null ? <span class="faint">{profit.unknown}</span> : <Money value={row.profit30d} />,
        <Failures context={context} row={row} />,
        row.lastSeenAt === null ? (
          <span class="faint">{customers.never}</span>
        ) : (
          <span class="number nowrap" title={dateTime(row.lastSeenAt)}>
            {dateTime(row.lastSeenAt).slice(0, 16)}
          </span>
        ),
        <span class="number nowrap" title={dateTime(row.createdAt)}>
          {date(row.createdAt)}
        </span>,
      ])}
    />
  );
}

function Name({ context, text, row }: { context: ConsoleContext; text: string; row: AccountRow }) {
  const { accounts } = context.words;
  const { accountId, nickname, frozen, by } = row;
  const ways: Record<FoundBy, string> = {
    account: accounts.byAccount,
    key: accounts.byKey,
    last4: accounts.byLast4,
    card: accounts.byCard,
    card_code: accounts.byCardCode,
    login: accounts.byLogin,
    nickname: accounts.byNickname,
    request: accounts.byRequest,
    refused: accounts.byRequest,
  };
  const link: Child = (
    <a href={foundPath(row, text)} class={nickname === null ? 'id' : 'nickname'}>
      {nickname ?? accountId}
    </a>
  );
  return (
    <>
      {nickname === null ? link : <Under of={link} text={accountId} class="id" />}
      {frozen ? <FrozenState context={context} isFrozen /> : null}
      {by === null ? null : <span class="under">{`${accounts.foundBy} ${ways[by]}`}</span>}
    </>
  );
}

function Failures({ context, row }: { context: ConsoleContext; row: AccountRow }) {
  const { failureRate, requests30d } = row;
  if (failureRate === null) return <>–</>;
  const failed = count(Math.round(failureRate * requests30d));
  return <span title={context.words.customers.failureOf(failed, count(requests30d))}>{percent(failureRate)}</span>;
}

const ROWS = 50;
/** Customers who spend most come first. */
const DEFAULT_SORT = 'spend';

export function addListPages(visits: ConsoleVisits): void {
  visits.get('/accounts', (visit) => list(visit, readQuery(visit.url.searchParams)));
  visits.post('/accounts', (visit) => {
    const q = typed(visit.form, 'q');
    if (q === '') return visit.go('/accounts');
    // The code of a card and a key may still be worth something: they must not be in an address.
    const isSecret = readCardCode(q) !== undefined || hasKeyShape(q) || /^(sk|pc)-/i.test(q);
    if (isSecret) return list(visit, { q, sort: DEFAULT_SORT, order: 'desc', isFirst: true });
    return visit.go(`/accounts?${new URLSearchParams({ q })}`);
  });
  visits.get('/refusals/:request', showRefusedPage);
}

function readQuery(params: URLSearchParams): ListQuery {
  const sort = ACCOUNT_SORTS.find((one) => one === params.get('sort')) ?? DEFAULT_SORT;
  const order = params.get('order') ?? (sort === 'nickname' ? 'asc' : 'desc');
  return { q: typed(params, 'q'), sort, order: order === 'asc' ? 'asc' : 'desc', isFirst: !params.get('cursor') };
}

/** Where a search leads that has found one thing. */
async function onlyPath(
  tools: ConsoleTools,
  q: string,
  [only, another]: Awaited<ReturnType<typeof listAccounts>>['data'],
): Promise<string | undefined> {
  if (another) return undefined;
  if (only) return foundPath(only, q);
  const [refused] = (await showRefusals(tools, { requestId: q })).data;
  if (refused) return refusedPath(refused.requestId);
  const [card] = await listCards(tools, { serials: [q.toUpperCase()] }, 1);
  return card && `/cards?serial=${encodeURIComponent(card.serial)}`;
}
