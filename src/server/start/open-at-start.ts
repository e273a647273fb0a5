// Opens the database at a start. If PostgreSQL cannot be reached, it waits, and callers get a store that refuses until
// the real one is set.

import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { createLateStore } from '../../store/late-store.ts';
import type { Store } from '../../store/store.ts';
import { type OpenOptions, openStore } from '../settings/open-store.ts';
import type { Settings } from '../settings/settings.ts';
import { StartEnded } from './start-refused.ts';

interface AtStartOptions extends Pick<OpenOptions, 'maxPages' | 'patienceMs' | 'meter'> {
  /** Ends the wait for a PostgreSQL that is unreachable or being upgraded by another node. */
  signal?: AbortSignal | undefined;
}

export type StartingStore = Awaited<ReturnType<typeof openAtStart>>;

/** Resolves when the database is open or known to be unreachable. Rejects with StoreRefused or StartEnded. */
export async function openAtStart(
  settings: Settings,
  clock: Clock,
  random: Random,
  { signal, ...options }: AtStartOptions,
) {
  const ending = new AbortController();
  // An embedded database is local and opens soon: no waiting.
  const mayWait = signal !== undefined && settings.databaseUrl !== undefined;
  const ended = mayWait ? AbortSignal.any([ending.signal, signal]) : ending.signal;
  const endedBefore = () => new StartEnded('stopped before the database was open');
  if (ended.aborted) throw endedBefore();
  const whenEnded = new Promise<undefined>((resolve) => {
    ended.addEventListener('abort', () => resolve(undefined));
  });
  const { promise: whenAway, resolve: onAway } = Promise.withResolvers<string>();
  // Only the first of several processes waits: another one would take a share of the port and refuse its requests.
  const wait = (settings.processIndex ?? 0) === 0 && !settings.follows ? { onAway, signal: ended } : undefined;
  const open = () => openStore(settings, clock, random, { ...options, wait });
  let opening = open();
  /** Ends all waiting, and closes the database if it still opens. */
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
  assert(pepper !== undefined, 'waiting for a database requires a configured pepper');
  let newest = store;

  return {
    /** The store to pass to all parts. */
    store,
    pepper,
    /** Why the database could not be reached at first, in one line; undefined if it could. */
    away: away?.why,
    /** The real store, once it is open; undefined if the wait was ended. Rejects with StoreRefused. */
    async opened(): Promise<Store | undefined> {
      const opened = await Promise.race([opening, whenEnded]);
      if (opened) newest = opened.store;
      return opened?.store;
    },
    /** The real store, if it is open, before others may use it. */
    newest: () => newest,
    /** Makes `store` use the newest one. */
    give: () => away?.give(newest),
    /** Waits again, for a database that failed again. */
    reopen(): void {
      opening = open();
    },
    /** Ends all waiting. */
    endWait: () => ending.abort(),
    abandon,
  };
}
