// /api/admin/profit: what customers paid, what upstreams bill for it, and what was paid in advance.

import { z } from 'zod';
import { PROFIT_BY, PROFIT_DAYS, profitFile, showProfit } from '../actions/profit.ts';
import { type AdminOperation, operation } from './operation.ts';

const days = PROFIT_DAYS.map(String) as [string, ...string[]];

export const PROFIT_OPERATIONS: readonly AdminOperation[] = [
  operation('GET /api/admin/profit', {
    id: 'showProfit',
    summary:
      'Revenue, what upstreams bill for it (`cost`), losses and profit, by model, channel, account or day: the largest revenue first, days in their order. `profit` = revenue − `unknown_cost_revenue` − cost − loss, and `margin` is its part of the revenue whose cost is known. Requests of routes without a cost in the document are in `unknown_cost_requests`; where no cost is known, `cost`, `profit` and `margin` are null. `cards` says what was paid in advance: `owed` = `unredeemed` + `unspent`.',
    query: z.object({
      by: z.enum(PROFIT_BY).default('model').describe('What the figures are summed by.'),
      days: z.enum(days).default('7').describe('Calendar days in Taipei, today included.'),
      format: z.enum(['json', 'csv']).default('json').describe('csv: the rows as UTF-8 with a byte-order mark.'),
    }),
    isAlsoCsv: true,
    async run(tools, { query }) {
      const view = await showProfit(tools, { by: query.by, days: Number(query.days) });
      if (query.format === 'csv') return csvResponse(`profit-${view.by}-${view.to}.csv`, profitFile(view));
      const { rows, ...rest } = view;
      return { object: 'list', ...rest, data: rows };
    },
  }),
];

function csvResponse(name: string, csv: string): Response {
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  };
  return new Response(csv, { headers });
}
