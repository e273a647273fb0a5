// Data of the usage page, and addresses of the same page with one thing changed.

import type { UsageOfKey } from '../../accounts/usage/usage-by-key.ts';
import type { UsageGroup, UsageSort, UsageTotals } from '../../store/reads.ts';
import type { UsageRecord } from '../../store/rows.ts';
import type { PageContext } from '../page.tsx';
import type { UsageFilter } from '../page-parameters.ts';
import type { Measure, UsagePart } from './usage-chart.tsx';
import type { Period, presetsOf } from './usage-period.ts';

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

export type Filters = Readonly<Record<UsageFilter, string>>;

export interface View {
  /** As asked for. */
  measure: Measure | undefined;
  by: UsageGroup;
  sort: UsageSort | undefined;
}

export interface UsageFacts {
  /** Undefined where the filters were refused. */
  found: FoundUsage | undefined;
  refused: RefusedFilter | undefined;
  /** As the visitor gave them, with the dates that apply. */
  filters: Filters;
  view: View;
  period: Period;
  presets: ReturnType<typeof presetsOf>;
  parts: readonly UsagePart[];
  isFirst: boolean;
  keyNames: ReadonlyMap<string, string>;
  /** Keys that are not revoked, with their names. */
  keyChoices: readonly Choice[];
  /** Keys that have children, with their names. */
  parents: readonly Choice[];
  /** Only of accounts that have child keys. */
  byKey: readonly UsageOfKey[];
  channels: readonly string[];
  models: readonly string[];
}

export type Choice = readonly [value: string, text: string];

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
