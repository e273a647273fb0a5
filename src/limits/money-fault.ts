// The fault for a request that the money does not cover: what is needed, what is available, and what would help. It
// names an affordable number of tokens only if the client can lower its output bound.

import { type Fault, fault } from '../faults/fault.ts';
import { type FaultAction, REDEEM, SHOW_ME, USE_FREE } from '../faults/table.ts';
import { formatNtd, moneyFields } from '../kit/money.ts';
import { taipeiDay, taipeiDayStart, taipeiMonth, taipeiMonthStart } from '../kit/taipei.ts';
import { leftOf } from '../store/book/budgets.ts';
import type { BudgetState, MoneyReason } from '../store/operations.ts';
import type { Refused } from './recent-refusals.ts';

/** The parts of the request that decide how it could cost less. */
export interface RequestedCost {
  /** The client's field for the output limit; undefined if its format has none. */
  boundName: string | undefined;
  /** 0 for other than image requests. */
  images: number;
  /** Output tokens reserved for thinking: lowering the output limit alone would leave no tokens for them. */
  thinkingBudget: number | undefined;
  /** Whether there is a free model that this key may use. */
  hasFreeModel: boolean;
}

type RefusedForMoney = Extract<Refused, { reason: MoneyReason }>;

export function moneyFault(refused: RefusedForMoney, now: number, request: RequestedCost): Fault {
  const { reason, needed, available, affordableTokens, short } = refused;
  const isBounded = request.boundName !== undefined;
  const mayBeFree = isBounded && request.hasFreeModel;
  return fault(reason === 'budget_in_use' ? 'balance_in_use' : reason, {
    message: messageOf(refused, request, mayBeFree),
    actions: helpfulActions(reason, mayBeFree),
    hint: `At least NT$${formatNtd(needed)} must be set aside for what this request may cost; NT$${formatNtd(available)} is available.`,
    figures: {
      ...moneyFields('needed', needed),
      ...moneyFields('available', available),
      ...(isBounded ? { affordable_max_tokens: affordableTokens } : {}),
      ...(short ? budgetFigures(short, now) : {}),
    },
  });
}

/** A card does not help against a key's own budget, and the free model makes neither images nor embeddings. */
function helpfulActions(reason: MoneyReason, mayBeFree: boolean): FaultAction[] {
  const free = mayBeFree ? [USE_FREE] : [];
  switch (reason) {
    case 'insufficient_balance':
      return [REDEEM, ...free];
    case 'key_budget_exceeded':
      return [...free, SHOW_ME];
    case 'balance_in_use':
      return [SHOW_ME, REDEEM];
    case 'budget_in_use':
      return [SHOW_ME];
  }
}

/** Which budget of which key it is, and what is left of it. */
function budgetFigures(short: BudgetState, now: number) {
  const { budget, keyId, limit, spent, held } = short;
  const resetsAt = resetOf(budget, now);
  return {
    budget,
    key_id: keyId,
    ...moneyFields('limit', limit),
    ...moneyFields('spent', spent),
    ...moneyFields('held', held),
    ...moneyFields('left', leftOf(short)),
    ...(resetsAt === undefined ? {} : { resets_at: new Date(resetsAt).toISOString() }),
  };
}

/** Undefined for budgets that never begin anew. */
function resetOf(budget: BudgetState['budget'], now: number): number | undefined {
  if (budget === 'day') return taipeiDayStart(taipeiDay(now) + 1);
  return budget === 'month' ? taipeiMonthStart(taipeiMonth(now) + 1) : undefined;
}

/** Names only remedies that work in this case. */
function messageOf(refused: RefusedForMoney, request: RequestedCost, mayBeFree: boolean): string {
  const { boundName: bound } = request;
  const lesser = bound === undefined ? lesserInput(refused, request) : lesserOutput(refused, request, bound);
  const free = mayBeFree ? 'use the free model auto:free' : undefined;
  const figures = `NT$${formatNtd(refused.needed)} is needed, NT$${formatNtd(refused.available)} is available`;
  switch (refused.reason) {
    case 'insufficient_balance':
      return `The balance is too low for this request: ${figures}. ${oneOf(lesser, 'redeem a prepaid card to add balance', free)}.`;
    case 'key_budget_exceeded':
      return `The rest of this key's daily budget does not cover this request: ${figures}. ${oneOf(lesser, 'raise the budget with a managing key', free, 'wait for the next day in Taipei')}.`;
    case 'balance_in_use':
    case 'budget_in_use': {
      // Running calls without an output limit may hold the whole balance.
      const bounded = bound && `set a lower ${bound} on each`;
      return `The balance, or the daily budget of this key, is held by running requests: ${figures}. ${oneOf('retry in a moment', 'send fewer requests at once', bounded)}.`;
    }
  }
}

/** Undefined if no smaller request is affordable either. */
function lesserInput({ needed, available }: RefusedForMoney, { images }: RequestedCost): string | undefined {
  if (images === 0) return available > 0n ? 'send less input' : undefined;
  return images > 1 && available * BigInt(images) >= needed ? 'lower n' : undefined;
}

function lesserOutput({ affordableTokens }: RefusedForMoney, { thinkingBudget }: RequestedCost, bound: string) {
  const isServed = affordableTokens > 0 && thinkingBudget === undefined;
  return isServed ? `lower ${bound} to ${affordableTokens} or less` : undefined;
}

/** `Do this, do that, or do something else`. */
function oneOf(...remedies: (string | undefined)[]): string {
  const known = remedies.filter((remedy) => remedy !== undefined);
  const last = known.pop();
  const text = known.length === 0 ? `${last}` : `${known.join(', ')}, or ${last}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
