/** @jsxImportSource hono/jsx */
// In and out: signing in, a new account, a name and password, signing out here and everywhere.

import { registerAgent } from '../../accounts/register-agent.ts';
import { endSession, endSessions, openSession, readSession, SessionsFull } from '../../accounts/sign-in/sessions.ts';
import { setPassword } from '../../accounts/sign-in/set-password.ts';
import { signInWithKey, signInWithPassword } from '../../accounts/sign-in/sign-in.ts';
import { Fault } from '../../faults/fault.ts';
import { faultText } from '../fault-text.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { MessagePage } from '../pages/message.tsx';
import { readSessionCookie, sessionCookie } from '../session-cookie.ts';
import type { SiteTools } from '../tools.ts';
import { readTyped, TYPED_FIELD } from '../typed-before.ts';
import { type AccessFaults, AccessPage } from './access.tsx';
import { KEPT_FIELDS, nextPath } from './forms.ts';
import type { Notice } from './frame.tsx';
import { CreatedPage, SignInPage } from './sign-in.tsx';
import type { SignedVisit, Visit, Visits } from './visit.tsx';

export function addEntrance(visits: Visits, tools: SiteTools): void {
  visits.open('get', '/account/sign-in', async (visit) => {
    const next = nextPath(visit.url.searchParams.get('next'));
    if (await isSignedIn(tools, visit)) return visit.go(next);
    const hasLeft = visit.url.searchParams.has('signed-out');
    const notice = hasLeft ? { text: wordsOf(visit.page.language).account.signedOut } : undefined;
    return showSignIn(visit, next, { notice });
  });
  visits.open('post', '/account/sign-in', (visit) => enter(tools, visit));
  visits.open('post', '/account/create', (visit) => create(tools, visit));
  const noCookie = [sessionCookie('', tools.publicUrl)];
  const signedOut = (visit: Visit) => visit.go('/account/sign-in?signed-out', noCookie);
  const leave = async (visit: Visit) => {
    try {
      await endSession(tools, readSessionCookie(visit.request.headers, tools.publicUrl));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return visit.show(<LeftBehindPage context={visit.page} />, { status: error.row.status, cookies: noCookie });
    }
    return signedOut(visit);
  };
  const leaveEverywhere = async (visit: SignedVisit) => {
    await endSessions(tools, visit.session);
    return signedOut(visit);
  };
  // Whoever wants to leave is never kept.
  visits.open('post', '/account/sign-out', leave, { isWork: false });
  visits.signed('post', '/account/sign-out-everywhere', leaveEverywhere, { isWork: false });
  visits.signed('get', '/account/access', (visit) =>
    showAccess(tools, visit, { typed: visit.form.get('name') ?? undefined }),
  );
  visits.signed('post', '/account/access', (visit) => changeAccess(tools, visit));
}

/** The browser forgets the session also while the store cannot: nobody comes with it any more, and it ends by itself. */
function LeftBehindPage({ context }: { context: PageContext }) {
  const { account } = wordsOf(context.language);
  return (
    <MessagePage context={{ ...context, isSignedIn: false }} title={account.signOut} text={account.signedOutHere} />
  );
}

async function enter(tools: SiteTools, visit: Visit): Promise<Response> {
  const { form } = visit;
  const { account } = wordsOf(visit.page.language);
  const next = nextPath(form.get('next'));
  const key = form.get('key');
  const name = form.get('name') ?? '';
  const typed = readTyped(form.get(TYPED_FIELD), KEPT_FIELDS);
  const refuse = (text: string, status: number, wrong?: 'key' | 'password') =>
    showSignIn(visit, next, { notice: { text, isBad: true }, status, wrong, name, typed: String(typed) });
  try {
    const opened =
      key === null
        ? await signInWithPassword(tools, name, form.get('password') ?? '', visitor(tools, visit))
        : await signInWithKey(tools, key, visitor(tools, visit));
    if (!opened && key === null) return refuse(account.badPassword, 401, 'password');
    if (!opened) return refuse(account.badKey, 401, 'key');
    return visit.goOn(next, typed, sessionCookie(opened.cookie, tools.publicUrl));
  } catch (error) {
    if (error instanceof Fault && error.code === 'auth_rate_limited') {
      return refuse(key === null ? account.tooMany : account.tooManyKeys, error.row.status);
    }
    if (error instanceof SessionsFull) return refuse(account.tooManySessions, 409);
    throw error;
  }
}

