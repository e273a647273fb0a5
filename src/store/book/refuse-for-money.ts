// Why there is not enough money for a paid call: a budget of its key chain or the wallet, and whether running calls hold the
// missing amount.

import type { Nano } from '../../kit/money.ts';
import type { AdmitResult, BudgetState, HoldRequest } from '../admission.ts';
import type { Wallet } from '../rows.ts';
import { leftOf, unspentOf } from './budgets.ts';

/** The output tokens that the money pays for, up to `wanted`; -1 if it does not even pay for the input. */
export function affordableTokens(hold: HoldRequest, money: Nano): number {
  if (money < hold.base) return -1;
  if (hold.unit === 0n) return hold.wanted;
  const tokens = (money - hold.base) / hold.unit;
  return tokens < BigInt(hold.wanted) ? Number(tokens) : hold.wanted;
}

/**
 * `budgets`: those of the key itself first. A budget is reported before the wallet, because adding money does not help a key
 * whose budget is too low.
 */
export function refuseForMoney(
  hold: HoldRequest,
  wallet: Wallet,
  available: Nano,
  budgets: readonly BudgetState[],
): AdmitResult {
  const needed = hold.base + hold.unit * BigInt(hold.least);
  const rest = { needed, available, affordableTokens: Math.max(0, affordableTokens(hold, available)) };
  const exceeded = tightest(budgets.filter((budget) => needed > unspentOf(budget)));
  if (exceeded) return { ok: false, reason: 'key_budget_exceeded', ...rest, short: exceeded, budgets };
  if (needed > wallet.balance) return { ok: false, reason: 'insufficient_balance', ...rest };
  const inUse = tightest(budgets.filter((budget) => needed > leftOf(budget)));
  if (inUse) return { ok: false, reason: 'budget_in_use', ...rest, short: inUse };
  return { ok: false, reason: 'balance_in_use', ...rest };
}

/** The one with the least left. */
function tightest(budgets: readonly BudgetState[]): BudgetState | undefined {
  let found: BudgetState | undefined;
  for (const budget of budgets) if (!found || leftOf(budget) < leftOf(found)) found = budget;
  return found;
}
