/** @jsxImportSource hono/jsx */
// The public pages: HTML for browsers, Markdown for clients that did not ask for HTML.

import type { Env, Hono } from 'hono';
import type { Retirement } from '../../catalog/schedule.ts';
import { ATOM_FEED, CHANGELOG_PATH, discoveryLinks, JSON_FEED } from '../../kit/discovery-links.ts';
import { requestUrl } from '../../kit/request-url.ts';
import type { Assets } from '../assets.ts';
import { atomFeed, jsonFeed } from '../changelog/feeds.ts';
import type { DocsLibrary } from '../docs-library.ts';
import { MAX_QUERY_CHARS, searchDocs } from '../docs-search.ts';
import { chooseLanguage, type Language, toLanguage } from '../language.ts';
import { MessagePage, pageContext } from '../page.tsx';
import { feedResponse, pageHeaders, pageResponse, textResponse, wantsHtml } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { ChangelogPage } from './changelog.tsx';
import { DocsPage, DocsSearchPage } from './docs.tsx';
import { HomePage, homeFacts } from './home.tsx';
import { ModelPage, RetiredModelPage } from './model.tsx';
import { modelFacts, modelPath } from './model-facts.ts';
import {
  changelogText,
  docsText,
  docText,
  foundText,
  homeText,
  modelText,
  pricingText,
  securityText,
  statusText,
} from './plain-text.ts';
import { PricingPage } from './pricing.tsx';
import { pricingFacts, readPricingQuery } from './pricing-models.ts';
import { SecurityPage } from './security.tsx';
import { StatusPage } from './status.tsx';

