// Assigns a few connections to callers. If each connection has one caller, no answer waits behind the query of another, and
// giving up a connection affects no other caller. If it has many, as many queries are sent at once.

import type { Clock } from '../../kit/clock.ts';
import { NoAnswer } from './errors.ts';

interface Seats<Seat> {
  /** Rejects with NoAnswer if none becomes free in time, or with what `clear` was given. */
  take(isLong: boolean, withinMs: number): Promise<Seat>;
  leave(seat: Seat, isLong: boolean): void;
  /** Rejects all waiting callers. */
  clear(error: NoAnswer): void;
}

interface Waiting<Seat> {
  isLong: boolean;
  sit(seat: Seat): void;
  refuse(error: NoAnswer): void;
}

/** Long users never have all of them: one stays for the others, who come in the order in which they asked. */
export function createSeats<Seat>(clock: Clock, seats: readonly Seat[], usersEach: number): Seats<Seat> {
  const users = new Map(seats.map((seat) => [seat, 0]));
  const mostLong = Math.max(1, seats.length - 1);
  const waiting = new Set<Waiting<Seat>>();
  let long = 0;

  /** The one with the fewest users; among equals the first, so that a quiet pool keeps few connections open. */
  function freeSeat(): Seat | undefined {
    let found: Seat | undefined;
    let fewest = usersEach;
    for (const [seat, count] of users) {
      if (count >= fewest) continue;
      found = seat;
      fewest = count;
    }
    if (found !== undefined) users.set(found, fewest + 1);
    return found;
  }

  function seatNext(): void {
    for (const one of waiting) {
      if (one.isLong && long >= mostLong) continue;
      const seat = freeSeat();
      if (seat === undefined) return;
      waiting.delete(one);
      if (one.isLong) long++;
      one.sit(seat);
    }
  }

  return {
    take(isLong, withinMs) {
      const { promise, resolve, reject } = Promise.withResolvers<Seat>();
      const one = { isLong, sit: resolve, refuse: reject };
      waiting.add(one);
      seatNext();
      if (!waiting.has(one)) return promise;
      const cancel = clock.after(withinMs, () => {
        waiting.delete(one);
        reject(new NoAnswer(`no connection was free in ${withinMs} ms`));
      });
      return promise.finally(cancel);
    },
    leave(seat, isLong) {
      if (isLong) long--;
      users.set(seat, (users.get(seat) ?? 1) - 1);
      seatNext();
    },
    clear(error) {
      const sent = [...waiting];
      waiting.clear();
      for (const one of sent) one.refuse(error);
    },
  };
}
