// The budgets and rates of a key as the API shows them.

import { z } from 'zod';
import { moneyFields, type Nano } from '../../kit/money.ts';
import { number, text } from '../../kit/shapes.ts';
import type { KeyRow } from '../../store/rows.ts';
import {
  type BudgetName,
  LIMIT_FIELDS,
  type LimitName,
  limitOf,
  limitsIn,
  memberOf,
  type RateName,
} from './limit-fields.ts';

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
