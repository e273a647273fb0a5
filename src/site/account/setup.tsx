/** @jsxImportSource hono/jsx */
// How to set up each client, with this site's own address and the chosen model in every line.

import { tokenBounds } from '../../catalog/token-bounds.ts';
import type { PageContext } from '../page.tsx';
import { Submit } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { SelectField } from '../parts/field.tsx';
import type { SiteTools } from '../tools.ts';
import { chatModels, keyOf } from './chat-models.ts';
import { AccountPage, tabPath } from './frame.tsx';
import { type SetupModel, snippets } from './snippets.ts';
import type { SignedVisit, Visits } from './visits.tsx';

export function addSetup(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account/setup', (visit) => showSetup(tools, visit));
}

/** A model that this key may not use, or that has left, is as if none had been chosen. */
async function showSetup(tools: SiteTools, visit: SignedVisit): Promise<Response> {
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
  const { account } = context.words;
  return (
    <AccountPage context={context} tab="setup">
      <p>{model ? account.setup.lead : account.setup.noModel}</p>
      {model ? <Choice context={context} ids={ids} model={model} /> : null}
      {(model ? snippets(context.publicUrl, model) : []).map(({ title, code }) => (
        <section>
          <h2>{title}</h2>
          <CodeBlock code={code} language={context.language} />
        </section>
      ))}
      <p>
        <a href="/docs/clients">{account.setup.more}</a>
      </p>
    </AccountPage>
  );
}

function Choice({ context, ids, model }: SetupProps) {
  const { setup } = context.words.account;
  return (
    <>
      <form method="get" action={tabPath('setup')} class="narrow">
        <SelectField name="model" label={setup.model} value={model?.id} choices={ids} />
        <Submit look="quiet" text={setup.choose} />
      </form>
      <p>
        <a href="/pricing">{setup.models}</a>
      </p>
    </>
  );
}
