// Cost that upstreams bill and no customer pays. It is booked as rows, and the guard bounds how much of it one account can
// cause on one Taipei day: what exceeds the guard is charged to the account, up to the hold of the request. Days never run
// backwards, as those of budgets.

import { assert } from '../../kit/assert.ts';
import { MAX_NANO, minNano, moneyFields, type Nano } from '../../kit/money.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { type Hold, isGuarded, type LateLosses, type Loss, type LossDay } from '../rows.ts';
import type { Book, Operations, Touch } from './book.ts';
import type { CloseResult, Losses } from './close.ts';
import { dayThatCounts } from './windows.ts';

type Closed = Extract<CloseResult, { state: 'closed' }>;

/**
 * `charge`: to be charged on top of the cost; 0 unless the guard is exceeded. `covered`: what upstreams bill for what is
 * charged so, which is then no loss; null if a route states no cost.
 */
interface BookedLosses {
  charge: Nano;
  covered: Nano | null;
  guard: Pick<Closed, 'lossGuard' | 'freeLosses'> | undefined;
}

type Closing = Pick<Hold, 'requestId' | 'accountId' | 'amount' | 'free'>;

const NONE: BookedLosses = { charge: 0n, covered: 0n, guard: undefined };
const NO_LOSSES: LossDay = { day: 0, amount: 0n, reached: false };

export const LATE_LOSSES = { bookLosses: { touches: bookLateTouches, decide: bookLate } } satisfies Operations;

/** Most closes have no losses, and touch nothing for them. */
export function lossTouches(accountId: string, losses: Losses | undefined): Touch[] {
  return losses && losses.items.length > 0 ? [{ table: 'lossDays', id: accountId }] : [];
}

export function bookLosses(
  book: Book,
  hold: Closing,
  cost: Nano,
  losses: Losses | undefined,
  at: number,
): BookedLosses {
  if (!losses || losses.items.length === 0) return NONE;
  const { items, guard } = losses;
  assert(
    items.every(({ amount, charge }) => amount >= 0n && charge >= 0n),
    'a loss is not negative',
  );
  const today = lossDayOn(book.get('lossDays', hold.accountId), at);
  const left = hold.free || guard === null ? undefined : guard - today.amount;
  const split = left === undefined ? undefined : splitAtGuard(items, left, hold.amount - cost);
  const isCharged = split !== undefined;
  const booked = split?.booked ?? items;
  for (const item of booked) if (item.amount > 0n) addLoss(book, hold, item, today.day, at);
  const counted = guardedSum(booked);
  assert(today.amount + counted <= MAX_NANO, 'the losses of a day fit into a column');
  if (counted > 0n || (isCharged && !today.reached)) {
    book.put('lossDays', hold.accountId, {
      day: today.day,
      amount: today.amount + counted,
      reached: today.reached || isCharged,
    });
  }
  if (!split || guard === null) return NONE;
  if (!today.reached) {
    const data = { request_id: hold.requestId, ...moneyFields('allowance', guard) };
    book.add('events', { accountId: hold.accountId, type: 'account.losses', at, data });
  }
  const isUnknown = items.some((item) => isChargeable(item) && item.isAtSalePrice);
  const covered = isUnknown ? null : sumOfAmounts(items) - sumOfAmounts(booked);
  const reached = { lossGuard: today.reached ? 'beyond' : 'reached', freeLosses: split.free } as const;
  return { charge: split.charge, covered, guard: reached };
}

/** Losses that exceed the guard: what is charged, what is still booked, and how much of them was free. */
interface LossSplit {
  charge: Nano;
  booked: Loss[];
  free: Nano;
}

function splitAtGuard(items: readonly Loss[], leftOfGuard: Nano, leftOfHold: Nano): LossSplit | undefined {
  const free = freeLosses(items, leftOfGuard);
  if (free === undefined) return undefined;
  const charge = chargeBeyond(items, free);
  return { charge, booked: unpaid(items, free, charge - leftOfHold), free };
}

/** The node that held it died. How far its call got is unknown, so the whole hold is booked: the loss is at most that. */
export function bookDeadNode(book: Book, hold: Hold, at: number): void {
  if (hold.amount === 0n) return;
  const { model, amount } = hold;
  addLoss(book, hold, { reason: 'gateway_died', model, channel: null, amount, charge: 0n }, taipeiDay(at), at);
}

function bookLateTouches({ accountId, items }: LateLosses): Touch[] {
  return [{ table: 'wallets', id: accountId }, ...lossTouches(accountId, { items, guard: null })];
}

/** Without a hold there is nothing to charge. */
function bookLate(book: Book, { requestId, accountId, items, at }: LateLosses): undefined {
  bookLosses(book, { requestId, accountId, amount: 0n, free: false }, 0n, { items, guard: null }, at);
}

/** The state at that time: a new day begins without losses. */
function lossDayOn(known: LossDay = NO_LOSSES, at: number): LossDay {
  const day = dayThatCounts(known.day, at);
  return day === known.day ? known : { ...NO_LOSSES, day };
}

function isChargeable({ reason, charge }: Loss): boolean {
  return charge > 0n && isGuarded(reason);
}

/** The part of the chargeable losses that stays free; undefined if all of it does. Other losses use up the guard first. */
function freeLosses(items: readonly Loss[], leftOfGuard: Nano): Nano | undefined {
  const amount = sumOfAmounts(items.filter(isChargeable));
  const left = leftOfGuard - (guardedSum(items) - amount);
  if (amount === 0n || amount <= left) return undefined;
  return left > 0n ? left : 0n;
}

/** The charge for these losses at the customer's prices, for the share beyond `free`. */
export function chargeBeyond(items: readonly Loss[], free: Nano): Nano {
  const chargeable = items.filter(isChargeable);
  const amount = sumOfAmounts(chargeable);
  const charge = sumOf(chargeable, (item) => item.charge);
  return (charge * (amount - free) + amount - 1n) / amount;
}

/** The unpaid part of charged losses: items without a charge, the free share, and the excess over the hold. */
export function unpaid(items: readonly Loss[], free: Nano, excess: Nano): Loss[] {
  const booked = items.filter((item) => !isChargeable(item) && item.reason !== 'above_hold');
  let left = free;
  for (const item of items.filter(isChargeable)) {
    const amount = minNano(item.amount, left);
    left -= amount;
    if (amount > 0n) booked.push({ ...item, amount });
  }
  return [...booked, ...aboveHold(items, excess)];
}

function aboveHold([first]: readonly Loss[], amount: Nano): Loss[] {
  return first && amount > 0n ? [{ ...first, reason: 'above_hold', amount }] : [];
}

function addLoss(book: Book, hold: Closing, { reason, model, channel, amount }: Loss, day: number, at: number): void {
  const { requestId, accountId } = hold;
  assert(amount <= MAX_NANO, 'a loss fits into a column');
  book.add('losses', { requestId, at, day, accountId, model, channel, reason, amount });
}

function guardedSum(items: readonly Loss[]): Nano {
  return sumOf(items, ({ reason, amount }) => (isGuarded(reason) ? amount : 0n));
}

function sumOfAmounts(items: readonly Loss[]): Nano {
  return sumOf(items, ({ amount }) => amount);
}

function sumOf(items: readonly Loss[], amountOf: (item: Loss) => Nano): Nano {
  return items.reduce((sum, item) => sum + amountOf(item), 0n);
}
