/** @jsxImportSource hono/jsx */
// The playground: a chat in one tab, each turn a streamed answer with its channel, cost and speed. A turn is a chat request
// like any other, on the visitor's own key. The page keeps nothing, and neither do we. Without its script it says so, and
// shows the same call for curl.

import { readSession, SessionEnded } from '../../accounts/sign-in/sessions.ts';
import type { Model } from '../../catalog/catalog.ts';
import { Fault, fault } from '../../faults/fault.ts';
import type { FaultCode } from '../../faults/table.ts';
import { isObject, tryParseJson } from '../../kit/json/json.ts';
import { faultText } from '../fault-text.ts';
import { listPrice, priceNumber, sentences } from '../format.ts';
import { modelSnippets } from '../model-snippets.ts';
import type { PageContext } from '../page.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { pageHeaders } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { AccountPage, tabPath } from './frame.tsx';
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

/** Errors after an answer has begun. */
const STREAM_FAULTS = ['upstream_failed', 'unavailable', 'internal_error', 'content_rejected'] as const;

type PlayModel = ReturnType<typeof playModel>;

/** A model to choose; what it costs for one million tokens, as price lists write it. */
function playModel({ id, free, demo, prices }: Model) {
  const [input, output] = [listPrice('input', prices.input), listPrice('output', prices.output)];
  return { id, isFree: free, isDemo: demo, input, output };
}

interface PlayProps {
  context: PageContext;
  models: readonly PlayModel[];
  chosen: string | undefined;
  isFrozen: boolean;
  /** The form came without its script, and was not taken. */
  isRefused: boolean;
}

function PlayPage({ context, models, chosen, isFrozen, isRefused }: PlayProps) {
  const { play } = context.words.account;
  const notice = isRefused ? { text: play.needsScript, isBad: true } : undefined;
  const script = <script src={context.assets.url('play.js')} defer />;
  return (
    <AccountPage context={context} tab="play" isFrozen={isFrozen} notice={notice} head={script}>
      <p>{play.lead}</p>
      {/* Taken away by the script: so it is also there where scripts run and ours did not arrive. */}
      <div id="needs-script">
        {isRefused ? null : <p class="notice is-bad">{play.needsScript}</p>}
        {chosen === undefined ? null : <Curl context={context} model={chosen} />}
      </div>
      {/* Should it be sent without its script, then as a body, not in the address, which browsers and proxies keep. */}
      <form
        id="play"
        class="play"
        method="post"
        action={tabPath('play')}
        data-words={JSON.stringify(scriptWords(context))}
      >
        <Models context={context} models={models} chosen={chosen} />
        <Settings context={context} />
        <section class="chat" aria-label={play.chat}>
          <p class="empty" id="no-turns">
            {play.waiting}
          </p>
          <div id="turns" role="log" />
        </section>
        <div class="composer">
          <label for="prompt">{play.prompt}</label>
          <textarea id="prompt" name="prompt" required rows={3} aria-describedby="prompt-keys" />
          <div class="row">
            <button type="submit" id="send" disabled>
              {play.send}
            </button>
            <button type="button" id="restart" class="quiet" hidden>
              {play.restart}
            </button>
            <span class="faint" id="prompt-keys">
              {play.keys}
            </span>
          </div>
        </div>
      </form>
    </AccountPage>
  );
}

/** Texts that the script shows as they are. */
const SCRIPT_WORDS = [
  'send',
  'stop',
  'asking',
  'thinking',
  'reasoning',
  'stopped',
  'offline',
  'unanswered',
  'noText',
  'endings',
  'you',
  'again',
  'alternatives',
] as const;

/** Texts for the script; `{value}` is put in by it. */
function scriptWords({ language, words: { account, frame } }: PageContext) {
  const { play } = account;
  return {
    ...Object.fromEntries(SCRIPT_WORDS.map((name) => [name, play[name]])),
    ...{ copy: frame.copy, copied: frame.copied, expired: account.notDone, receipt: account.usage.receipt },
    askInstead: play.askInstead('{value}'),
    by: play.by('{value}'),
    tokens: play.tokens('{value}'),
    perSecond: play.perSecond('{value}'),
    firstToken: play.firstToken('{value}'),
    faults: Object.fromEntries(STREAM_FAULTS.map((code) => [code, faultText(language, fault(code))])),
  };
}

function Curl({ context, model }: { context: PageContext; model: string }) {
  const [curl] = modelSnippets(context.publicUrl, { id: model, paths: ['/v1/chat/completions'] });
  return curl ? <CodeBlock language={context.language} code={curl.code} /> : null;
}

function Models({ context, models, chosen }: Pick<PlayProps, 'context' | 'models' | 'chosen'>) {
  const { account, pricing } = context.words;
  const { play } = account;
  // That it is free, the list of models says.
  const noteOf = ({ isFree, isDemo, input, output }: PlayModel) =>
    sentences(isDemo ? play.demo : '', isFree ? '' : play.prices(ntd(input), ntd(output)));
  return (
    <Field name="model" label={play.model} help={pricing.caption}>
      <select id="model" name="model" aria-describedby="price">
        {models.map((model) => (
          <option
            value={model.id}
            data-price={noteOf(model)}
            data-free={model.isFree ? '1' : undefined}
            selected={model.id === chosen}
          >
            {model.id} · {model.isFree ? pricing.free : `${ntd(model.input)} / ${ntd(model.output)}`}
          </option>
        ))}
      </select>
      {/* A long name leaves no space for prices above; the script shows those of the chosen model. */}
      <p class="faint" id="price">
        {models.filter(({ id }) => id === chosen).map(noteOf)}
      </p>
    </Field>
  );
}

function Settings({ context }: { context: PageContext }) {
  const { play } = context.words.account;
  return (
    <details class="play-settings">
      <summary>{play.settings}</summary>
      <Field name="system" label={play.system}>
        <textarea id="system" name="system" rows={3} />
      </Field>
      <div class="filters">
        <TextField
          name="temperature"
          label={play.temperature}
          help={play.temperatureHelp}
          type="number"
          min={0}
          max={2}
          step="0.1"
        />
        <TextField name="max_tokens" label={play.maxTokens} help={play.maxTokensHelp} type="number" min={1} step={1} />
      </div>
    </details>
  );
}

function ntd(price: number): string {
  return `NT$${priceNumber(price)}`;
}
