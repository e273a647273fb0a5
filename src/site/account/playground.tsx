/** @jsxImportSource hono/jsx */
// The playground's page, and its call: a chat like any other, on the visitor's own key, streamed as it comes.

import { readSession, SessionEnded } from '../../accounts/sign-in/sessions.ts';
import type { Model } from '../../catalog/catalog.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { isObject, tryParseJson } from '../../kit/json/json.ts';
import { faultText } from '../fault-text.ts';
import { wordsOf } from '../language.ts';
import { listPrice } from '../pages/list-price.ts';
import { pageHeaders } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { chatModels, keyOf } from './chat-models.ts';
import { tabPath } from './frame.tsx';
import { isFrozen } from './frozen.ts';
import { type PlayModel, PlayPage } from './play.tsx';
import type { SignedVisit, Visits } from './visit.tsx';

const MAX_PROMPT_CHARS = 100_000;
/** A character has at most four bytes, and some are escaped. */
const MAX_BODY_BYTES = 1024 * 1024;

export function addPlayground(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account/play', (visit) => showPlay(tools, visit));
  // Draining is told by the call itself, in the shape that the script reads.
  visits.signed('post', '/account/play', (visit) => answerScript(tools, visit), { isWork: false });
}

/** What comes in another shape was sent without the script. */
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
      { error: { code: error.code, message, ...remedy(visit, error) } },
      { status: error.row.status, headers },
    );
  }
}

/** Where what is missing can be had. */
function remedy({ page: { language } }: SignedVisit, { code }: Fault) {
  if (code !== 'insufficient_balance') return {};
  return { link: { href: tabPath('redeem'), text: wordsOf(language).account.tabs.redeem } };
}

/** Who may not manage cannot raise a budget, but can ask for it. */
function refusalText({ page: { language }, session }: SignedVisit, refused: Fault): string {
  const isOthersToRaise = refused.code === 'key_budget_exceeded' && !session.canManage;
  return isOthersToRaise ? wordsOf(language).account.play.budgetTooLow : faultText(language, refused);
}

async function showPlay(tools: SiteTools, visit: SignedVisit, isRefused = false): Promise<Response> {
  const models = chatModels(tools, await keyOf(tools, visit.session));
  const facts = { models: models.map(playModel), isFrozen: await isFrozen(tools, visit), isRefused };
  return visit.show(<PlayPage context={visit.page} {...facts} />, { status: isRefused ? 400 : 200 });
}

function playModel({ id, free, prices }: Model): PlayModel {
  return { id, isFree: free, input: listPrice('input', prices.input), output: listPrice('output', prices.output) };
}

async function ask(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const given = tryParseJson(await tools.readBody(visit.request, MAX_BODY_BYTES));
  // It may have been ended while the body came.
  const session = await readSession(tools, visit.cookie, tools.clock.now());
  if (!session) throw new SessionEnded();
  const key = await keyOf(tools, session);
  if (!key) throw fault('invalid_api_key');
  const { model, prompt } = isObject(given) ? given : {};
  if (typeof model !== 'string' || typeof prompt !== 'string' || prompt.trim() === '') {
    throw fault('invalid_request', { message: 'model and prompt must both be text.' });
  }
  if (prompt.length > MAX_PROMPT_CHARS) {
    throw fault('invalid_request', {
      param: 'prompt',
      message: `prompt is longer than ${MAX_PROMPT_CHARS} characters. Shorten it.`,
    });
  }
  const body = {
    model,
    messages: [{ role: 'user', content: prompt }],
    stream: true,
    stream_options: { include_usage: true },
  };
  return tools.callChat(visit, key, JSON.stringify(body));
}
