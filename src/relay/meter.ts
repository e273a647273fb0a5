// Counts calls: when one is admitted, when it is over, and its outcome. It never throws and never waits.

import type { Nano } from '../kit/money.ts';
import type { Outcome } from '../store/operations.ts';

/** The labels of a call; none of them is chosen freely by the client. */
interface MeteredCall {
  endpoint: string;
  model: { id: string };
  request: { stream: boolean };
}

/** The attempt that ended an answer, timed from its own start: earlier attempts belong to other channels. */
export interface ServingAttempt {
  channel: string;
  firstTokenMs: number | null;
  totalMs: number;
}

export interface RelayMeter {
  opened(call: MeteredCall): void;
  /** Its end is committed. Without `serving`, nothing was billed. */
  closed(call: MeteredCall, outcome: Outcome, charged: Nano, serving: ServingAttempt | undefined): void;
  over(call: MeteredCall): void;
}
