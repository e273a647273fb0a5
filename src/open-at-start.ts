// The database at a start. A PostgreSQL that cannot be reached is waited for, and everybody holds a store meanwhile that
// refuses until the real one is given to it.

import type { Settings } from './config.ts';
import { assert } from './kit/assert.ts';
import type { Clock } from './kit/clock.ts';
import type { Random } from './kit/random.ts';
import { type OpenOptions, openStore } from './open-store.ts';
import { createLateStore } from './store/late-store.ts';
import type { Store } from './store/store.ts';

export interface StartingStore {
  /** For everybody to hold. */
  store: Store;
  pepper: string;
  /** Why the database could not be reached at first, in one line for the operator; undefined if it could. */
  away: string | undefined;
  /** The database itself, once it is open; undefined if the wait was ended before. Rejects with StoreRefused. */
  opened(): Promise<Store | undefined>;
  /** The database itself, if it is open, before others may use it. */
  newest(): Store;
  /** Lets everybody use the newest one. */
  give(): void;
  /** Waits once more, for a database that went away again. */
  reopen(): void;
  /** Nobody waits from now on. */
  endWait(): void;
  /** The same; and if the database comes, it is let go. */
  abandon(): void;
}

/** Resolves when the database is open, or is found to be away. Rejects with StoreRefused. */
export async function openAtStart(
  settings: Settings,
  clock: Clock,
  random: Random,
  options: Pick<OpenOptions, 'maxPages' | 'meter'>,
): Promise<StartingStore> {
  const ending = new AbortController();
  const whenEnded = new Promise<undefined>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve(undefined));
  });
  const { promise: whenAway, resolve: onAway } = Promise.withResolvers<string>();
  // Of several processes only the first one waits: another would take a share of the port and refuse it.
  const wait = (settings.processIndex ?? 0) === 0 ? { onAway, signal: ending.signal } : undefined;
  const open = () => openStore(settings, clock, random, { ...options, wait });
  let opening = open();
  const late = whenAway.then((why) => ({ why, pepper: settings.pepper, ...createLateStore() }));
  const first = await Promise.race([opening, late]);
  const away = 'why' in first ? first : undefined;
  const { store, pepper } = first;
  assert(pepper !== undefined, 'only a database with a pepper of its own is waited for');
  let newest = store;

  return {
    store,
    pepper,
    away: away?.why,
    async opened() {
      const opened = await Promise.race([opening, whenEnded]);
      if (opened) newest = opened.store;
      return opened?.store;
    },
    newest: () => newest,
    give: () => away?.give(newest),
    reopen() {
      opening = open();
    },
    endWait: () => ending.abort(),
    abandon() {
      ending.abort();
      opening.then(
        (opened) => opened.store.close(),
        () => {},
      );
    },
  };
}
