/** @jsxImportSource hono/jsx */
// Usage: charts and one page of requests, filtered by the address, with sums, a file to take away, and a receipt for each.

import { FAILED, readUsageQuery, writeCursor } from '../../accounts/usage/read-query.ts';
import { readUsageByKey } from '../../accounts/usage/usage-by-key.ts';
import { MAX_RECORDS, openUsageFile } from '../../accounts/usage/usage-file.ts';
import { readVisibleKeys, type Viewer } from '../../accounts/usage/visible-keys.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { DAY_MS } from '../../kit/clock.ts';
import { parseMoment } from '../../kit/moment.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { MAX_SORTED, USAGE_SORTS, type UsageQuery, type UsageSort, type UsageTotals } from '../../store/reads.ts';
import type { KeyRow, UsageRecord } from '../../store/rows.ts';
import { faultText } from '../fault-text.ts';
import { count, money, roundedMoney, withGap } from '../format.ts';
import { Links } from '../frame.tsx';
import { USAGE_FILTERS, type UsageFilter } from '../page-parameters.ts';
import { LinkButton } from '../parts/button.tsx';
import { fileResponse } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { plainId } from './forms.ts';
import { AccountPage } from './frame.tsx';
import { GROUPS, KeyUsageTable, MEASURES, readUsageParts, UsageSums } from './usage-chart.tsx';
import { Periods, REFUSED, UsageFilters, type UsageProps, usageAddress } from './usage-filters.tsx';
import { DATE, UsageList, usageFileName, usageSheet } from './usage-list.tsx';
import { DEFAULT_DAYS, datesOf, type Period, presetsOf } from './usage-period.ts';
import type { SignedVisit, Visits } from './visits.tsx';

/** Rows of one page. */
const ROWS = 15;

export function addUsage(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account/usage', (visit) => showUsage(tools, visit));
  visits.signed('get', '/account/usage.csv', async ({ session, url, page, request }) => {
    const keys = await readVisibleKeys(tools.store, session);
    const sheet = usageSheet(keys, page.language);
    const query = await readUsageQuery(tools, session, apiParams(url.searchParams));
    const csv = await openUsageFile(tools, query, { gone: request.signal, sheet });
    return fileResponse(tools.publicUrl, usageFileName(url.searchParams, tools.clock.now()), csv);
  });
}

async function showUsage(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const facts = await readFacts(tools, visit);
  return visit.show(<UsagePage context={visit.page} facts={facts} />, { status: facts.refused ? 400 : 200 });
}

export type UsageFacts = Awaited<ReturnType<typeof readFacts>>;

async function readFacts(tools: SiteTools, visit: SignedVisit) {
  const given = visit.url.searchParams;
  const today = taipeiDay(tools.clock.now());
  const since = taipeiDay((await tools.store.read.accountSince(visit.session.accountId)) ?? 0);
  const filters = readFilters(given, today);
  const view = readView(given);
  const { query, refused } = await readQuery(tools, visit, filters, view.sort);
  const keys = await readVisibleKeys(tools.store, visit.session);
  const period = periodOf(query, today, since);
  const [found, parts, byKey] = await Promise.all([
    query && findUsage(tools, query),
    query ? readUsageParts(tools.store, query, view.by, period) : [],
    query && keys.some(isChild) ? readUsageByKey(tools.store, query, keys) : [],
  ]);
  const { models, channels } = tools.catalog();
  const parents = new Set(keys.map(({ parentId }) => parentId));
  return {
    /** Undefined where the filters were refused. */
    found,
    refused,
    /** As the visitor gave them, with the dates that apply. */
    filters,
    view,
    ...{ period, parts, presets: presetsOf(today, since) },
    isFirst: !given.has('cursor'),
    keyNames: new Map(keys.map(namedKey)),
    keyChoices: keys.filter(({ revokedAt }) => revokedAt === null).map(namedKey),
    parents: keys.filter(({ keyId }) => parents.has(keyId)).map(namedKey),
    /** Only of accounts that have child keys. */
    byKey,
    models: models.map(({ id }) => id),
    channels: [...channels.keys()],
  };
}

type Filters = Readonly<Record<UsageFilter, string>>;

/** Without dates, the last 30 days. */
function readFilters(given: URLSearchParams, today: number): Filters {
  const filters = Object.fromEntries(USAGE_FILTERS.map((name) => [name, given.get(name) ?? ''])) as Filters;
  if (filters.from !== '' || filters.to !== '') return filters;
  return { ...filters, ...datesOf({ first: today - DEFAULT_DAYS + 1, end: today + 1 }), to: '' };
}

function readView(given: URLSearchParams) {
  return {
    measure: MEASURES.find((name) => name === given.get('measure')),
    by: GROUPS.find((name) => name === given.get('by')) ?? 'model',
    sort: USAGE_SORTS.find((name) => name === given.get('sort')),
  };
}

/** The days of the chart; empty for a refused filter. */
function periodOf(query: UsageQuery | undefined, today: number, since: number): Period {
  const end = Math.min(today, query?.to === undefined ? today : taipeiDay(query.to - 1)) + 1;
  const first = query?.from === undefined ? since : taipeiDay(query.from);
  return { first: Math.min(first, end - 1), end };
}

/** `next`: the cursor of the next page, if there is one. */
async function findUsage({ store }: SiteTools, query: UsageQuery) {
  const { records, hasMore, totals } = await store.read.usagePage(query);
  const last = records.at(-1);
  return { records, totals, next: hasMore && last ? writeCursor(placeOf(last, query.sort), last.requestId) : null };
}

