// What other processes change (the catalog, keys) reaches this node within a second, by one small question.

import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Pulse } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';

/** From one question to the next, however long an answer takes: what is kept of keys must not run out in between. */
const PULSE_MS = 400;
/** A store that stays away is told once in this time, not with every question. */
const TELL_MS = 60_000;

export interface FollowTools {
  store: Store;
  clock: Clock;
  log: Log;
  /** `askedAt`: monotonic time, before the store was asked. */
  onPulse(pulse: Pulse, askedAt: number): Promise<void>;
}

export function followStore({ store, clock, log, onPulse }: FollowTools): () => void {
  /** When it was last told that the store is away; undefined while it answers. */
  let toldAt: number | undefined;

  function notFollowed(error: unknown): void {
    const now = clock.monotonic();
    if (toldAt !== undefined && now - toldAt < TELL_MS) return;
    toldAt = now;
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
    if (toldAt !== undefined) log('info', 'store_followed');
    toldAt = undefined;
  }

  return every(clock, PULSE_MS, follow, { isFromStart: true });
}
