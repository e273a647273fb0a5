// Stores refused requests every five seconds; after a failure they are stored with the next ones.

import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { RefusalLog } from '../../limits/refusal-log.ts';
import type { Store } from '../../store/store.ts';

const STORE_MS = 5_000;

interface RefusalJob {
  flush(): Promise<void>;
  stop(): void;
}

export function storeRefusals(store: Store, clock: Clock, log: Log, refusals: RefusalLog): RefusalJob {
  async function flush(): Promise<void> {
    const batches = refusals.take();
    try {
      for (let batch = batches[0]; batch; batch = batches[0]) {
        await store.recordRefusals(batch);
        batches.shift();
      }
    } catch (error) {
      for (const batch of batches) refusals.giveBack(batch);
      log('warn', 'refusals_not_stored', { detail: describeError(error) });
    }
  }
  return { flush, stop: every(clock, STORE_MS, flush) };
}
