// What a key may see of itself and its account: balance, allowances and their resets.

import { moneyFields } from '../kit/money.ts';
import type { Allowance } from '../store/book/windows.ts';
import type { KeyRow } from '../store/rows.ts';
import { type DayBudget, readDayBudgets } from './day-budgets.ts';
import { type AllowanceTools, readFreeAllowances } from './free-allowances.ts';
import { publicKey } from './keys/public-key.ts';

export async function showAccount(tools: AllowanceTools, key: KeyRow) {
  const { limits } = tools.catalog();
  const [{ minute, day, wallet }, budgets] = await Promise.all([
    readFreeAllowances(tools, key.accountId),
    readDayBudgets(tools, [key]),
  ]);
  const balance = wallet?.balance ?? 0n;
  const held = wallet?.held ?? 0n;
  return {
    account_id: key.accountId,
    key: { ...publicKey(key), ...publicBudget(budgets.get(key.keyId)) },
    ...moneyFields('balance', balance),
    ...moneyFields('held', held),
    ...moneyFields('available', balance - held),
    free: { minute: publicAllowance(minute), day: publicAllowance(day) },
    limits,
  };
}

function publicBudget(budget: DayBudget | undefined) {
  if (!budget) return {};
  return {
    ...moneyFields('daily_spent', budget.spent),
    ...moneyFields('daily_held', budget.held),
    ...moneyFields('daily_left', budget.left),
    daily_resets_at: new Date(budget.resetsAt).toISOString(),
  };
}

function publicAllowance({ limit, used, remaining, resetsAt }: Allowance) {
  return { limit, used, remaining, resets_at: new Date(resetsAt).toISOString() };
}
