// Picks up changes of other processes (catalog, keys) within a second, with one small query.

import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';

/** Between the starts of two queries, however long an answer takes: cached keys must not expire in between. */
const PULSE_MS = 400;
/** An unreachable store is logged once per interval, not with every query. */
const LOG_INTERVAL_MS = 60_000;

export function followStore(clock: Clock, log: Log, follow: () => Promise<void>): () => void {
  /** When the failure was last logged; undefined while the store answers. */
  let loggedAt: number | undefined;

  async function pulse(): Promise<void> {
    try {
      await follow();
    } catch (error) {
      const now = clock.monotonic();
      if (loggedAt !== undefined && now - loggedAt < LOG_INTERVAL_MS) return;
      loggedAt = now;
      log('error', 'store_not_followed', { detail: describeError(error) });
      return;
    }
    if (loggedAt !== undefined) log('info', 'store_followed');
    loggedAt = undefined;
  }

  return every(clock, PULSE_MS, pulse, { isFromStart: true });
}
