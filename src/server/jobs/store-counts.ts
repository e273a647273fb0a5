// Stores what is counted in memory: traffic sums every minute, and refused requests every five seconds.

import type { Traffic } from '../../channels/traffic.ts';
import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { RefusalLog } from '../../limits/refusal-log.ts';
import type { RefusalBatch } from '../../store/refusals.ts';
import type { Store } from '../../store/store.ts';

const TRAFFIC_MS = 60_000;
const REFUSALS_MS = 5_000;

/** After a failure they are stored a minute later. */
export function storeTraffic(store: Store, clock: Clock, log: Log, traffic: Traffic) {
  async function flush(): Promise<void> {
    const sums = traffic.takeSums();
    if (sums.length === 0) return;
    try {
      await store.commit('traffic', { sums });
    } catch (error) {
      traffic.giveBack(sums);
      log('warn', 'traffic_not_stored', { detail: describeError(error) });
    }
  }
  return { flush, stop: every(clock, TRAFFIC_MS, flush) };
}

/** A batch that was not stored is given again, unchanged, so that the store knows it if only its answer was lost. */
export function storeRefusals(store: Store, clock: Clock, log: Log, refusals: RefusalLog) {
  let pending: RefusalBatch[] = [];
  let last = Promise.resolve();

  async function storePending(): Promise<void> {
    for (let batch = pending[0]; batch; batch = pending[0]) {
      await store.recordRefusals(batch);
      pending.shift();
    }
  }

  async function storeAll(): Promise<void> {
    try {
      await storePending();
      pending = refusals.take();
      await storePending();
    } catch (error) {
      log('warn', 'refusals_not_stored', { detail: describeError(error) });
    }
  }

  /** One after the other: a stop may come while batches are written. */
  const flush = () => {
    last = last.then(storeAll);
    return last;
  };
  return { flush, stop: every(clock, REFUSALS_MS, flush) };
}
