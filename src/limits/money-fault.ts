// The fault for a request that the money does not cover: what is needed and why, what is available, and what would help. It
// names an affordable number of tokens only if the client can lower its output bound.

import { type Fault, fault } from '../faults/fault.ts';
import { type FaultAction, REDEEM, SHOW_ME, USE_FREE } from '../faults/table.ts';
import { formatNtd, moneyFields, type Nano } from '../kit/money.ts';
import { leftOf } from '../store/book/budgets.ts';
import type { BudgetState, MoneyReason } from '../store/operations.ts';
import { BUDGET_KINDS, raiseBudget } from './budget-kinds.ts';
import type { Refused } from './recent-refusals.ts';
import { type RequestedCost, type Smaller, smallerRequest } from './smaller-request.ts';

export type RefusedForMoney = Extract<Refused, { reason: MoneyReason }>;

export function moneyFault(refused: RefusedForMoney, now: number, request: RequestedCost): Fault {
  const { reason, needed, available, affordableTokens, short } = refused;
  const isBounded = request.boundName !== undefined;
  const help: Help = {
    smaller: smallerRequest(refused, request),
    mayBeFree: isBounded && request.hasFreeModel,
    raised: raisedBudget(refused, request),
  };
  return fault(reason === 'budget_in_use' ? 'balance_in_use' : reason, {
    message: messageOf(refused, request, help),
    actions: helpfulActions(refused, help),
    hint: `${reservedText(refused, request)}; NT$${formatNtd(available)} is available.`,
    figures: {
      ...(short ? budgetFigures(short, now, reason) : {}),
      ...moneyFields('needed', needed),
      ...moneyFields('available', available),
      ...(isBounded ? { affordable_max_tokens: affordableTokens } : {}),
      ...(help.smaller?.inputTokens === undefined ? {} : { affordable_input_tokens: help.smaller.inputTokens }),
    },
  });
}

interface Help {
  smaller: Smaller | undefined;
  mayBeFree: boolean;
  /** The budget that would cover the request; undefined if the keys above allow none that does. */
  raised: Nano | undefined;
}

function mostOf({ hold: { base, unit, wanted } }: RequestedCost): Nano {
  return base + unit * BigInt(wanted);
}

/** For the whole request if the keys above allow that, otherwise for as much of it as they do. */
function raisedBudget({ short, ceiling, needed }: RefusedForMoney, request: RequestedCost): Nano | undefined {
  if (!short) return undefined;
  const whole = short.spent + short.held + mostOf(request);
  if (ceiling === undefined || whole <= ceiling) return whole;
  return short.spent + needed <= ceiling ? ceiling : undefined;
}

function budgetFigures(short: BudgetState, now: number, reason: MoneyReason) {
  const resetsAt = reason === 'key_budget_exceeded' ? BUDGET_KINDS[short.budget].resetsAt?.(now) : undefined;
  return {
    budget: short.budget,
    key_id: short.keyId,
    ...moneyFields('limit', short.limit),
    ...moneyFields('spent', short.spent),
    ...moneyFields('held', short.held),
    ...moneyFields('left', leftOf(short)),
    ...(resetsAt === undefined ? {} : { resets_at: new Date(resetsAt).toISOString() }),
  };
}

/** A card does not help against a key's own budget, and the free model makes neither images nor embeddings. */
function helpfulActions({ reason, short }: RefusedForMoney, { smaller, mayBeFree, raised }: Help): FaultAction[] {
  const less = smaller?.action ? [smaller.action] : [];
  const free = mayBeFree ? [USE_FREE] : [];
  const raise = short && raised !== undefined ? [raiseBudget(short, raised)] : [];
  switch (reason) {
    case 'insufficient_balance':
      return [...less, REDEEM, ...free];
    case 'key_budget_exceeded':
      return [...less, ...raise, ...free, SHOW_ME];
    case 'balance_in_use':
      return [SHOW_ME, REDEEM];
    case 'budget_in_use':
      return [SHOW_ME];
  }
}

/** Names only remedies that work in this case. */
function messageOf(refused: RefusedForMoney, request: RequestedCost, { smaller, mayBeFree, raised }: Help): string {
  const { boundName: bound } = request;
  const less = smaller?.remedy;
  const free = mayBeFree ? 'use the free model auto:free' : undefined;
  const figures = `NT$${formatNtd(refused.needed)} is needed, NT$${formatNtd(refused.available)} is available`;
  switch (refused.reason) {
    case 'insufficient_balance':
      return `The balance is too low for this request: ${figures}. ${oneOf(less, 'redeem a prepaid card to add balance', free)}.`;
    case 'key_budget_exceeded': {
      const wait = refused.short && BUDGET_KINDS[refused.short.budget].remedy;
      const raise = `raise the budget${raised === undefined ? '' : ` to NT$${formatNtd(raised)}`} with a managing key`;
      return `${budgetText(refused)} ${reservedText(refused, request)}. ${oneOf(less, raise, free, wait)}.`;
    }
    case 'balance_in_use':
    case 'budget_in_use': {
      // Running calls without an output limit may hold the whole balance.
      const bounded = bound && `set a lower ${bound} on each`;
      return `The balance, or a budget of this key, is held by running requests: ${figures}. ${oneOf('retry in a moment', 'send fewer requests at once', bounded)}.`;
    }
  }
}

/** Which budget is too low, and how it stands. */
function budgetText({ short }: RefusedForMoney): string {
  if (!short) return 'The budget of this key does not cover this request.';
  const { budget, keyId, limit, spent, held } = short;
  const [ofLimit, ofSpent, ofHeld, ofLeft] = [limit, spent, held, leftOf(short)].map(
    (amount) => `NT$${formatNtd(amount)}`,
  );
  return `The ${BUDGET_KINDS[budget].name} budget of ${keyId} does not cover this request: of ${ofLimit}, ${ofSpent} is spent, ${ofHeld} is held by running requests and ${ofLeft} is left.`;
}

/** The least that is held for the request, and how it comes about. */
function reservedText({ needed }: RefusedForMoney, request: RequestedCost): string {
  const { hold, fees, promptTokens, broughtTokens, images, choices } = request;
  const { unit, least } = hold;
  const base = hold.base - fees;
  const inputTokens = promptTokens + broughtTokens;
  const output = unit * BigInt(least);
  const parts: string[] = [];
  if (images > 0) parts.push(`NT$${formatNtd(base)} for the prompt and ${images} ${images === 1 ? 'image' : 'images'}`);
  else if (base > 0n)
    parts.push(`NT$${formatNtd(base)} for up to ${inputTokens} input tokens${perMillion(base, inputTokens)}`);
  if (fees > 0n) parts.push(`NT$${formatNtd(fees)} for calls of tools`);
  if (output > 0n)
    parts.push(`NT$${formatNtd(output)} for ${least * choices} output tokens${perMillion(output, least * choices)}`);
  return `At least NT$${formatNtd(needed)} must be reserved for this request: ${parts.join(' and ')}`;
}

/** The price, where tokens alone make up the amount. */
function perMillion(amount: Nano, tokens: number): string {
  const count = BigInt(tokens);
  return count > 0n && amount % count === 0n ? ` at NT$${formatNtd((amount / count) * 1_000_000n)} per 1M` : '';
}

/** `Do this, do that, or do something else`. */
function oneOf(...remedies: (string | undefined)[]): string {
  const known = remedies.filter((remedy) => remedy !== undefined);
  const last = known.pop();
  const text = known.length === 0 ? `${last}` : `${known.join(', ')}, or ${last}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
