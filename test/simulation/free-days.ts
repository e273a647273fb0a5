// The free calls of a day, counted a second time from what the database has committed: with a balance of zero an account has
// fewer of them. A day that a clock has begun is never left again; a slot is given back on its own day.

import type { Database } from 'bun:sqlite';
import type { Nano } from '../../src/kit/money.ts';
import { type Committed, type CommitWatch, closeIn, dayOf } from './commit-watch.ts';
import { LIMITS } from './document.ts';
import type { Violation } from './violation.ts';

const EXACT = 'no account has more free calls on a day than it may';
const EARLY = 'no free call is refused while its day has room';

interface Day {
  day: number;
  requests: Set<string>;
}

export class FreeDays implements CommitWatch {
  readonly violations: Violation[] = [];
  readonly reached = { 'new days of free calls': 0, 'free calls refused at a balance of zero': 0 };
  readonly #days = new Map<string, Day>();
  readonly #balances = new Map<string, Nano>();
  /** The day of each free call by the clock of its node. */
  readonly #takenOn = new Map<string, number>();

  committed(operation: Committed): void {
    const { name, result } = operation;
    if (name === 'register' && result.ok) this.#balances.set(result.accountId, result.balance);
    else if (name === 'redeem' && result.ok && !result.replayed) {
      this.#balances.set(operation.input.accountId, result.balance);
    } else if (name === 'admit' && operation.input.charge.free) this.#admit(operation);
    const closed = closeIn(operation);
    if (!closed) return;
    const { accountId, requestId, givesBack, balance } = closed;
    this.#balances.set(accountId, balance);
    const today = this.#days.get(accountId);
    if (givesBack && today && this.#takenOn.get(requestId) === today.day) today.requests.delete(requestId);
  }

  /** Slots that the tables count and nobody has, or the reverse. */
  findMiscounted(db: Database): string[] {
    const window = db.query<{ day: bigint; n: bigint }, [string]>(
      'SELECT day, day_count AS n FROM windows WHERE window_id = ?',
    );
    return [...this.#days].flatMap(([accountId, { day, requests }]) => {
      const row = window.get(`free:${accountId}`);
      const isRight = row?.day === BigInt(day) && row.n === BigInt(requests.size);
      return isRight
        ? []
        : [`${accountId}: ${requests.size} on the day ${day}, and the tables have ${row?.n} on ${row?.day}`];
    });
  }

  #admit({ input: { accountId, requestId, at }, result }: Extract<Committed, { name: 'admit' }>): void {
    const known = this.#days.get(accountId) ?? { day: 0, requests: new Set<string>() };
    const day = Math.max(known.day, dayOf(at));
    const requests = day > known.day ? new Set<string>() : known.requests;
    const balance = this.#balances.get(accountId) ?? 0n;
    const limit = balance > 0n ? LIMITS.free_per_day_positive : LIMITS.free_per_day_zero;
    const detail = `${requestId} of ${accountId}: ${requests.size} before it, of ${limit}`;
    if (result.ok) {
      if (known.day > 0 && day > known.day) this.reached['new days of free calls']++;
      if (requests.size >= limit) this.violations.push({ invariant: EXACT, detail });
      requests.add(requestId);
      this.#days.set(accountId, { day, requests });
      this.#takenOn.set(requestId, dayOf(at));
    } else if (result.reason === 'free_daily_limit') {
      if (balance === 0n) this.reached['free calls refused at a balance of zero']++;
      if (requests.size < limit) this.violations.push({ invariant: EARLY, detail });
    }
  }
}
