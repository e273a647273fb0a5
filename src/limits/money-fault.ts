// Why there is not enough money for a request, as a fault that tells what is needed, what is there, and what would help.
// Only where an output bound is the client's to lower is it told how far the money goes in tokens.

import { type Fault, fault } from '../faults/fault.ts';
import { type FaultAction, REDEEM, USE_FREE } from '../faults/table.ts';
import { formatNtd, moneyFields } from '../kit/money.ts';
import { taipeiDay, taipeiDayStart } from '../kit/taipei.ts';
import type { MoneyReason } from '../store/operations.ts';
import type { Refused } from './recent-refusals.ts';

/** What was asked for, as far as it decides which request would cost less. */
export interface Asked {
  endpoint: string;
  /** 0 for everything that is no image request. */
  images: number;
  /** Whether this key may use the free model, and there is one. */
  hasFreeModel: boolean;
}

type RefusedForMoney = Extract<Refused, { reason: MoneyReason }>;

export function moneyFault(refused: RefusedForMoney, now: number, asked: Asked): Fault {
  const { reason, needed, available, affordableTokens } = refused;
  const isBounded = asked.images === 0 && asked.endpoint !== 'embeddings';
  const mayBeFree = isBounded && asked.hasFreeModel;
  const isOfTable = isBounded && (mayBeFree || reason !== 'insufficient_balance');
  return fault(reason === 'budget_in_use' ? 'balance_in_use' : reason, {
    message: isOfTable ? undefined : ownText(reason, isBounded ? undefined : lesserRequest(refused, asked)),
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
  if (reason === 'insufficient_balance') return mayBeFree ? [REDEEM, USE_FREE] : [REDEEM];
  return reason === 'balance_in_use' ? [REDEEM] : [];
}

/** When the day of a key's budget ends. */
function nextDay(now: number): string {
  return new Date(taipeiDayStart(taipeiDay(now) + 1)).toISOString();
}

/** What the client can ask less of; undefined if no smaller request can be paid, either. */
function lesserRequest({ needed, available }: RefusedForMoney, { images }: Asked): string | undefined {
  if (images === 0) return available > 0n ? 'Send less input' : undefined;
  return images > 1 && available * BigInt(images) >= needed ? 'Lower n' : undefined;
}

/** Undefined where the table's own text fits. The free model is not named: it would not do, or may not be used. */
function ownText(reason: MoneyReason, lesser: string | undefined): string | undefined {
  switch (reason) {
    case 'insufficient_balance':
      return `${lesser ? `${lesser}, or redeem` : 'Redeem'} a prepaid card to add balance. The balance is too low for this request.`;
    case 'key_budget_exceeded':
      return `${lesser ? `${lesser}, raise` : 'Raise'} this key's daily budget with a managing key, or wait for the next day in Taipei. What is left of this key's budget does not cover this request.`;
    default:
      return undefined;
  }
}
