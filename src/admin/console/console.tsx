/** @jsxImportSource hono/jsx */
// Every page of the console, in one place. They are served on the operator's port only.

import type { Env, Hono } from 'hono';
import { addAssets, createAssets } from '../../site/assets.ts';
import { wordsOf } from '../../site/language.ts';
import { wantsHtml } from '../../site/respond.ts';
import { addAccountPages } from './accounts/routes.tsx';
import { addCardPages } from './cards/routes.tsx';
import { addChannelPages } from './channels/routes.tsx';
import { ConsolePage } from './frame.tsx';
import { addHome } from './home.tsx';
import { addLossPage } from './ledger/losses.tsx';
import { addLedgerPages } from './ledger/overview.tsx';
import { addProfitPage } from './ledger/profit.tsx';
import { addReconcile } from './ledger/reconcile.tsx';
import { addDocumentPages } from './models/document-pages.tsx';
import { addImportPages } from './models/import-pages.tsx';
import { addPricePages } from './models/price-pages.tsx';
import { addRevisionPages } from './models/revision-pages.tsx';
import { addRefundPages } from './refunds/routes.tsx';
import { type ConsoleTools, OWN_URL } from './tools.ts';
import { type ConsoleVisits, createConsoleVisits } from './visits.tsx';
import { addActionPages } from './watch/action-pages.tsx';
import { addAlarmPages } from './watch/alarm-pages.tsx';
import { addIncidentPages } from './watch/incident-pages.tsx';

/** Each adds pages with what their forms do. */
const PAGES: readonly ((visits: ConsoleVisits, tools: ConsoleTools) => void)[] = [
  ...[addHome, addChannelPages, addPricePages, addDocumentPages, addRevisionPages, addImportPages, addCardPages],
  ...[addAccountPages, addRefundPages, addLedgerPages, addProfitPage, addLossPage, addReconcile],
  ...[addAlarmPages, addIncidentPages, addActionPages],
];

/** Routes that were added before take precedence. Other requests for a page get a 404 page. */
export function addConsole<Bindings extends Env>(app: Hono<Bindings>, tools: ConsoleTools): void {
  const assets = createAssets(tools.assetFiles);
  addAssets(app, assets, OWN_URL);
  const visits = createConsoleVisits(app, tools, assets);
  for (const add of PAGES) add(visits, tools);
  visits.rest(wantsHtml, ({ page, show }) => {
    const title = wordsOf(page.language).frame.notFoundTitle;
    const notice = { text: page.words.frame.notFound };
    return show(<ConsolePage context={page} title={title} notice={notice} />, { status: 404 });
  });
}
