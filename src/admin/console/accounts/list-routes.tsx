/** @jsxImportSource hono/jsx */
// The list of accounts, the search of the console, and the page of a refused request. The search finds an account by what its
// customer knows of it, a request that was served or refused, and a card.

import { readCardCode } from '../../../accounts/card-code.ts';
import { hasKeyShape } from '../../../accounts/keys/key-format.ts';
import { taipeiDay } from '../../../kit/taipei.ts';
import { typed } from '../../../site/read-form.ts';
import { showAccount } from '../../actions/accounts.ts';
import { listCards } from '../../actions/cards.ts';
import { dayText } from '../../actions/ledger.ts';
import { ACCOUNT_SORTS, listAccounts } from '../../actions/list-accounts.ts';
import { type RefusedView, showRefusals, showRefused } from '../../actions/refusals.ts';
import type { ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { AccountsPage, foundPath, type ListQuery } from './list.tsx';
import { RefusedPage, refusedPath } from './refused.tsx';

const ROWS = 50;
/** Customers who spend most come first. */
const DEFAULT_SORT = 'spend';

export function addListPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/accounts', (visit) => list(tools, visit, readQuery(visit.url.searchParams)));
  visits.post('/accounts', (visit) => {
    const q = typed(visit.form, 'q');
    if (q === '') return visit.go('/accounts');
    // The code of a card and a key may still be worth something: they must not be in an address.
    const isSecret = readCardCode(q) !== undefined || hasKeyShape(q) || /^(sk|pc)-/i.test(q);
    if (isSecret) return list(tools, visit, { q, sort: DEFAULT_SORT, order: 'desc', isFirst: true });
    return visit.go(`/accounts?${new URLSearchParams({ q })}`);
  });
  visits.get('/refusals/:request', (visit) => show(tools, visit));
}

function readQuery(params: URLSearchParams): ListQuery {
  const sort = ACCOUNT_SORTS.find((one) => one === params.get('sort')) ?? DEFAULT_SORT;
  const order = params.get('order') ?? (sort === 'nickname' ? 'asc' : 'desc');
  return { q: typed(params, 'q'), sort, order: order === 'asc' ? 'asc' : 'desc', isFirst: !params.get('cursor') };
}

async function list(tools: ConsoleTools, visit: ConsoleVisit, query: ListQuery): Promise<Response> {
  const { q, sort, order, isFirst } = query;
  const cursor = visit.url.searchParams.get('cursor') || undefined;
  const found = await listAccounts(tools, { q, sort, order, cursor, limit: ROWS });
  if (q !== '' && isFirst) {
    const path = await onlyPath(tools, q, found.data);
    if (path !== undefined) return visit.go(path);
  }
  const total = q === '' ? await tools.store.read.accountCount() : undefined;
  return visit.show(<AccountsPage context={visit.page} query={query} list={found} total={total} />);
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

async function show(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const refused = await showRefused(tools, visit.params.request ?? '');
  const account = refused.accountId === null ? undefined : await showAccount(tools, refused.accountId, { rows: 1 });
  const sameDay = await countSameDay(tools, refused);
  return visit.show(<RefusedPage context={visit.page} {...{ refused, account, sameDay }} />);
}

async function countSameDay(tools: ConsoleTools, { accountId, code, at }: RefusedView): Promise<number | undefined> {
  if (accountId === null) return undefined;
  const { counts } = await showRefusals(tools, { accountId });
  const ofDay = counts.filter((one) => one.code === code && one.day === dayText(taipeiDay(at)));
  return ofDay.reduce((sum, { refused }) => sum + refused, 0);
}
