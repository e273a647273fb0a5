// Every route of the operator's port, in one place. Each of them needs the token.

import { ADMIN_OPERATIONS } from '../api/operations.ts';
import { metrics } from './routes/metrics.ts';
import { openapi } from './routes/openapi.ts';
import type { OperatorRoute } from './tools.ts';

export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  { method: 'GET', path: '/metrics', handle: metrics },
  { method: 'GET', path: '/openapi.json', handle: openapi },
  ...ADMIN_OPERATIONS,
];
