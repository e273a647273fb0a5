// Counts losses after they are booked. Never throws and never waits.

import type { Nano } from '../kit/money.ts';
import type { LossReason } from '../store/rows.ts';

interface MeteredLoss {
  reason: LossReason;
  model: string;
  channel: string | null;
  amount: Nano;
}

export interface LossMeter {
  booked(loss: MeteredLoss): void;
  /** The guard charged the losses of a request to its account. */
  charged(): void;
}
