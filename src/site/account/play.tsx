/** @jsxImportSource hono/jsx */
// The playground: a prompt, a streamed answer, its channel and its cost. Its call is a chat like any other, on the visitor's
// own key. The page keeps nothing, and neither do we.

import { readSession, SessionEnded } from '../../accounts/sign-in/sessions.ts';
import type { Model } from '../../catalog/catalog.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { isObject, tryParseJson } from '../../kit/json/json.ts';
import { faultText } from '../fault-text.ts';
import { listPrice, priceNumber } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { Field } from '../parts/field.tsx';
import { pageHeaders } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { chatModels, keyOf } from './chat-models.ts';
import { AccountPage, tabPath } from './frame.tsx';
import { isFrozen } from './redeem.tsx';
import type { SignedVisit, Visits } from './visits.tsx';

const MAX_PROMPT_CHARS = 100_000;
/** A character has at most four bytes, and some are escaped. */
const MAX_BODY_BYTES = 1024 * 1024;

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
      { error: { code: error.code, message, ...remedy(visit, error) } },
      { status: error.row.status, headers },
    );
  }
}

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

async function showPlay(tools: SiteTools, visit: SignedVisit, isRefused = false): Promise<Response> {
  const models = chatModels(tools, await keyOf(tools, visit.session));
  const facts = {
    models: models.map(playModel),
    chosen: visit.url.searchParams.get('model'),
    isFrozen: await isFrozen(tools, visit),
    isRefused,
  };
  return visit.show(<PlayPage context={visit.page} {...facts} />, { status: isRefused ? 400 : 200 });
}

function playModel({ id, free, prices }: Model): PlayModel {
  return { id, isFree: free, input: listPrice('input', prices.input), output: listPrice('output', prices.output) };
}

async function ask(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const given = tryParseJson(await tools.readBody(visit.request, MAX_BODY_BYTES));
  // The session may have ended while the body arrived.
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

/** What can still go wrong after an answer has begun. */
const STREAM_FAULTS = ['upstream_failed', 'unavailable', 'internal_error', 'content_rejected'] as const;

/** A model to choose; what it costs for one million tokens, as price lists write it. */
interface PlayModel {
  id: string;
  isFree: boolean;
  input: number;
  output: number;
}

interface PlayProps {
  context: PageContext;
  models: readonly PlayModel[];
  /** The model that the address names. */
  chosen: string | null;
  isFrozen: boolean;
  /** The form came without its script, and was not taken. */
  isRefused: boolean;
}

function PlayPage({ context, models, chosen, isFrozen, isRefused }: PlayProps) {
  const { account, pricing } = context.words;
  const { play } = account;
  /** Texts for the script. */
  const { send, stop, waiting, asking, stopped, offline, unanswered, noText, endings } = play;
  const said = {
    ...{ send, stop, waiting, asking, stopped, offline, unanswered, noText, endings },
    expired: account.notDone,
    served: play.served('{channel}', '{cost}'),
    receipt: account.usage.receipt,
    faults: Object.fromEntries(STREAM_FAULTS.map((code) => [code, faultText(context.language, fault(code))])),
  };
  const notice = isRefused ? { text: play.needsScript, isBad: true } : undefined;
  const priceOf = ({ isFree, input, output }: PlayModel) =>
    isFree ? pricing.free : play.prices(ntd(input), ntd(output));
  return (
    <AccountPage context={context} tab="play" isFrozen={isFrozen} notice={notice}>
      <p>{play.lead}</p>
      {/* Should it be sent without its script, then as a body, not in the address, which browsers and proxies keep. */}
      <form id="play" method="post" action={tabPath('play')} data-words={JSON.stringify(said)}>
        <Field name="model" label={play.model} help={pricing.caption}>
          <select id="model" name="model" aria-describedby="price">
            {models.map((model) => (
              <option value={model.id} data-price={priceOf(model)} selected={model.id === chosen}>
                {model.id} · {model.isFree ? pricing.free : `${ntd(model.input)} / ${ntd(model.output)}`}
              </option>
            ))}
          </select>
          {/* A long name leaves no space for prices above; the script shows those of the chosen model. */}
          <p class="faint" id="price">
            {models
              .filter(({ id }) => id === chosen)
              .concat(models)
              .slice(0, 1)
              .map(priceOf)}
          </p>
        </Field>
        <Field name="prompt" label={play.prompt}>
          <textarea id="prompt" name="prompt" required />
        </Field>
        <button type="submit" disabled>
          {play.send}
        </button>
      </form>
      {/* Taken away by the script: so it is also there where scripts run and ours did not arrive. */}
      {isRefused ? null : (
        <p class="notice is-bad" id="needs-script">
          {play.needsScript}
        </p>
      )}
      <h2>{play.answer}</h2>
      <div class="answer" id="answer" aria-live="polite">
        {play.waiting}
      </div>
      <p class="faint" id="served" role="status" />
    </AccountPage>
  );
}

function ntd(price: number): string {
  return `NT$${priceNumber(price)}`;
}
