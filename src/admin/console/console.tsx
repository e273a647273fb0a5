/** @jsxImportSource hono/jsx */
// Every page of the console, in one place. They are served on the operator's port only.

import type { Env, Hono } from 'hono';
import { createAssets } from '../../site/assets.ts';
import { wordsOf } from '../../site/language.ts';
import { wantsHtml } from '../../site/respond.ts';
import { assetResponse } from '../../site/site.ts';
import { addAccountPages } from './accounts/routes.tsx';
import { addCardPages } from './cards/routes.tsx';
import { addChannelPages } from './channels/routes.tsx';
import { ConsolePage } from './frame/frame.tsx';
import { createConsoleVisits, OWN_URL } from './frame/visit.tsx';
import { addHome } from './home.tsx';
import { addLedgerPages } from './ledger/routes.tsx';
import { addDocumentPages } from './models/document-pages.tsx';
import { addImportPages } from './models/import-pages.tsx';
import { addPricePages } from './models/price-pages.tsx';
import { addRevisionPages } from './models/revision-pages.tsx';
import type { ConsoleTools } from './tools.ts';
import { addActionPages } from './watch/action-pages.tsx';
import { addAlarmPages } from './watch/alarm-pages.tsx';
import { addIncidentPages } from './watch/incident-pages.tsx';
import { consoleWords } from './words/words.ts';

/** Routes that were added before come first. Of the rest, what asks for a page is told that there is none. */
export function addConsole<Bindings extends Env>(app: Hono<Bindings>, tools: ConsoleTools): void {
  const assets = createAssets(tools.assetFiles);
  app.get('/assets/:name', ({ req: { raw: request } }, next) => assetResponse(assets, request, OWN_URL) ?? next());
  const visits = createConsoleVisits(app, tools, assets);
  addHome(visits, tools);
  addChannelPages(visits, tools);
  addPricePages(visits, tools);
  addDocumentPages(visits, tools);
  addRevisionPages(visits, tools);
  addImportPages(visits, tools);
  addCardPages(visits, tools);
  addAccountPages(visits, tools);
  addLedgerPages(visits, tools);
  addAlarmPages(visits, tools);
  addIncidentPages(visits, tools);
  addActionPages(visits, tools);
  visits.rest(wantsHtml, (visit) => {
    const { language } = visit.page;
    const notice = { text: consoleWords(language).frame.notFound };
    const title = wordsOf(language).frame.notFoundTitle;
    return visit.show(<ConsolePage context={visit.page} title={title} notice={notice} />, { status: 404 });
  });
}