export function addPublicPages<Bindings extends Env>(
  app: Hono<Bindings>,
  tools: SiteTools,
  assets: Assets,
  library: DocsLibrary,
): void {
  const contextOf = (request: Request) => pageContext(request, tools, assets);
  const send = (request: Request, html: unknown) => pageResponse(request, tools.publicUrl, String(html));
  const sendText = (request: Request, write: (language: Language) => string) => {
    const language = chooseLanguage(request);
    return textResponse(tools.publicUrl, language, write(language));
  };

  const leadTo = (location: string) =>
    new Response(null, { status: 302, headers: { location, ...pageHeaders(tools.publicUrl) } });
  const sendRetired = (request: Request, id: string, retirement: Retirement) => {
    const page = <RetiredModelPage context={contextOf(request)} id={id} retirement={retirement} />;
    return pageResponse(request, tools.publicUrl, String(page), { status: 410 });
  };

  const sendFound = (request: Request, query: string) => {
    const hits = searchDocs(library, chooseLanguage(request), query);
    if (!wantsHtml(request)) return sendText(request, (language) => foundText(language, tools.publicUrl, query, hits));
    return send(request, <DocsSearchPage context={contextOf(request)} query={query} hits={hits} />);
  };

  app.get('/', async ({ req: { raw: request } }) => {
    const facts = await homeFacts(tools);
    const response = wantsHtml(request)
      ? send(request, <HomePage context={contextOf(request)} facts={facts} />)
      : sendText(request, (language) => homeText(language, tools, facts));
    response.headers.set('link', discoveryLinks(tools.publicUrl));
    return response;
  });

  app.get('/pricing', async ({ req: { raw: request } }) => {
    const facts = await pricingFacts(tools);
    const query = readPricingQuery(requestUrl(request).searchParams);
    if (!wantsHtml(request)) return sendText(request, (language) => pricingText(language, facts, query));
    return send(request, <PricingPage context={contextOf(request)} facts={facts} query={query} />);
  });

  app.get('/models', () => leadTo('/pricing'));

  // An alias leads to the model that it names.
  app.get('/models/:id', async ({ req }, next) => {
    const { find, retired } = tools.catalog();
    const asked = req.param('id');
    const gone = retired.get(asked);
    if (gone?.retirement) return sendRetired(req.raw, gone.id, gone.retirement);
    const model = find(asked);
    if (!model) return next();
    if (model.id !== asked) return leadTo(modelPath(model.id));
    const facts = await modelFacts(tools, model);
    if (!wantsHtml(req.raw)) return sendText(req.raw, (language) => modelText(language, tools.publicUrl, facts));
    return send(req.raw, <ModelPage context={contextOf(req.raw)} model={facts} />);
  });

  app.get('/status', async ({ req: { raw: request } }) => {
    const facts = await tools.status();
    if (!wantsHtml(request)) return sendText(request, (language) => statusText(language, facts));
    return send(request, <StatusPage context={contextOf(request)} facts={facts} />);
  });

  app.get('/security', ({ req: { raw: request } }) => {
    const { usage_months: months } = tools.catalog().guards;
    const { securityContact: contact } = tools;
    if (!wantsHtml(request)) return sendText(request, (language) => securityText(language, months, contact));
    return send(request, <SecurityPage context={contextOf(request)} usageMonths={months} contact={contact} />);
  });

  app.get(CHANGELOG_PATH, ({ req: { raw: request } }) => {
    if (!wantsHtml(request)) return sendText(request, (language) => changelogText(language, tools.publicUrl));
    return send(request, <ChangelogPage context={contextOf(request)} />);
  });
  for (const [{ path, type }, write] of [[JSON_FEED, jsonFeed] as const, [ATOM_FEED, atomFeed] as const]) {
    app.get(path, ({ req: { raw: request } }) => {
      const language = chooseLanguage(request);
      return feedResponse(tools.publicUrl, language, type, write(tools, language));
    });
  }

  app.get('/docs', ({ req: { raw: request } }) => {
    const query = (requestUrl(request).searchParams.get('q') ?? '').slice(0, MAX_QUERY_CHARS).trim();
    if (query !== '') return sendFound(request, query);
    if (!wantsHtml(request)) return sendText(request, (language) => docsText(language, library, tools.publicUrl));
    return send(request, <DocsPage context={contextOf(request)} library={library} page={undefined} />);
  });

  // Unknown pages are left to the last route.
  app.get('/docs/:page', ({ req }, next) => {
    const folder = toLanguage(req.param('page'));
    if (folder) return leadTo(`/docs?lang=${folder}`);
    const context = contextOf(req.raw);
    const [, name = '', extension] = /^([\w-]+)(\.md)?$/.exec(req.param('page')) ?? [];
    const page = library.find(name, context.language);
    if (!page) return next();
    if (extension || !wantsHtml(req.raw)) {
      return textResponse(tools.publicUrl, page.language, docText(context.language, page));
    }
    return send(req.raw, <DocsPage context={context} library={library} page={page} />);
  });

  // A chapter of a page; or where the file stands in the project, which leads to the page in that language.
  app.get('/docs/:folder/:page', ({ req }, next) => {
    const language = toLanguage(req.param('folder'));
    const [file, name = '', extension] = /^([\w-]+)(\.md)?$/.exec(req.param('page')) ?? [];
    if (language) return library.find(name, language) ? leadTo(`/docs/${file}?lang=${language}`) : next();
    const context = contextOf(req.raw);
    const page = library.find(req.param('folder'), context.language);
    const chapter = page?.chapters.find(({ slug }) => slug === name);
    if (!page || !chapter) return next();
    if (extension || !wantsHtml(req.raw)) return leadTo(`/docs/${page.name}.md#${encodeURIComponent(chapter.id)}`);
    return send(req.raw, <DocsPage context={context} library={library} page={page} chapter={chapter} />);
  });
}

export function notFound(request: Request, tools: SiteTools, assets: Assets): Response {
  const context = pageContext(request, tools, assets);
  const { frame } = context.words;
  const page = <MessagePage context={context} title={frame.notFoundTitle} text={frame.notFound} />;
  return pageResponse(request, tools.publicUrl, String(page), { status: 404 });
}
