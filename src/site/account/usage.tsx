/** @jsxImportSource hono/jsx */
// Usage: one page of requests, filtered by the address, with totals, a file to take away, and a receipt for each.

import { readUsageQuery, writeCursor } from '../../accounts/usage/read-query.ts';
import { readUsageByKey, type UsageOfKey } from '../../accounts/usage/usage-by-key.ts';
import { MAX_RECORDS, openUsageFile } from '../../accounts/usage/usage-file.ts';
import { readVisibleKeys, type Viewer } from '../../accounts/usage/visible-keys.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { DAY_MS } from '../../kit/clock.ts';
import { parseMoment } from '../../kit/moment.ts';
import type { UsageQuery, UsageTotals } from '../../store/reads.ts';
import type { KeyRow, UsageRecord } from '../../store/rows.ts';
import { faultText } from '../fault-text.ts';
import { count, money, roundedMoney, withGap } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { USAGE_FILTERS, type UsageFilter } from '../page-parameters.ts';
import { LinkButton, Submit } from '../parts/button.tsx';
import { FieldFault, faultMarks, SelectField, TextField } from '../parts/field.tsx';
import { fileResponse } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { plainId } from './forms.ts';
import { AccountPage } from './frame.tsx';
import { KeyUsageTable } from './key-usage-table.tsx';
import { DATE, usageFileName, usageSheet } from './usage-file.ts';
import { UsageTable } from './usage-table.tsx';
import type { SignedVisit, Visits } from './visits.tsx';

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
  const given = visit.url.searchParams;
  const filters = Object.fromEntries(USAGE_FILTERS.map((name) => [name, given.get(name) ?? ''])) as Record<
    UsageFilter,
    string
  >;
  const { query, refused } = await readQuery(tools, visit);
  const keys = await readVisibleKeys(tools.store, visit.session);
  const [found, byKey] = await Promise.all([
    query && findUsage(tools, query),
    query && keys.some(isChild) ? readUsageByKey(tools.store, query, keys) : [],
  ]);
  const { models, channels } = tools.catalog();
  const isFirst = !given.has('cursor');
  const choices = { models: models.map(({ id }) => id), channels: [...channels.keys()] };
  const parents = new Set(keys.map(({ parentId }) => parentId));
  const keyNames = new Map(keys.map(namedKey));
  const parentNames = keys.filter(({ keyId }) => parents.has(keyId)).map(namedKey);
  const facts = { found, refused, filters, isFirst, keyNames, parents: parentNames, byKey, ...choices };
  return visit.show(<UsagePage context={visit.page} facts={facts} />, { status: refused ? 400 : 200 });
}

async function findUsage({ store }: SiteTools, query: UsageQuery): Promise<FoundUsage> {
  const { records, hasMore, totals } = await store.read.usagePage(query);
  const last = records.at(-1);
  return { records, totals, next: hasMore && last ? writeCursor(last.at, last.requestId) : null };
}

