// The calls that raise every budget of a chain of keys that is too low for a request, in the order in which they work: no
// key may have a higher budget than a key above it, so the outermost comes first.

import type { FaultAction } from '../faults/table.ts';
import { formatNtd, MAX_NANO, maxNano, NANO_PER_NTD, type Nano, ntdNumber } from '../kit/money.ts';
import { taipeiDayStart, taipeiMonthStart } from '../kit/taipei.ts';
import type { BudgetKind, BudgetState } from '../store/operations.ts';
import type { RequestedCost } from './smaller-request.ts';

export interface Raise {
  budget: BudgetKind;
  keyId: string;
  to: Nano;
}

/** `budgets`: the key's own first. None if one of them would be more than a budget can be. */
export function neededRaises(budgets: readonly BudgetState[], amount: Nano): Raise[] {
  const raises: Raise[] = [];
  const highest = new Map<BudgetKind, Nano>();
  for (const { budget, keyId, limit, spent, held } of budgets) {
    const least = maxNano(spent + held + amount, highest.get(budget) ?? 0n);
    if (least <= limit) continue;
    const to = writable(least);
    highest.set(budget, to);
    raises.unshift({ budget, keyId, to });
  }
  return raises.some(({ to }) => to > MAX_NANO) ? [] : raises;
}

/** A JSON number keeps some 16 digits: an amount with more is rounded up to 3 decimals. */
function writable(amount: Nano): Nano {
  return amount <= MAX_SAFE ? amount : ((amount + STEP - 1n) / STEP) * STEP;
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const STEP: Nano = NANO_PER_NTD / 1_000n;

/** The output that a raised budget must cover: the client's output limit, or else the shortest useful answer. */
export function coveredTokens({ isBounded, hold: { wanted, least } }: RequestedCost): number {
  return isBounded ? wanted : least;
}

export function raiseAction({ budget, keyId, to }: Raise, request: RequestedCost): FaultAction {
  return {
    method: 'PATCH',
    path: `/api/keys/${keyId}`,
    body: { budgets: { [`${budget}_ntd`]: ntdNumber(to) } },
    why: `raise the ${BUDGET_KINDS[budget].name} budget to NT$${formatNtd(to)}, which covers this request${outputText(request)}; needs ${whoMayRaise(keyId, request)}`,
  };
}

function outputText(request: RequestedCost): string {
  const tokens = coveredTokens(request) * request.choices;
  return request.hold.unit > 0n && tokens > 0 ? ` with ${tokens} output tokens` : '';
}

export function whoMayRaise(keyId: string, { keys }: RequestedCost): string {
  return keyId === keys.at(-1)?.keyId ? 'a managing key' : 'a managing key or a delegating key above it';
}

/** `raise the budget to NT$1 with a managing key`; each with its key if there are several. */
export function raiseText(raises: readonly Raise[], request: RequestedCost): string {
  const [first, ...others] = raises;
  if (!first) return 'make the request smaller';
  if (others.length === 0)
    return `raise the budget to NT$${formatNtd(first.to)} with ${whoMayRaise(first.keyId, request)}`;
  const each = raises.map(({ budget, keyId, to }) => `${BUDGET_KINDS[budget].name} of ${keyId} to NT$${formatNtd(to)}`);
  return `raise these budgets in this order: ${each.join(', then ')}`;
}

interface Kind {
  name: string;
  /** A remedy that needs no change, if there is one. */
  remedy?: string;
  /** When the day or month after this one begins. */
  resetsAt?(span: number): number;
}

/** The names of budgets, and when they are reset. */
export const BUDGET_KINDS: Readonly<Record<BudgetKind, Kind>> = {
  day: { name: 'daily', remedy: 'wait for the next day in Taipei', resetsAt: (day) => taipeiDayStart(day + 1) },
  month: {
    name: 'monthly',
    remedy: 'wait for the next month in Taipei',
    resetsAt: (month) => taipeiMonthStart(month + 1),
  },
  total: { name: 'total' },
  session: { name: 'session', remedy: 'begin another session with another value of x-svc-session' },
};
