// One visit to a page of the account: who it is, what they sent, and how they are answered. Unsafe methods are taken from
// our own pages only; whoever is not signed in is asked to, and comes back to where they were.

import type { Context, Env, Hono } from 'hono';
import { readSession, type SiteSession } from '../../accounts/sessions.ts';
import { Fault } from '../../faults/fault.ts';
import { isCrossSite } from '../../kit/cross-site.ts';
import { describeError } from '../../kit/log.ts';
import type { Assets } from '../assets.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { pageContext } from '../page-context.ts';
import { MessagePage } from '../pages/message.tsx';
import { pageResponse } from '../respond.ts';
import { readSessionCookie } from '../session-cookie.ts';
import type { SiteTools } from '../tools.ts';
import { nextPath, readForm } from './forms.ts';
import type { Notice } from './frame.tsx';
import { SignInPage } from './sign-in.tsx';

export interface Visit {
  request: Request;
  url: URL;
  peer: string | undefined;
  page: PageContext;
  params: Readonly<Record<string, string>>;
  form: URLSearchParams;
  /** A page of this visitor's own. */
  show(html: unknown, options?: { status?: number; cookies?: readonly string[] }): Response;
  go(path: string, cookies?: readonly string[]): Response;
}

export interface SignedVisit extends Visit {
  session: SiteSession;
  cookie: string;
}

type Handle<Kind extends Visit> = (visit: Kind) => Response | Promise<Response>;

export interface Visits {
  open(method: 'get' | 'post', path: string, handle: Handle<Visit>): void;
  signed(method: 'get' | 'post', path: string, handle: Handle<SignedVisit>): void;
}

export function createVisits<Bindings extends Env>(app: Hono<Bindings>, tools: SiteTools, assets: Assets): Visits {
  async function visitOf(context: Context): Promise<Visit> {
    const request = context.req.raw;
    const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false;
    return {
      request,
      url: new URL(request.url),
      peer: (context.env as { peer?: string } | undefined)?.peer,
      page: pageContext(request, tools, assets),
      params: context.req.param(),
      form: (isForm ? await readForm(request) : undefined) ?? new URLSearchParams(),
      show(html, { status = 200, cookies = [] } = {}) {
        const response = pageResponse(request, tools.publicUrl, String(html), { status, isPrivate: true });
        for (const cookie of cookies) response.headers.append('set-cookie', cookie);
        return response;
      },
      go(path, cookies = []) {
        const response = new Response(null, { status: 303, headers: { location: path, 'cache-control': 'no-store' } });
        for (const cookie of cookies) response.headers.append('set-cookie', cookie);
        return response;
      },
    };
  }

  async function answer(context: Context, handle: Handle<Visit>): Promise<Response> {
    const visit = await visitOf(context);
    if (visit.request.method === 'POST' && isCrossSite(visit.request.headers, tools.publicUrl)) {
      return failed(visit, wordsOf(visit.page.language).account.crossSite, 403);
    }
    try {
      return await handle(visit);
    } catch (error) {
      if (error instanceof Fault) return failed(visit, error.publicText, error.row.status);
      tools.log('error', 'page_failed', { detail: describeError(error) });
      return failed(visit, wordsOf(visit.page.language).frame.tryAgain, 500);
    }
  }

  return {
    open: (method, path, handle) => {
      app.on(method.toUpperCase(), path, (context) => answer(context, handle));
    },
    signed: (method, path, handle) => {
      app.on(method.toUpperCase(), path, (context) =>
        answer(context, async (visit) => {
          const cookie = readSessionCookie(visit.request.headers, tools.publicUrl);
          const session = await readSession(tools, cookie, tools.clock.now());
          if (!session || cookie === undefined) return signInFirst(visit, cookie !== undefined);
          return handle({ ...visit, session, cookie });
        }),
      );
    },
  };
}

function failed(visit: Visit, text: string, status: number): Response {
  const { failedTitle } = wordsOf(visit.page.language).frame;
  return visit.show(<MessagePage context={visit.page} title={failedTitle} text={text} />, { status });
}

function signInFirst(visit: Visit, hadSession: boolean): Response {
  const { account } = wordsOf(visit.page.language);
  const notice: Notice | undefined = hadSession ? { text: account.expired } : undefined;
  const { pathname, search } = visit.url;
  const next = nextPath(visit.request.method === 'GET' ? pathname + search : pathname);
  const page = { ...visit.page, isSignedIn: false };
  const status = visit.request.method === 'GET' && pathname === '/account' ? 200 : 401;
  return visit.show(<SignInPage context={page} next={next} notice={notice} />, { status });
}
