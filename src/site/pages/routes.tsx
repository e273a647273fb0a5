/** @jsxImportSource hono/jsx */
// The pages that everybody may see.

import type { Env, Hono } from 'hono';
import type { Assets } from '../assets.ts';
import type { DocsLibrary } from '../docs-library.ts';
import { wordsOf } from '../language.ts';
import { pageContext } from '../page-context.ts';
import { pageResponse, wantsHtml } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { DocsPage } from './docs.tsx';
import { HomePage } from './home.tsx';
import { homeText } from './home-text.ts';
import { MessagePage } from './message.tsx';
import { PricingPage } from './pricing.tsx';
import { pricingFacts } from './pricing-facts.ts';
import { readPricingQuery } from './pricing-query.ts';
import { SecurityPage } from './security.tsx';
import { StatusPage } from './status.tsx';
import { freeFacts, statusFacts } from './status-facts.ts';

const MARKDOWN = { 'content-type': 'text/markdown; charset=utf-8' };

export function addPublicPages<Bindings extends Env>(
  app: Hono<Bindings>,
  tools: SiteTools,
  assets: Assets,
  library: DocsLibrary,
): void {
  const contextOf = (request: Request) => pageContext(request, tools, assets);
  const send = (request: Request, html: unknown) => pageResponse(request, tools.publicUrl, String(html));

  app.get('/', async ({ req: { raw: request } }) => {
    if (!wantsHtml(request)) return new Response(homeText(tools), { headers: MARKDOWN });
    const { limits } = tools.catalog();
    const facts = { limits, free: freeFacts(await tools.status()) };
    return send(request, <HomePage context={contextOf(request)} facts={facts} />);
  });

  app.get('/pricing', async ({ req: { raw: request } }) => {
    const facts = await pricingFacts(tools);
    const query = readPricingQuery(new URL(request.url).searchParams);
    return send(request, <PricingPage context={contextOf(request)} facts={facts} query={query} />);
  });

  app.get('/status', async ({ req: { raw: request } }) =>
    send(request, <StatusPage context={contextOf(request)} facts={statusFacts(await tools.status())} />),
  );

  app.get('/security', ({ req: { raw: request } }) => send(request, <SecurityPage context={contextOf(request)} />));

  app.get('/docs', ({ req: { raw: request } }) =>
    send(request, <DocsPage context={contextOf(request)} library={library} page={undefined} />),
  );

  app.get('/docs/:page', ({ req }) => {
    const context = contextOf(req.raw);
    const [name = '', extension] = req.param('page').split('.');
    const page = library.find(name, context.language);
    if (page && (extension === 'md' || !wantsHtml(req.raw))) return new Response(page.markdown, { headers: MARKDOWN });
    if (page && extension === undefined) {
      return send(req.raw, <DocsPage context={context} library={library} page={page} />);
    }
    return notFound(req.raw, tools, assets);
  });
}

export function notFound(request: Request, tools: SiteTools, assets: Assets): Response {
  const context = pageContext(request, tools, assets);
  const { frame } = wordsOf(context.language);
  const page = <MessagePage context={context} title={frame.notFoundTitle} text={frame.notFound} />;
  return pageResponse(request, tools.publicUrl, String(page), { status: 404 });
}
