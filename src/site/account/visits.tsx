/** @jsxImportSource hono/jsx */
// Visits to the pages of the account. A visitor without a session signs in first, and then returns to the page.

import type { Env, Hono } from 'hono';
import type { Requester } from '../../accounts/keys/manage-keys.ts';
import { readSession, SessionEnded, type VisitedSession } from '../../accounts/sign-in/sessions.ts';
import { Fault, fault } from '../../faults/fault.ts';
import type { Assets } from '../assets.ts';
import { type Flash, readSessionCookie, takeFlash, writeFlash } from '../cookies.ts';
import { faultText } from '../fault-text.ts';
import { sentences } from '../format.ts';
import type { Notice } from '../frame.tsx';
import { MessagePage, type PageContext, pageContext } from '../page.tsx';
import { FormRefused } from '../read-form.ts';
import type { SiteTools } from '../tools.ts';
import { keepTyped } from '../typed-before.ts';
import { createAnswer, type Handle, type Visit } from '../visits.ts';
import { KEPT_FIELDS, MAX_FORM_BYTES, nextPath, pageOfAction, typedOf } from './forms.ts';
import { SignInPage } from './sign-in.tsx';

export interface SiteVisit extends Visit<PageContext> {
  /** The notice of the form before this page. */
  flash: Flash;
  /** To another page, which shows what this form did. */
  goWith(path: string, flash: Flash): Response;
}

export interface SignedVisit extends SiteVisit {
  session: VisitedSession;
  cookie: string;
}

interface VisitOptions {
  /** Work is refused while draining. What is sent is work unless said otherwise. */
  isWork?: boolean;
}

type Add<Kind> = (method: 'get' | 'post', path: string, handle: Handle<Kind>, options?: VisitOptions) => void;

export interface Visits {
  open: Add<SiteVisit>;
  signed: Add<SignedVisit>;
}

export function createVisits<Bindings extends Env>(app: Hono<Bindings>, tools: SiteTools, assets: Assets): Visits {
  const answer = createAnswer<PageContext, Bindings>(app, {
    log: tools.log,
    readBody: tools.readBody,
    ownUrl: tools.publicUrl,
    maxFormBytes: MAX_FORM_BYTES,
    pageOf(request) {
      const page = pageContext(request, tools, assets);
      return request.method === 'POST' ? { ...page, path: pageOfAction(page.path), query: '' } : page;
    },
    words: ({ words }) => ({ crossSite: words.account.crossSite, failed: words.frame.tryAgain }),
    explain(error, { language }) {
      const refused = error instanceof FormRefused ? fault('invalid_request') : error;
      return refused instanceof Fault ? { text: faultText(language, refused), status: refused.row.status } : undefined;
    },
    failedPage: (page, text) => <MessagePage context={page} title={page.words.frame.failedTitle} text={text} />,
  });
  const open: Visits['open'] = (method, path, handle, { isWork = method === 'post' } = {}) => {
    const check = () => {
      if (isWork && !tools.isReady()) throw fault('unavailable', { internal: 'draining' });
    };
    app.on(method.toUpperCase(), path, (context) => answer(context, (visit) => handle(withFlash(tools, visit)), check));
  };
  return {
    open,
    signed: (method, path, handle, options) => {
      const handleSigned: Handle<SiteVisit> = async (visit) => {
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
      open(method, path, handleSigned, options);
    },
  };
}

/** Whoever is signed in, as who asks for a change. */
export function askerOf({ hashSession }: SiteTools, { session, cookie }: SignedVisit): Requester {
  return { accountId: session.accountId, by: { session: hashSession(cookie) } };
}

function withFlash(tools: SiteTools, visit: Visit<PageContext>): SiteVisit {
  const { request, url, page } = visit;
  const taken = request.method === 'GET' ? takeFlash(tools, request, url.pathname) : undefined;
  const session = readSessionCookie(request.headers, tools.publicUrl) ?? '';
  return {
    ...visit,
    page: { ...page, flash: taken?.notice },
    flash: taken ?? {},
    goWith: (path, flash) => visit.go(path, [writeFlash(tools, session, path, flash)]),
    show: (html, { status, cookies = [] } = {}) =>
      visit.show(html, {
        ...(status === undefined ? {} : { status }),
        cookies: [...cookies, ...(taken?.cookies ?? [])],
      }),
  };
}

function signInFirst(visit: SiteVisit, hadSession: boolean): Response {
  const { path, query } = visit.page;
  const isSent = visit.request.method === 'POST';
  const page = { ...visit.page, isSignedIn: false };
  const typed = keepTyped(typedOf(visit), KEPT_FIELDS);
  const notice = whySignIn(visit, hadSession, typed !== '');
  const facts = { next: nextPath(path + query), notice, typed, card: visit.form.get('code') };
  return visit.show(<SignInPage context={page} {...facts} />, { status: !isSent && path === '/account' ? 200 : 401 });
}

/**
 * A form that was not processed must say so, also if the browser dropped the cookie. The page with a new key is the answer
 * to a form: when reloaded, it sends the form again.
 */
function whySignIn({ request, url, page }: SiteVisit, hadSession: boolean, isKept: boolean): Notice | undefined {
  const { account } = page.words;
  if (request.method !== 'POST') return hadSession ? { text: account.expired } : undefined;
  const showsKey = ['/account/keys', '/account/setup'].includes(url.pathname) || url.pathname.endsWith('/rotate');
  const text = showsKey ? account.lookFirst : account.notDone;
  return { text: isKept ? sentences(text, account.typedKept) : text, isBad: true };
}

/** `id` is the one in the path; empty if the path has none. */
type Act = (visit: SignedVisit, id: string) => Promise<Response>;

/**
 * Adds pages and forms below a path, for which the visitor's key must be able to manage. A refusal is shown on the page that
 * it belongs to.
 */
export function managing(
  visits: Visits,
  base: string,
  showRefused: (visit: SignedVisit, refused: Fault) => Promise<Response>,
) {
  return (method: 'get' | 'post', path: string, act: Act) =>
    visits.signed(method, base + path, async (visit) => {
      try {
        if (!visit.session.canManage) throw fault('key_not_permitted');
        return await act(visit, visit.params.id ?? '');
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return showRefused(visit, error);
      }
    });
}
