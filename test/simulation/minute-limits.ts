// The limits per minute, counted a second time: by the admissions that the database has committed, with all their times in
// a list. No window may hold more than the limit, and no call may be refused while the limit leaves room.

import { MINUTE_MS } from '../../src/kit/clock.ts';
import type { Decided } from '../../src/store/book/decide.ts';
import type { AdmitInput, AdmitResult, CloseResult, Operation } from '../../src/store/operations.ts';
import { LIMITS } from './document.ts';

interface Slot {
  window: string;
  at: number;
}

/** A paid slot counts up to one second longer (docs: limits). */
const PAID_GRAIN_MS = 1_000;

export class MinuteLimits {
  readonly exceeded: string[] = [];
  /** Refused too early by the clock of the node: only a problem if no clock was set. */
  readonly refusedEarly: string[] = [];
  /** Slots that are taken, by request. */
  readonly #slots = new Map<string, Slot>();
  readonly #open = new Set<string>();

  committed(operations: readonly Operation[], decided: readonly Decided[]): void {
    for (const [index, operation] of operations.entries()) {
      const answer = decided[index];
      if (!answer?.ok) continue;
      const { name, input } = operation;
      if (name === 'admit') this.#admit(input, answer.result as AdmitResult);
      else if (name === 'settle') this.#open.delete(input.requestId);
      else if (name === 'release') this.#close(input.requestId, answer.result as CloseResult, input.giveBackSlots);
      else if (name === 'undo' || name === 'sweep') this.#close(input.requestId, answer.result as CloseResult, true);
    }
  }

  #admit({ accountId, requestId, charge, at }: AdmitInput, result: AdmitResult): void {
    const window = `${charge.free ? 'free' : 'paid'} ${accountId}`;
    const limit = charge.free ? LIMITS.free_per_minute : LIMITS.paid_per_minute;
    if (result.ok) {
      this.#slots.set(requestId, { window, at });
      this.#open.add(requestId);
      const times = this.#timesOf(window);
      // Slow nodes commit later than others: the minute that ends with a later call has this one in it, too.
      for (const end of times.filter((time) => time >= at && time < at + MINUTE_MS)) {
        const used = times.filter((time) => time > end - MINUTE_MS && time <= end).length;
        if (used > limit) this.exceeded.push(`${window}: ${used} calls in the minute before ${end}, of ${limit}`);
      }
    } else if (result.reason === 'rate_limited' || result.reason === 'free_minute_limit') {
      const since = at - MINUTE_MS - (charge.free ? 0 : PAID_GRAIN_MS);
      const used = this.#timesOf(window).filter((time) => time > since).length;
      if (used < limit) this.refusedEarly.push(`${window}: refused at ${at} with ${used} calls of ${limit}`);
    }
  }

  #close(requestId: string, { state }: CloseResult, givesBack: boolean): void {
    const wasOpen = this.#open.delete(requestId);
    if (wasOpen && state === 'closed' && givesBack) this.#slots.delete(requestId);
  }

  #timesOf(window: string): number[] {
    return [...this.#slots.values()].filter((slot) => slot.window === window).map(({ at }) => at);
  }
}
