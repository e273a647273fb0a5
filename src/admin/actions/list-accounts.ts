// The list of all accounts, in pages: what they hold, what they spent in 30 days, and how often their calls failed.

import { readCardCode } from '../../accounts/card-code.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { ACCOUNT_SORTS, type AccountPlace, type AccountSort, type ListedAccount } from '../../store/reads.ts';
import { invalid } from './refused.ts';
import type { OperatingTools } from './tools.ts';

export { ACCOUNT_SORTS, type AccountSort };

const LISTED_DAYS = 30;
const MAX_SEARCH_CHARS = 200;

interface AccountListRequest {
  sort: AccountSort;
  /** Largest first if left out, but for nicknames. */
  order?: 'asc' | 'desc' | undefined;
  /** Without a text, every account. */
  q?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

export type AccountRow = ReturnType<typeof viewRow>;
export type AccountListPage = Awaited<ReturnType<typeof listAccounts>>;

/** Refused: invalid. */
export async function listAccounts(
  { store, clock, hashCard }: Pick<OperatingTools, 'store' | 'clock' | 'hashCard'>,
  { sort, order, q = '', cursor, limit }: AccountListRequest,
) {
  const wanted = wantedAccount(hashCard, q);
  if (wanted === 'impossible') return { data: [], hasMore: false, nextCursor: null };
  const after = cursor === undefined ? undefined : readCursor(cursor, sort);
  const isAscending = order === undefined ? sort === 'nickname' : order === 'asc';
  // As in the report of profit: without refunds of days whose revenue is no longer kept.
  const sinceDay = Math.max(taipeiDay(clock.now()) - LISTED_DAYS + 1, await store.read.usageKeptFrom());
  const found = await store.read.accountList({ sort, isAscending, wanted, after, sinceDay, limit });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit;
  return { data: page.map(viewRow), hasMore, nextCursor: hasMore && last ? writeCursor(sort, last.place) : null };
}

/** The figures of one account, as in the list; undefined if it does not exist. */
export async function accountFigures(tools: Pick<OperatingTools, 'store' | 'clock' | 'hashCard'>, accountId: string) {
  const { data } = await listAccounts(tools, { q: accountId, sort: 'created', limit: 10 });
  return data.find((row) => row.accountId === accountId);
}

/** Undefined without a text. A card's code is looked up by its hash. */
function wantedAccount(hashCard: OperatingTools['hashCard'], text: string) {
  const wanted = text.trim();
  if (wanted === '') return undefined;
  if (wanted.length > MAX_SEARCH_CHARS || !wanted.isWellFormed() || /\p{Cc}/u.test(wanted)) return 'impossible';
  const code = readCardCode(wanted);
  return code === undefined ? { text: wanted } : { cardHash: hashCard(code) };
}

/** Profit is null if no call has a known cost; the failure rate, of admitted calls, without one. */
function viewRow({ place: _, spend, profit, requests, failed, ...account }: ListedAccount) {
  const failureRate = requests === 0 ? null : failed / requests;
  return { ...account, spend30d: spend, profit30d: profit, requests30d: requests, failureRate };
}

function writeCursor(sort: AccountSort, { value, accountId }: AccountPlace): string {
  return Buffer.from(`${sort} ${accountId} ${value}`).toString('base64url');
}

function readCursor(cursor: string, sort: AccountSort): AccountPlace {
  const [of, accountId = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const value = rest.join(' ');
  const isPlace = of === sort && /^acc_\w+$/.test(accountId) && (sort === 'nickname' || isWhole(value));
  if (!isPlace || /\p{Cc}/u.test(value))
    throw invalid('cursor', 'must be next_cursor of the page before, with its sort');
  return { value, accountId };
}

/** A number that both databases can hold. */
function isWhole(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}