/** The value of a record in the column that the list is sorted by. */
function placeOf({ at, cost, totalMs }: UsageRecord, sort: UsageSort | undefined): number {
  if (sort === 'cost') return Number(cost);
  return sort === 'duration' ? totalMs : at;
}

function sortedBy({ after, ...query }: UsageQuery, sort: UsageSort): UsageQuery {
  return { ...query, sort, ...(after ? { sortedAfter: { value: after.at, requestId: after.requestId } } : {}) };
}

/**
 * A filter that cannot be read is reported, with the fields that it is about, and no records are shown, because they could be
 * taken for the result.
 */
async function readQuery(
  tools: SiteTools,
  { session, url, page: { language } }: SignedVisit,
  filters: Filters,
  sort: UsageSort | undefined,
): Promise<{ query?: UsageQuery; refused?: { text: string; fields: readonly UsageFilter[] } }> {
  const given = new URLSearchParams({ limit: String(ROWS), ...Object.fromEntries(url.searchParams) });
  for (const name of USAGE_FILTERS) if (filters[name] !== '') given.set(name, filters[name]);
  try {
    const query = await readUsageQuery(tools, session, apiParams(given));
    return { query: sort ? sortedBy(query, sort) : query };
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

/**
 * The page's filter `key` is `key_id` in the API. A visitor's last day is included, and upper case is ignored.
 * Refused: invalid_request.
 */
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

/** Names of keys by id. */
export async function readKeyNames({ store }: SiteTools, viewer: Viewer): Promise<Map<string, string>> {
  return new Map((await readVisibleKeys(store, viewer)).map(namedKey));
}

function namedKey({ keyId, name, last4 }: KeyRow): [keyId: string, name: string] {
  return [keyId, name ?? `…${last4}`];
}

function isChild({ parentId }: KeyRow): boolean {
  return parentId !== null;
}

function UsagePage({ context, facts }: UsageProps) {
  const { found, refused } = facts;
  const { usage, usageView, refusals } = context.words.account;
  const isSorted = facts.view.sort !== undefined;
  return (
    <AccountPage context={context} tab="usage" notice={refused && { text: refused.text, isBad: true }}>
      <p>
        {withGap(usage.lead)}
        <a href={REFUSED}>{refusals.list}</a>
      </p>
      <Periods context={context} facts={facts} />
      <UsageFilters context={context} facts={facts} />
      {found ? <Found context={context} facts={facts} found={found} /> : null}
      <p class="row">
        {facts.isFirst ? null : (
          <LinkButton look="quiet" href={usageAddress(facts)} text={isSorted ? usageView.start : usage.first} />
        )}
        {found && found.next !== null ? (
          <a class="button quiet" rel="next" href={usageAddress(facts, { cursor: found.next })}>
            {isSorted ? usageView.further : usage.next}
          </a>
        ) : null}
      </p>
    </AccountPage>
  );
}

function Found({ context, facts, found }: UsageProps & { found: NonNullable<UsageFacts['found']> }) {
  const { usage, usageView } = context.words.account;
  const { records, totals } = found;
  const isFailed = facts.filters.status === FAILED;
  if (totals.requests === 0) return <Nothing context={context} facts={facts} />;
  const csv = new URLSearchParams(Object.entries(facts.filters).filter(([, value]) => value !== ''));
  return (
    <>
      <UsageSums context={context} facts={facts} totals={totals} />
      {facts.byKey.length > 1 ? <KeyUsageTable context={context} facts={facts} /> : null}
      <div class="row is-list-head">
        <strong title={money(totals.cost)}>{usage.totals(count(totals.requests), roundedMoney(totals.cost))}</strong>
        <Sorts context={context} facts={facts} totals={totals} />
        <nav class="choices-line" aria-label={usageView.filters}>
          <a
            href={usageAddress(facts, { status: isFailed ? '' : FAILED })}
            {...(isFailed ? { 'aria-current': 'true' } : {})}
          >
            {usageView.anyFailure}
          </a>
        </nav>
        <a href={`/account/usage.csv?${csv}`}>{usage.csv}</a>
        {totals.requests > MAX_RECORDS ? <span class="faint">{usage.csvNewest(count(MAX_RECORDS))}</span> : null}
      </div>
      <UsageList context={context} records={records} keyNames={facts.keyNames} query={context.query} />
    </>
  );
}

/** Another order is that of the newest requests. */
function Sorts({ context, facts, totals }: UsageProps & { totals: UsageTotals }) {
  const { usageView } = context.words.account;
  const { sort } = facts.view;
  const links = [undefined, ...USAGE_SORTS].map((name) => ({
    path: usageAddress(facts, { sort: name ?? '' }),
    text: usageView.sorts[name ?? 'newest'],
  }));
  return (
    <>
      <nav class="choices-line" aria-label={usageView.sort}>
        <Links links={links} current={usageAddress(facts, { sort: sort ?? '' })} />
      </nav>
      {sort && totals.requests > MAX_SORTED ? <span class="faint">{usageView.sortedOf(count(MAX_SORTED))}</span> : null}
    </>
  );
}

/** A new account has only its dates as a filter. */
function Nothing({ context, facts }: UsageProps) {
  const { usage } = context.words.account;
  const { from: _from, to: _to, ...others } = facts.filters;
  const isFiltered = !facts.isFirst || Object.values(others).some((value) => value !== '') || context.query !== '';
  if (isFiltered) return <p class="empty">{usage.none}</p>;
  return (
    <p class="empty">
      {withGap(usage.noneYet)}
      <a href="/account/setup">{usage.toSetup}</a>
    </p>
  );
}
