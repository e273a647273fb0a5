// The fault for a request that the money does not cover: what is needed and why, what is available, and what would help. It
// names an affordable number of tokens only if the client can lower its output bound.

import { type Fault, fault } from '../faults/fault.ts';
import { sampleCall } from '../faults/sample-call.ts';
import { type FaultAction, REDEEM, SHOW_ME, WAIT } from '../faults/table.ts';
import { counted } from '../kit/counted.ts';
import { formatNtd, moneyFields, type Nano } from '../kit/money.ts';
import { leftOf } from '../store/book/budgets.ts';
import type { BudgetState, MoneyReason } from '../store/operations.ts';
import { BUDGET_KINDS, coveredTokens, neededRaises, type Raise, raiseAction, raiseText } from './raise-budgets.ts';
import type { Refused } from './recent-refusals.ts';
import { type RequestedCost, type Smaller, smallerRequest } from './smaller-request.ts';

/** In a sample; the Anthropic format requires a limit. */
const FREE_OUTPUT_TOKENS = 100;

export type RefusedForMoney = Extract<Refused, { reason: MoneyReason }>;

export function moneyFault(refused: RefusedForMoney, request: RequestedCost): Fault {
  const { reason, needed, available, short } = refused;
  const isBounded = request.boundName !== undefined;
  const help: Help = {
    smaller: smallerRequest(refused, request),
    freeModel: isBounded ? request.freeModel : undefined,
    raises: neededRaises(refused.budgets ?? [], coveredCost(request)),
  };
  return fault(reason === 'budget_in_use' ? 'balance_in_use' : reason, {
    message: messageOf(refused, request, help),
    actions: helpfulActions(refused, request, help),
    // The message of the other reason has it.
    hint: reason === 'key_budget_exceeded' ? undefined : `${reservedText(refused, request)}.`,
    figures: {
      ...(short ? budgetFigures(short, reason) : {}),
      ...moneyFields('needed', needed),
      ...moneyFields('available', available),
      ...(isBounded ? { affordable_max_tokens: refused.affordableTokens } : {}),
      ...(help.smaller?.inputTokens === undefined ? {} : { affordable_input_tokens: help.smaller.inputTokens }),
    },
  });
}

interface Help {
  smaller: Smaller | undefined;
  freeModel: string | undefined;
  raises: readonly Raise[];
}

/** The hold for the request if the raised budgets cover it. */
function coveredCost(request: RequestedCost): Nano {
  const { base, unit } = request.hold;
  return base + unit * BigInt(coveredTokens(request));
}

function budgetFigures(short: BudgetState, reason: MoneyReason) {
  const resetsAt = reason === 'key_budget_exceeded' ? resetsAtOf(short) : undefined;
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

/** Undefined for a budget that is never reset. */
function resetsAtOf({ budget, span }: BudgetState): number | undefined {
  return span === undefined ? undefined : BUDGET_KINDS[budget].resetsAt?.(span);
}

/** A card does not help against a key's own budget, and the free model makes neither images nor embeddings. */
function helpfulActions(
  { reason }: RefusedForMoney,
  request: RequestedCost,
  { smaller, freeModel, raises }: Help,
): FaultAction[] {
  const less = smaller?.action ? [smaller.action] : [];
  const free = freeModel ? [freeCall(request, freeModel)] : [];
  switch (reason) {
    case 'insufficient_balance':
      return [...less, REDEEM, ...free];
    case 'key_budget_exceeded':
      return [...less, ...raises.map((raise) => raiseAction(raise, request)), ...free, SHOW_ME];
    case 'balance_in_use':
      return [SHOW_ME, REDEEM];
    case 'budget_in_use':
      return [SHOW_ME];
  }
}

function freeCall(request: RequestedCost, model: string): FaultAction {
  const { boundName } = request;
  const bound = boundName === undefined ? {} : { [boundName]: FREE_OUTPUT_TOKENS };
  return { ...sampleCall(request, { model, ...bound }), why: `${model} works at NT$0` };
}

/** Names only remedies that work in this case. */
function messageOf(refused: RefusedForMoney, request: RequestedCost, { smaller, freeModel, raises }: Help): string {
  const { boundName: bound } = request;
  const less = smaller?.remedy;
  const free = freeModel ? `use the free model ${freeModel}` : undefined;
  const figures = `NT$${formatNtd(refused.needed)} is needed, NT$${formatNtd(refused.available)} is available`;
  switch (refused.reason) {
    case 'insufficient_balance':
      return `The balance is too low for this request: ${figures}. ${oneOf(less, 'redeem a prepaid card to add balance', free)}.`;
    case 'key_budget_exceeded': {
      const raise = raiseText(raises, request);
      return `${budgetText(refused)} ${reservedText(refused, request)}. ${oneOf(less, raise, free, renewal(refused))}.`;
    }
    case 'balance_in_use':
    case 'budget_in_use': {
      // Running calls without an output limit may hold the whole balance.
      const bounded = bound && `set a lower ${bound} on each`;
      return `The balance, or a budget of this key, is held by running requests: ${figures}. ${oneOf(`retry in ${WAIT}`, 'send fewer requests at once', bounded)}.`;
    }
  }
}

/** A budget that is too low even when nothing is spent does not cover the request on the next day either. */
function renewal({ short, needed }: RefusedForMoney): string | undefined {
  return short && short.limit >= needed ? BUDGET_KINDS[short.budget].remedy : undefined;
}

/** The budget that is too low, with its amounts. */
function budgetText({ short }: RefusedForMoney): string {
  if (!short) return 'The budget of this key does not cover this request.';
  const { budget, keyId, limit, spent, held } = short;
  const inUse = held > 0n ? `, NT$${formatNtd(held)} is held by running requests` : '';
  return `The ${BUDGET_KINDS[budget].name} budget of ${keyId} does not cover this request: of NT$${formatNtd(limit)}, NT$${formatNtd(spent)} is spent${inUse} and NT$${formatNtd(leftOf(short))} is left.`;
}

/** The least that is held for the request, and how it comes about. */
function reservedText({ needed }: RefusedForMoney, request: RequestedCost): string {
  const { hold, fees, promptTokens, addedByTools, images, units, choices } = request;
  const { unit, least } = hold;
  const base = hold.base - fees;
  const inputTokens = promptTokens + addedByTools;
  const output = unit * BigInt(least);
  const parts: string[] = [];
  if (images > 0) parts.push(`NT$${formatNtd(base)} for the prompt and ${counted(images, 'image', 'images')}`);
  else if (base > 0n && units.length > 0) parts.push(`NT$${formatNtd(base)} for ${units.join(' and ')}`);
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