/** A filter that cannot be read is reported, and no records are shown, because they could be taken for the result. */
async function readQuery(
  tools: SiteTools,
  { session, url, page: { language } }: SignedVisit,
): Promise<{ query?: UsageQuery; refused?: RefusedFilter }> {
  try {
    return { query: await readUsageQuery(tools, session, apiParams(url.searchParams)) };
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

/** What each key is called, by its id. */
export async function readKeyNames({ store }: SiteTools, viewer: Viewer): Promise<Map<string, string>> {
  return new Map((await readVisibleKeys(store, viewer)).map(namedKey));
}

function namedKey({ keyId, name, last4 }: KeyRow): [keyId: string, name: string] {
  return [keyId, name ?? `…${last4}`];
}

function isChild({ parentId }: KeyRow): boolean {
  return parentId !== null;
}

interface FoundUsage {
  records: readonly UsageRecord[];
  totals: UsageTotals;
  /** The cursor of the next page, if there is one. */
  next: string | null;
}

interface RefusedFilter {
  text: string;
  /** Those that it is about, if it is about any. */
  fields: readonly UsageFilter[];
}

interface UsageFacts {
  /** Undefined where the filters were refused. */
  found: FoundUsage | undefined;
  refused: RefusedFilter | undefined;
  /** As the visitor gave them. */
  filters: Readonly<Record<UsageFilter, string>>;
  isFirst: boolean;
  keyNames: ReadonlyMap<string, string>;
  /** Keys that have children, with their names. */
  parents: readonly Choice[];
  /** Only of accounts that have child keys. */
  byKey: readonly UsageOfKey[];
  channels: readonly string[];
  models: readonly string[];
}

interface UsageProps {
  context: PageContext;
  facts: UsageFacts;
}

function UsagePage({ context, facts }: UsageProps) {
  const { found, refused } = facts;
  const { usage } = context.words.account;
  const address = (more: Record<string, string> = {}) => {
    const given = Object.entries({ ...facts.filters, ...more }).filter(([, value]) => value !== '');
    return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  };
  return (
    <AccountPage context={context} tab="usage" notice={refused && { text: refused.text, isBad: true }}>
      <p>{usage.lead}</p>
      <Filters context={context} facts={facts} />
      {found ? <Found context={context} facts={facts} found={found} query={address()} /> : null}
      <p class="row">
        {facts.isFirst ? null : <LinkButton look="quiet" href={`/account/usage${address()}`} text={usage.first} />}
        {found && found.next !== null ? (
          <a class="button quiet" rel="next" href={`/account/usage${address({ cursor: found.next })}`}>
            {usage.next}
          </a>
        ) : null}
      </p>
    </AccountPage>
  );
}

/** `query`: the filters, as an address has them. */
function Found({ context, facts, found, query }: UsageProps & { found: FoundUsage; query: string }) {
  const { usage } = context.words.account;
  const { records, totals } = found;
  return (
    <>
      <p class="row">
        <strong title={money(totals.cost)}>{usage.totals(count(totals.requests), roundedMoney(totals.cost))}</strong>
        <a href={`/account/usage.csv${query}`}>{usage.csv}</a>
        {totals.requests > MAX_RECORDS ? <span class="faint">{usage.csvNewest(count(MAX_RECORDS))}</span> : null}
      </p>
      {facts.byKey.length > 1 ? (
        <KeyUsageTable context={context} usage={facts.byKey} keyNames={facts.keyNames} />
      ) : null}
      {records.length === 0 ? (
        <Nothing context={context} isFiltered={!facts.isFirst || query !== ''} />
      ) : (
        <UsageTable context={context} records={records} keyNames={facts.keyNames} query={context.query} />
      )}
    </>
  );
}

function Nothing({ context, isFiltered }: { context: PageContext; isFiltered: boolean }) {
  const { usage } = context.words.account;
  if (isFiltered) return <p class="empty">{usage.none}</p>;
  return (
    <p class="empty">
      {withGap(usage.noneYet)}
      <a href="/account/setup">{usage.toSetup}</a>
    </p>
  );
}

const FAULT_ID = 'filter-fault';

function Filters({ context, facts }: UsageProps) {
  const { usage, statuses } = context.words.account;
  const { filters, refused } = facts;
  const field = (name: UsageFilter) => {
    const isMarked = refused?.fields.includes(name) ?? false;
    const marks = faultMarks(FAULT_ID, isMarked ? refused?.text : undefined, refused?.fields[0] === name);
    return { name, label: usage[name], value: filters[name], marks };
  };
  const text = (name: UsageFilter) => {
    const { marks, ...given } = field(name);
    return { ...given, ...marks, autocomplete: undefined };
  };
  const about = refused && refused.fields.length > 0 ? refused.text : undefined;
  return (
    <form method="get" action="/account/usage" class="filters">
      <TextField {...text('from')} type="date" />
      <TextField {...text('to')} type="date" />
      <TextField {...text('model')} suggestions={facts.models} />
      <TextField {...text('channel')} suggestions={facts.channels} />
      <SelectField {...field('key')} choices={choicesWith(filters.key, usage.all, [...facts.keyNames])} />
      {facts.parents.length > 0 || filters.subtree !== '' ? (
        <SelectField {...field('subtree')} choices={choicesWith(filters.subtree, usage.all, facts.parents)} />
      ) : null}
      <SelectField {...field('status')} choices={choicesWith(filters.status, usage.all, Object.entries(statuses))} />
      <FieldFault id={FAULT_ID} text={about} />
      <div class="row">
        <Submit look="quiet" text={usage.filter} />
        <a href="/account/usage">{usage.clear}</a>
      </div>
    </form>
  );
}

type Choice = readonly [value: string, text: string];

/** `any`: what it is called when nothing is chosen. What the address asks for stays chosen, though it is none of the rest. */
function choicesWith(value: string, any: string, choices: readonly Choice[]): Choice[] {
  const isOther = value !== '' && !choices.some(([one]) => one === value);
  return [['', any], ...choices, ...(isOther ? [[value, value] as const] : [])];
}
