// Stores the traffic sums every minute; after a failure they are stored a minute later.

import type { Traffic } from '../../channels/traffic.ts';
import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';

const STORE_MS = 60_000;

interface TrafficJob {
  flush(): Promise<void>;
  stop(): void;
}

export function storeTraffic(store: Store, clock: Clock, log: Log, traffic: Traffic): TrafficJob {
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
  return { flush, stop: every(clock, STORE_MS, flush) };
}
