/** @jsxImportSource hono/jsx */
// The page of the playground: the chat, and the form below it. Without its script it says so, and shows the same call for
// curl.

import type { Model } from '../../catalog/catalog.ts';
import { fault } from '../../faults/fault.ts';
import { faultText } from '../fault-text.ts';
import { listPrice, priceNumber, sentences } from '../format.ts';
import { modelSnippets } from '../model-snippets.ts';
import type { PageContext } from '../page.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { AccountPage, tabPath } from './frame.tsx';

/** Errors after an answer has begun. */
const STREAM_FAULTS = ['upstream_failed', 'unavailable', 'internal_error', 'content_rejected'] as const;

/** A model to choose; what it costs for one million tokens, as price lists write it. */
interface PlayModel {
  id: string;
  isFree: boolean;
  isDemo: boolean;
  input: number;
  output: number;
}

export function playModel({ id, free, demo, prices }: Model): PlayModel {
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

export function PlayPage({ context, models, chosen, isFrozen, isRefused }: PlayProps) {
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
  ...(['send', 'stop', 'asking', 'thinking', 'reasoning', 'stopped', 'offline'] as const),
  ...(['unanswered', 'noText', 'endings', 'you', 'again', 'alternatives'] as const),
];

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
