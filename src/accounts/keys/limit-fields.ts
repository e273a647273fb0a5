// Every budget and rate of a key, described once. The fields of the API and their checks, the form of the site, and what
// pages and commands show are made from this table. All are upper bounds: a child's may not exceed its ancestors'.

import { formatNtd, type Nano } from '../../kit/money.ts';
import type { AllLimits } from '../../store/key-limits.ts';
import type { KeyRow } from '../../store/rows.ts';

export type LimitName = keyof AllLimits;
type Group = 'budgets' | 'rates';

/** `name`: without `_ntd`, for a budget. */
interface LimitField {
  group: Group;
  name: string;
  about: string;
}

export const LIMIT_FIELDS = {
  dayBudget: { group: 'budgets', name: 'day', about: 'NT$ per Taipei day' },
  monthBudget: { group: 'budgets', name: 'month', about: 'NT$ per Taipei calendar month' },
  totalBudget: { group: 'budgets', name: 'total', about: 'NT$ over the life of the key' },
  sessionBudget: { group: 'budgets', name: 'session', about: 'NT$ per session' },
  requestsPerMinute: { group: 'rates', name: 'requests_per_minute', about: 'calls in any 60 seconds' },
  tokensPerMinute: { group: 'rates', name: 'tokens_per_minute', about: 'input and output tokens in any 60 seconds' },
  inFlight: { group: 'rates', name: 'in_flight', about: 'calls at the same time' },
} as const satisfies Record<LimitName, LimitField>;

type NamesIn<G extends Group> = Extract<(typeof LIMIT_FIELDS)[LimitName], { group: G }>['name'];
export type BudgetName = NamesIn<'budgets'>;
export type RateName = NamesIn<'rates'>;

export const LIMIT_NAMES = Object.keys(LIMIT_FIELDS) as LimitName[];

export function limitsIn(group: Group): LimitName[] {
  return LIMIT_NAMES.filter((limit) => LIMIT_FIELDS[limit].group === group);
}

/** Its name inside its group, and in a form: `month_ntd`. */
export function memberOf(limit: LimitName): string {
  const { group, name } = LIMIT_FIELDS[limit];
  return group === 'budgets' ? `${name}_ntd` : name;
}

/** Its name in a fault: `budgets.month_ntd`. */
export function limitParam(limit: LimitName): string {
  return `${LIMIT_FIELDS[limit].group}.${memberOf(limit)}`;
}

/** Its value in the row of a key. */
export function limitOf({ dailyBudget, limits }: Pick<KeyRow, 'dailyBudget' | 'limits'>, limit: LimitName) {
  return (limit === 'dayBudget' ? dailyBudget : limits[limit]) ?? null;
}

/** `NT$5` or `60`. */
export function limitText(value: Nano | number): string {
  return typeof value === 'bigint' ? `NT$${formatNtd(value)}` : String(value);
}
