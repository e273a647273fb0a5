// A store that can be passed around before the database is reachable. Until the real store is set, every call fails with
// `unavailable`, as during an outage.

import { fault } from '../faults/fault.ts';
import { readsFrom } from './read-table.ts';
import type { Store } from './store.ts';

const refuse = async (): Promise<never> => {
  throw fault('unavailable', { internal: 'store: the database could not be reached yet' });
};
const NO_READS = readsFrom(refuse);

export function createLateStore() {
  let real: Store | undefined;
  const store: Store = {
    commit: (name, input) => (real ? real.commit(name, input) : refuse()),
    get read() {
      return real?.read ?? NO_READS;
    },
    waiting: () => real?.waiting() ?? 0,
    recordAlarm: (alarm, at) => (real ? real.recordAlarm(alarm, at) : refuse()),
    recordRefusals: (batch) => (real ? real.recordRefusals(batch) : refuse()),
    forget: (before) => (real ? real.forget(before) : refuse()),
    forgetUsage: (before) => (real ? real.forgetUsage(before) : refuse()),
    close: async () => real?.close(),
  };
  return {
    store,
    give(given: Store): void {
      real = given;
    },
  };
}
