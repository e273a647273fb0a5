// What the ledger must do with losses, in the plainest words: a list that only grows, of which the day's sum is taken anew
// each time.

import type { Losses } from '../../../src/store/operations.ts';
import type { Loss, LossReason } from '../../../src/store/rows.ts';

export interface ModelLoss {
  day: number;
  reason: LossReason;
  amount: bigint;
}

export interface ModelCharge {
  charge: bigint;
  /** What upstreams bill for what is charged; null if unknown. */
  covered: bigint | null;
  /** Set if the guard charged something. */
  guard?: 'reached' | 'beyond';
  free?: bigint;
}

interface Ending {
  cost: bigint;
  held: bigint;
  isFree: boolean;
  /** The Taipei day that the clock shows. */
  clockDay: number;
  losses: Losses | undefined;
}

const UNGUARDED: readonly LossReason[] = [
  'free_model',
  'gateway_died',
  'gateway_cut',
  'failed_attempt',
  'replaced_run',
  'hedge',
  'above_hold',
];

export class ModelLosses {
  readonly booked: ModelLoss[] = [];
  /** The newest day that the guard counted something on. */
  #day = 0;
  #reachedOn = -1;

  /** What the day has so far, as the page says it. */
  counted(): { day: number; amount: bigint } {
    const amounts = this.booked.filter(({ day, reason }) => day === this.#day && !UNGUARDED.includes(reason));
    return { day: this.#day, amount: amounts.reduce((sum, { amount }) => sum + amount, 0n) };
  }

  died(held: bigint, clockDay: number): void {
    if (held > 0n) this.booked.push({ day: clockDay, reason: 'gateway_died', amount: held });
  }

  /** What is charged beside the cost, and whether the guard made it so. */
  close({ cost, held, isFree, clockDay, losses }: Ending): ModelCharge {
    const items = losses?.items ?? [];
    const day = Math.max(this.#day, clockDay);
    const today = this.#day === day ? this.counted().amount : 0n;
    const guard = losses?.guard ?? null;
    const isCharged = ({ reason, charge }: Loss) => charge > 0n && !UNGUARDED.includes(reason);
    const others = items.filter((item) => !UNGUARDED.includes(item.reason) && !isCharged(item));
    const amount = sumOf(items.filter(isCharged).map((item) => item.amount));
    const left = guard === null ? 0n : guard - today - sumOf(others.map((item) => item.amount));
    if (isFree || guard === null || amount === 0n || amount <= left) {
      for (const { reason, amount } of items) this.#book(day, reason, amount);
      return { charge: 0n, covered: 0n };
    }
    const free = left > 0n ? left : 0n;
    const bookedBefore = sumOf(this.booked.map((one) => one.amount));
    const charge = divideUp(sumOf(items.filter(isCharged).map((item) => item.charge)) * (amount - free), amount);
    for (const item of items) {
      if (!isCharged(item) && item.reason !== 'above_hold') this.#book(day, item.reason, item.amount);
    }
    let rest = free;
    for (const item of items.filter(isCharged)) {
      const booked = item.amount < rest ? item.amount : rest;
      this.#book(day, item.reason, booked);
      rest -= booked;
    }
    this.#book(day, 'above_hold', cost + charge - held);
    const isFirst = this.#reachedOn !== day;
    this.#day = day;
    this.#reachedOn = day;
    const isUnknown = items.filter(isCharged).some((item) => item.isAtSalePrice);
    const lost = sumOf(this.booked.map((one) => one.amount)) - bookedBefore;
    const covered = isUnknown ? null : sumOf(items.map((item) => item.amount)) - lost;
    return { charge, covered, free, guard: isFirst ? 'reached' : 'beyond' };
  }

  #book(day: number, reason: LossReason, amount: bigint): void {
    if (amount <= 0n) return;
    this.booked.push({ day, reason, amount });
    if (!UNGUARDED.includes(reason)) this.#day = day;
  }
}

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);
const divideUp = (amount: bigint, by: bigint) => amount / by + (amount % by > 0n ? 1n : 0n);
