// Stores refused requests every five seconds. A batch that was not stored is given again, unchanged, so that the store knows
// it if only its answer was lost.

import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { RefusalLog } from '../../limits/refusal-log.ts';
import type { RefusalBatch } from '../../store/refusals.ts';
import type { Store } from '../../store/store.ts';

const STORE_MS = 5_000;

interface RefusalJob {
  flush(): Promise<void>;
  stop(): void;
}

export function storeRefusals(store: Store, clock: Clock, log: Log, refusals: RefusalLog): RefusalJob {
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
  return { flush, stop: every(clock, STORE_MS, flush) };
}
