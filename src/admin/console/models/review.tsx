/** @jsxImportSource hono/jsx */
// The review of a change before it is applied: the difference, the warnings, and buttons to apply or edit. For the document,
// prices from the form, an imported list, and a rollback to an old revision.

import type { Child } from 'hono/jsx';
import { lineFinder } from '../../../catalog/fault-lines.ts';
import type { DocumentWarning } from '../../../catalog/warn-change.ts';
import { count, decimal } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { wordFor } from '../../../site/language.ts';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { Scroll } from '../../../site/parts/table.tsx';
import type { CheckedDocument, DocumentFault } from '../../actions/documents.ts';
import type { DiffLine } from '../../actions/line-diff.ts';
import { type ConsoleContext, ConsolePage, FaultList } from '../frame.tsx';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit } from '../visits.tsx';
import { documentFaultText } from '../words/document-faults.ts';

const PATHS = { 'config.apply': '/models/document', 'prices.edit': '/models', 'prices.import': '/models/import' };

/** The action of the change in the log. */
export type ChangeAction = keyof typeof PATHS;

export function isChangeAction(text: string): text is ChangeAction {
  return Object.hasOwn(PATHS, text);
}

interface ReviewProps {
  context: ConsoleContext;
  yaml: string;
  base: number;
  action: ChangeAction;
  checked: Pick<CheckedDocument, 'diff' | 'warnings'>;
  /** Where the text can be edited on; the document's editor if left out. */
  back?: string;
  notice?: Notice | undefined;
  /** Further fields of the form; the audit log keeps them. */
  fields?: Readonly<Record<string, string>>;
  children?: Child;
}

export function ReviewPage(props: ReviewProps) {
  const { context, yaml, base, action, checked, back, notice, fields = {}, children } = props;
  const { document } = context.words;
  return (
    <ConsolePage
      context={{ ...context, path: PATHS[action], query: '' }}
      section="models"
      title={document.reviewTitle}
      lead={document.reviewLead(base)}
      notice={notice}
    >
      {children}
      <Diff context={context} lines={checked.diff} label={document.reviewLead(base)} />
      <form method="post" action="/models/document/apply">
        <Hidden fields={{ ...fields, base, action }} />
        <textarea name="yaml" hidden>{`\n${yaml}`}</textarea>
        <Warnings context={context} warnings={checked.warnings} />
        <div class="row">
          <Submit text={document.apply} />
          {back === undefined ? (
            <button type="submit" class="quiet" formaction="/models/document/edit" formnovalidate>
              {document.edit}
            </button>
          ) : (
            <LinkButton look="quiet" href={back} text={document.edit} />
          )}
        </div>
      </form>
    </ConsolePage>
  );
}

/** What was reviewed, and that its warnings were seen. */
export function applyOptions({ form }: ConsoleVisit) {
  return { baseRevision: Number(form.get('base') ?? 0), confirmed: form.get('confirmed') === 'yes', actor: ACTOR };
}

const SIGNS = { same: ' ', added: '+', removed: '−' };

interface DiffProps {
  context: ConsoleContext;
  lines: readonly DiffLine[];
  label: string;
}

export function Diff({ context, lines, label }: DiffProps) {
  const { document } = context.words;
  if (!lines.some(({ kind }) => kind === 'added' || kind === 'removed')) {
    return <p class="empty">{document.noDifference}</p>;
  }
  return (
    <Scroll label={label}>
      <div class="diff">
        {lines.map((line) =>
          line.kind === 'skipped' ? (
            <p class="skipped">{document.skipped(line.count)}</p>
          ) : (
            <p class={line.kind}>
              <span class="line" aria-hidden="true">
                {line.kind === 'removed' ? line.before : line.after}
              </span>
              <span class="sign" aria-hidden="true">
                {SIGNS[line.kind]}
              </span>
              {line.kind === 'same' ? null : <span class="unseen">{document[line.kind]}: </span>}
              <code>{line.text}</code>
            </p>
          ),
        )}
      </div>
    </Scroll>
  );
}

/** Warnings about valid but unusual changes: the operator who applies them confirms having read them. */
export function Warnings({ context, warnings }: { context: ConsoleContext; warnings: readonly DocumentWarning[] }) {
  const { document } = context.words;
  if (warnings.length === 0) return null;
  return (
    <>
      <div class="notice is-warning">
        <h2>{document.warnings}</h2>
        <ul>
          {warnings.map((warning) => (
            <li>
              {warningText(context, warning)} <span class="id faint">{warning.path}</span>
            </li>
          ))}
        </ul>
      </div>
      <p>
        <label class="check">
          <input type="checkbox" name="confirmed" value="yes" required /> {document.understood}
        </label>
      </p>
    </>
  );
}

function warningText({ words: { document, prices } }: ConsoleContext, warning: DocumentWarning): string {
  const { code, subject, price = '', before, after, requests, revision } = warning;
  switch (code) {
    case 'price_jump':
      return document[code](subject, wordFor(prices, price) ?? price, decimal(before ?? ''), decimal(after ?? ''));
    case 'model_removed':
    case 'channel_removed':
      return document[code](subject, count(requests ?? 0));
    case 'key_returned':
      return document[code](subject, revision ?? 0);
    case 'usage_shortened':
    case 'suspension_shortened':
      return document[code](before, after ?? '');
    default:
      return document[code](subject);
  }
}

interface DocumentFaultsProps {
  context: ConsoleContext;
  title: string;
  text?: string;
  faults: readonly DocumentFault[];
  /** The text that the operator edits; without one, faults have no line. */
  yaml?: string;
}

export function DocumentFaults({ context, title, text, faults, yaml }: DocumentFaultsProps) {
  if (faults.length === 0) return null;
  const { document } = context.words;
  const lineOf = yaml === undefined ? () => undefined : lineFinder(yaml);
  const shown = faults
    .map((fault) => ({ ...fault, line: lineOf(fault.path) }))
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ path, message, line }) => ({
      path: [...(line === undefined ? [] : [document.line(line)]), ...(path.startsWith('line ') ? [] : [path])].join(
        ' · ',
      ),
      message: documentFaultText(context.language, message),
    }));
  return <FaultList title={title} {...(text === undefined ? {} : { text })} faults={shown} />;
}
