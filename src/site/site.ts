// Every page of the site, in one place: its path, and who may see it. Pages show the same facts as the API, from the same
// tables; a program that asks for no HTML gets text.

import type { Env, Hono } from 'hono';
import { requestUrl } from '../kit/request-url.ts';
import { addAccountPages } from './account/routes.tsx';
import { type Assets, createAssets } from './assets.ts';
import { createDocsLibrary } from './docs-library.ts';
import { machineTexts } from './machine-texts.ts';
import { addPublicPages, notFound } from './pages/routes.tsx';
import { pageHeaders, wantsHtml } from './respond.ts';
import type { SiteTools } from './tools.ts';

const API_PATH = /^\/(api|v1)(\/|$)/;
const YEAR_S = 31_536_000;

export function addSite<Bindings extends Env>(app: Hono<Bindings>, tools: SiteTools): void {
  const assets = createAssets(tools.assetFiles);
  const library = createDocsLibrary(tools.docs, tools.publicUrl);
  app.get('/assets/:name', (context, next) => {
    const asset = assetResponse(assets, context.req.raw, tools.publicUrl);
    return asset ?? next();
  });
  const plain = { 'content-type': 'text/plain; charset=utf-8', ...pageHeaders(tools.publicUrl) };
  for (const [path, write] of machineTexts(tools, library)) {
    app.get(path, () => new Response(write(), { headers: plain }));
  }
  addPublicPages(app, tools, assets, library);
  addAccountPages(app, tools, assets);
  // People who lost their way; programs get the API's own answer.
  app.get('*', ({ req: { raw: request } }, next) =>
    wantsHtml(request) && !API_PATH.test(requestUrl(request).pathname) ? notFound(request, tools, assets) : next(),
  );
}

export function assetResponse(assets: Assets, request: Request, publicUrl: string): Response | undefined {
  const asset = assets.find(requestUrl(request).pathname);
  if (!asset) return undefined;
  const isGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  return new Response(new Uint8Array(isGzip ? asset.gzipped : asset.body), {
    headers: {
      'content-type': asset.type,
      'cache-control': `public, max-age=${YEAR_S}, immutable`,
      vary: 'accept-encoding',
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
      ...pageHeaders(publicUrl),
    },
  });
}
