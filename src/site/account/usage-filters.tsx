/** @jsxImportSource hono/jsx */
// Filters of the usage page: presets of the period, the filters that are set, and the form that sets them; and addresses of the
// same page with one thing changed.

import { FAILED } from '../../accounts/usage/read-query.ts';
import { Links } from '../frame.tsx';
import type { PageContext } from '../page.tsx';
import type { UsageFilter } from '../page-parameters.ts';
import { statusName } from '../parts/attempts.tsx';
import { Submit } from '../parts/button.tsx';
import { FieldFault, faultMarks, Hidden, SelectField, TextField } from '../parts/field.tsx';
import type { UsageFacts } from './usage.tsx';

type Choice = readonly [value: string, text: string];

export interface UsageProps {
  context: PageContext;
  facts: UsageFacts;
}

export const REFUSED = '/account/refused';

/** The refused requests of a key. */
export function refusedPath(keyId: string): string {
  return `${REFUSED}?${new URLSearchParams({ key: keyId })}`;
}

/** The address of this page with other filters or another view. */
export function usageAddress({ filters, view }: UsageFacts, changed: Readonly<Record<string, string>> = {}): string {
  const { measure = '', by, sort = '' } = view;
  const all = { ...filters, measure, by: by === 'model' ? '' : by, sort, ...changed };
  const given = Object.entries(all).filter(([, value]) => value !== '');
  return `/account/usage?${new URLSearchParams(given)}`;
}

export function Periods({ context, facts }: UsageProps) {
  const { usageView } = context.words.account;
  const { from, to } = facts.filters;
  const presets = facts.presets.map(([name, dates]) => ({
    path: usageAddress(facts, { ...dates }),
    text: usageView.periods[name],
  }));
  // All of a new account is what another of them shows.
  const links = presets.filter(({ path }, index) => presets.findIndex((one) => one.path === path) === index);
  return (
    <nav class="choices-line" aria-label={usageView.period}>
      <Links links={links} current={usageAddress(facts, { from, to })} />
    </nav>
  );
}

const FAULT_ID = 'filter-fault';
/** With more keys, only the page of keys links to the usage of each key. */
const MAX_KEYS = 100;

export function UsageFilters({ context, facts }: UsageProps) {
  const { usage, usageView, statuses } = context.words.account;
  const { filters, refused, view } = facts;
  const field = (name: UsageFilter) => {
    const isMarked = refused?.fields.includes(name) ?? false;
    const marks = faultMarks(FAULT_ID, isMarked ? refused?.text : undefined, refused?.fields[0] === name);
    return { name, label: usage[name], value: filters[name], marks };
  };
  const text = (name: UsageFilter) => {
    const { marks, ...given } = field(name);
    return { ...given, ...marks, autocomplete: undefined };
  };
  const keyChoices = (value: string, choices: readonly Choice[]) =>
    choicesWith(value, usage.all, choices.slice(0, MAX_KEYS), facts.keyNames);
  const about = refused && refused.fields.length > 0 ? refused.text : undefined;
  const { ok, ...failures } = statuses;
  const choices: Choice[] = [['ok', ok], [FAILED, usageView.anyFailure], ...Object.entries(failures)];
  const kept = { measure: view.measure ?? '', by: view.by, sort: view.sort ?? '' };
  return (
    <>
      <Chosen context={context} facts={facts} />
      <details class="filter-box" open={refused !== undefined}>
        <summary>{usageView.filters}</summary>
        <form method="get" action="/account/usage" class="filters">
          <Hidden fields={Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== ''))} />
          <TextField {...text('from')} type="date" />
          <TextField {...text('to')} type="date" />
          <TextField {...text('model')} suggestions={facts.models} />
          <TextField {...text('channel')} suggestions={facts.channels} />
          <SelectField {...field('key')} choices={keyChoices(filters.key, facts.keyChoices)} />
          {facts.parents.length > 0 || filters.subtree !== '' ? (
            <SelectField {...field('subtree')} choices={keyChoices(filters.subtree, facts.parents)} />
          ) : null}
          <SelectField {...field('status')} choices={choicesWith(filters.status, usage.all, choices)} />
          <FieldFault id={FAULT_ID} text={about} />
          <div class="row">
            <Submit look="quiet" text={usage.filter} />
            <a href="/account/usage">{usage.clear}</a>
          </div>
        </form>
      </details>
    </>
  );
}

/** Each filter that is set, with a link that takes it away. The period has its own line. */
function Chosen({ context, facts }: UsageProps) {
  const { usage, usageView, colon } = context.words.account;
  const { filters, presets, keyNames } = facts;
  const { from, to } = filters;
  const isPreset = presets.some(([, dates]) => dates.from === from && dates.to === to);
  const names: UsageFilter[] = ['model', 'channel', 'key', 'subtree', 'status'];
  const textOf = (name: UsageFilter) => {
    const value = filters[name];
    if (name === 'key' || name === 'subtree') return keyNames.get(value) ?? value;
    if (name === 'status') return value === FAILED ? usageView.anyFailure : statusName(context.language, value);
    return value;
  };
  const chosen = [
    ...(isPreset ? [] : [{ text: from === to ? from : `${from} – ${to}`, without: { from: '', to: '' } }]),
    ...names
      .filter((name) => filters[name] !== '')
      .map((name) => ({ text: usage[name] + colon + textOf(name), without: { [name]: '' } })),
  ];
  if (chosen.length === 0) return null;
  return (
    <ul class="chosen">
      {chosen.map(({ text, without }) => (
        <li>
          <a href={usageAddress(facts, without)}>
            <span class="unseen">{usageView.remove + colon}</span>
            {text} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** `any`: what it is called when nothing is chosen. What the address asks for stays chosen, though it is none of the rest. */
function choicesWith(
  value: string,
  any: string,
  choices: readonly Choice[],
  names?: ReadonlyMap<string, string>,
): Choice[] {
  const isOther = value !== '' && !choices.some(([one]) => one === value);
  return [['', any], ...choices, ...(isOther ? [[value, names?.get(value) ?? value] as const] : [])];
}
