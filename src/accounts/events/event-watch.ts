// Wakes those who follow the events of an account, when the store has a new one. The node looks once for all of them, with the
// pulse of the store.

import type { Store } from '../../store/store.ts';

export type EventWatch = ReturnType<typeof createEventWatch>;

/** With more new events than that, all listeners are woken. */
const MAX_EVENTS = 1_000;

export function createEventWatch(store: Pick<Store, 'read'>) {
  const listeners = new Map<string, Set<() => void>>();
  /** A new listener reads earlier events from the store first, so only later ones matter here. */
  let seen = 0;

  function wake(accountId: string): void {
    for (const listener of listeners.get(accountId) ?? []) listener();
  }

  return {
    /** Called with every pulse: the number of the newest event. */
    async follow(newest: number): Promise<void> {
      if (newest <= seen) return;
      if (listeners.size > 0) {
        const events = await store.read.eventsSince(seen, MAX_EVENTS);
        const isForAll = events.length === MAX_EVENTS || events.some(({ accountId }) => accountId === null);
        const accounts = isForAll ? listeners.keys() : new Set(events.map(({ accountId }) => accountId ?? ''));
        for (const accountId of accounts) wake(accountId);
      }
      seen = newest;
    },
    /** `listener` is called after each new event of the account or of all accounts; the result ends it. */
    listen(accountId: string, listener: () => void): () => void {
      const known = listeners.get(accountId) ?? new Set();
      listeners.set(accountId, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(accountId) === known) listeners.delete(accountId);
      };
    },
  };
}
