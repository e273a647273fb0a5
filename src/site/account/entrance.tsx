/** @jsxImportSource hono/jsx */
// Sign in, register, sign out here and everywhere.

import { registerAgent } from '../../accounts/register-agent.ts';
import { endSession, endSessions, openSession, readSession, SessionsFull } from '../../accounts/sign-in/sessions.ts';
import { signInWithKey, signInWithPassword } from '../../accounts/sign-in/sign-in.ts';
import { Fault } from '../../faults/fault.ts';
import { readSessionCookie, sessionCookie, writeFlash } from '../cookies.ts';
import { faultText } from '../fault-text.ts';
import { MessagePage } from '../page.tsx';
import type { SiteTools } from '../tools.ts';
import { readTyped, TYPED_FIELD } from '../typed-before.ts';
import { KEPT_FIELDS, nextPath } from './forms.ts';
import { CreatedPage, SignInPage, type SignInProps } from './sign-in.tsx';
import type { SignedVisit, SiteVisit, Visits } from './visits.tsx';

const SIGN_IN = '/account/sign-in';
/** Shows the key of a new account, once. */
const CREATED = '/account/created';

export function addEntrance(visits: Visits, tools: SiteTools): void {
  visits.open('get', SIGN_IN, async (visit) => {
    const next = nextPath(visit.url.searchParams.get('next'));
    if (await isSignedIn(tools, visit)) return visit.go(next);
    return showSignIn(visit, next, { notice: visit.flash.notice });
  });
  visits.open('post', SIGN_IN, (visit) => enter(tools, visit));
  visits.open('post', '/account/create', (visit) => create(tools, visit));
  visits.signed('get', CREATED, (visit) => {
    const next = nextPath(visit.url.searchParams.get('next'));
    const { secret } = visit.flash;
    if (secret === undefined) return visit.go(next);
    const { accountId } = visit.session;
    return visit.show(<CreatedPage context={visit.page} accountId={accountId} apiKey={secret} next={next} />);
  });
  const noCookie = [sessionCookie('', tools.publicUrl)];
  const signedOut = (visit: SiteVisit) => {
    const notice = { text: visit.page.words.account.signedOut };
    return visit.go(SIGN_IN, [...noCookie, writeFlash(tools, '', SIGN_IN, { notice })]);
  };
  const leave = async (visit: SiteVisit) => {
    try {
      await endSession(tools, readSessionCookie(visit.request.headers, tools.publicUrl));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // The cookie is deleted even if the store fails: the session is then unused and expires.
      const { account } = visit.page.words;
      const context = { ...visit.page, isSignedIn: false };
      const page = <MessagePage context={context} title={account.signOut} text={account.signedOutHere} />;
      return visit.show(page, { status: error.row.status, cookies: noCookie });
    }
    return signedOut(visit);
  };
  const leaveEverywhere = async (visit: SignedVisit) => {
    await endSessions(tools, visit.session);
    return signedOut(visit);
  };
  // Signing out is always possible.
  visits.open('post', '/account/sign-out', leave, { isWork: false });
  visits.signed('post', '/account/sign-out-everywhere', leaveEverywhere, { isWork: false });
}

async function enter(tools: SiteTools, visit: SiteVisit): Promise<Response> {
  const { form } = visit;
  const { account } = visit.page.words;
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

function visitor(tools: SiteTools, visit: SiteVisit) {
  return {
    address: tools.addressOf(visit),
    cookie: readSessionCookie(visit.request.headers, tools.publicUrl),
  };
}

type Refused = Omit<SignInProps, 'context' | 'next'> & { status?: number };

function showSignIn(visit: SiteVisit, next: string, { status = 200, ...refused }: Refused = {}): Response {
  const query = next === '/account' ? '' : `?next=${encodeURIComponent(next)}`;
  const context = { ...visit.page, path: SIGN_IN, query };
  return visit.show(<SignInPage context={context} next={next} {...refused} />, { status });
}

async function isSignedIn(tools: SiteTools, { request }: SiteVisit): Promise<boolean> {
  const cookie = readSessionCookie(request.headers, tools.publicUrl);
  return (await readSession(tools, cookie, tools.clock.now())) !== undefined;
}

/**
 * The registration operation itself: the same slots, the same NT$1, the same key that is shown once. A visitor who is signed
 * in has an account already, so reloading the page creates none and shows no key.
 */
async function create(tools: SiteTools, visit: SiteVisit): Promise<Response> {
  const next = nextPath(visit.form.get('next'));
  if (await isSignedIn(tools, visit)) return visit.go(next);
  const origin = tools.originOf(visit);
  try {
    tools.countRegisterAttempt(origin.address);
    const { answer } = await registerAgent(tools, origin, undefined);
    const { account_id: accountId, key_id: keyId, api_key: apiKey } = answer;
    const proof = { accountId, keyId, canManage: true, keyHash: tools.authenticator.hash(apiKey) };
    const opened = await openSession(tools, proof, visitor(tools, visit).cookie);
    const cookie = opened?.cookie ?? '';
    const flash = writeFlash(tools, cookie, CREATED, { secret: apiKey });
    const query = next === '/account' ? '' : `?next=${encodeURIComponent(next)}`;
    return visit.go(CREATED + query, [sessionCookie(cookie, tools.publicUrl), flash]);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const text = faultText(visit.page.language, error);
    return showSignIn(visit, next, { notice: { text, isBad: true }, status: error.row.status });
  }
}
