/** @jsxImportSource hono/jsx */
// The document as text: edited, checked, reviewed, applied. A refusal shows it again as it was typed, and beside it what is
// wrong with it, by line and path.

import { lineFinder } from '../../../catalog/fault-lines.ts';
import { dateTime } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { Submit, SubmitRow } from '../../../site/parts/button.tsx';
import { CodeBlock } from '../../../site/parts/code-block.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { typedLines } from '../../../site/read-form.ts';
import { applyChecked, checkDocument, currentDocument, type DocumentFault } from '../../actions/documents.ts';
import { PRICES_IMPORT } from '../../actions/last-imports.ts';
import type { DiffLine } from '../../actions/line-diff.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { detailOf, importFields } from './import-pages.tsx';
import { applyOptions, type ChangeAction, Diff, DocumentFaults, isChangeAction, ReviewPage } from './review.tsx';
import { showApplied } from './revision-pages.tsx';

export function addDocumentPages(visits: ConsoleVisits): void {
  visits.get('/models/document', async (visit) => {
    const { yaml, revision: base, createdAt } = await currentDocument(visit.tools);
    return showEditor(visit, { yaml, base, about: visit.page.words.document.editing(base, dateTime(createdAt)) });
  });
  visits.post('/models/document/edit', (visit) => showEditor(visit, sent(visit)));
  visits.post('/models/document', (visit) => review(visit, { ...sent(visit), action: 'config.apply' }));
  visits.post('/models/document/apply', apply);
}

interface Text {
  yaml: string;
  /** The revision that it was made from. */
  base: number;
}

interface Change extends Text {
  action: ChangeAction;
  back?: string;
}

function sent({ form }: ConsoleVisit): Text {
  return { yaml: typedLines(form, 'yaml'), base: Number(form.get('base') ?? 0) };
}

/** Shows the difference that a change makes, or its errors. */
export async function review(visit: ConsoleVisit, change: Change): Promise<Response> {
  const { yaml, base } = change;
  const checked = await checkDocument(visit.tools, yaml, base);
  if (checked.faults) return showEditor(visit, { yaml, base, faults: checked.faults });
  if (checked.stale !== undefined) return refuseStale(visit, { yaml, base });
  if (!checked.diff.some(({ kind }) => kind === 'added' || kind === 'removed')) {
    return sayUnchanged(visit, { yaml, base });
  }
  return visit.show(<ReviewPage context={visit.page} checked={checked} {...change} />);
}

async function apply(visit: ConsoleVisit): Promise<Response> {
  const { page, form } = visit;
  const text = sent(visit);
  const named = form.get('action') ?? '';
  const action = isChangeAction(named) ? named : 'config.apply';
  const fields = action === PRICES_IMPORT ? importFields(form) : {};
  const detail = action === PRICES_IMPORT ? detailOf(fields) : {};
  const applied = await applyChecked(visit.tools, text.yaml, { ...applyOptions(visit), action, detail });
  if (applied.ok) return showApplied(visit, applied.revision);
  switch (applied.reason) {
    case 'faults':
      return showEditor(visit, { ...text, faults: applied.faults });
    case 'stale':
      return showStale(visit, text, applied);
    case 'unchanged':
      return sayUnchanged(visit, text);
    case 'unconfirmed': {
      const notice = { text: page.words.document.mustConfirm, isBad: true };
      const change = { ...text, action, checked: applied, notice, fields };
      return visit.show(<ReviewPage context={page} {...change} />, { status: 409 });
    }
  }
}

/** An edit of an older revision is refused before anything is written; the review then shows the difference. */
async function refuseStale(visit: ConsoleVisit, text: Text): Promise<Response> {
  const options = { baseRevision: text.base, confirmed: false, actor: ACTOR };
  const refused = await applyChecked(visit.tools, text.yaml, options);
  if (!refused.ok && refused.reason === 'stale') return showStale(visit, text, refused);
  return visit.go('/models/document');
}

interface Stale {
  /** The newest one. */
  revision: number;
  diff: readonly DiffLine[];
}

