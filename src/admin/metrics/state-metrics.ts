// State of the gateway and of its store on scrape: readiness, catalog revision, the breaker of each route, alarms, waiting
// and open work; and the committed batches.

import type { Catalog } from '../../catalog/catalog.ts';
import type { BreakerState, Health } from '../../channels/health.ts';
import type { UpstreamBalances } from '../../channels/upstream-balances.ts';
import { ALARM_NAMES, ALARM_SEVERITIES, type Alarms } from '../../kit/alarms.ts';
import type { Clock } from '../../kit/clock.ts';
import { ntdNumber } from '../../kit/money.ts';
import type { BatchMeter } from '../../store/batcher.ts';
import type { HoldSums } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import type { Metrics, Reading } from './metrics.ts';

interface StateFacts {
  health: Health;
  balances: Pick<UpstreamBalances, 'get'>;
  alarms: Alarms;
  catalog(): Catalog;
  isReady(): boolean;
  isUnbalanced(): boolean;
}

const STATES = ['closed', 'open', 'probing'] as const satisfies BreakerState['state'][];

export function readState(metrics: Metrics, facts: StateFacts): void {
  const { health, balances, alarms, catalog, isReady, isUnbalanced } = facts;
  metrics.gauge('gateway_ready', '1 while new work is accepted, as in /readyz.', () => Number(isReady()));
  const revision = () => catalog().revision;
  metrics.gauge('gateway_catalog_revision', 'The active catalog revision of this node.', revision);
  metrics.gauge('gateway_ledger_unbalanced', '1 while the ledger does not sum to zero.', () => Number(isUnbalanced()));
  metrics.read(
    {
      type: 'gauge',
      name: 'gateway_breaker_state',
      help: "1 for the current state of a route's breaker, 0 for the others. Only routes of the active catalog.",
      labels: ['channel', 'upstream_model', 'state'],
    },
    () => breakers(catalog(), health.states()),
  );
  metrics.read(
    {
      type: 'gauge',
      name: 'gateway_upstream_balance',
      help: "Prepaid credit at a channel's vendor, in its currency, as it was last read.",
      labels: ['channel', 'currency'],
    },
    () =>
      [...catalog().channels.keys()].flatMap((name): Reading[] => {
        const balance = balances.get(name)?.balance;
        return balance ? [[balance.amount, name, balance.currency]] : [];
      }),
  );
  metrics.read(
    {
      type: 'counter',
      name: 'gateway_alarms_total',
      help: 'Alarms raised by this process.',
      labels: ['name', 'severity'],
    },
    () => ALARM_NAMES.map((name): Reading => [alarms.counts().get(name) ?? 0, name, ALARM_SEVERITIES[name]]),
  );
}

function breakers({ models }: Catalog, known: readonly BreakerState[]): Reading[] {
  const idOf = (channel: string, model: string) => `${channel}\n${model}`;
  const states = new Map(known.map(({ channel, model, state }) => [idOf(channel, model), state]));
  const routes = new Map(
    models.flatMap(({ routes }) => routes.map(({ channel, model }) => [idOf(channel.name, model), { channel, model }])),
  );
  return [...routes].flatMap(([id, { channel, model }]) => {
    const now = states.get(id) ?? 'closed';
    return STATES.map((state): Reading => [state === now ? 1 : 0, channel.name, model, state]);
  });
}

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
  metrics.gauge('gateway_store_up', '1 while the store answers.', () => Number(hasStore()));
  metrics.gauge('gateway_ledger_queue', 'Operations waiting for a commit.', () => store.waiting());
  metrics.gauge('gateway_settlements_open', 'Settlements and releases that are not committed.', closing);
  const sums = once(() => store.read.holdSums());
  metrics.gauge('gateway_holds_open', 'Open holds of all nodes together.', async () => (await sums()).open);
  const amount = async () => ntdNumber((await sums()).amount);
  metrics.gauge('gateway_holds_ntd', 'NT$ in open holds of all nodes together.', amount);
  metrics.gauge('gateway_oldest_hold_seconds', 'Age of the oldest open hold.', async () => {
    const { oldestAt } = await sums();
    return oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1000;
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
