// What other processes change (the catalog, keys) reaches this node within a second, by one small question.

import { type Clock, every } from '../kit/clock.ts';
import { describeError, type Log } from '../kit/log.ts';
import type { Pulse } from '../store/reads.ts';
import type { Store } from '../store/store.ts';

const PULSE_MS = 400;

export function followStore(
  store: Store,
  clock: Clock,
  log: Log,
  onPulse: (pulse: Pulse) => Promise<void>,
): () => void {
  return every(clock, PULSE_MS, async () => {
    try {
      await onPulse(await store.read.pulse());
    } catch (error) {
      log('error', 'store_not_followed', { detail: describeError(error) });
    }
  });
}
