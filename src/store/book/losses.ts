// Cost that upstreams bill and no customer pays. It is booked as rows, and the guard bounds how much of it one account can
// cause on one Taipei day: beyond the guard, the losses are charged to the account, up to the hold of their request. Days
// never run backwards, as those of budgets.

import { assert } from '../../kit/assert.ts';
import { MAX_NANO, type Nano } from '../../kit/money.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import type { CloseResult, Losses } from '../operations.ts';
import { type Hold, isGuarded, type Loss, type LossDay } from '../rows.ts';
import type { Book, Touch } from './book.ts';
import { dayThatCounts } from './windows.ts';

type LossGuard = Extract<CloseResult, { state: 'closed' }>['lossGuard'];

/** `charge`: to be charged on top of the cost; 0 unless the guard is used up. */
export interface BookedLosses {
  charge: Nano;
  guard: LossGuard;
}

const NONE: BookedLosses = { charge: 0n, guard: undefined };
const NO_LOSSES: LossDay = { day: 0, amount: 0n, reached: false };

/** Most closes have no losses, and touch nothing for them. */
export function lossTouches(accountId: string, losses: Losses | undefined): Touch[] {
  return losses && losses.items.length > 0 ? [{ table: 'lossDays', id: accountId }] : [];
}

export function bookLosses(book: Book, hold: Hold, cost: Nano, losses: Losses | undefined, at: number): BookedLosses {
  if (!losses || losses.items.length === 0) return NONE;
  const { items, guard } = losses;
  assert(
    items.every(({ amount, charge }) => amount >= 0n && charge >= 0n),
    'a loss is not negative',
  );
  const today = lossDayOn(book.get('lossDays', hold.accountId), at);
  const charge = sumOf(items, (item) => item.charge);
  const isCharged = !hold.free && guard !== null && charge > 0n && today.amount + guardedSum(items) > guard;
  const booked = isCharged ? unpaid(items, cost + charge - hold.amount) : items;
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
  return isCharged ? { charge, guard: today.reached ? 'beyond' : 'reached' } : NONE;
}

/** The node that held it died. How far its call got is unknown, so the whole hold is booked: the loss is at most that. */
export function bookDeath(book: Book, hold: Hold, at: number): void {
  if (hold.amount === 0n) return;
  const { model, amount } = hold;
  addLoss(book, hold, { reason: 'gateway_died', model, channel: null, amount, charge: 0n }, taipeiDay(at), at);
}

/** As it stands at that time: a new day begins with no losses. */
export function lossDayOn(known: LossDay = NO_LOSSES, at: number): LossDay {
  const day = dayThatCounts(known.day, at);
  return day === known.day ? known : { ...NO_LOSSES, day };
}

/** What is not paid although the losses are charged: items without a charge, and what the hold does not cover. */
export function unpaid(items: readonly Loss[], aboveHold: Nano): Loss[] {
  const free = items.filter(({ charge, reason }) => charge === 0n && reason !== 'above_hold');
  const [first] = items;
  return first && aboveHold > 0n ? [...free, { ...first, reason: 'above_hold', amount: aboveHold }] : free;
}

function addLoss(book: Book, hold: Hold, { reason, model, channel, amount }: Loss, day: number, at: number): void {
  const { requestId, accountId } = hold;
  assert(amount <= MAX_NANO, 'a loss fits into a column');
  book.add('losses', { requestId, at, day, accountId, model, channel, reason, amount });
}

function guardedSum(items: readonly Loss[]): Nano {
  return sumOf(items, ({ reason, amount }) => (isGuarded(reason) ? amount : 0n));
}

function sumOf(items: readonly Loss[], amountOf: (item: Loss) => Nano): Nano {
  return items.reduce((sum, item) => sum + amountOf(item), 0n);
}
