// The losses of a request whose hold was swept before its close arrived: its node was paused for longer than its lease, and went
// on. The sweep has booked the hold as the loss. What upstreams bill beyond that is known only now.

import { minNano, type Nano } from '../kit/money.ts';
import type { ReleaseInput, SettleInput } from '../store/operations.ts';
import type { Loss, UsageRecord } from '../store/rows.ts';

type Swept = Pick<UsageRecord, 'model' | 'held'>;

/** The answer first, then the losses in their order: the part of each that the hold does not cover. */
export function lossesBeyondHold(input: SettleInput | ReleaseInput, { model, held }: Swept): Loss[] {
  let covered = held;
  const beyond = (amount: Nano): Nano => {
    const rest = amount > covered ? amount - covered : 0n;
    covered -= amount - rest;
    return rest;
  };
  return [...billOf(input, { model, held }), ...(input.losses?.items ?? [])]
    .map((item): Loss => ({ ...item, amount: beyond(item.amount), charge: 0n }))
    .filter(({ amount }) => amount > 0n);
}

/**
 * The upstreams' bill for the answer itself, at the sale price if the route states no cost. The excess of a settlement over the
 * hold is among the losses.
 */
function billOf(input: SettleInput | ReleaseInput, { model: asked, held }: Swept): Loss[] {
  if (!('cost' in input)) return [];
  const { model = asked, channel, upstreamCost } = input.outcome;
  const amount = upstreamCost ?? minNano(input.cost, held);
  return [{ reason: 'above_hold', model, channel, amount, charge: 0n }];
}
