// /api/admin/ledger and losses: the audit, revenue, upstream bills, and costs that no customer paid.

import { z } from 'zod';
import { auditResult, dailyRevenue, internalAccounts, runFullAudit, writeOffs } from '../actions/ledger.ts';
import {
  LOSS_BY,
  MAX_LOSS_DAYS,
  PROFIT_BY,
  PROFIT_DAYS,
  profitFile,
  showLosses,
  showProfit,
} from '../actions/profit.ts';
import { reconcile } from '../actions/reconcile.ts';
import type { AuditPass } from '../actions/tools.ts';
import { ACTOR, type AdminOperation, amount, operation, text } from './operation.ts';

const WRITE_OFFS_SHOWN = 50;

function viewPass(pass: AuditPass | undefined): unknown {
  if (!pass) return null;
  const { wallets, entries, differences, total } = pass.report;
  return { at: pass.at, isFull: pass.isFull, ok: differences.length === 0, wallets, entries, total, differences };
}

const PROFIT_SPANS = PROFIT_DAYS.map(String) as [string, ...string[]];

export const LEDGER_OPERATIONS: readonly AdminOperation[] = [
  operation('GET /api/admin/ledger', {
    id: 'showLedger',
    summary:
      'The last audit, internal accounts, write-offs and daily revenue. Figures of a day whose usage is no longer kept are null.',
    query: z.object({ days: z.coerce.number().int().min(1).max(366).default(30) }),
    async run(tools, { query }) {
      const [house, latest, days] = await Promise.all([
        internalAccounts(tools),
        writeOffs(tools, WRITE_OFFS_SHOWN),
        dailyRevenue(tools, query.days),
      ]);
      return { audit: viewPass(auditResult(tools)), house, writeOffs: latest, days };
    },
  }),
  operation('POST /api/admin/ledger/audit', {
    id: 'auditLedger',
    summary: 'Recompute every invariant from the entries, now.',
    body: z.strictObject({}),
    run: async (tools) => viewPass(await runFullAudit(tools, ACTOR)),
  }),
  operation('POST /api/admin/ledger/reconcile', {
    id: 'reconcile',
    summary:
      'Hold an upstream’s bill (CSV) against the usage records of a channel, by the names and costs of the revision that admitted each request. A sum with an unknown part is null, and so is `ours` of a period whose usage is no longer kept; `notes` say why.',
    body: z.strictObject({
      channel: text.describe('Whose bill it is.'),
      csv: text.describe(
        'With a header: `model` (the name at the upstream, or ours), `date` (2026-11-15) or `month` (2026-11), `input_tokens`, `output_tokens`, and `amount` for what the line costs; other columns are not read.',
      ),
      rate: amount.optional().describe('NT$ for one unit of the currency of `amount`; 1 if left out.'),
    }),
    run: (tools, { body: { channel, csv, rate } }) => reconcile(tools, channel, csv, { rate, actor: ACTOR }),
  }),
  operation('GET /api/admin/losses', {
    id: 'listLosses',
    summary:
      'What upstreams billed and no customer paid, in sums by account, model, channel or reason, the largest first. A `key` of null has no channel. Losses of the reason `gateway_died` are upper bounds: at most the hold of the request. `total_ntd` also has the sums that `has_more` leaves out; `from` is later than asked for where older losses are no longer kept.',
    query: z.object({
      by: z.enum(LOSS_BY).default('reason').describe('What the losses are summed by.'),
      days: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_LOSS_DAYS)
        .default(7)
        .describe('Calendar days in Taipei, today included.'),
    }),
    async run(tools, { query }) {
      const { by, days, from, to, sums, hasMore, losses, total } = await showLosses(tools, query);
      const data = sums.map(({ key, losses: count, amount }) => ({ key, losses: count, loss: amount }));
      return { object: 'list', by, days, from, to, data, hasMore, losses, total };
    },
  }),
  operation('GET /api/admin/profit', {
    id: 'showProfit',
    summary:
      'Revenue, what upstreams bill for it (`cost`), losses and profit, by model, channel, account or day: the largest revenue first, days in their order. `profit` = revenue − `unknown_cost_revenue` − cost − loss, and `margin` is its part of the revenue whose cost is known. Requests of routes without a cost in the document are in `unknown_cost_requests`; where no cost is known, `cost`, `profit` and `margin` are null. `cards` says what was paid in advance: `owed` = `unredeemed` + `unspent`.',
    query: z.object({
      by: z.enum(PROFIT_BY).default('model').describe('What the figures are summed by.'),
      days: z.enum(PROFIT_SPANS).default('7').describe('Calendar days in Taipei, today included.'),
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
