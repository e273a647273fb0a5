/** @jsxImportSource hono/jsx */
// The playground: a chat in one tab, each turn a streamed answer with its channel, cost and speed. A turn is a chat request
// like any other, on the visitor's own key. The page keeps nothing, and neither do we.

import { readSession, SessionEnded } from '../../accounts/sign-in/sessions.ts';
import { Fault, fault } from '../../faults/fault.ts';
import type { FaultCode } from '../../faults/table.ts';
import { tryParseJson } from '../../kit/json/json.ts';
import { faultText } from '../fault-text.ts';
import { pageHeaders } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { chatModels, keyOf } from './chat-models.ts';
import { tabPath } from './frame.tsx';
import { PlayPage, playModel } from './play-page.tsx';
import { MAX_BODY_BYTES, readTurn } from './play-request.ts';
import { isFrozen } from './redeem.tsx';
import type { SignedVisit, Visits } from './visits.tsx';

export function addPlayground(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account/play', (visit) => showPlay(tools, visit));
  // While draining, the call itself answers, in the shape that the script reads.
  visits.signed('post', '/account/play', (visit) => answerScript(tools, visit), { isWork: false });
}

/** A request in another format was sent without the script. */
function isJson({ headers }: Request): boolean {
  return (headers.get('content-type') ?? '').startsWith('application/json');
}

async function answerScript(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  if (!isJson(visit.request)) return showPlay(tools, visit, true);
  try {
    return await ask(tools, visit);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const message = refusalText(visit, error);
    const headers = pageHeaders(tools.publicUrl);
    return Response.json(
      { error: { code: error.code, message, others: OTHER_MODELS[error.code], ...remedy(visit, error) } },
      { status: error.row.status, headers },
    );
  }
}

/** Where another model may answer, and which: any, or only those that cost nothing. */
const OTHER_MODELS: Partial<Record<FaultCode, 'any' | 'free'>> = {
  upstream_failed: 'any',
  model_not_found: 'any',
  model_retired: 'any',
  model_not_allowed: 'any',
  context_length_exceeded: 'any',
  content_rejected: 'any',
  invalid_request: 'any',
  free_minute_limit: 'any',
  free_daily_limit: 'any',
  insufficient_balance: 'free',
  key_budget_exceeded: 'free',
};

/** Where what is missing can be had. */
function remedy({ page: { words } }: SignedVisit, { code }: Fault) {
  if (code !== 'insufficient_balance') return {};
  return { link: { href: tabPath('redeem'), text: words.account.tabs.redeem } };
}

/** A key that may not manage cannot raise its budget. */
function refusalText({ page: { language, words }, session }: SignedVisit, refused: Fault): string {
  const isOthersToRaise = refused.code === 'key_budget_exceeded' && !session.canManage;
  return isOthersToRaise ? words.account.play.budgetTooLow : faultText(language, refused);
}

/** A model that this key may not use, or that has left, is as if none had been chosen. */
async function showPlay(tools: SiteTools, visit: SignedVisit, isRefused = false): Promise<Response> {
  const models = chatModels(tools, await keyOf(tools, visit.session));
  const asked = visit.url.searchParams.get('model');
  const facts = {
    models: models.map(playModel),
    chosen: models.find(({ id }) => id === asked)?.id ?? models[0]?.id,
    isFrozen: await isFrozen(tools, visit),
    isRefused,
  };
  return visit.show(<PlayPage context={visit.page} {...facts} />, { status: isRefused ? 400 : 200 });
}

async function ask(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const given = tryParseJson(await tools.readBody(visit.request, MAX_BODY_BYTES));
  // The session may have ended while the body arrived.
  const session = await readSession(tools, visit.cookie, tools.clock.now());
  if (!session) throw new SessionEnded();
  const key = await keyOf(tools, session);
  if (!key) throw fault('invalid_api_key');
  return tools.callChat(visit, key, JSON.stringify(readTurn(given)));
}
