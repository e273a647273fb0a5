/** @jsxImportSource hono/jsx */
// The document: edited, checked, reviewed, applied. A refusal shows the text again as it was typed.

import { dateTime } from '../../../site/format.ts';
import { typedLines } from '../../../site/read-form.ts';
import { applyChecked, checkDocument, currentDocument } from '../../actions/documents.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { EditorPage } from './editor.tsx';
import { type ChangeAction, ReviewPage, StalePage } from './review.tsx';

const ACTIONS: readonly ChangeAction[] = ['config.apply', 'prices.edit', 'prices.import'];

export function addDocumentPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/models/document', async (visit) => {
    const { document } = visit.page.words;
    const { yaml, revision, createdAt } = await currentDocument(tools);
    const about = document.editing(revision, dateTime(createdAt));
    return visit.show(<EditorPage context={visit.page} yaml={yaml} base={revision} about={about} />);
  });
  visits.post('/models/document/edit', (visit) => {
    return visit.show(<EditorPage context={visit.page} {...sent(visit)} />);
  });
  visits.post('/models/document', (visit) => review(tools, visit, { ...sent(visit), action: 'config.apply' }));
  visits.post('/models/document/apply', (visit) => apply(tools, visit));
}

interface Change {
  yaml: string;
  base: number;
  action: ChangeAction;
  back?: string;
}

function sent({ form }: ConsoleVisit): { yaml: string; base: number } {
  return { yaml: typedLines(form, 'yaml'), base: Number(form.get('base') ?? 0) };
}

/** Shows what a change comes to, or what is wrong with it. */
export async function review(tools: ConsoleTools, visit: ConsoleVisit, change: Change): Promise<Response> {
  const { yaml, base } = change;
  const checked = await checkDocument(tools, yaml, base);
  if (checked.faults) {
    const page = <EditorPage context={visit.page} yaml={yaml} base={base} faults={checked.faults} />;
    return visit.show(page, { status: 422 });
  }
  if (checked.stale !== undefined) return refuseStale(tools, visit, yaml, base);
  if (!checked.diff.some(({ kind }) => kind === 'added' || kind === 'removed')) return sayUnchanged(visit, yaml, base);
  return visit.show(<ReviewPage context={visit.page} checked={checked} {...change} />);
}

async function apply(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { document } = visit.page.words;
  const { yaml, base } = sent(visit);
  const action = ACTIONS.find((one) => one === visit.form.get('action')) ?? 'config.apply';
  const confirmed = visit.form.get('confirmed') === 'yes';
  const applied = await applyChecked(tools, yaml, { baseRevision: base, confirmed, actor: ACTOR, action });
  if (applied.ok) return visit.go(`/models/revisions?applied=${applied.revision}`);
  const { page } = visit;
  switch (applied.reason) {
    case 'faults':
      return visit.show(<EditorPage context={page} yaml={yaml} base={base} faults={applied.faults} />, { status: 422 });
    case 'stale':
      return showStale(visit, yaml, base, applied);
    case 'unchanged':
      return sayUnchanged(visit, yaml, base);
    case 'unconfirmed': {
      const notice = { text: document.mustConfirm, isBad: true };
      const again = (
        <ReviewPage context={page} yaml={yaml} base={base} action={action} checked={applied} notice={notice} />
      );
      return visit.show(again, { status: 409 });
    }
  }
}

/** What is stale is refused before anything is written: asking to apply it gives the difference. */
async function refuseStale(tools: ConsoleTools, visit: ConsoleVisit, yaml: string, base: number): Promise<Response> {
  const refused = await applyChecked(tools, yaml, { baseRevision: base, confirmed: false, actor: ACTOR });
  if (!refused.ok && refused.reason === 'stale') return showStale(visit, yaml, base, refused);
  return visit.go('/models/document');
}

function showStale(
  visit: ConsoleVisit,
  yaml: string,
  base: number,
  { revision, diff }: { revision: number; diff: Parameters<typeof StalePage>[0]['diff'] },
): Response {
  const page = <StalePage context={visit.page} yaml={yaml} base={base} newest={revision} diff={diff} />;
  return visit.show(page, { status: 409 });
}

function sayUnchanged(visit: ConsoleVisit, yaml: string, base: number): Response {
  const { document } = visit.page.words;
  return visit.show(<EditorPage context={visit.page} yaml={yaml} base={base} notice={{ text: document.unchanged }} />);
}