function visitor(tools: SiteTools, visit: Visit) {
  return {
    address: tools.addressOf(visit),
    cookie: readSessionCookie(visit.request.headers, tools.publicUrl),
  };
}

interface RefusedEntry {
  notice?: Notice | undefined;
  status?: number;
  /** See the page. */
  wrong?: 'key' | 'password' | undefined;
  /** What was typed as a name: only the password need be typed again. */
  name?: string;
  /** What a form carried that came too late. */
  typed?: string;
}

function showSignIn(visit: Visit, next: string, { status = 200, ...refused }: RefusedEntry = {}): Response {
  const query = next === '/account' ? '' : `?next=${encodeURIComponent(next)}`;
  const context = { ...visit.page, path: '/account/sign-in', query };
  return visit.show(<SignInPage context={context} next={next} {...refused} />, { status });
}

async function isSignedIn(tools: SiteTools, { request }: Visit): Promise<boolean> {
  const cookie = readSessionCookie(request.headers, tools.publicUrl);
  return (await readSession(tools, cookie, tools.clock.now())) !== undefined;
}

/** The registration operation itself: the same slots, the same NT$1, the same key that is shown once. Who is signed in has
 * an account already: so a page that is loaded again makes none, and shows no key. */
async function create(tools: SiteTools, visit: Visit): Promise<Response> {
  const next = nextPath(visit.form.get('next'));
  if (await isSignedIn(tools, visit)) return visit.go(next);
  const origin = tools.originOf(visit);
  try {
    tools.countKnock(origin.address);
    const { answer } = await registerAgent(tools, origin, undefined);
    const { account_id: accountId, key_id: keyId, api_key: apiKey } = answer;
    const proof = { accountId, keyId, canManage: true, keyHash: tools.authenticator.hash(apiKey) };
    const opened = await openSession(tools, proof, visitor(tools, visit).cookie);
    const context = { ...visit.page, isSignedIn: true };
    const page = <CreatedPage context={context} accountId={accountId} apiKey={apiKey} next={next} />;
    return visit.show(page, { cookies: [sessionCookie(opened?.cookie ?? '', tools.publicUrl)] });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const text = faultText(visit.page.language, error);
    return showSignIn(visit, next, { notice: { text, isBad: true }, status: error.row.status });
  }
}

async function showAccess(
  tools: SiteTools,
  visit: SignedVisit,
  refused: { typed?: string | undefined; faults?: AccessFaults; notice?: Notice; status?: number } = {},
): Promise<Response> {
  const { accountId, canManage } = visit.session;
  const name = (await tools.store.read.login(accountId))?.name ?? null;
  const saved = visit.url.searchParams.has('saved')
    ? { text: wordsOf(visit.page.language).account.access.saved }
    : undefined;
  const { typed, faults = {}, notice = saved, status = 200 } = refused;
  const facts = { name, typed, faults, canManage, notice };
  return visit.show(<AccessPage context={visit.page} {...facts} />, { status });
}

async function changeAccess(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const { access } = wordsOf(visit.page.language).account;
  const { accountId, canManage } = visit.session;
  const name = visit.form.get('name') ?? '';
  const refuse = (text: string, { status = 400, field }: { status?: number; field?: keyof AccessFaults } = {}) =>
    showAccess(tools, visit, {
      typed: name,
      faults: field === undefined ? {} : { [field]: text },
      notice: { text, isBad: true },
      status,
    });
  if (!canManage) return refuse(access.restricted);
  const password = visit.form.get('password') ?? '';
  const result = await setPassword(tools, accountId, name, password, visit.cookie).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'auth_rate_limited') return error;
    throw error;
  });
  if (result instanceof Fault) return refuse(access.tooMany, { status: result.row.status });
  if (result.ok) return visit.go('/account/access?saved');
  const { text, ...field } = {
    name_not_allowed: { text: access.badName, field: 'name' as const },
    name_taken: { text: access.taken, field: 'name' as const },
    password_too_short: { text: access.shortPassword, field: 'password' as const },
    password_too_long: { text: access.longPassword, field: 'password' as const },
    not_permitted: { text: access.restricted },
  }[result.reason];
  return refuse(text, field);
}
