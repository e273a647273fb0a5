// Every page of the site, in one place. Pages show the same facts as the API, from the same tables; a program that asks for
// no HTML gets text.

import type { Env, Hono } from 'hono';
import { discoveryLinks } from '../kit/discovery-links.ts';
import { requestUrl } from '../kit/request-url.ts';
import { addAccess } from './account/access.tsx';
import { addEntrance } from './account/entrance.tsx';
import { addKeyPages } from './account/key-pages.tsx';
import { addOverview } from './account/overview.tsx';
import { addPlayground } from './account/play.tsx';
import { addReceipt } from './account/receipt.tsx';
import { addRedeem } from './account/redeem.tsx';
import { addRefused } from './account/refused.tsx';
import { addSetup } from './account/setup.tsx';
import { addStatements } from './account/statements.tsx';
import { addUsage } from './account/usage.tsx';
import { createVisits, type Visits } from './account/visits.tsx';
import { addWebhooks } from './account/webhooks.tsx';
import { addAssets, createAssets } from './assets.ts';
import { createDocsLibrary } from './docs-library.ts';
import { machineTexts } from './machine-texts.ts';
import { addPublicPages, notFound } from './pages/routes.tsx';
import { pageHeaders, wantsHtml } from './respond.ts';
import type { SiteTools } from './tools.ts';

const API_PATH = /^\/(api|v1)(\/|$)/;

/** Each adds a page of the account with what its forms do. */
const ACCOUNT_PAGES: readonly ((visits: Visits, tools: SiteTools) => void)[] = [
  ...[addEntrance, addOverview, addUsage, addReceipt, addRefused, addKeyPages, addWebhooks],
  ...[addRedeem, addSetup, addPlayground, addAccess, addStatements],
];

export function addSite<Bindings extends Env>(app: Hono<Bindings>, tools: SiteTools): void {
  const assets = createAssets(tools.assetFiles);
  const library = createDocsLibrary(tools.docs, tools.publicUrl, tools.catalog);
  addAssets(app, assets, tools.publicUrl);
  for (const [path, { type, write, isOpen }] of machineTexts(tools, library)) {
    const headers = {
      'content-type': type,
      link: discoveryLinks(tools.publicUrl),
      ...pageHeaders(tools.publicUrl),
      ...(isOpen ? { 'access-control-allow-origin': '*' } : {}),
    };
    app.get(path, () => new Response(write(), { headers }));
  }
  addPublicPages(app, tools, assets, library);
  const visits = createVisits(app, tools, assets);
  for (const add of ACCOUNT_PAGES) add(visits, tools);
  // A 404 page for browsers; programs get the API's own answer.
  app.get('*', ({ req: { raw: request } }, next) =>
    wantsHtml(request) && !API_PATH.test(requestUrl(request).pathname) ? notFound(request, tools, assets) : next(),
  );
}
