/** @jsxImportSource hono/jsx */
// The playground: a chat in one tab, each turn a streamed answer with its channel, cost and speed. A turn is a chat request
// like any other, on the visitor's own key. The page keeps nothing, and neither do we.

import { readSession, SessionEnded } from '../../accounts/sign-in/sessions.ts';
import { Fault, fault } from '../../faults/fault.ts';
import type { FaultCode } from '../../faults/table.ts';
import { isObject, tryParseJson } from '../../kit/json/json.ts';
import { faultText } from '../fault-text.ts';
import { pageHeaders } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { tabPath } from './frame.tsx';
import { PlayPage, playModel } from './play-page.tsx';
import { isFrozen } from './redeem.tsx';
import { chatModels, keyOf } from './setup.tsx';
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

const MAX_CHARS = 100_000;
const MAX_MESSAGES = 400;
/** A character has at most four bytes, and some are escaped. */
const MAX_BODY_BYTES = 1024 * 1024;

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant']);

type Message = Record<'role' | 'content', string>;

/** The request of a turn, from what the script sent: a model, the messages so far, and two settings. */
function readTurn(given: unknown): Record<string, unknown> {
  const { model, messages, temperature, max_tokens: maxTokens } = isObject(given) ? given : {};
  if (typeof model !== 'string' || !isConversation(messages)) {
    throw fault('invalid_request', { message: 'model must be text, and messages must be texts of a chat.' });
  }
  const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (chars > MAX_CHARS || messages.length > MAX_MESSAGES) {
    const message = `The chat is longer than ${MAX_CHARS} characters. Begin a new one.`;
    throw fault('invalid_request', { param: 'prompt', message });
  }
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof maxTokens === 'number' ? { max_tokens: maxTokens } : {}),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** Its last message is what is asked now. */
function isConversation(given: unknown): given is Message[] {
  if (!Array.isArray(given) || !given.every(isMessage)) return false;
  return (given.at(-1)?.content ?? '').trim() !== '';
}

function isMessage(given: unknown): given is Message {
  return isObject(given) && ROLES.has(given.role) && typeof given.content === 'string';
}
