/** @jsxImportSource hono/jsx */
// One visit to a page of the console: what was sent, and how it is answered. Nothing is shown without a session, and
// nothing is done but from our own pages, under a name of this machine.

import type { Context, Env, Hono } from 'hono';
import { Fault } from '../../../faults/fault.ts';
import { isCrossSite } from '../../../kit/cross-site.ts';
import { describeError } from '../../../kit/log.ts';
import type { Assets } from '../../../site/assets.ts';
import { sentences } from '../../../site/format.ts';
import { chooseLanguage, wordsOf } from '../../../site/language.ts';
import { pageHeaders, pageResponse } from '../../../site/respond.ts';
import { createTypedBefore, keepTyped, readTyped, TYPED_FIELD } from '../../../site/typed-before.ts';
import { listAlarms } from '../../actions/alarms.ts';
import { hasControls } from '../../actions/read-input.ts';
import { invalid, notFound, OperatingRefused } from '../../actions/refused.ts';
import { operatorFaultText, refusalNotice, refusalStatus } from '../parts/refused.ts';
import type { ConsoleTools } from '../tools.ts';
import { consoleWords } from '../words/words.ts';
import { type ConsoleContext, ConsolePage, MOST_COUNTED } from './frame.tsx';
import { KEPT_FIELDS } from './kept-fields.ts';
import { createOnce, type Once } from './once.ts';
import { createPagePaths, type PagePaths } from './page-paths.ts';
import { FormRefused, isForm, readForm } from './read-form.ts';
import { createConsoleSessions } from './sessions.ts';
import { SignInPage, signInStatus } from './sign-in.tsx';

export interface ConsoleVisit {
  request: Request;
  url: URL;
  page: ConsoleContext;
  params: Readonly<Record<string, string>>;
  /** What the form carries, files as their text; of a page what was typed into its form before, if it came too late. */
  form: URLSearchParams;
  once: Once;
  show(html: unknown, options?: { status?: number; cookie?: string }): Response;
  go(path: string, cookie?: string): Response;
}

export type HandleVisit = (visit: ConsoleVisit) => Response | Promise<Response>;

export interface ConsoleVisits {
  get(path: string, handle: HandleVisit): void;
  /** What a browser saves: no page, so nobody is led there after signing in. */
  file(path: string, handle: HandleVisit): void;
  post(path: string, handle: HandleVisit): void;
  /** Whatever else is asked for, if it is `wanted` here. */
  rest(wanted: (request: Request) => boolean, handle: HandleVisit): void;
}

/** The port listens on loopback as plain HTTP, whatever the public address of the service is. */
export const OWN_URL = 'http://127.0.0.1';

