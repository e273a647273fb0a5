/** @jsxImportSource hono/jsx */
// The pages of the ledger.

import type { Notice } from '../../../site/frame.tsx';
import { typed } from '../../../site/read-form.ts';
import { auditResult, dailyRevenue, houseAccounts, runFullAudit, writeOffs } from '../../actions/ledger.ts';
import { billedChannels, type Reconciled, reconcile } from '../../actions/reconcile.ts';
import type { AuditPass } from '../../actions/tools.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { LedgerPage } from './overview.tsx';
import { ReconcilePage } from './reconcile.tsx';

const DAYS = 30;
const SHOWN_WRITE_OFFS = 50;

export function addLedgerPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/ledger', (visit) => show(tools, visit, auditResult(tools)));
  visits.post('/ledger/audit', async (visit) => show(tools, visit, await runFullAudit(tools, ACTOR)));
  visits.get('/ledger/reconcile', (visit) => showReconcile(tools, visit, {}));
  visits.post(
    '/ledger/reconcile',
    (visit) => compare(tools, visit),
    (visit, notice, status) => showReconcile(tools, visit, { notice }, status),
  );
}

async function show(tools: ConsoleTools, visit: ConsoleVisit, audit: AuditPass | undefined): Promise<Response> {
  const facts = {
    audit,
    house: await houseAccounts(tools),
    revenue: await dailyRevenue(tools, DAYS),
    writeOffs: await writeOffs(tools, SHOWN_WRITE_OFFS),
  };
  return visit.show(<LedgerPage context={{ ...visit.page, path: '/ledger', query: '' }} {...facts} />);
}

interface Shown {
  result?: Reconciled;
  notice?: Notice;
}

async function showReconcile(tools: ConsoleTools, visit: ConsoleVisit, shown: Shown, status = 200): Promise<Response> {
  const facts = { channels: await billedChannels(tools), form: visit.form, ...shown };
  return visit.show(<ReconcilePage context={visit.page} {...facts} />, { status });
}

async function compare(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { form, page } = visit;
  const csv = typed(form, 'file') || typed(form, 'bill');
  const notice = { text: page.words.ledger.empty, isBad: true };
  if (csv === '') return showReconcile(tools, visit, { notice }, 422);
  const rate = typed(form, 'rate') || undefined;
  const result = await reconcile(tools, form.get('channel') ?? '', csv, { rate, actor: ACTOR });
  return showReconcile(tools, visit, { result }, result.faults.length > 0 ? 422 : 200);
}
