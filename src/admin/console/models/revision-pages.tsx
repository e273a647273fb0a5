/** @jsxImportSource hono/jsx */
// The revisions of the document: what each changed, and the way back to any of them.

import { dateTime } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { LinkButton, SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { action, DataTable } from '../../../site/parts/table.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import { checkRollback, listRevisions, rollBack, showRevision } from '../../actions/documents.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { ActionName, actorName } from '../watch/action-pages.tsx';
import { applyOptions, Diff, Warnings } from './review.tsx';

const SHOWN = 100;

export function addRevisionPages(visits: ConsoleVisits): void {
  visits.get('/models/revisions', showAll);
  visits.get('/models/revisions/:revision', showOne);
  visits.get('/models/revisions/:revision/return', askRollback);
  visits.post('/models/revisions/:revision/return', doReturn);
}

export function showApplied(visit: ConsoleVisit, revision: number): Response {
  return visit.goWith('/models/revisions', { notice: { text: visit.page.words.document.applied(revision) } });
}

function numberOf({ params }: ConsoleVisit): number {
  const revision = Number(params.revision);
  return Number.isSafeInteger(revision) ? revision : 0;
}

async function showAll({ page: context, show, tools, url }: ConsoleVisit): Promise<Response> {
  const { document } = context.words;
  const revisions = await listRevisions(tools, SHOWN + 1, wholeNumber(url.searchParams, 'before'));
  const shown = revisions.slice(0, SHOWN);
  const before = revisions.length > SHOWN ? shown.at(-1)?.revision : undefined;
  return show(
    <ConsolePage context={context} section="models" title={document.revisions} lead={document.revisionsLead}>
      <DataTable
        label={document.revisions}
        columns={[
          document.revision,
          document.when,
          document.source,
          document.who,
          document.what,
          action(document.restore),
        ]}
        rows={shown.map(({ revision, createdAt, source, actor, action, isNewest }) => [
          <>
            <a href={`/models/revisions/${revision}`}>{document.ofRevision(revision)}</a>
            {isNewest ? <span class="under good">{document.inForce}</span> : null}
          </>,
          <span class="number">{dateTime(createdAt)}</span>,
          document[source],
          actor ? actorName(context.language, actor) : '–',
          action === undefined ? '–' : <ActionName language={context.language} action={action} />,
          isNewest ? '' : <ReturnLink context={context} revision={revision} />,
        ])}
      />
      {before === undefined ? null : (
        <p>
          <a href={`/models/revisions?before=${before}`}>{document.older}</a>
        </p>
      )}
    </ConsolePage>,
  );
}

function ReturnLink({ context, revision }: { context: ConsoleContext; revision: number }) {
  const { restore: text } = context.words.document;
  const href = `/models/revisions/${revision}/return`;
  return <LinkButton look="quiet small" href={href} text={text} about={`: ${revision}`} />;
}

async function showOne(visit: ConsoleVisit): Promise<Response> {
  const { page: context } = visit;
  const { document } = context.words;
  const revision = await showRevision(visit.tools, numberOf(visit));
  const title = document.ofRevision(revision.revision);
  return visit.show(
    <ConsolePage context={context} section="models" title={title}>
      <div class="row spread">
        <span class="faint">
          {dateTime(revision.createdAt)} · {document[revision.source]}
          {revision.actor ? ` · ${actorName(context.language, revision.actor)}` : ''}
        </span>
        {revision.isNewest ? (
          <span class="good">{document.inForce}</span>
        ) : (
          <ReturnLink context={context} revision={revision.revision} />
        )}
      </div>
      <h2>{document.changes}</h2>
      {revision.revision === 1 ? (
        <p class="empty">{document.firstRevision}</p>
      ) : (
        <Diff context={context} lines={revision.diff} label={document.changes} />
      )}
      <details>
        <summary>{document.whole}</summary>
        <pre tabindex={0}>
          <code>{revision.yaml}</code>
        </pre>
      </details>
    </ConsolePage>,
  );
}

async function askRollback(visit: ConsoleVisit, notice?: Notice): Promise<Response> {
  const { page: context } = visit;
  const { document, frame } = context.words;
  const revision = numberOf(visit);
  const { diff, revision: newest, warnings } = await checkRollback(visit.tools, revision);
  return visit.show(
    <ConsolePage
      context={context}
      section="models"
      title={document.returnTitle(revision)}
      lead={document.returnText(newest, newest + 1)}
      notice={notice}
    >
      <Diff context={context} lines={diff} label={document.changes} />
      <form method="post" action={`/models/revisions/${revision}/return`}>
        <Hidden fields={{ base: newest }} />
        <Warnings context={context} warnings={warnings} />
        <SubmitRow text={document.restore} back="/models/revisions" backText={frame.cancel} />
      </form>
    </ConsolePage>,
    { status: notice ? 409 : 200 },
  );
}

async function doReturn(visit: ConsoleVisit): Promise<Response> {
  const { document } = visit.page.words;
  const returned = await rollBack(visit.tools, numberOf(visit), applyOptions(visit));
  if (returned.ok) return showApplied(visit, returned.revision);
  const texts = {
    faults:
      returned.reason === 'faults' ? returned.faults.map(({ path, message }) => `${path}: ${message}`).join('; ') : '',
    stale: document.staleTitle,
    unconfirmed: document.mustConfirm,
    unchanged: document.unchanged,
  };
  return askRollback(visit, { text: texts[returned.reason], isBad: true });
}
