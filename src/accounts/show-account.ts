// The account as a key sees it: balance, budgets, allowances and their resets.

import type { Catalog } from '../catalog/catalog.ts';
import { moneyFields } from '../kit/money.ts';
import type { Allowance } from '../store/book/windows.ts';
import { type AllowanceTools, readFreeAllowances } from './free-allowances.ts';
import type { PresentedKey } from './keys/authenticator.ts';
import { type KeySpending, publicSpending, readSpending, tightestOf } from './keys/key-spending.ts';
import { publicKey } from './keys/public-key.ts';

export async function showAccount(tools: AllowanceTools, key: PresentedKey) {
  const [{ minute, day, wallet }, shownKey] = await Promise.all([
    readFreeAllowances(tools, key.accountId),
    showOwnKey(tools, key),
  ]);
  const balance = wallet?.balance ?? 0n;
  const held = wallet?.held ?? 0n;
  return {
    account_id: key.accountId,
    key: shownKey,
    ...moneyFields('balance', balance),
    ...moneyFields('held', held),
    ...moneyFields('available', balance - held),
    ...moneyFields('balance_low', wallet?.balanceLow ?? 0n),
    free: { minute: publicAllowance(minute), day: publicAllowance(day) },
    limits: publicLimits(tools.catalog()),
  };
}

export type PublicLimits = ReturnType<typeof publicLimits>;

/** The limits of every account. */
export function publicLimits({ limits, guards }: Catalog) {
  return { ...limits, free_in_flight: guards.free_in_flight };
}

/** Shows only the remaining amounts of its ancestors, and none of their names. */
async function showOwnKey(tools: AllowanceTools, key: PresentedKey) {
  const { ancestors } = key;
  const spendingOf = await readSpending(tools, [key, ...ancestors]);
  const own = spendingOf(key);
  const tightest = tightestOf(ancestors.map(spendingOf));
  return {
    ...publicKey(key),
    ...publicSpending(own),
    ...dayFields(own),
    ancestors_left: tightest
      ? {
          budget: tightest.budget,
          ...moneyFields('left', tightest.left),
          resets_at: tightest.resetsAt === null ? null : new Date(tightest.resetsAt).toISOString(),
        }
      : null,
  };
}

/** Other names of the daily figures, for a key with a daily budget. */
function dayFields({ day, held }: KeySpending) {
  if (day.left === null) return {};
  return {
    ...moneyFields('daily_spent', day.spent),
    ...moneyFields('daily_held', held),
    ...moneyFields('daily_left', day.left),
    daily_resets_at: new Date(day.resetsAt).toISOString(),
  };
}

function publicAllowance({ limit, used, remaining, resetsAt }: Allowance) {
  return { limit, used, remaining, resets_at: new Date(resetsAt).toISOString() };
}
