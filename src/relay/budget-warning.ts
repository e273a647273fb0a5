// The header x-svc-budget-warning: if budgets are used to 80 % or more, it names the one with the highest share. The amounts are
// those of the admission, plus the hold of this call or, once it is settled, its cost.

import { formatNtd, type Nano } from '../kit/money.ts';
import { isNearLimit } from '../store/book/budgets.ts';
import type { BudgetState } from '../store/operations.ts';

const BUDGET_WARNING = 'x-svc-budget-warning';

/** `near`: the budgets that the hold brought to 80 %. */
export function setBudgetWarning(
  headers: Record<string, string>,
  near: readonly BudgetState[] | undefined,
  { cost = 0n, held = 0n }: { cost?: Nano; held?: Nano },
): void {
  if (!near) return;
  delete headers[BUDGET_WARNING];
  const [worst] = near
    .map((state) => ({ ...state, spent: state.spent + cost, held: state.held + held }))
    .filter((state) => isNearLimit(state))
    .sort((one, other) => Number(usedOf(other) * one.limit - usedOf(one) * other.limit));
  if (!worst) return;
  const amounts = `spent=${formatNtd(worst.spent)}; held=${formatNtd(worst.held)}; limit=${formatNtd(worst.limit)}`;
  headers[BUDGET_WARNING] = `${worst.budget}; key=${worst.keyId}; ${amounts}`;
}

function usedOf({ spent, held }: BudgetState): Nano {
  return spent + held;
}
