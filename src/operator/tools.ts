// What the operator's port works with.

import type { Clock } from '../kit/clock.ts';
import type { NewId } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import type { Metrics } from '../kit/metrics.ts';

export interface OperatorTools {
  clock: Clock;
  log: Log;
  newId: NewId;
  /** The token that opens everything here. */
  adminToken: string;
  metrics: Metrics;
}

export interface OperatorExchange {
  request: Request;
  requestId: string;
  params: Readonly<Record<string, string>>;
}
