/** @jsxImportSource hono/jsx */
// The playground: a prompt, a streamed answer, its channel and its cost. The page keeps nothing, and neither do we.

import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { priceNumber } from '../pages/list-price.ts';
import { AccountPage, tabPath } from './frame.tsx';

/** What can still go wrong after an answer has begun. */
const STREAM_FAULTS = ['upstream_failed', 'unavailable', 'internal_error', 'content_rejected'] as const;

/** A model to choose; what it costs for one million tokens, as price lists write it. */
export interface PlayModel {
  id: string;
  isFree: boolean;
  input: number;
  output: number;
}

interface PlayProps {
  context: PageContext;
  models: readonly PlayModel[];
  isFrozen: boolean;
  /** The form came without its script, and was not taken. */
  isRefused: boolean;
}

export function PlayPage({ context, models, isFrozen, isRefused }: PlayProps) {
  const { account, faults, pricing } = wordsOf(context.language);
  const { play } = account;
  /** What the script says in its turn. */
  const said = {
    send: play.send,
    stop: play.stop,
    waiting: play.waiting,
    asking: play.asking,
    stopped: play.stopped,
    offline: play.offline,
    unanswered: play.unanswered,
    expired: account.notDone,
    noText: play.noText,
    endings: play.endings,
    served: play.served('{channel}', '{cost}'),
    receipt: account.usage.receipt,
    faults: Object.fromEntries(STREAM_FAULTS.map((code) => [code, faults[code]])),
  };
  const priceOf = ({ isFree, input, output }: PlayModel) =>
    isFree ? pricing.free : play.prices(ntd(input), ntd(output));
  return (
    <AccountPage
      context={context}
      tab="play"
      isFrozen={isFrozen}
      notice={isRefused ? { text: play.needsScript, isBad: true } : undefined}
    >
      <p>{play.lead}</p>
      {/* Should it be sent without its script, then as a body, not in the address, which browsers and proxies keep. */}
      <form id="play" method="post" action={tabPath('play')} data-words={JSON.stringify(said)}>
        <div class="field">
          <label for="model">
            {play.model} <span class="faint">{pricing.caption}</span>
          </label>
          <select id="model" name="model" aria-describedby="price">
            {models.map((model) => (
              <option value={model.id} data-price={priceOf(model)}>
                {model.id} · {model.isFree ? pricing.free : `${ntd(model.input)} / ${ntd(model.output)}`}
              </option>
            ))}
          </select>
          {/* A long name leaves no room for prices above; the script tells those of the model that is chosen. */}
          <p class="faint" id="price">
            {models.slice(0, 1).map(priceOf)}
          </p>
        </div>
        <div class="field">
          <label for="prompt">{play.prompt}</label>
          <textarea id="prompt" name="prompt" required />
        </div>
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
