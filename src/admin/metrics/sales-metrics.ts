// Metrics of sales: amounts that customers prepaid, over all nodes, and the requests that this process refused.

import { type Clock, MINUTE_MS } from '../../kit/clock.ts';
import { ntdNumber } from '../../kit/money.ts';
import type { Refusal } from '../../limits/refusal-log.ts';
import type { Store } from '../../store/store.ts';
import { type PrepaidAmounts, readPrepaidAmounts } from '../actions/profit.ts';
import type { Metrics, Reading } from './metrics.ts';

/** If the request names no model, or none that the catalog has. */
const NONE = 'none';
const PARTS = ['sold', 'redeemed', 'unredeemed', 'unspent', 'owed'] as const satisfies (keyof PrepaidAmounts)[];

/** Cards and wallets are summed up at most once a minute, however often metrics are collected. */
export function readCards(metrics: Metrics, { store, clock }: { store: Pick<Store, 'read'>; clock: Clock }): void {
  let last: { at: number; sums: Promise<PrepaidAmounts> } | undefined;
  const sums = () => {
    const at = clock.now();
    if (!last || Math.abs(at - last.at) >= MINUTE_MS) last = { at, sums: readPrepaidAmounts(store) };
    const asked = last;
    asked.sums.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.sums;
  };
  metrics.read(
    {
      type: 'gauge',
      name: 'gateway_cards_ntd',
      help: 'NT$ paid in advance, of all nodes together: cards sold and redeemed, and what customers may still use.',
      labels: ['part'],
    },
    async () => {
      const paid = await sums();
      return PARTS.map((part): Reading => [ntdNumber(paid[part]), part]);
    },
  );
}

export function countRefusals(metrics: Metrics): (refusal: Pick<Refusal, 'code' | 'model'>) => void {
  const refusals = metrics.counter({
    name: 'gateway_refusals_total',
    help: 'Requests that were refused before they were admitted, by code and model; failures of the gateway are not in it.',
    labels: ['code', 'model'],
  });
  return ({ code, model }) => refusals.of(code, model ?? NONE).add();
}
