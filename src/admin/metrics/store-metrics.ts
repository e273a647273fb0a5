// Metrics of the store: committed batches, and waiting or open work on scrape.

import type { Clock } from '../../kit/clock.ts';
import { ntdNumber } from '../../kit/money.ts';
import type { BatchMeter } from '../../store/batcher.ts';
import type { HoldSums } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import type { Metrics } from './metrics.ts';

const OPERATIONS = [1, 2, 4, 8, 16, 32, 64, 128];
const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

export function countBatches(metrics: Metrics): BatchMeter {
  const size = metrics.histogram({
    name: 'gateway_ledger_batch_operations',
    help: 'Operations that shared one commit.',
    labels: [],
    bounds: OPERATIONS,
  });
  const time = metrics.histogram({
    name: 'gateway_ledger_commit_seconds',
    help: 'Time until a batch was on disk or failed.',
    labels: ['outcome'],
    bounds: SECONDS,
  });
  const [sizes, committed, failed] = [size.of(), time.of('committed'), time.of('failed')];
  return ({ operations, ms, isCommitted }) => {
    sizes.observe(operations);
    (isCommitted ? committed : failed).observe(ms / 1000);
  };
}

interface StoreFacts {
  store: Store;
  clock: Clock;
  hasStore(): boolean;
  /** Uncommitted settlements and releases. */
  closing(): number;
}

export function readStore(metrics: Metrics, { store, clock, hasStore, closing }: StoreFacts): void {
  const gauge = { type: 'gauge', labels: [] } as const;
  metrics.read({ ...gauge, name: 'gateway_store_up', help: '1 while the store answers.' }, () => [
    [hasStore() ? 1 : 0],
  ]);
  metrics.read({ ...gauge, name: 'gateway_ledger_queue', help: 'Operations waiting for a commit.' }, () => [
    [store.waiting()],
  ]);
  metrics.read(
    { ...gauge, name: 'gateway_settlements_open', help: 'Settlements and releases that are not committed.' },
    () => [[closing()]],
  );
  const sums = once(() => store.read.holdSums());
  metrics.read({ ...gauge, name: 'gateway_holds_open', help: 'Open holds of all nodes together.' }, async () => [
    [(await sums()).open],
  ]);
  metrics.read({ ...gauge, name: 'gateway_holds_ntd', help: 'NT$ in open holds of all nodes together.' }, async () => [
    [ntdNumber((await sums()).amount)],
  ]);
  metrics.read({ ...gauge, name: 'gateway_oldest_hold_seconds', help: 'Age of the oldest open hold.' }, async () => {
    const { oldestAt } = await sums();
    return [[oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1000]];
  });
}

/** Three metrics share one query: concurrent callers get the same result. */
function once(ask: () => Promise<HoldSums>): () => Promise<HoldSums> {
  let pending: Promise<HoldSums> | undefined;
  return () => {
    pending ??= ask().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
