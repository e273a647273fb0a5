/** @jsxImportSource hono/jsx */
// The account's money: overview, usage, receipts, cards.

import { type DayBudget, readDayBudgets } from '../../accounts/day-budgets.ts';
import { readFreeAllowances } from '../../accounts/free-allowances.ts';
import { redeemCard } from '../../accounts/redeem-card.ts';
import { readUsageQuery, writeCursor } from '../../accounts/usage/read-query.ts';
import { type Receipt, readReceipt } from '../../accounts/usage/show-receipt.ts';
import { openUsageFile } from '../../accounts/usage/usage-file.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { DAY_MS } from '../../kit/clock.ts';
import { parseMoment } from '../../kit/moment.ts';
import { taipeiDay, taipeiDayStart } from '../../kit/taipei.ts';
import type { UsageQuery } from '../../store/reads.ts';
import { faultText } from '../fault-text.ts';
import { date, dateTime, money } from '../format.ts';
import { wordsOf } from '../language.ts';
import { pageHeaders } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { plainId } from './forms.ts';
import { isFrozen } from './frozen.ts';
import { OverviewPage } from './overview.tsx';
import { NoReceiptPage, ReceiptPage } from './receipt.tsx';
import { RedeemPage } from './redeem.tsx';
import { showSetup } from './setup.tsx';
import { type FoundUsage, type RefusedFilter, USAGE_FILTERS, type UsageFilter, UsagePage } from './usage.tsx';
import { DATE, usageFileName, usageSheet } from './usage-file.ts';
import { isUsedUp } from './used-up.ts';
import type { SignedVisit, Visits } from './visit.tsx';

const CHART_DAYS = 30;
const LATEST = 5;
/** Of so many requests the models are those that a visitor uses: also of who has gone on with free ones for a while. */
const RECENT = 50;
const CREDITS = 50;

export function addMoneyPages(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account', (visit) => showOverview(tools, visit));
  visits.signed('get', '/account/usage', (visit) => showUsage(tools, visit));
  visits.signed('get', '/account/usage.csv', async ({ session, url, page, request }) => {
    const keys = await tools.store.read.keysOf(session.accountId);
    const sheet = usageSheet(keys, page.language);
    const how = { gone: request.signal, sheet, findModel: tools.catalog().find };
    const csv = await openUsageFile(tools, session.accountId, apiParams(url.searchParams), how);
    const name = usageFileName(url.searchParams, tools.clock.now());
    return new Response(csv, {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
        ...pageHeaders(tools.publicUrl),
      },
    });
  });
  visits.signed('get', '/account/receipts/:id', async (visit) => {
    const facts = await findReceipt(tools, visit);
    if (!facts) return visit.show(<NoReceiptPage context={visit.page} />, { status: 404 });
    const keyNames = await readKeyNames(tools, visit.session.accountId);
    const { keyId } = facts.record;
    return visit.show(<ReceiptPage context={visit.page} facts={facts} keyName={keyNames.get(keyId) ?? keyId} />);
  });
  visits.signed('get', '/account/redeem', async (visit) =>
    visit.show(<RedeemPage context={visit.page} isFrozen={await isFrozen(tools, visit)} />),
  );
  visits.signed('post', '/account/redeem', (visit) => redeem(tools, visit));
  visits.signed('get', '/account/setup', (visit) => showSetup(tools, visit));
}

function findReceipt(tools: SiteTools, { session, params }: SignedVisit): Promise<Receipt | undefined> {
  return readReceipt(tools, session.accountId, params.id ?? '').catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'not_found') return undefined;
    throw error;
  });
}

async function showOverview(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const { accountId } = visit.session;
  const today = taipeiDay(tools.clock.now());
  const since = today - CHART_DAYS + 1;
  const [allowances, budget, page, credits, spent] = await Promise.all([
    readFreeAllowances(tools, accountId),
    budgetOf(tools, visit),
    tools.store.read.usagePage({ accountId, limit: RECENT }),
    tools.store.read.creditsOf(accountId, CREDITS + 1),
    tools.store.read.spendByDay(accountId, since),
  ]);
  const costs = new Map(spent.map(({ day, cost }) => [day, cost]));
  const spend = Array.from({ length: CHART_DAYS }, (_, index) => ({
    day: date(taipeiDayStart(since + index)),
    cost: costs.get(since + index) ?? 0n,
  }));
  const { minute, day, wallet = { balance: 0n, held: 0n, frozen: false } } = allowances;
  const facts = {
    accountId,
    wallet,
    isUsedUp: isUsedUp(wallet.balance, page.records, tools.catalog()),
    minute,
    day,
    budget,
    spend,
    latest: page.records.slice(0, LATEST),
    credits: credits.slice(0, CREDITS),
    hasMoreCredits: credits.length > CREDITS,
  };
  return visit.show(<OverviewPage context={visit.page} facts={facts} />);
}

