// /api/admin/losses: what upstreams billed and no customer paid.

import { z } from 'zod';
import { LOSS_BY, MOST_LOSS_DAYS, showLosses } from '../actions/losses.ts';
import { type AdminOperation, operation } from './operation.ts';

export const LOSS_OPERATIONS: readonly AdminOperation[] = [
  operation({
    method: 'GET',
    path: '/api/admin/losses',
    id: 'listLosses',
    summary:
      'What upstreams billed and no customer paid, in sums by account, model, channel or reason, the largest first. A `key` of null has no channel. Losses of the reason `gateway_died` are upper bounds: at most the hold of the request. `total_ntd` also has the sums that `has_more` leaves out; `from` is later than asked for where older losses are no longer kept.',
    query: z.object({
      by: z.enum(LOSS_BY).default('reason').describe('What the losses are summed by.'),
      days: z.coerce
        .number()
        .int()
        .min(1)
        .max(MOST_LOSS_DAYS)
        .default(7)
        .describe('Calendar days in Taipei, today included.'),
    }),
    async run(tools, { query }) {
      const { by, days, from, to, sums, hasMore, losses, total } = await showLosses(tools, query);
      const data = sums.map(({ key, losses: count, amount }) => ({ key, losses: count, loss: amount }));
      return { object: 'list', by, days, from, to, data, hasMore, losses, total };
    },
  }),
];
