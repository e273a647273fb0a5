/** @jsxImportSource hono/jsx */
// Webhooks: added, tested, rotated and deleted from the page, by the same functions as through the API. A secret is shown once.
// Each form has the version that it was made for: one that is sent twice changes nothing.

import {
  addWebhook,
  findWebhook,
  removeWebhook,
  rotateWebhook,
  testWebhook,
} from '../../accounts/webhooks/manage-webhooks.ts';
import type { Fault } from '../../faults/fault.ts';
import type { Webhook } from '../../store/rows.ts';
import { faultText } from '../fault-text.ts';
import { dateTime, withGap } from '../format.ts';
import type { Notice } from '../frame.tsx';
import type { PageContext } from '../page.tsx';
import { LinkButton, Submit, SubmitRow } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Hidden, TextField } from '../parts/field.tsx';
import { action, DataTable, Facts, typedText, Under } from '../parts/table.tsx';
import type { SiteTools } from '../tools.ts';
import { AccountPage, tabPath } from './frame.tsx';
import { askerOf, managing, type SignedVisit, type Visits } from './visits.tsx';

interface Shown {
  notice?: Notice | undefined;
  fresh?: string | undefined;
  typed?: string;
  status?: number;
}

const WEBHOOKS = '/account/webhooks';

export function addWebhooks(visits: Visits, tools: SiteTools): void {
  const add = managing(visits, WEBHOOKS, (visit, refused) => {
    const typed = visit.form.get('url') ?? '';
    return show(tools, visit, { notice: whatIsWrong(visit, refused), typed, status: refused.row.status });
  });
  const find = (visit: SignedVisit, id: string) => findWebhook(tools.webhooks, visit.session.accountId, id);

  visits.signed('get', WEBHOOKS, (visit) => show(tools, visit, { fresh: visit.flash.secret }));
  add('post', '', async (visit) => {
    const known = await tools.store.read.webhooksOf(visit.session.accountId);
    if (visit.form.get('known') !== versionOf(known)) return showStale(tools, visit);
    const url = (visit.form.get('url') ?? '').trim();
    const { answer } = await addWebhook(tools.webhooks, askerOf(tools, visit), { url }, undefined);
    return visit.goWith(WEBHOOKS, { secret: answer.secret });
  });
  add('post', '/:id/test', async (visit, webhookId) => {
    const { delivered, status } = await testWebhook(tools.webhooks, visit.session.accountId, webhookId);
    const { arrived, refused, notReached } = visit.page.words.account.webhooks;
    const text = status === null ? notReached : delivered ? arrived(status) : refused(status);
    return visit.goWith(WEBHOOKS, { notice: { text, isBad: !delivered } });
  });
  add('post', '/:id/rotate', async (visit, webhookId) => {
    if (visit.form.get('known') !== versionOf([await find(visit, webhookId)])) return showStale(tools, visit);
    const { answer } = await rotateWebhook(tools.webhooks, askerOf(tools, visit), webhookId, undefined);
    return visit.goWith(WEBHOOKS, { secret: answer.secret });
  });
  add('post', '/:id/delete', async (visit, webhookId) => {
    await removeWebhook(tools.webhooks, askerOf(tools, visit), webhookId);
    return visit.goWith(WEBHOOKS, { notice: { text: visit.page.words.account.webhooks.removed } });
  });
  for (const kind of ['rotate', 'delete'] as const) {
    add('get', `/:id/${kind}`, async (visit, webhookId) => {
      const webhook = await find(visit, webhookId);
      return visit.show(<QuestionPage context={visit.page} webhook={webhook} kind={kind} />);
    });
  }
}

/** Another one after a webhook was added or deleted, or its secret replaced. */
function versionOf(webhooks: readonly Webhook[]): string {
  return webhooks.map(({ webhookId, oldSecretUntil }) => `${webhookId}.${oldSecretUntil ?? 0}`).join();
}

function whatIsWrong({ page }: SignedVisit, refused: Fault): Notice {
  const { badUrl, tooMany } = page.words.account.webhooks;
  if (refused.code !== 'invalid_request') return { text: faultText(page.language, refused), isBad: true };
  return { text: refused.details.param === undefined ? tooMany : badUrl, isBad: true };
}

function showStale(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  return show(tools, visit, { notice: { text: visit.page.words.account.webhooks.stale, isBad: true }, status: 409 });
}

