/** @jsxImportSource hono/jsx */
// How to set up each client: one tab each, with this site's address, the chosen model and, if the visitor wants it, a key
// that is made for it.

import { addKey } from '../../accounts/keys/manage-keys.ts';
import type { SiteSession } from '../../accounts/sign-in/sessions.ts';
import { type Model, tokenBounds } from '../../catalog/catalog.ts';
import { FREE_MODEL } from '../../catalog/document.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { allowedModels, ancestorsOf, isLiveChain } from '../../store/key-chain.ts';
import type { KeyRow } from '../../store/rows.ts';
import { faultText } from '../fault-text.ts';
import { type Notice, Tabs } from '../frame.tsx';
import { NO_KEY } from '../model-snippets.ts';
import type { PageContext } from '../page.tsx';
import { LinkLine, Submit } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Hidden, SelectField } from '../parts/field.tsx';
import type { SiteTools } from '../tools.ts';
import { newKeyBody } from './forms.ts';
import { AccountPage, tabPath } from './frame.tsx';
import { CLIENT_NAMES, CLIENTS, type Client, type Purpose, SETUP_BLOCKS } from './snippets.ts';
import { askerOf, type SignedVisit, type Visits } from './visits.tsx';

export function addSetup(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account/setup', (visit) => showSetup(tools, visit, visit.url.searchParams));
  visits.signed('post', '/account/setup', (visit) => createKey(tools, visit));
}

/** A page that is loaded again sends its form again: the number of keys then differs, and no other key is made. */
async function createKey(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const { form, page, session } = visit;
  const client = clientIn(form);
  const known = await tools.store.read.keysOf(session.accountId);
  if (form.get('known') !== String(known.length)) {
    return visit.go(setupPath(client, form.get('model') ?? ''));
  }
  try {
    if (!session.canManage) throw fault('key_not_permitted');
    const { setup } = page.words.account;
    const body = newKeyBody(new URLSearchParams({ name: setup.keyName(clientName(page, client)) }));
    const { answer } = await addKey(tools, askerOf(tools, visit), body, undefined);
    return await showSetup(tools, visit, form, { key: answer.api_key, notice: { text: setup.created } });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const notice = { text: faultText(page.language, error), isBad: true };
    return showSetup(tools, visit, form, { notice }, error.row.status);
  }
}

interface Shown {
  key?: string;
  notice?: Notice;
}

async function showSetup(
  tools: SiteTools,
  visit: SignedVisit,
  asked: URLSearchParams,
  shown: Shown = {},
  status = 200,
) {
  const facts = await readFacts(tools, visit, asked);
  return visit.show(<SetupPage context={visit.page} {...facts} {...shown} />, { status });
}

async function readFacts(tools: SiteTools, { session }: SignedVisit, asked: URLSearchParams) {
  const models = chatModels(tools, await keyOf(tools, session));
  /** One that this key may not use, or that has left, is as if none had been chosen. */
  const chosen = models.find(({ id }) => id === asked.get('model')) ?? models[0];
  return {
    client: clientIn(asked),
    ids: models.map(({ id }) => id),
    /** None if this key may use no model that chats. */
    model: chosen && { id: chosen.id, ...tokenBounds(chosen, tools.catalog()) },
    /** How many keys there are; undefined for a visitor who may not create keys. */
    keyCount: session.canManage ? (await tools.store.read.keysOf(session.accountId)).length : undefined,
  };
}

function clientIn(given: URLSearchParams): Client {
  return CLIENTS.find((client) => client === given.get('client')) ?? 'curl';
}

function clientName({ words }: PageContext, client: Client): string {
  return client === 'openai' ? words.account.setup.openai : CLIENT_NAMES[client];
}

function setupPath(client: Client, model: string): string {
  return `${tabPath('setup')}?${new URLSearchParams({ client, model })}`;
}

type SetupFacts = Awaited<ReturnType<typeof readFacts>>;
type SetupProps = SetupFacts & Shown & { context: PageContext };

function SetupPage(props: SetupProps) {
  const { context, client, model, key, notice } = props;
  const { setup } = context.words.account;
  return (
    <AccountPage context={context} tab="setup" notice={notice} isShownOnce={key !== undefined}>
      <p>{model ? setup.lead : setup.noModel}</p>
      {model ? (
        <>
          <Choice context={context} client={client} ids={props.ids} model={model} />
          <Tabs
            label={setup.clients}
            links={CLIENTS.map((one) => ({ path: setupPath(one, model.id), text: clientName(context, one) }))}
            current={setupPath(client, model.id)}
          />
          {key === undefined ? <NewKey {...props} model={model} /> : null}
          {SETUP_BLOCKS[client]({ publicUrl: context.publicUrl, key: key ?? NO_KEY, model }).map(
            ({ purpose, code }) => (
              <section>
                <h2 class="setup-step">{purposeText(context, purpose)}</h2>
                <CodeBlock code={code} language={context.language} />
              </section>
            ),
          )}
        </>
      ) : null}
      <LinkLine href="/docs/clients" text={setup.more} />
    </AccountPage>
  );
}

function purposeText({ words }: PageContext, purpose: Purpose): string {
  const { setup } = words.account;
  return typeof purpose === 'string' ? setup[purpose] : setup.file(purpose.file);
}

function Choice({ context, client, ids, model }: Pick<SetupProps, 'context' | 'client' | 'ids' | 'model'>) {
  const { setup } = context.words.account;
  return (
    <form method="get" action={tabPath('setup')} class="setup-model">
      <Hidden fields={{ client }} />
      <SelectField name="model" label={setup.model} value={model?.id} choices={ids} />
      <Submit look="quiet" text={setup.choose} />
      <a href="/pricing">{setup.models}</a>
    </form>
  );
}

function NewKey({ context, client, model, keyCount }: Omit<SetupProps, 'model'> & { model: { id: string } }) {
  const { setup } = context.words.account;
  if (keyCount === undefined) return <p>{setup.cannotCreate}</p>;
  return (
    <form method="post" action={tabPath('setup')} class="row setup-key" data-once>
      <Hidden fields={{ client, model: model.id, known: String(keyCount) }} />
      <span>{setup.placeholder}</span>
      <Submit text={setup.create} />
    </form>
  );
}

/** A key with the models that it and its ancestors allow. */
interface ChatKey extends KeyRow {
  allowedModels: readonly string[] | null;
}

/** The models that a visitor may chat with. Free ones come first, so that trying costs nothing. */
export function chatModels(tools: SiteTools, key: ChatKey | undefined): Model[] {
  return tools
    .catalog()
    .models.filter(({ kinds, id }) => kinds.includes('chat') && (key?.allowedModels?.includes(id) ?? true))
    .toSorted((a, b) => rank(a) - rank(b));
}

/** The free model that routes to any free model. */
function rank({ id, free }: Model): number {
  if (id === FREE_MODEL) return 0;
  return free ? 1 : 2;
}

/** The key that opened the session; after a sign-in with a password, the oldest key that may manage. */
export async function keyOf({ store, clock }: SiteTools, session: SiteSession): Promise<ChatKey | undefined> {
  const keys = await store.read.unrevokedKeysOf(session.accountId);
  const valid = keys.filter((key) => isLiveChain(key, ancestorsOf(keys, key), clock.now()));
  const key =
    session.keyId === null
      ? (valid.find(({ manage }) => manage) ?? valid[0])
      : valid.find(({ keyId }) => keyId === session.keyId);
  return key && { ...key, allowedModels: allowedModels([key, ...ancestorsOf(keys, key)]) };
}
