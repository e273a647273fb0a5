// What the ledger must do with losses, in the plainest words: a list that only grows, of which the day's sum is taken anew
// each time.

import type { Losses } from '../../../src/store/operations.ts';
import type { LossReason } from '../../../src/store/rows.ts';

export interface ModelLoss {
  day: number;
  reason: LossReason;
  amount: bigint;
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
  close({ cost, held, isFree, clockDay, losses }: Ending): { charge: bigint; guard?: 'reached' | 'beyond' } {
    const items = losses?.items ?? [];
    const day = Math.max(this.#day, clockDay);
    const today = this.#day === day ? this.counted().amount : 0n;
    const charge = items.reduce((sum, item) => sum + item.charge, 0n);
    const more = items.filter(({ reason }) => !UNGUARDED.includes(reason)).reduce((sum, one) => sum + one.amount, 0n);
    const guard = losses?.guard ?? null;
    if (isFree || guard === null || charge === 0n || today + more <= guard) {
      for (const { reason, amount } of items) this.#book(day, reason, amount);
      return { charge: 0n };
    }
    for (const item of items) if (item.charge === 0n) this.#book(day, item.reason, item.amount);
    this.#book(day, 'above_hold', cost + charge - held);
    const isFirst = this.#reachedOn !== day;
    this.#day = day;
    this.#reachedOn = day;
    return { charge, guard: isFirst ? 'reached' : 'beyond' };
  }

  #book(day: number, reason: LossReason, amount: bigint): void {
    if (amount <= 0n) return;
    this.booked.push({ day, reason, amount });
    if (!UNGUARDED.includes(reason)) this.#day = day;
  }
}
