/** @jsxImportSource hono/jsx */
// The pages of the ledger.

import { auditResult, dailyRevenue, houseAccounts, runFullAudit, writeOffs } from '../../actions/ledger.ts';
import { billedChannels, reconcile } from '../../actions/reconcile.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import type { AuditPass } from '../../actions/tools.ts';
import { typed } from '../frame/read-form.ts';
import type { ConsoleVisit, ConsoleVisits } from '../frame/visit.tsx';
import { attempt, refusalNotice, refusalStatus } from '../parts/refused.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import { consoleWords } from '../words/words.ts';
import { addLossPage } from './losses.tsx';
import { LedgerPage } from './overview.tsx';
import { ReconcilePage } from './reconcile.tsx';

const DAYS = 30;
const SHOWN_WRITE_OFFS = 50;

export function addLedgerPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/ledger', (visit) => show(tools, visit, auditResult(tools)));
  visits.post('/ledger/audit', async (visit) => show(tools, visit, await runFullAudit(tools, ACTOR)));
  addLossPage(visits, tools);
  visits.get('/ledger/reconcile', async (visit) => {
    const channels = await billedChannels(tools);
    return visit.show(<ReconcilePage context={visit.page} channels={channels} form={visit.form} />);
  });
  visits.post('/ledger/reconcile', (visit) => compare(tools, visit));
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

async function compare(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { ledger } = consoleWords(visit.page.language);
  const { form } = visit;
  const props = { context: visit.page, channels: await billedChannels(tools), form };
  const csv = typed(form, 'file') || typed(form, 'bill');
  if (csv === '') {
    return visit.show(<ReconcilePage {...props} notice={{ text: ledger.empty, isBad: true }} />, { status: 422 });
  }
  const rate = typed(form, 'rate') || undefined;
  const result = await attempt(() => reconcile(tools, form.get('channel') ?? '', csv, { rate, actor: ACTOR }));
  if (result instanceof OperatingRefused) {
    const notice = refusalNotice(visit.page.language, result);
    return visit.show(<ReconcilePage {...props} notice={notice} />, { status: refusalStatus(result) });
  }
  return visit.show(<ReconcilePage {...props} result={result} />, { status: result.faults.length > 0 ? 422 : 200 });
}