function showStale(visit: ConsoleVisit, { yaml, base }: Text, { revision: newest, diff }: Stale): Response {
  const context = { ...visit.page, path: '/models/document', query: '' };
  const { document } = context.words;
  const text = document.staleText(base, newest);
  return visit.show(
    <ConsolePage context={context} section="models" title={document.staleTitle} notice={{ text, isBad: true }}>
      <Diff context={context} lines={diff} label={text} />
      <form method="post" action="/models/document">
        <Hidden fields={{ base: newest }} />
        <h2>
          <label for="yaml">{document.staleMine}</label>
        </h2>
        <textarea id="yaml" name="yaml" class="code" rows={16} spellcheck={false} wrap="off">
          {`\n${yaml}`}
        </textarea>
        <p class="faint">{document.staleKeepHelp}</p>
        <SubmitRow text={document.staleKeep(newest)} back="/models/document" backText={document.staleDrop} />
      </form>
    </ConsolePage>,
    { status: 409 },
  );
}

function sayUnchanged(visit: ConsoleVisit, text: Text): Response {
  return showEditor(visit, { ...text, notice: { text: visit.page.words.document.unchanged } });
}

interface Edited extends Text {
  /** The edited revision, and the time since which it is in force. */
  about?: string;
  faults?: readonly DocumentFault[];
  notice?: Notice | undefined;
}

function showEditor(visit: ConsoleVisit, { yaml, base, about, faults = [], notice }: Edited): Response {
  const context = { ...visit.page, path: '/models/document', query: '' };
  const { document } = context.words;
  return visit.show(
    <ConsolePage
      context={context}
      section="models"
      title={document.title}
      lead={document.lead}
      notice={notice}
      script="console.js"
    >
      <div class="editor">
        <form method="post" action="/models/document">
          <Hidden fields={{ base }} />
          <label for="yaml">{document.text}</label>
          <div class="numbered" data-numbered>
            <LineNumbers yaml={yaml} faults={faults} />
            <textarea
              id="yaml"
              name="yaml"
              class="code"
              rows={lineCount(yaml) + SPARE_LINES}
              spellcheck={false}
              autocapitalize="none"
              wrap="off"
              {...(faults.length > 0 ? { 'aria-invalid': 'true' as const, 'aria-describedby': 'faults' } : {})}
            >
              {/* A text area swallows the first end of line. */}
              {`\n${yaml}`}
            </textarea>
          </div>
          <p class="faint">
            {about} {document.kept}
          </p>
          <Submit text={document.check} />
        </form>
        <aside aria-label={faults.length > 0 ? document.faultsTitle(faults.length) : document.examples}>
          <DocumentFaults
            context={context}
            title={document.faultsTitle(faults.length)}
            text={document.faultsText}
            faults={faults}
            yaml={yaml}
          />
          <Examples context={context} />
        </aside>
      </div>
    </ConsolePage>,
    { status: faults.length > 0 ? 422 : 200 },
  );
}

/** As high as its text, so that the numbers beside it scroll with it; a script keeps both in step with what is typed. */
const SPARE_LINES = 2;

const lineCount = (yaml: string) => yaml.split('\n').length;

function LineNumbers({ yaml, faults }: { yaml: string; faults: readonly DocumentFault[] }) {
  const lineOf = lineFinder(yaml);
  const wrong = new Set(faults.map(({ path }) => lineOf(path)));
  return (
    <pre class="line-numbers" aria-hidden="true">
      {Array.from({ length: lineCount(yaml) }, (_, index) =>
        wrong.has(index + 1) ? [<mark>{index + 1}</mark>, '\n'] : `${index + 1}\n`,
      )}
    </pre>
  );
}

function Examples({ context }: { context: ConsoleContext }) {
  const { document } = context.words;
  return (
    <details>
      <summary>{document.examples}</summary>
      <h3>{document.exampleChannel}</h3>
      <CodeBlock code={EXAMPLE_CHANNEL} language={context.language} />
      <p class="faint">{document.exampleHelp}</p>
      <h3>{document.exampleModel}</h3>
      <CodeBlock code={EXAMPLE_MODEL} language={context.language} />
    </details>
  );
}

const EXAMPLE_CHANNEL = `channels:
  - name: openai
    kind: openai
    base_url: https://api.openai.com/v1
    api_key: env:OPENAI_API_KEY`;

const EXAMPLE_MODEL = `models:
  - id: gpt-6.1-terra
    name: GPT-6.1 Terra
    context_tokens: 272000
    max_output_tokens: 128000
    price:
      input: 32.5
      cached_input: 1.625
      output: 162.5
    routes:
      - channel: openai
        model: gpt-6.1-terra`;
