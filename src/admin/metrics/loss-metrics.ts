// Losses: what upstreams bill and no customer pays.

import { ntdNumber } from '../../kit/money.ts';
import type { LossMeter } from '../../ledger/loss-meter.ts';
import type { Metrics } from './metrics.ts';

/** If the channel is unknown. */
const NONE = 'none';

export function countLosses(metrics: Metrics): LossMeter {
  const losses = metrics.counter({
    name: 'gateway_losses_ntd_total',
    help: 'NT$ that upstreams bill and no customer pays. The ledger is exact, this is a floating-point sum.',
    labels: ['reason', 'model', 'channel'],
  });
  const charged = metrics
    .counter({
      name: 'gateway_loss_guard_total',
      help: 'Requests whose losses were charged, because the account had reached guards.loss_per_account_day.',
      labels: [],
    })
    .of();
  return {
    booked({ reason, model, channel, amount }) {
      if (amount > 0n) losses.of(reason, model, channel ?? NONE).add(ntdNumber(amount));
    },
    charged: () => charged.add(),
  };
}
