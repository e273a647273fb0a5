// One visit to a page of the account or of the console: what was sent, and how it is answered. Unsafe methods are taken from
// our own pages only, and errors are shown on a page.

import type { Context, Env, Hono } from 'hono';
import { type Connection, NO_CONNECTION } from '../kit/connection.ts';
import { isCrossSite } from '../kit/cross-site.ts';
import { describeError, type Log } from '../kit/log.ts';
import { requestUrl } from '../kit/request-url.ts';
import type { FrameContext } from './frame.tsx';
import { readForm } from './read-form.ts';
import { pageHeaders, pageResponse } from './respond.ts';
import { createTypedBefore } from './typed-before.ts';

export interface Visit<Page extends FrameContext> {
  request: Request;
  url: URL;
  connection: Connection;
  page: Page;
  params: Readonly<Record<string, string>>;
  /** The form's fields, files as text; for a page the input of its form that arrived too late. */
  form: URLSearchParams;
  /** A page of this visitor's own. */
  show(html: unknown, options?: { status?: number; cookies?: readonly string[] }): Response;
  go(path: string, cookies?: readonly string[]): Response;
  /** To a page with what was typed into its form before signing in, if anything was. */
  goOn(path: string, typed: URLSearchParams, cookie: string): Response | Promise<Response>;
}

export type Handle<Kind> = (visit: Kind) => Response | Promise<Response>;

/** The differences between the pages of the account and of the console. */
interface VisitRules<Page extends FrameContext> {
  log: Log;
  readBody(request: Request, maxBytes: number): Promise<string>;
  /** Where these pages are found. */
  ownUrl: string;
  maxFormBytes: number;
  pageOf(request: Request, url: URL): Page | Promise<Page>;
  words(page: Page): { crossSite: string; failed: string };
  /** The visitor's view of an error; undefined for a bug. */
  explain(error: unknown, page: Page): { text: string; status: number } | undefined;
  failedPage(page: Page, text: string): unknown;
}

export function createAnswer<Page extends FrameContext, Bindings extends Env>(
  app: Hono<Bindings>,
  rules: VisitRules<Page>,
) {
  const { ownUrl } = rules;
  const typedBefore = createTypedBefore(app);

  async function visitOf(context: Context): Promise<Visit<Page>> {
    const request = context.req.raw;
    const url = new URL(requestUrl(request));
    // With two slashes in front a link to it would lead to another site.
    url.pathname = url.pathname.replace(/^\/+/, '/');
    const answered = (response: Response, cookies: readonly string[]) => {
      for (const cookie of cookies) response.headers.append('set-cookie', cookie);
      return response;
    };
    const go: Visit<Page>['go'] = (location, cookies = []) => {
      const headers = { location, 'cache-control': 'no-store', ...pageHeaders(ownUrl) };
      return answered(new Response(null, { status: 303, headers }), cookies);
    };
    return {
      request,
      url,
      connection: (context.env as { connection?: Connection } | undefined)?.connection ?? NO_CONNECTION,
      page: await rules.pageOf(request, url),
      params: context.req.param(),
      form: typedBefore.of(request),
      show: (html, { status = 200, cookies = [] } = {}) =>
        answered(pageResponse(request, ownUrl, String(html), { status, isPrivate: true }), cookies),
      go,
      goOn: (path, typed, cookie) =>
        typed.size === 0 ? go(path, [cookie]) : typedBefore.show(context, path, typed, cookie),
    };
  }

  /** `check` comes before anything that was sent is read. */
  return async (context: Context, handle: Handle<Visit<Page>>, check?: () => void): Promise<Response> => {
    const visit = await visitOf(context);
    const { request, page } = visit;
    const fail = (text: string, status: number) => visit.show(rules.failedPage(page, text), { status });
    const words = rules.words(page);
    if (request.method === 'POST' && isCrossSite(request.headers, ownUrl)) return fail(words.crossSite, 403);
    try {
      check?.();
      const form = await readForm(request, (sent) => rules.readBody(sent, rules.maxFormBytes));
      return await handle(form ? { ...visit, form } : visit);
    } catch (error) {
      const shown = rules.explain(error, page);
      if (shown) return fail(shown.text, shown.status);
      rules.log('error', 'page_failed', { detail: describeError(error) });
      return fail(words.failed, 500);
    }
  };
}
