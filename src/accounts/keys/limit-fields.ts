// Every budget and rate of a key, described once. The fields of the API and their checks, the form of the site, and what
// pages and commands show are made from this table. All are upper bounds: a child's may not exceed its ancestors'.

import { z } from 'zod';
import { formatNtd, moneyFields, type Nano } from '../../kit/money.ts';
import { number, text } from '../../kit/shapes.ts';
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
export function limitOf({ dailyBudget, limits }: Pick<KeyRow, 'dailyBudget' | 'limits'>, limit: LimitName) {
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

export function publicKeyLimits(key: Pick<KeyRow, 'dailyBudget' | 'limits'>) {
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
