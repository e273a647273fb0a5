// The playground: a prompt, a streamed answer, its channel and its cost. The page keeps nothing, and neither do we.

import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { AccountPage } from './frame.tsx';

export function PlayPage({ context, models }: { context: PageContext; models: readonly string[] }) {
  const { play } = wordsOf(context.language).account;
  return (
    <AccountPage context={context} tab="play">
      <p>{play.lead}</p>
      <noscript>
        <p class="notice is-bad">{play.needsScript}</p>
      </noscript>
      <form id="play" data-served={play.served('{channel}', '{cost}')} data-stop={play.stop} data-send={play.send}>
        <div class="field">
          <label for="model">{play.model}</label>
          <select id="model" name="model">
            {models.map((model) => (
              <option value={model}>{model}</option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="prompt">{play.prompt}</label>
          <textarea id="prompt" name="prompt" required />
        </div>
        <button type="submit">{play.send}</button>
      </form>
      <h2>{play.answer}</h2>
      <div class="answer" id="answer" aria-live="polite" data-waiting={play.waiting}>
        {play.waiting}
      </div>
      <p class="faint" id="served" role="status" />
    </AccountPage>
  );
}
