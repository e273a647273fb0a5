// Picks up changes of other processes (catalog, keys) within a second, with one small query.

import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Pulse } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';

/** Between the starts of two queries, however long an answer takes: cached keys must not expire in between. */
const PULSE_MS = 400;
/** An unreachable store is logged once per interval, not with every query. */
const LOG_INTERVAL_MS = 60_000;

interface FollowTools {
  store: Store;
  clock: Clock;
  log: Log;
  /** `askedAt`: monotonic time before the query. */
  onPulse(pulse: Pulse, askedAt: number): Promise<void>;
}

export function followStore({ store, clock, log, onPulse }: FollowTools): () => void {
  /** When the failure was last logged; undefined while the store answers. */
  let loggedAt: number | undefined;

  function notFollowed(error: unknown): void {
    const now = clock.monotonic();
    if (loggedAt !== undefined && now - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = now;
    log('error', 'store_not_followed', { detail: describeError(error) });
  }

  async function follow(): Promise<void> {
    try {
      const askedAt = clock.monotonic();
      const pulse = await store.read.pulse();
      await onPulse(pulse, askedAt);
    } catch (error) {
      return notFollowed(error);
    }
    if (loggedAt !== undefined) log('info', 'store_followed');
    loggedAt = undefined;
  }

  return every(clock, PULSE_MS, follow, { isFromStart: true });
}
