/** @jsxImportSource hono/jsx */
// Usage: one page of requests, filtered by the address, with totals, a file to take away, and a receipt for each.

import { MOST_RECORDS } from '../../accounts/usage-file.ts';
import type { UsageTotals } from '../../store/reads.ts';
import type { UsageRecord } from '../../store/rows.ts';
import { count, money } from '../format.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { AccountPage, type Notice } from './frame.tsx';
import { UsageTable } from './usage-table.tsx';

export const USAGE_FILTERS = ['from', 'to', 'model', 'channel', 'key', 'status'] as const;
export type UsageFilter = (typeof USAGE_FILTERS)[number];

export interface UsageFacts {
  records: readonly UsageRecord[];
  totals: UsageTotals;
  /** The cursor of the next page, if there is one. */
  next: string | null;
  /** As the visitor gave them. */
  filters: Readonly<Record<UsageFilter, string>>;
  isFirst: boolean;
  keyNames: ReadonlyMap<string, string>;
  channels: readonly string[];
  models: readonly string[];
}

interface UsageProps {
  context: PageContext;
  facts: UsageFacts;
  /** The filters were refused: all is shown, and in the file. */
  notice?: Notice | undefined;
}

export function UsagePage({ context, facts, notice }: UsageProps) {
  const { language } = context;
  const { usage } = wordsOf(language).account;
  const address = (more: Record<string, string> = {}) => {
    const given = Object.entries({ ...facts.filters, ...more }).filter(([, value]) => value !== '');
    return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  };
  return (
    <AccountPage context={context} tab="usage" notice={notice}>
      <p>{usage.lead}</p>
      <Filters context={context} facts={facts} />
      <p class="row">
        <strong>{usage.totals(count(facts.totals.requests), money(facts.totals.cost))}</strong>
        <a href={`/account/usage.csv${notice ? '' : address()}`}>{usage.csv}</a>
        {facts.totals.requests > MOST_RECORDS ? (
          <span class="faint">{usage.csvNewest(count(MOST_RECORDS))}</span>
        ) : null}
      </p>
      {facts.records.length === 0 ? (
        <Nothing context={context} isFiltered={!facts.isFirst || address() !== ''} />
      ) : (
        <UsageTable language={language} records={facts.records} keyNames={facts.keyNames} query={context.query} />
      )}
      <p class="row">
        {facts.isFirst ? null : (
          <a class="button quiet" href={`/account/usage${address()}`}>
            {usage.first}
          </a>
        )}
        {facts.next === null ? null : (
          <a class="button quiet" rel="next" href={`/account/usage${address({ cursor: facts.next })}`}>
            {usage.next}
          </a>
        )}
      </p>
    </AccountPage>
  );
}

function Nothing({ context, isFiltered }: { context: PageContext; isFiltered: boolean }) {
  const { usage } = wordsOf(context.language).account;
  if (isFiltered) return <p class="empty">{usage.none}</p>;
  return (
    <p class="empty">
      {usage.noneYet} <a href="/account/setup">{usage.toSetup}</a>
    </p>
  );
}

function Filters({ context, facts }: { context: PageContext; facts: UsageFacts }) {
  const { usage } = wordsOf(context.language).account;
  const { filters } = facts;
  return (
    <form method="get" action="/account/usage" class="filters">
      <Field name="from" label={usage.from} value={filters.from} type="date" />
      <Field name="to" label={usage.to} value={filters.to} type="date" />
      <Field name="model" label={usage.model} value={filters.model} choices={facts.models} />
      <Field name="channel" label={usage.channel} value={filters.channel} choices={facts.channels} />
      <Choice name="key" label={usage.key} value={filters.key} any={usage.all} choices={[...facts.keyNames]} />
      <Choice
        name="status"
        label={usage.status}
        value={filters.status}
        any={usage.all}
        choices={Object.entries(wordsOf(context.language).account.statuses)}
      />
      <div class="row">
        <button type="submit" class="quiet">
          {usage.filter}
        </button>
        <a href="/account/usage">{usage.clear}</a>
      </div>
    </form>
  );
}

interface ChoiceProps {
  name: UsageFilter;
  label: string;
  value: string;
  /** What it is called when nothing is chosen. */
  any: string;
  choices: readonly (readonly [value: string, name: string])[];
}

/** What the address asks for stays chosen, though it is none of the choices. */
function Choice({ name, label, value, any, choices }: ChoiceProps) {
  const isOther = value !== '' && !choices.some(([one]) => one === value);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        <option value="">{any}</option>
        {[...choices, ...(isOther ? [[value, value] as const] : [])].map(([one, text]) => (
          <option value={one} selected={value === one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface FieldProps {
  name: UsageFilter;
  label: string;
  value: string;
  type?: string;
  choices?: readonly string[];
}

function Field({ name, label, value, type = 'text', choices }: FieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} type={type} value={value} {...(choices ? { list: `${name}-choices` } : {})} />
      {choices ? (
        <datalist id={`${name}-choices`}>
          {choices.map((choice) => (
            <option value={choice} />
          ))}
        </datalist>
      ) : null}
    </div>
  );
}
