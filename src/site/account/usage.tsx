/** @jsxImportSource hono/jsx */
// Usage: one page of requests, filtered by the address, with totals, a file to take away, and a receipt for each.

import { MAX_RECORDS } from '../../accounts/usage/usage-file.ts';
import type { UsageTotals } from '../../store/reads.ts';
import type { UsageRecord } from '../../store/rows.ts';
import { count, money, withGap } from '../format.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { FieldFault, faultMarks } from '../parts/field-fault.tsx';
import { AccountPage } from './frame.tsx';
import { UsageTable } from './usage-table.tsx';

export const USAGE_FILTERS = ['from', 'to', 'model', 'channel', 'key', 'status'] as const;
export type UsageFilter = (typeof USAGE_FILTERS)[number];

export interface FoundUsage {
  records: readonly UsageRecord[];
  totals: UsageTotals;
  /** The cursor of the next page, if there is one. */
  next: string | null;
}

export interface RefusedFilter {
  text: string;
  /** Those that it is about, if it is about any. */
  fields: readonly UsageFilter[];
}

export interface UsageFacts {
  /** Undefined where the filters were refused. */
  found: FoundUsage | undefined;
  refused: RefusedFilter | undefined;
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
}

export function UsagePage({ context, facts }: UsageProps) {
  const { found, refused } = facts;
  const { usage } = wordsOf(context.language).account;
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
        {facts.isFirst ? null : (
          <a class="button quiet" href={`/account/usage${address()}`}>
            {usage.first}
          </a>
        )}
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
  const { usage } = wordsOf(context.language).account;
  const { records, totals } = found;
  return (
    <>
      <p class="row">
        <strong>{usage.totals(count(totals.requests), money(totals.cost))}</strong>
        <a href={`/account/usage.csv${query}`}>{usage.csv}</a>
        {totals.requests > MAX_RECORDS ? <span class="faint">{usage.csvNewest(count(MAX_RECORDS))}</span> : null}
      </p>
      {records.length === 0 ? (
        <Nothing context={context} isFiltered={!facts.isFirst || query !== ''} />
      ) : (
        <UsageTable language={context.language} records={records} keyNames={facts.keyNames} query={context.query} />
      )}
    </>
  );
}

function Nothing({ context, isFiltered }: { context: PageContext; isFiltered: boolean }) {
  const { usage } = wordsOf(context.language).account;
  if (isFiltered) return <p class="empty">{usage.none}</p>;
  return (
    <p class="empty">
      {withGap(usage.noneYet)}
      <a href="/account/setup">{usage.toSetup}</a>
    </p>
  );
}

const FAULT_ID = 'filter-fault';

function Filters({ context, facts }: { context: PageContext; facts: UsageFacts }) {
  const { usage } = wordsOf(context.language).account;
  const { filters, refused } = facts;
  const marks = (name: UsageFilter) => {
    const isMarked = refused?.fields.includes(name) ?? false;
    return faultMarks(FAULT_ID, isMarked ? refused?.text : undefined, refused?.fields[0] === name);
  };
  const about = refused && refused.fields.length > 0 ? refused.text : undefined;
  return (
    <form method="get" action="/account/usage" class="filters">
      <Field name="from" label={usage.from} value={filters.from} type="date" marks={marks('from')} />
      <Field name="to" label={usage.to} value={filters.to} type="date" marks={marks('to')} />
      <Field name="model" label={usage.model} value={filters.model} choices={facts.models} marks={marks('model')} />
      <Field
        name="channel"
        label={usage.channel}
        value={filters.channel}
        choices={facts.channels}
        marks={marks('channel')}
      />
      <Choice
        name="key"
        label={usage.key}
        value={filters.key}
        any={usage.all}
        choices={[...facts.keyNames]}
        marks={marks('key')}
      />
      <Choice
        name="status"
        label={usage.status}
        value={filters.status}
        any={usage.all}
        choices={Object.entries(wordsOf(context.language).account.statuses)}
        marks={marks('status')}
      />
      <FieldFault id={FAULT_ID} text={about} />
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
  marks: ReturnType<typeof faultMarks>;
}

/** What the address asks for stays chosen, though it is none of the choices. */
function Choice({ name, label, value, any, choices, marks }: ChoiceProps) {
  const isOther = value !== '' && !choices.some(([one]) => one === value);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} {...marks}>
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
  marks: ReturnType<typeof faultMarks>;
}

function Field({ name, label, value, type = 'text', choices, marks }: FieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        value={value}
        {...(choices ? { list: `${name}-choices` } : {})}
        {...marks}
      />
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
