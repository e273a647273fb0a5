// Gateway state on scrape: readiness, catalog revision, the breaker of each route, alarms.

import type { Catalog } from '../../catalog/catalog.ts';
import type { BreakerState, Health } from '../../channels/health.ts';
import type { UpstreamBalances } from '../../channels/upstream-balances.ts';
import { ALARM_NAMES, ALARM_SEVERITIES, type Alarms } from '../../kit/alarms.ts';
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
  const gauge = { type: 'gauge', labels: [] } as const;
  const ready = { ...gauge, name: 'gateway_ready', help: '1 while new work is accepted, as in /readyz.' };
  metrics.read(ready, () => [[isReady() ? 1 : 0]]);
  metrics.read(
    { ...gauge, name: 'gateway_catalog_revision', help: 'The active catalog revision of this node.' },
    () => [[catalog().revision]],
  );
  metrics.read(
    { ...gauge, name: 'gateway_ledger_unbalanced', help: '1 while the ledger does not sum to zero.' },
    () => [[isUnbalanced() ? 1 : 0]],
  );
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
