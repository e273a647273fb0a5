// Reads `budgets` and `rates` of a key. Only the given members change, and null removes a limit.

import { z } from 'zod';
import { fault } from '../../faults/fault.ts';
import { RawJson } from '../../kit/json/raw-json.ts';
import { formatNtd, MAX_NANO, type Nano, nanoOfJson } from '../../kit/money.ts';
import { older } from '../../kit/shapes.ts';
import { type AllLimits, changeLimits, type LimitChanges, NO_LIMITS } from '../../store/key-limits.ts';
import type { KeyRow } from '../../store/rows.ts';
import { LIMIT_FIELDS, LIMIT_NAMES, limitParam, limitsIn, memberOf } from './limit-fields.ts';

const MAX_COUNT = 1_000_000_000;
const SAME_BUDGET =
  'daily_budget_ntd and budgets.day_ntd are two names of one budget. Give one of them, or the same amount in both.';

/** Money comes as raw JSON, so that every digit is read. */
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
function groupShape(group: 'budgets' | 'rates') {
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

type Limited = Pick<KeyRow, 'dailyBudget' | 'limits'>;

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
