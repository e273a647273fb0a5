// Why there is not enough money for a request, as a fault that tells what is needed, what is there, and what would help.
// Only where an output bound is the client's to lower is it told how far the money goes in tokens.

import { type Fault, fault } from '../faults/fault.ts';
import { type FaultAction, REDEEM, SHOW_ME, USE_FREE } from '../faults/table.ts';
import { formatNtd, moneyFields } from '../kit/money.ts';
import { taipeiDay, taipeiDayStart } from '../kit/taipei.ts';
import type { MoneyReason } from '../store/operations.ts';
import type { Refused } from './recent-refusals.ts';

/** What was asked for, as far as it decides which request would cost less. */
export interface Asked {
  /** The field that the client bounds its output with; undefined if it has none. */
  boundName: string | undefined;
  /** 0 for everything that is no image request. */
  images: number;
  /** Tokens of the output that are set aside for thinking: a smaller bound alone would leave them no room. */
  thinkingBudget: number | undefined;
  /** Whether this key may use the free model, and there is one. */
  hasFreeModel: boolean;
}

type RefusedForMoney = Extract<Refused, { reason: MoneyReason }>;

export function moneyFault(refused: RefusedForMoney, now: number, asked: Asked): Fault {
  const { reason, needed, available, affordableTokens } = refused;
  const isBounded = asked.boundName !== undefined;
  const mayBeFree = isBounded && asked.hasFreeModel;
  return fault(reason === 'budget_in_use' ? 'balance_in_use' : reason, {
    message: messageOf(refused, asked, mayBeFree),
    actions: helpfulActions(reason, mayBeFree),
    hint: `At least NT$${formatNtd(needed)} must be set aside for what this request may cost; NT$${formatNtd(available)} is available.`,
    figures: {
      ...moneyFields('needed', needed),
      ...moneyFields('available', available),
      ...(isBounded ? { affordable_max_tokens: affordableTokens } : {}),
      ...(reason === 'key_budget_exceeded' ? { resets_at: nextDay(now) } : {}),
    },
  });
}

/** A card does not help a key whose own budget binds, and the free model makes neither images nor embeddings. */
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

/** When the day of a key's budget ends. */
function nextDay(now: number): string {
  return new Date(taipeiDayStart(taipeiDay(now) + 1)).toISOString();
}

/** Only what helps in this very case is named. */
function messageOf(refused: RefusedForMoney, asked: Asked, mayBeFree: boolean): string {
  const { boundName: bound } = asked;
  const lesser = bound === undefined ? lesserInput(refused, asked) : lesserOutput(refused, asked, bound);
  const free = mayBeFree ? 'use the free model auto:free' : undefined;
  const figures = `NT$${formatNtd(refused.needed)} is needed, NT$${formatNtd(refused.available)} is available`;
  switch (refused.reason) {
    case 'insufficient_balance':
      return `The balance is too low for this request: ${figures}. ${oneOf(lesser, 'redeem a prepaid card to add balance', free)}.`;
    case 'key_budget_exceeded':
      return `The rest of this key's daily budget does not cover this request: ${figures}. ${oneOf(lesser, 'raise the budget with a managing key', free, 'wait for the next day in Taipei')}.`;
    case 'balance_in_use':
    case 'budget_in_use': {
      // Running calls may hold all there is because nobody bounded them.
      const bounded = bound && `set a lower ${bound} on each`;
      return `The balance, or the daily budget of this key, is held by running requests: ${figures}. ${oneOf('retry in a moment', 'send fewer requests at once', bounded)}.`;
    }
  }
}

/** Undefined if no smaller request can be paid, either. */
function lesserInput({ needed, available }: RefusedForMoney, { images }: Asked): string | undefined {
  if (images === 0) return available > 0n ? 'send less input' : undefined;
  return images > 1 && available * BigInt(images) >= needed ? 'lower n' : undefined;
}

function lesserOutput({ affordableTokens }: RefusedForMoney, { thinkingBudget }: Asked, bound: string) {
  const isServed = affordableTokens > 0 && thinkingBudget === undefined;
  return isServed ? `lower ${bound} to ${affordableTokens} or less` : undefined;
}

/** `Do this, do that, or do something else`. */
function oneOf(...ways: (string | undefined)[]): string {
  const told = ways.filter((way) => way !== undefined);
  const last = told.pop();
  const text = told.length === 0 ? `${last}` : `${told.join(', ')}, or ${last}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
