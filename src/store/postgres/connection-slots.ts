// Assigns a few connections to callers. If each connection has one caller, no answer waits behind the query of another, and
// giving up a connection affects no other caller. If it has many, as many queries are sent at once.

import type { Clock } from '../../kit/clock.ts';
import { NoAnswer } from './errors.ts';

interface Waiting<Slot> {
  isLong: boolean;
  resolve(slot: Slot): void;
  reject(error: NoAnswer): void;
}

/** Long queries never use all slots: one is reserved for other queries, in the order of their requests. */
export function createConnectionSlots<Slot>(clock: Clock, slots: readonly Slot[], callersEach: number) {
  const callers = new Map(slots.map((slot) => [slot, 0]));
  const mostLong = Math.max(1, slots.length - 1);
  const waiting = new Set<Waiting<Slot>>();
  let long = 0;

  /** The slot with the fewest callers; among equals the first, so that a quiet pool keeps few connections open. */
  function takeFree(): Slot | undefined {
    let found: Slot | undefined;
    let fewest = callersEach;
    for (const [slot, count] of callers) {
      if (count >= fewest) continue;
      found = slot;
      fewest = count;
    }
    if (found !== undefined) callers.set(found, fewest + 1);
    return found;
  }

  function serveWaiting(): void {
    for (const one of waiting) {
      if (one.isLong && long >= mostLong) continue;
      const slot = takeFree();
      if (slot === undefined) return;
      waiting.delete(one);
      if (one.isLong) long++;
      one.resolve(slot);
    }
  }

  return {
    /** Rejects with NoAnswer if none becomes free in time, or with what `rejectWaiting` was given. */
    acquire(isLong: boolean, withinMs: number): Promise<Slot> {
      const { promise, resolve, reject } = Promise.withResolvers<Slot>();
      const one = { isLong, resolve, reject };
      waiting.add(one);
      serveWaiting();
      if (!waiting.has(one)) return promise;
      const cancel = clock.after(withinMs, () => {
        waiting.delete(one);
        reject(new NoAnswer(`no connection was free in ${withinMs} ms`));
      });
      return promise.finally(cancel);
    },
    release(slot: Slot, isLong: boolean): void {
      if (isLong) long--;
      callers.set(slot, (callers.get(slot) ?? 1) - 1);
      serveWaiting();
    },
    rejectWaiting(error: NoAnswer): void {
      const rejected = [...waiting];
      waiting.clear();
      for (const { reject } of rejected) reject(error);
    },
  };
}
