/** @jsxImportSource hono/jsx */
// One visit to a page of the account: who it is, what they sent, and how they are answered. Unsafe methods are taken from
// our own pages only; whoever is not signed in is asked to, and comes back to where they were.

import type { Context, Env, Hono } from 'hono';
import { readSession, SessionEnded, type SiteSession } from '../../accounts/sign-in/sessions.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { type Connection, NO_CONNECTION } from '../../kit/connection.ts';
import { isCrossSite } from '../../kit/cross-site.ts';
import { describeError } from '../../kit/log.ts';
import { requestUrl } from '../../kit/request-url.ts';
import type { Assets } from '../assets.ts';
import { faultText } from '../fault-text.ts';
import { sentences } from '../format.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { pageContext } from '../page-context.ts';
import { MessagePage } from '../pages/message.tsx';
import { pageHeaders, pageResponse } from '../respond.ts';
import { readSessionCookie } from '../session-cookie.ts';
import type { SiteTools } from '../tools.ts';
import { createTypedBefore, keepTyped } from '../typed-before.ts';
import { KEPT_FIELDS, MAX_FORM_BYTES, nextPath, pageOfAction, typedOf } from './forms.ts';
import type { Notice } from './frame.tsx';
import { SignInPage } from './sign-in.tsx';

export interface Visit {
  request: Request;
  url: URL;
  connection: Connection;
  page: PageContext;
  params: Readonly<Record<string, string>>;
  /** Of a page: what was typed into its form before, if it came too late. */
  form: URLSearchParams;
  /** A page of this visitor's own. */
  show(html: unknown, options?: { status?: number; cookies?: readonly string[] }): Response;
  go(path: string, cookies?: readonly string[]): Response;
  /** To a page with what was typed into its form before signing in, if anything was. */
  goOn(path: string, typed: URLSearchParams, cookie: string): Response | Promise<Response>;
}

export interface SignedVisit extends Visit {
  session: SiteSession;
  cookie: string;
}

type Handle<Kind extends Visit> = (visit: Kind) => Response | Promise<Response>;

export interface VisitOptions {
  /** Work is refused while draining. What is sent is work unless said otherwise. */
  isWork?: boolean;
}

type Add<Kind extends Visit> = (
  method: 'get' | 'post',
  path: string,
  handle: Handle<Kind>,
  options?: VisitOptions,
) => void;

export interface Visits {
  open: Add<Visit>;
  signed: Add<SignedVisit>;
}

export function createVisits<Bindings extends Env>(app: Hono<Bindings>, tools: SiteTools, assets: Assets): Visits {
  const typedBefore = createTypedBefore(app);

  function visitOf(context: Context): Visit {
    const request = context.req.raw;
    const page = pageContext(request, tools, assets);
    const answered = (response: Response, cookies: readonly string[]) => {
      for (const cookie of cookies) response.headers.append('set-cookie', cookie);
      return response;
    };
    const go: Visit['go'] = (location, cookies = []) => {
      const headers = { location, 'cache-control': 'no-store', ...pageHeaders(tools.publicUrl) };
      return answered(new Response(null, { status: 303, headers }), cookies);
    };
    return {
      request,
      url: requestUrl(request),
      connection: (context.env as { connection?: Connection } | undefined)?.connection ?? NO_CONNECTION,
      page: request.method === 'POST' ? { ...page, path: pageOfAction(page.path), query: '' } : page,
      params: context.req.param(),
      form: typedBefore.of(request),
      show: (html, { status = 200, cookies = [] } = {}) =>
        answered(pageResponse(request, tools.publicUrl, String(html), { status, isPrivate: true }), cookies),
      go,
      goOn: (path, typed, cookie) =>
        typed.size === 0 ? go(path, [cookie]) : typedBefore.show(context, path, typed, cookie),
    };
  }

  async function answer(context: Context, handle: Handle<Visit>, options: VisitOptions = {}): Promise<Response> {
    const visit = visitOf(context);
    const { request, page } = visit;
    if (request.method === 'POST' && isCrossSite(request.headers, tools.publicUrl)) {
      return failed(visit, wordsOf(page.language).account.crossSite, 403);
    }
    const { isWork = request.method === 'POST' } = options;
    try {
      if (isWork && !tools.isReady()) throw fault('unavailable', { internal: 'draining' });
      return await handle(isForm(request) ? { ...visit, form: await readForm(request) } : visit);
    } catch (error) {
      if (error instanceof Fault) return failed(visit, faultText(page.language, error), error.row.status);
      tools.log('error', 'page_failed', { detail: describeError(error) });
      return failed(visit, wordsOf(page.language).frame.tryAgain, 500);
    }
  }

  async function readForm(request: Request): Promise<URLSearchParams> {
    return new URLSearchParams(await tools.readBody(request, MAX_FORM_BYTES));
  }

  return {
    open: (method, path, handle, options) => {
      app.on(method.toUpperCase(), path, (context) => answer(context, handle, options));
    },
    signed: (method, path, handle, options) => {
      const handleSigned: Handle<Visit> = async (visit) => {
        const cookie = readSessionCookie(visit.request.headers, tools.publicUrl);
        const session = await readSession(tools, cookie, tools.clock.now());
        if (!session || cookie === undefined) return signInFirst(visit, cookie !== undefined);
        try {
          return await handle({ ...visit, session, cookie });
        } catch (error) {
          if (error instanceof SessionEnded) return signInFirst(visit, true);
          throw error;
        }
      };
      app.on(method.toUpperCase(), path, (context) => answer(context, handleSigned, options));
    },
  };
}

function isForm({ method, headers }: Request): boolean {
  return method === 'POST' && (headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded');
}

function failed(visit: Visit, text: string, status: number): Response {
  const { failedTitle } = wordsOf(visit.page.language).frame;
  return visit.show(<MessagePage context={visit.page} title={failedTitle} text={text} />, { status });
}

function signInFirst(visit: Visit, hadSession: boolean): Response {
  const { path, query } = visit.page;
  const isSent = visit.request.method === 'POST';
  const page = { ...visit.page, isSignedIn: false };
  const typed = keepTyped(typedOf(visit), KEPT_FIELDS);
  const notice = whySignIn(visit, hadSession, typed !== '');
  const facts = { next: nextPath(path + query), notice, typed, card: visit.form.get('code') };
  return visit.show(<SignInPage context={page} {...facts} />, { status: !isSent && path === '/account' ? 200 : 401 });
}

/**
 * Who sent something must hear that it was not done, also when the browser has dropped the cookie by itself. The page that
 * shows a new key is the answer to a form: loaded again, it sends once more what was done before.
 */
function whySignIn(
  { request, url: { pathname }, page: { language } }: Visit,
  hadSession: boolean,
  isKept: boolean,
): Notice | undefined {
  const { account } = wordsOf(language);
  if (request.method === 'POST') {
    const showsKey = pathname === '/account/keys' || pathname.endsWith('/rotate');
    const text = showsKey ? account.lookFirst : account.notDone;
    return { text: isKept ? sentences(text, account.typedKept) : text, isBad: true };
  }
  return hadSession ? { text: account.expired } : undefined;
}
