// The limits of a key that are stored together as one JSON text: a further one needs no further column. An absent field
// is unlimited. Amounts are written as digits, because JSON numbers are not exact beyond 2^53.

import type { Nano } from '../kit/money.ts';

/** In the order in which they are written: equal limits are equal texts. */
const BUDGET_FIELDS = ['monthBudget', 'totalBudget', 'sessionBudget'] as const;
const MONEY_FIELDS = ['dayBudget', ...BUDGET_FIELDS] as const;
const COUNT_FIELDS = ['requestsPerMinute', 'tokensPerMinute', 'inFlight'] as const;

type Money<Field extends string> = { [Name in Field]?: Nano };
type Counts = { [Name in (typeof COUNT_FIELDS)[number]]?: number };

export type KeyLimits = Money<(typeof BUDGET_FIELDS)[number]> & Counts;

/** With the daily budget, which has a column of its own in the row of a key. */
export type AllLimits = Money<(typeof MONEY_FIELDS)[number]> & Counts;

/** All of them are upper bounds. */
export const KEY_LIMIT_FIELDS = [...BUDGET_FIELDS, ...COUNT_FIELDS];

export const NO_LIMITS: KeyLimits = {};

/** Null removes a limit; an absent one stays as it is. */
export type LimitChanges<Limits = KeyLimits> = { readonly [Field in keyof Limits]?: Limits[Field] | null };

export function changeLimits(limits: KeyLimits, changes: LimitChanges): KeyLimits {
  const kept = Object.entries({ ...limits, ...changes }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as KeyLimits;
}

export function limitsToText(limits: AllLimits): string {
  const written: Record<string, string | number> = {};
  for (const field of MONEY_FIELDS) {
    const amount = limits[field];
    if (amount !== undefined) written[field] = amount.toString();
  }
  for (const field of COUNT_FIELDS) {
    const count = limits[field];
    if (count !== undefined) written[field] = count;
  }
  return JSON.stringify(written);
}

export function textToLimits(text: string): AllLimits {
  const written = JSON.parse(text) as Partial<Record<string, string | number>>;
  const limits: AllLimits = {};
  for (const field of MONEY_FIELDS) {
    const amount = written[field];
    if (amount !== undefined) limits[field] = BigInt(amount);
  }
  for (const field of COUNT_FIELDS) {
    const count = written[field];
    if (count !== undefined) limits[field] = Number(count);
  }
  return limits;
}

export function hasLimits(limits: AllLimits): boolean {
  return [...MONEY_FIELDS, ...COUNT_FIELDS].some((field) => limits[field] !== undefined);
}

/** All limits of a key; null if it has none. */
export function limitsOfKey({
  dailyBudget,
  limits,
}: {
  dailyBudget: Nano | null;
  limits: KeyLimits;
}): AllLimits | null {
  const all: AllLimits = dailyBudget === null ? limits : { dayBudget: dailyBudget, ...limits };
  return hasLimits(all) ? all : null;
}

export function hasRates({ requestsPerMinute, tokensPerMinute, inFlight }: KeyLimits): boolean {
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined || inFlight !== undefined;
}
