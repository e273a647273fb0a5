// The database at a start. A PostgreSQL that cannot be reached is waited for, and everybody holds a store meanwhile that
// refuses until the real one is given to it.

import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { createLateStore } from '../../store/late-store.ts';
import type { Store } from '../../store/store.ts';
import { type OpenOptions, openStore } from '../settings/open-store.ts';
import type { Settings } from '../settings/settings.ts';
import { StartEnded } from './start-refused.ts';

export interface AtStartOptions extends Pick<OpenOptions, 'maxPages' | 'patienceMs' | 'meter'> {
  /** Ends the wait for a PostgreSQL, be it away or held by another node that upgrades it. */
  signal?: AbortSignal | undefined;
}

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

/** Resolves when the database is open, or is found to be away. Rejects with StoreRefused or StartEnded. */
export async function openAtStart(
  settings: Settings,
  clock: Clock,
  random: Random,
  { signal, ...options }: AtStartOptions,
): Promise<StartingStore> {
  const ending = new AbortController();
  // An embedded database is ours alone and soon open: there is nobody to wait for.
  const mayWait = signal !== undefined && settings.databaseUrl !== undefined;
  const ended = mayWait ? AbortSignal.any([ending.signal, signal]) : ending.signal;
  const endedBefore = () => new StartEnded('told to stop before the database was open');
  if (ended.aborted) throw endedBefore();
  const whenEnded = new Promise<undefined>((resolve) => {
    ended.addEventListener('abort', () => resolve(undefined));
  });
  const { promise: whenAway, resolve: onAway } = Promise.withResolvers<string>();
  // Of several processes only the first one waits: one that joins others would take a share of the port and refuse it.
  const wait = (settings.processIndex ?? 0) === 0 && !settings.follows ? { onAway, signal: ended } : undefined;
  const open = () => openStore(settings, clock, random, { ...options, wait });
  let opening = open();
  function abandon(): void {
    ending.abort();
    opening.then(
      (opened) => opened.store.close(),
      () => {},
    );
  }
  const late = whenAway.then((why) => ({ why, pepper: settings.pepper, ...createLateStore() }));
  const first = await Promise.race([opening, late, whenEnded]);
  if (!first) {
    abandon();
    throw endedBefore();
  }
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
    abandon,
  };
}
