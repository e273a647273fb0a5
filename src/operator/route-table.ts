// Every route of the operator's port, in one place. Each of them needs the token.

import { metrics } from './routes/metrics.ts';
import type { OperatorExchange, OperatorTools } from './tools.ts';

export interface OperatorRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  handle(tools: OperatorTools, exchange: OperatorExchange): Response | Promise<Response>;
}

export const OPERATOR_ROUTES: readonly OperatorRoute[] = [{ method: 'GET', path: '/metrics', handle: metrics }];
