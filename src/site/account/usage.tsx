// Usage: one page of requests, filtered by the address, with totals, a file to take away, and a receipt for each.

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
        <a href={`/account/usage.csv${address()}`}>{usage.csv}</a>
      </p>
      {facts.records.length === 0 ? (
        <p class="empty">{usage.none}</p>
      ) : (
        <UsageTable language={language} records={facts.records} keyNames={facts.keyNames} />
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

function Filters({ context, facts }: { context: PageContext; facts: UsageFacts }) {
  const { usage } = wordsOf(context.language).account;
  const { filters } = facts;
  return (
    <form method="get" action="/account/usage" class="filters">
      <Field name="from" label={usage.from} value={filters.from} type="date" />
      <Field name="to" label={usage.to} value={filters.to} type="date" />
      <Field name="model" label={usage.model} value={filters.model} choices={facts.models} />
      <Field name="channel" label={usage.channel} value={filters.channel} choices={facts.channels} />
      <div class="field">
        <label for="key">{usage.key}</label>
        <select id="key" name="key">
          <option value="" />
          {[...facts.keyNames].map(([id, name]) => (
            <option value={id} selected={filters.key === id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <Field name="status" label={usage.status} value={filters.status} />
      <div class="row">
        <button type="submit">{usage.filter}</button>
        <a href="/account/usage">{usage.clear}</a>
      </div>
    </form>
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