async function show(tools: SiteTools, visit: SignedVisit, { status = 200, ...shown }: Shown): Promise<Response> {
  const { accountId, canManage } = visit.session;
  const webhooks = canManage ? await tools.store.read.webhooksOf(accountId) : undefined;
  return visit.show(<WebhooksPage context={visit.page} webhooks={webhooks} {...shown} />, { status });
}

interface WebhooksProps extends Omit<Shown, 'status'> {
  context: PageContext;
  /** Undefined for a key that cannot manage. */
  webhooks: readonly Webhook[] | undefined;
}

function WebhooksPage({ context, webhooks, notice, fresh, typed = '' }: WebhooksProps) {
  const { webhooks: words } = context.words.account;
  return (
    <AccountPage context={context} tab="webhooks" notice={notice} isShownOnce={fresh !== undefined}>
      <p>
        {withGap(words.lead)}
        <a href={words.docs}>{words.toDocs}</a>
      </p>
      {fresh === undefined ? null : (
        <div class="notice" role="status">
          <p>
            <strong>{words.shownOnce}</strong>
          </p>
          <CodeBlock code={fresh} language={context.language} isSecret />
        </div>
      )}
      {webhooks ? (
        <>
          <WebhookTable context={context} webhooks={webhooks} />
          <h2>{words.add}</h2>
          <form method="post" action="/account/webhooks" data-once>
            <Hidden fields={{ known: versionOf(webhooks) }} />
            <TextField name="url" label={words.url} help={words.urlHelp} type="url" value={typed} required />
            <Submit text={words.add} />
          </form>
        </>
      ) : (
        <p class="note">{words.restricted}</p>
      )}
    </AccountPage>
  );
}

function WebhookTable({ context, webhooks }: { context: PageContext; webhooks: readonly Webhook[] }) {
  const { webhooks: words } = context.words.account;
  const rows = webhooks.map((webhook) => [
    <span class="as-written">{webhook.url}</span>,
    webhook.types?.join(', ') ?? words.allTypes,
    <State context={context} webhook={webhook} />,
    <Actions context={context} webhook={webhook} />,
  ]);
  const columns = [words.url, typedText(words.types), words.state, action(words.actions)];
  return <DataTable label={context.words.account.tabs.webhooks} columns={columns} rows={rows} none={words.none} />;
}

function State({ context, webhook }: { context: PageContext; webhook: Webhook }) {
  const { states, failingSince } = context.words.account.webhooks;
  const state = states[webhook.enabled ? 'enabled' : (webhook.disabledFor ?? 'disabled')];
  if (!webhook.enabled || webhook.failingSince === null) return <>{state}</>;
  return <Under of={state} text={failingSince(dateTime(webhook.failingSince))} />;
}

function Actions({ context, webhook: { webhookId, url } }: { context: PageContext; webhook: Webhook }) {
  const { webhooks: words } = context.words.account;
  const path = `${tabPath('webhooks')}/${webhookId}`;
  return (
    <div class="row">
      <form method="post" action={`${path}/test`}>
        <Submit look="quiet small" text={words.test} about={url} />
      </form>
      <LinkButton look="quiet small" href={`${path}/rotate`} text={words.rotate} about={url} />
      <LinkButton look="quiet small" href={`${path}/delete`} text={words.remove} about={url} />
    </div>
  );
}

interface QuestionProps {
  context: PageContext;
  webhook: Webhook;
  kind: 'rotate' | 'delete';
}

function QuestionPage({ context, webhook, kind }: QuestionProps) {
  const { webhooks: words } = context.words.account;
  const isRotation = kind === 'rotate';
  const back = { back: tabPath('webhooks'), backText: words.keep };
  return (
    <AccountPage context={context} tab="webhooks" title={isRotation ? words.askRotate : words.askRemove}>
      <Facts facts={[[words.url, webhook.url]]} />
      <p>{isRotation ? words.rotateText : words.removeText}</p>
      <form method="post" action={`/account/webhooks/${webhook.webhookId}/${kind}`} data-once>
        <Hidden fields={{ known: versionOf([webhook]) }} />
        {isRotation ? (
          <SubmitRow text={words.rotate} {...back} />
        ) : (
          <SubmitRow look="danger" text={words.remove} {...back} />
        )}
      </form>
    </AccountPage>
  );
}
