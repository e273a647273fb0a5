// Every route of the operator's port, in one place. Each of them needs the token.

import { ACCOUNT_OPERATIONS } from '../api/accounts.ts';
import { CARD_OPERATIONS } from '../api/cards.ts';
import { CATALOG_OPERATIONS } from '../api/catalog.ts';
import { CHANNEL_OPERATIONS } from '../api/channels.ts';
import { LEDGER_OPERATIONS } from '../api/ledger.ts';
import { openapiDocument } from '../api/openapi.ts';
import type { AdminOperation } from '../api/operation.ts';
import { WATCH_OPERATIONS } from '../api/watch.ts';
import { METRICS_TYPE } from '../metrics/metrics.ts';
import type { OperatorRoute, OperatorTools } from './tools.ts';

export const ADMIN_OPERATIONS: readonly AdminOperation[] = [
  ...CHANNEL_OPERATIONS,
  ...CATALOG_OPERATIONS,
  ...CARD_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...LEDGER_OPERATIONS,
  ...WATCH_OPERATIONS,
];

export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  { method: 'GET', path: '/metrics', handle: showMetrics },
  { method: 'GET', path: '/openapi.json', handle: () => Response.json(openapiDocument(ADMIN_OPERATIONS)) },
  ...ADMIN_OPERATIONS,
];

/** For Prometheus and what understands its text. */
async function showMetrics({ metrics }: OperatorTools): Promise<Response> {
  return new Response(await metrics.text(), {
    headers: { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' },
  });
}
