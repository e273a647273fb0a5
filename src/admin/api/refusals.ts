// /api/admin/refusals: refused requests, so that the id that a customer quotes can be found.

import { z } from 'zod';
import { showRefusals } from '../actions/refusals.ts';
import { type AdminOperation, operation } from './operation.ts';
import { text } from './shapes.ts';

export const REFUSAL_OPERATIONS: readonly AdminOperation[] = [
  operation('GET /api/admin/refusals', {
    id: 'showRefusals',
    summary:
      'Refused requests without their content: the newest 100 of an account of the last 7 days, with counts by day, key and code of 30 days, or one by its id. Without a query: the newest 1,000 whose account is unknown, at most 250 of each code. A new one appears within 5 seconds.',
    query: z.object({ account: text.optional(), request_id: text.optional() }),
    run: (tools, { query }) => showRefusals(tools, { accountId: query.account, requestId: query.request_id }),
  }),
];