async function budgetOf(tools: SiteTools, { session: { keyId } }: SignedVisit): Promise<DayBudget | undefined> {
  const key = keyId === null ? undefined : await tools.store.read.keyById(keyId);
  return key && (await readDayBudgets(tools, [key])).get(key.keyId);
}

async function showUsage(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const { accountId } = visit.session;
  const given = visit.url.searchParams;
  const filters = Object.fromEntries(USAGE_FILTERS.map((name) => [name, given.get(name) ?? ''])) as Record<
    UsageFilter,
    string
  >;
  const { query, refused } = readQuery(tools, visit);
  const [found, keyNames] = await Promise.all([query && findUsage(tools, query), readKeyNames(tools, accountId)]);
  const { models, channels } = tools.catalog();
  const facts = {
    found,
    refused,
    filters,
    isFirst: !given.has('cursor'),
    keyNames,
    models: models.map(({ id }) => id),
    channels: [...channels.keys()],
  };
  return visit.show(<UsagePage context={visit.page} facts={facts} />, { status: refused ? 400 : 200 });
}

async function findUsage({ store }: SiteTools, query: UsageQuery): Promise<FoundUsage> {
  const { records, hasMore, totals } = await store.read.usagePage(query);
  const last = records.at(-1);
  return { records, totals, next: hasMore && last ? writeCursor(last.at, last.requestId) : null };
}

/** A filter that cannot be read is told, and nothing is shown: whatever it was would look like the answer. */
function readQuery(
  tools: SiteTools,
  { session: { accountId }, url, page: { language } }: SignedVisit,
): { query?: UsageQuery; refused?: RefusedFilter } {
  try {
    return { query: readUsageQuery(accountId, apiParams(url.searchParams), tools.catalog().find) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { refused: { text: faultText(language, error), fields: fieldsOf(error.details.param ?? '') } };
  }
}

/** Which fields of the page a fault is about; a cursor has none. */
function fieldsOf(param: string): UsageFilter[] {
  if (param === TURNED_ROUND) return ['from', 'to'];
  return USAGE_FILTERS.filter((name) => name === (param === 'key_id' ? 'key' : param));
}

const TURNED_ROUND = 'from_after_to';

/** No request lies before the first day and after the last. */
function isTurnedRound(given: URLSearchParams): boolean {
  const [from, to] = [given.get('from') ?? '', given.get('to') ?? ''];
  return DATE.test(from) && DATE.test(to) && from > to;
}

/** The page calls a key's filter `key`; the API calls it by what it is. A visitor means the last day, too, and no upper
 * case. Refused: invalid_request. */
function apiParams(given: URLSearchParams): URLSearchParams {
  if (isTurnedRound(given)) throw fault('invalid_request', { param: TURNED_ROUND });
  const params = new URLSearchParams(given);
  const key = params.get('key');
  if (key) params.set('key_id', key);
  for (const name of ['model', 'channel']) {
    const value = params.get(name);
    if (value) params.set(name, plainId(value));
  }
  const to = params.get('to') ?? '';
  const lastDay = DATE.test(to) ? parseMoment(to) : undefined;
  if (lastDay !== undefined) params.set('to', new Date(lastDay + DAY_MS).toISOString());
  return params;
}

async function readKeyNames({ store }: SiteTools, accountId: string): Promise<Map<string, string>> {
  const keys = await store.read.keysOf(accountId);
  return new Map(keys.map(({ keyId, name, last4 }) => [keyId, name ?? `…${last4}`]));
}

async function redeem(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const words = wordsOf(visit.page.language).account.redeem;
  const code = visit.form.get('code') ?? '';
  const address = tools.addressOf(visit);
  try {
    const { answer } = await redeemCard(tools, visit.session.accountId, { code }, address, undefined);
    const amount = money(BigInt(answer.amount_nano));
    const text = answer.already_redeemed ? words.again(amount) : words.done(amount, money(BigInt(answer.balance_nano)));
    return visit.show(
      <RedeemPage context={visit.page} notice={{ text }} isDone isFrozen={await isFrozen(tools, visit)} />,
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const faults: Record<string, string> = {
      card_code_malformed: words.malformed,
      card_not_redeemable: words.refused,
    };
    const tooMany = words.tooMany(dateTime(tools.clock.now() + (error.details.retryAfterS ?? 0) * 1000));
    const other = error.code === 'redeem_rate_limited' ? tooMany : faultText(visit.page.language, error);
    const fault = faults[error.code];
    const refused = { notice: { text: fault ?? other, isBad: true }, code, fault };
    const page = <RedeemPage context={visit.page} {...refused} isFrozen={await isFrozen(tools, visit)} />;
    return visit.show(page, { status: error.row.status });
  }
}
