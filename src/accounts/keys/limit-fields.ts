// Every budget and rate of a key, described once. The fields of the API and their checks, the form of the site, and what
// pages and commands show are made from this table. All are upper bounds: a child's may not exceed its ancestors'.

import { z } from 'zod';
import { fault } from '../../faults/fault.ts';
import { RawJson } from '../../kit/json/raw-json.ts';
import { formatNtd, MAX_NANO, moneyFields, type Nano, nanoOfJson } from '../../kit/money.ts';
import { number, older, text } from '../../kit/shapes.ts';
import { type AllLimits, changeLimits, type LimitChanges, NO_LIMITS } from '../../store/key-limits.ts';
import type { KeyRow } from '../../store/rows.ts';

export type LimitName = keyof AllLimits;
type Group = 'budgets' | 'rates';

type Limited = Pick<KeyRow, 'dailyBudget' | 'limits'>;

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
type BudgetName = NamesIn<'budgets'>;
type RateName = NamesIn<'rates'>;

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
export function limitOf({ dailyBudget, limits }: Limited, limit: LimitName) {
  return (limit === 'dayBudget' ? dailyBudget : limits[limit]) ?? null;
}

/** `NT$5` or `60`. */
export function limitText(value: Nano | number): string {
  return typeof value === 'bigint' ? `NT$${formatNtd(value)}` : String(value);
}

type MoneyShown<Name extends string> = Record<`${Name}_ntd`, number | null> & Record<`${Name}_nano`, string | null>;
type RatesShown = Record<RateName, number | null>;
type Shapes<Of> = { [Name in keyof Of]: z.ZodType<Of[Name]> };

export const limitMembers = {
  budgets: z
    .object(maybeAmounts(limitsIn('budgets').map((limit) => [nameOf(limit), LIMIT_FIELDS[limit].about])))
    .describe('What the key may spend, together with every key below it; null: no such budget.'),
  rates: z
    .object(
      shapesOf<RatesShown>(
        limitsIn('rates').map((limit) => [memberOf(limit), number.nullable().describe(LIMIT_FIELDS[limit].about)]),
      ),
    )
    .describe('What the key may call, together with every key below it; null: no such limit.'),
};

function nameOf(limit: LimitName): BudgetName {
  return LIMIT_FIELDS[limit].name as BudgetName;
}

function shapesOf<Of>(members: readonly (readonly [name: string, shape: z.ZodType])[]): Shapes<Of> {
  return Object.fromEntries(members) as Shapes<Of>;
}

/** The pairs of members for amounts that may be null. */
export function maybeAmounts<Name extends string>(members: readonly (readonly [name: Name, about: string])[]) {
  return shapesOf<MoneyShown<Name>>(
    members.flatMap(([name, about]) => [
      [`${name}_ntd`, number.nullable().describe(about)],
      [`${name}_nano`, text.nullable().describe('the same in nano-NT$, exact')],
    ]),
  );
}

export function maybeMoney<Name extends string>(name: Name, nano: Nano | null): MoneyShown<Name> {
  if (nano !== null) return moneyFields(name, nano);
  return { [`${name}_ntd`]: null, [`${name}_nano`]: null } as MoneyShown<Name>;
}

export function publicKeyLimits(key: Limited) {
  const budgets = limitsIn('budgets').map((limit) => {
    const amount = limitOf(key, limit);
    return maybeMoney(LIMIT_FIELDS[limit].name, typeof amount === 'bigint' ? amount : null);
  });
  const rates = limitsIn('rates').map((limit) => [memberOf(limit), limitOf(key, limit)]);
  return {
    budgets: Object.assign({}, ...budgets) as MoneyShown<BudgetName>,
    rates: Object.fromEntries(rates) as RatesShown,
  };
}

const MAX_COUNT = 1_000_000_000;
const SAME_BUDGET =
  'daily_budget_ntd and budgets.day_ntd are two names of one budget. Give one of them, or the same amount in both.';

/** What a client sends: only the given members change, and null removes a limit. Money comes as raw JSON, so that every digit is read. */
function amountField(param: string, about: string) {
  return z
    .unknown()
    .transform((value, context): Nano | null => {
      if (value === null) return null;
      const nano = value instanceof RawJson ? nanoOfJson(value.text) : undefined;
      if (typeof nano === 'bigint' && nano >= 0n) return nano;
      const isOutside = nano === 'too_large' || typeof nano === 'bigint';
      const allowed = isOutside ? `from 0 to ${formatNtd(MAX_NANO)}` : 'of NT$ with at most 9 decimals';
      context.addIssue(`${param} must be an amount ${allowed}, or null.`);
      return z.NEVER;
    })
    .meta({
      type: ['number', 'null'],
      minimum: 0,
      description: `${about}, with at most 9 decimals; null removes the limit.`,
    });
}

function countField(param: string, about: string) {
  const message = `${param} must be a whole number from 1 to ${MAX_COUNT}, or null.`;
  return z
    .int(message)
    .min(1, message)
    .max(MAX_COUNT, message)
    .nullable()
    .describe(`${about}; null removes the limit.`);
}

type LimitShape = ReturnType<typeof amountField> | ReturnType<typeof countField>;

/** A misspelt member would leave the key without the limit, so it is refused. */
function groupShape(group: Group) {
  const limits = limitsIn(group);
  const names = limits.map(memberOf).join(', ');
  const field = group === 'budgets' ? amountField : countField;
  const members = limits.map((limit): [string, LimitShape] => [
    memberOf(limit),
    field(limitParam(limit), LIMIT_FIELDS[limit].about),
  ]);
  return z
    .strictObject(Object.fromEntries(members), {
      error: ({ code }) =>
        code === 'unrecognized_keys'
          ? `${group} has an unknown field. Known fields: ${names}.`
          : `${group} must be an object with any of ${names}, or null.`,
    })
    .partial()
    .nullable()
    .describe('Only given members change; null removes all of them.');
}

export const limitShapes = {
  daily_budget_ntd: older(amountField('daily_budget_ntd', ''), 'budgets.day_ntd'),
  budgets: groupShape('budgets'),
  rates: groupShape('rates'),
};

type Read = { readonly [Name in keyof typeof limitShapes]?: z.output<(typeof limitShapes)[Name]> | undefined };

export function limitChanges({ daily_budget_ntd: day, ...groups }: Read): LimitChanges<AllLimits> {
  const given = LIMIT_NAMES.flatMap((limit) => {
    const group = groups[LIMIT_FIELDS[limit].group];
    const value = group === null ? null : group?.[memberOf(limit)];
    return value === undefined ? [] : [[limit, value]];
  });
  const changes = Object.fromEntries(given) as LimitChanges<AllLimits>;
  if (day === undefined) return changes;
  if (changes.dayBudget !== undefined && changes.dayBudget !== day) {
    throw fault('invalid_request', { param: 'daily_budget_ntd', message: SAME_BUDGET });
  }
  return { ...changes, dayBudget: day };
}

/** As an operation of the store takes them. */
export function limitColumns({ dayBudget, ...limits }: LimitChanges<AllLimits>) {
  return {
    ...(dayBudget === undefined ? {} : { dailyBudget: dayBudget }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

/** The limits of a row with these changes; of a new one without `standing`. */
export function newLimits(
  { dayBudget, ...changes }: LimitChanges<AllLimits>,
  standing: Limited = { dailyBudget: null, limits: NO_LIMITS },
): Limited {
  return {
    dailyBudget: dayBudget === undefined ? standing.dailyBudget : dayBudget,
    limits: changeLimits(standing.limits, changes),
  };
}
