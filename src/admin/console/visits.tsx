/** @jsxImportSource hono/jsx */
// Visits to the pages of the console. Nothing is shown without a session, and nothing is done but from our own pages, under a
// name of this machine. What only takes a form lies below the page that has the form: that one can be asked for again, in the
// other language or after signing in.

import type { Context, Env, Hono } from 'hono';
import { Fault } from '../../faults/fault.ts';
import type { Random } from '../../kit/random.ts';
import type { Assets } from '../../site/assets.ts';
import type { Flash } from '../../site/cookies.ts';
import { sentences } from '../../site/format.ts';
import type { Notice } from '../../site/frame.tsx';
import { chooseLanguage, wordsOf } from '../../site/language.ts';
import { Submit } from '../../site/parts/button.tsx';
import { Hidden, TextField } from '../../site/parts/field.tsx';
import { FormRefused } from '../../site/read-form.ts';
import { type KeptFields, keepTyped, readTyped, TYPED_FIELD } from '../../site/typed-before.ts';
import { createAnswer, type Handle, type Visit } from '../../site/visits.ts';
import { groupOpenAlarms, listAlarms } from '../actions/alarms.ts';
import { type ChannelDrafts, createChannelDrafts } from '../actions/channel-drafts.ts';
import { hasControls } from '../actions/read-input.ts';
import { invalid, notFound, OperatingRefused } from '../actions/refused.ts';
import {
  ConfirmPage,
  type ConfirmProps,
  type ConsoleContext,
  ConsolePage,
  MAX_COUNTED,
  type OpenAlarmCount,
} from './frame.tsx';
import { operatorFaultText, refusalNotice, refusalStatus, SentInVain, type Shown } from './refused.ts';
import { createConsoleSessions } from './sessions.ts';
import { type ConsoleTools, OWN_URL } from './tools.ts';
import { consoleWords } from './words/words.ts';

export interface ConsoleVisit extends Visit<ConsoleContext> {
  tools: ConsoleTools;
  once: Once;
  drafts: ChannelDrafts;
  /** The notice of the form before this page. */
  flash: Flash;
  /** To another page, which shows once what this form did. */
  goWith(path: string, flash: Flash): Response;
  /** The page that asks whether to go on. */
  ask(question: Omit<ConfirmProps, 'context'> & Partial<Pick<ConfirmProps, 'context'>>, status?: number): Response;
}

type HandleVisit = Handle<ConsoleVisit>;

/** Shows the page again with what was refused. Without what its address names there is no page to show. */
type ShowAgain = (visit: ConsoleVisit, shown: Shown) => Promise<Response>;

export type ConsoleVisits = ReturnType<typeof createConsoleVisits>;

/** A document, a price list or ten thousand cards. */
const MAX_FORM_BYTES = 4 * 1024 * 1024;

const KEPT_NAMES: ReadonlySet<string> = new Set([
  ...['amount', 'kind', 'reason', 'name', 'nickname', 'address', 'count', 'expires', 'note'],
  ...['fee', 'card', 'billing_name', 'tax_id'],
  ...['titleEn', 'titleZh', 'textEn', 'textZh', 'started', 'ended', 'endedBefore'],
  ...['list', 'bill', 'rate', 'markup', 'channel', 'cost', 'free'],
]);
/** The revision that was edited: what others have done since must be seen. */
const BASE = 'base';

/** Carried over a sign-in. Not the token, and not the document, whose text may hold keys of upstreams; nor what is no field
 * of a form that can be filled in: tickets, confirmations, files. */
const KEPT_FIELDS: KeptFields = {
  has: (name) => KEPT_NAMES.has(name) || /^(sale|cost)-/.test(name) || name === BASE,
  pages: BASE,
  mostChars: 1024 * 1024,
};

