/** @jsxImportSource hono/jsx */
// How to set up each client, with this site's own address and the chosen model in every line.

import { tokenBounds } from '../../catalog/token-bounds.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Field } from '../parts/field.tsx';
import type { SiteTools } from '../tools.ts';
import { chatModels, keyOf } from './chat-models.ts';
import { AccountPage, tabPath } from './frame.tsx';
import { type SetupModel, snippets } from './snippets.ts';
import type { SignedVisit } from './visit.tsx';

/** A model that this key may not use, or that has left, is as if none had been chosen. */
export async function showSetup(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const catalog = tools.catalog();
  const models = chatModels(tools, await keyOf(tools, visit.session));
  const asked = visit.url.searchParams.get('model');
  const chosen = models.find(({ id }) => id === asked) ?? models[0];
  const ids = models.map(({ id }) => id);
  const model = chosen && { id: chosen.id, ...tokenBounds(chosen, catalog) };
  return visit.show(<SetupPage context={visit.page} ids={ids} model={model} />);
}

interface SetupProps {
  context: PageContext;
  ids: readonly string[];
  /** None if this key may use no model that chats. */
  model: SetupModel | undefined;
}

function SetupPage({ context, ids, model }: SetupProps) {
  const { account, frame } = wordsOf(context.language);
  return (
    <AccountPage context={context} tab="setup">
      <p>{model ? account.setup.lead : account.setup.noModel}</p>
      {model ? <Choice context={context} ids={ids} model={model} /> : null}
      {(model ? snippets(context.publicUrl, model) : []).map(({ title, code }) => (
        <section>
          <h2>{title}</h2>
          <CodeBlock code={code} label={frame.copy} done={frame.copied} />
        </section>
      ))}
      <p>
        <a href="/docs/clients">{account.setup.more}</a>
      </p>
    </AccountPage>
  );
}

function Choice({ context, ids, model }: SetupProps) {
  const { setup } = wordsOf(context.language).account;
  return (
    <>
      <form method="get" action={tabPath('setup')} class="narrow">
        <Field name="model" label={setup.model}>
          <select id="model" name="model">
            {ids.map((id) => (
              <option value={id} selected={id === model?.id}>
                {id}
              </option>
            ))}
          </select>
        </Field>
        <button type="submit" class="quiet">
          {setup.choose}
        </button>
      </form>
      <p>
        <a href="/pricing">{setup.models}</a>
      </p>
    </>
  );
}
