// The limits per minute, counted a second time: by the admissions that the database has committed, with all their times in
// a list. No window may hold more than the limit, and no call may be refused while the limit leaves room.

import { MINUTE_MS } from '../../src/kit/clock.ts';
import type { AdmitInput, AdmitResult } from '../../src/store/operations.ts';
import { type Committed, type CommitWatch, closeIn } from './commit-watch.ts';
import { LIMITS } from './document.ts';
import { type Violation, violations } from './violation.ts';

interface Slot {
  window: string;
  at: number;
}

/** A paid slot counts up to one second longer (docs: limits). */
const PAID_GRAIN_MS = 1_000;

export class MinuteLimits implements CommitWatch {
  readonly violations: Violation[] = [];
  /** Refused too early by the clock of the node: only a problem if no clock was set. */
  readonly refusedEarly: string[] = [];
  /** Slots that are taken, by request. */
  readonly #slots = new Map<string, Slot>();
  readonly #open = new Set<string>();

  committed(operation: Committed): void {
    if (operation.name === 'admit') this.#admit(operation.input, operation.result);
    const closed = closeIn(operation);
    if (!closed) return;
    const wasOpen = this.#open.delete(closed.requestId);
    if (wasOpen && closed.givesBack) this.#slots.delete(closed.requestId);
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
        if (used <= limit) continue;
        const detail = `${window}: ${used} calls in the minute before ${end}, of ${limit}`;
        this.violations.push(...violations('no account has more calls in a minute than it may', [detail]));
      }
    } else if (result.reason === 'rate_limited' || result.reason === 'free_minute_limit') {
      const since = at - MINUTE_MS - (charge.free ? 0 : PAID_GRAIN_MS);
      const used = this.#timesOf(window).filter((time) => time > since).length;
      if (used < limit) this.refusedEarly.push(`${window}: refused at ${at} with ${used} calls of ${limit}`);
    }
  }

  #timesOf(window: string): number[] {
    return [...this.#slots.values()].filter((slot) => slot.window === window).map(({ at }) => at);
  }
}