export function createConsoleVisits<Bindings extends Env>(
  app: Hono<Bindings>,
  tools: ConsoleTools,
  assets: Assets,
): ConsoleVisits {
  const sessions = createConsoleSessions(tools.clock, tools.random);
  const once = createOnce(tools.random);
  const pages = createPagePaths();
  const typedBefore = createTypedBefore(app);

  async function visitOf(context: Context): Promise<ConsoleVisit> {
    const request = context.req.raw;
    const url = new URL(request.url);
    // With two slashes in front a link to it would lead to another site.
    url.pathname = url.pathname.replace(/^\/+/, '/');
    const isSignedIn = sessions.has(request.headers);
    const answered = (response: Response, cookie: string | undefined) => {
      if (cookie !== undefined) response.headers.append('set-cookie', cookie);
      return response;
    };
    return {
      request,
      url,
      page: {
        language: chooseLanguage(request),
        siteName: tools.siteName,
        publicUrl: tools.publicUrl,
        assets,
        ...(request.method === 'POST' ? pages.nearest(url) : { path: url.pathname, query: url.search }),
        isSignedIn,
        openAlarms: isSignedIn ? await countOpenAlarms(tools) : undefined,
      },
      params: context.req.param(),
      form: typedBefore.of(request),
      once,
      show: (html, { status = 200, cookie } = {}) =>
        answered(pageResponse(request, OWN_URL, String(html), { status, isPrivate: true }), cookie),
      go(location, cookie) {
        const headers = { location, 'cache-control': 'no-store', ...pageHeaders(OWN_URL) };
        return answered(new Response(null, { status: 303, headers }), cookie);
      },
    };
  }

  async function answer(context: Context, handle: HandleVisit): Promise<Response> {
    const visit = await visitOf(context);
    const { request, page } = visit;
    const { frame } = consoleWords(page.language);
    if (isCrossSite(request.headers, OWN_URL) && request.method !== 'GET') return failed(visit, frame.crossSite, 403);
    try {
      const sent = isForm(request) ? { ...visit, form: await readForm(tools, request) } : visit;
      refuseControls(sent);
      return await handle(sent);
    } catch (error) {
      if (error instanceof OperatingRefused) {
        return failed(visit, refusalNotice(page.language, error).text, refusalStatus(error));
      }
      if (error instanceof FormRefused) return failed(visit, consoleWords(page.language).forms[error.problem], 400);
      if (error instanceof Fault) return failed(visit, operatorFaultText(page.language, error), error.row.status);
      tools.log('error', 'page_failed', { detail: describeError(error) });
      return failed(visit, frame.failed, 500);
    }
  }

  const serve = (context: Context, handle: HandleVisit) =>
    answer(context, (visit) => (visit.page.isSignedIn ? handle(visit) : askForToken(visit, pages, 401)));

  pages.add('/sign-in');
  app.get('/sign-in', (context) =>
    answer(context, (visit) => (visit.page.isSignedIn ? visit.go('/') : askForToken(visit, pages, 200))),
  );
  app.post('/sign-in', (context) =>
    answer(context, async (visit) => {
      const { form } = visit;
      const next = nextPath(form.get('next'));
      const typed = readTyped(form.get(TYPED_FIELD), KEPT_FIELDS);
      const found = await tools.checkToken(form.get('token') ?? '');
      if (found === 'right') {
        const cookie = sessions.open(visit.request.headers);
        return typed.size === 0 ? visit.go(next, cookie) : typedBefore.show(context, next, typed, cookie);
      }
      const { signIn } = consoleWords(visit.page.language);
      const notice = { text: found === 'wrong' ? signIn.wrong : signIn.tooMany, isBad: true };
      const page = <SignInPage context={visit.page} next={next} typed={String(typed)} notice={notice} />;
      return visit.show(page, { status: signInStatus(found) });
    }),
  );
  app.post('/sign-out', (context) =>
    answer(context, (visit) => visit.go('/sign-in', sessions.end(visit.request.headers))),
  );
  return {
    get(path, handle) {
      pages.add(path);
      app.get(path, (context) => serve(context, handle));
    },
    file: (path, handle) => void app.get(path, (context) => serve(context, handle)),
    post: (path, handle) => void app.post(path, (context) => serve(context, handle)),
    rest: (wanted, handle) =>
      void app.get('*', (context, next) => (wanted(context.req.raw) ? serve(context, handle) : next())),
  };
}

/** Undefined where the store cannot tell: the page is answered without the figure. */
async function countOpenAlarms(tools: ConsoleTools): Promise<number | undefined> {
  try {
    return (await listAlarms(tools, MOST_COUNTED + 1, { openOnly: true })).length;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function refuseControls({ params, url, form }: ConsoleVisit): void {
  for (const [name, value] of Object.entries(params)) {
    if (hasControls(value)) throw notFound(`${name} with control characters`);
  }
  for (const [name, value] of [...url.searchParams, ...form]) {
    if (hasControls(value)) throw invalid(name, 'must be without control characters');
  }
}

/** What a form wanted to do is not done after signing in: who sent it hears so, and its page is shown again, with what
 * was typed. */
function askForToken(visit: ConsoleVisit, pages: PagePaths, status: number): Response {
  const { path, query } = pages.nearest(visit.url);
  const { notDone, typedKept } = consoleWords(visit.page.language).signIn;
  const typed = keepTyped(visit.form, KEPT_FIELDS);
  const text = typed === '' ? notDone : sentences(notDone, typedKept);
  const notice = visit.request.method === 'POST' ? { text, isBad: true } : undefined;
  const facts = { next: nextPath(path + query), typed, notice };
  return visit.show(<SignInPage context={visit.page} {...facts} />, { status });
}

/** Only a page of the console, never another site. */
function nextPath(given: string | null): string {
  return given && /^\/(?!sign-in)[a-z][\w./:-]*(\?[^#\s\\]*)?$/.test(given) ? given : '/';
}

function failed(visit: ConsoleVisit, text: string, status: number): Response {
  const { failedTitle } = wordsOf(visit.page.language).frame;
  const page = <ConsolePage context={visit.page} title={failedTitle} notice={{ text, isBad: true }} />;
  return visit.show(page, { status });
}