export function createConsoleVisits<Bindings extends Env>(app: Hono<Bindings>, tools: ConsoleTools, assets: Assets) {
  const sessions = createConsoleSessions(tools.clock, tools.random);
  const once = createOnce(tools.random);
  const drafts = createChannelDrafts(tools.clock, tools.random);
  const pages: RegExp[] = [];
  const addPage = (route: string) => void pages.push(new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`));
  const isPage = (path: string) => path === '/' || pages.some((page) => page.test(path));

  /** The page itself, or the nearest one above what is none. */
  function nearestPage({ pathname, search }: URL): { path: string; query: string } {
    if (isPage(pathname)) return { path: pathname, query: search };
    let path = pathname;
    while (!isPage(path)) path = path.slice(0, path.lastIndexOf('/')) || '/';
    return { path, query: '' };
  }

  const answer = createAnswer<ConsoleContext, Bindings>(app, {
    log: tools.log,
    readBody: tools.readBody,
    ownUrl: OWN_URL,
    maxFormBytes: MAX_FORM_BYTES,
    async pageOf(request, url) {
      const language = chooseLanguage(request);
      const isSignedIn = sessions.has(request.headers, url.pathname);
      return {
        language,
        words: consoleWords(language),
        siteName: tools.siteName,
        publicUrl: tools.publicUrl,
        assets,
        ...(request.method === 'POST' ? nearestPage(url) : { path: url.pathname, query: url.search }),
        isSignedIn,
        openAlarms: isSignedIn ? await countOpenAlarms(tools) : undefined,
      };
    },
    words: ({ words }) => words.frame,
    explain(error, { language, words }) {
      if (error instanceof OperatingRefused) {
        return { text: refusalNotice(language, error).text, status: refusalStatus(error) };
      }
      if (error instanceof FormRefused) return { text: words.forms[error.problem], status: 400 };
      if (!(error instanceof Fault)) return undefined;
      return { text: operatorFaultText(language, error), status: error.row.status };
    },
    failedPage: (page, text) => (
      <ConsolePage context={page} title={wordsOf(page.language).frame.failedTitle} notice={{ text, isBad: true }} />
    ),
  });

  const receive = (context: Context, handle: HandleVisit) =>
    answer(context, (visit) => {
      refuseControls(visit);
      const { request, url } = visit;
      const { headers } = request;
      const flash = request.method === 'GET' ? sessions.take(headers, url.pathname) : {};
      const page = { ...visit.page, flash: flash.notice };
      const goWith: ConsoleVisit['goWith'] = (path, left) => {
        sessions.leave(headers, new URL(path, url).pathname, left);
        return visit.go(path);
      };
      const ask: ConsoleVisit['ask'] = (question, status = 200) =>
        visit.show(<ConfirmPage context={page} {...question} />, { status });
      return handle({ ...visit, page, tools, once, drafts, flash, goWith, ask });
    });

  const serve = (context: Context, handle: HandleVisit) =>
    receive(context, (visit) => (visit.page.isSignedIn ? handle(visit) : askForToken(visit, 401)));

  /**
   * A form that was sent without a session is not executed after signing in. A notice says so, and its page is shown again
   * with the input.
   */
  function askForToken(visit: ConsoleVisit, status: number): Response {
    const { path, query } = nearestPage(visit.url);
    const { notDone, typedKept } = visit.page.words.signIn;
    const typed = keepTyped(visit.form, KEPT_FIELDS);
    const text = typed === '' ? notDone : sentences(notDone, typedKept);
    const notice = visit.request.method === 'POST' ? { text, isBad: true } : undefined;
    return visit.show(signInPage(visit.page, nextPath(path + query), typed, notice), { status });
  }

  addPage('/sign-in');
  app.get('/sign-in', (context) =>
    receive(context, (visit) => (visit.page.isSignedIn ? visit.go('/') : askForToken(visit, 200))),
  );
  app.post('/sign-in', (context) =>
    receive(context, async (visit) => {
      const { form, page } = visit;
      const { signIn } = page.words;
      const next = nextPath(form.get('next'));
      const typed = readTyped(form.get(TYPED_FIELD), KEPT_FIELDS);
      const found = await tools.checkToken(form.get('token') ?? '');
      if (found === 'right') return visit.goOn(next, typed, sessions.open(visit.request.headers));
      const notice = { text: found === 'wrong' ? signIn.wrong : signIn.tooMany, isBad: true };
      return visit.show(signInPage(page, next, String(typed), notice), { status: found === 'wrong' ? 401 : 429 });
    }),
  );
  app.post('/sign-out', (context) =>
    receive(context, (visit) => visit.go('/sign-in', [sessions.end(visit.request.headers)])),
  );
  return {
    get(path: string, handle: HandleVisit): void {
      addPage(path);
      app.get(path, (context) => serve(context, handle));
    },
    /** A file that the browser saves, not a page: after signing in, the browser is not redirected to it. */
    file: (path: string, handle: HandleVisit) => void app.get(path, (context) => serve(context, handle)),
    post: (path: string, handle: HandleVisit, again?: ShowAgain) =>
      void app.post(path, (context) => serve(context, again ? withRefusals(handle, again) : handle)),
    /** Handles all other paths, if `wanted` accepts them. */
    rest: (wanted: (request: Request) => boolean, handle: HandleVisit) =>
      void app.get('*', (context, next) => (wanted(context.req.raw) ? serve(context, handle) : next())),
  };
}

function withRefusals(handle: HandleVisit, again: ShowAgain): HandleVisit {
  return async (visit) => {
    try {
      return await handle(visit);
    } catch (error) {
      if (error instanceof SentInVain) return again(visit, error.shown);
      if (!(error instanceof OperatingRefused)) throw error;
      if (error.code === 'not_found' && Object.keys(visit.params).length > 0) throw error;
      return again(visit, { notice: refusalNotice(visit.page.language, error), status: refusalStatus(error) });
    }
  };
}

/** The sign-in page, which asks for the token. `typed`: input of a form that was sent after its session had ended. */
function signInPage(context: ConsoleContext, next: string, typed: string, notice: Notice | undefined) {
  const { signIn } = context.words;
  return (
    <ConsolePage context={context} title={signIn.title} lead={signIn.lead} notice={notice}>
      <form method="post" action="/sign-in" class="narrow">
        <Hidden fields={{ next, ...(typed ? { [TYPED_FIELD]: typed } : {}) }} />
        <TextField name="token" label={signIn.token} help={signIn.tokenHelp} type="password" required />
        <Submit text={signIn.button} />
      </form>
    </ConsolePage>
  );
}

/** Undefined if the store fails: the page is then shown without the count. */
async function countOpenAlarms(tools: ConsoleTools): Promise<OpenAlarmCount | undefined> {
  try {
    const newest = await listAlarms(tools, MAX_COUNTED + 1, { openOnly: true });
    // A critical alarm may be older than those that are counted.
    const severest = newest.length > MAX_COUNTED ? (await groupOpenAlarms(tools, { limit: 1 })).data : newest;
    return { count: newest.length, isCritical: severest.some(({ severity }) => severity === 'critical') };
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function refuseControls({ params, url, form }: Visit<ConsoleContext>): void {
  for (const [name, value] of Object.entries(params)) {
    if (hasControls(value)) throw notFound(`${name} with control characters`);
  }
  for (const [name, value] of [...url.searchParams, ...form]) {
    if (hasControls(value)) throw invalid(name, 'must be without control characters');
  }
}

/** Only a page of the console, never another site. */
function nextPath(given: string | null): string {
  return given && /^\/(?!sign-in)[a-z][\w./:-]*(\?[^#\s\\]*)?$/.test(given) ? given : '/';
}

const MAX_TICKETS = 10_000;

type Once = ReturnType<typeof createOnce>;

export function createOnce(random: Random) {
  const open = new Set<string>();
  return {
    /** For a hidden field of a form. */
    ticket(): string {
      const ticket = Buffer.from(random.bytes(16)).toString('base64url');
      open.add(ticket);
      for (const oldest of open) {
        if (open.size <= MAX_TICKETS) break;
        open.delete(oldest);
      }
      return ticket;
    },
    /** Whether this form may act: its ticket was issued and is unused. */
    take: (ticket: string | null): boolean => open.delete(ticket ?? ''),
  };
}
