// Tools of the operator's port.

import type { Method } from '../../http/description.ts';
import type { Clock } from '../../kit/clock.ts';
import type { NewId } from '../../kit/ids.ts';
import type { Log } from '../../kit/log.ts';
import type { OperatingTools } from '../actions/tools.ts';
import type { Metrics } from '../metrics/metrics.ts';

export interface OperatorTools {
  clock: Clock;
  log: Log;
  newId: NewId;
  /** The token that opens everything here. */
  adminToken: string;
  metrics: Metrics;
  operating: OperatingTools;
  /** Throws if the body is too large, too slow or no text. */
  readBody(request: Request, maxBytes: number): Promise<string>;
}

export interface OperatorExchange {
  request: Request;
  requestId: string;
  params: Readonly<Record<string, string>>;
}

export interface OperatorRoute {
  method: Method;
  path: string;
  handle(tools: OperatorTools, exchange: OperatorExchange): Response | Promise<Response>;
}
