/** @jsxImportSource hono/jsx */
// What a change of the document comes to, before it is made: the difference, what should be looked at twice, and the two ways
// on. For the document, for prices from the form, for an imported list, and for the way back to an old revision.

import type { Child } from 'hono/jsx';
import type { DocumentWarning } from '../../../catalog/warn-change.ts';
import { count, decimal } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import type { Language } from '../../../site/language.ts';
import { LinkButton, Submit, SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { Scroll } from '../../../site/parts/table.tsx';
import type { CheckedDocument } from '../../actions/documents.ts';
import type { DiffLine } from '../../actions/line-diff.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { consoleWords } from '../words/words.ts';
import { priceNames } from './price-names.ts';

/** What of the log of actions a change is. */
export type ChangeAction = 'config.apply' | 'prices.edit' | 'prices.import';

const PATHS: Record<ChangeAction, string> = {
  'config.apply': '/models/document',
  'prices.edit': '/models',
  'prices.import': '/models/import',
};

interface ReviewProps {
  context: ConsoleContext;
  yaml: string;
  base: number;
  action: ChangeAction;
  checked: Pick<CheckedDocument, 'diff' | 'warnings'>;
  /** Where the text can be edited on; the document's editor if left out. */
  back?: string;
  notice?: Notice | undefined;
  children?: Child;
}

export function ReviewPage({ context, yaml, base, action, checked, back, notice, children }: ReviewProps) {
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
      <Diff language={context.language} lines={checked.diff} label={document.reviewLead(base)} />
      <form method="post" action="/models/document/apply">
        <Hidden fields={{ base: String(base), action }} />
        <textarea name="yaml" hidden>{`\n${yaml}`}</textarea>
        {checked.warnings.length > 0 ? (
          <>
            <Warnings language={context.language} warnings={checked.warnings} />
            <Understood text={document.understood} />
          </>
        ) : null}
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

export function Understood({ text }: { text: string }) {
  return (
    <p>
      <label class="check">
        <input type="checkbox" name="confirmed" value="yes" required /> {text}
      </label>
    </p>
  );
}

interface StaleProps {
  context: ConsoleContext;
  yaml: string;
  base: number;
  newest: number;
  diff: readonly DiffLine[];
}

export function StalePage({ context, yaml, base, newest, diff }: StaleProps) {
  const { document } = context.words;
  return (
    <ConsolePage
      context={{ ...context, path: '/models/document', query: '' }}
      section="models"
      title={document.staleTitle}
      notice={{ text: document.staleText(base, newest), isBad: true }}
    >
      <Diff language={context.language} lines={diff} label={document.staleText(base, newest)} />
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
    </ConsolePage>
  );
}

interface ReturnProps {
  context: ConsoleContext;
  revision: number;
  newest: number;
  checked: CheckedDocument;
  notice?: Notice | undefined;
}

export function ReturnPage({ context, revision, newest, checked, notice }: ReturnProps) {
  const { document, frame } = context.words;
  const { language } = context;
  return (
    <ConsolePage
      context={context}
      section="models"
      title={document.returnTitle(revision)}
      lead={document.returnText(newest, newest + 1)}
      notice={notice}
    >
      <Diff language={language} lines={checked.diff} label={document.changes} />
      <form method="post" action={`/models/revisions/${revision}/return`}>
        <Hidden fields={{ base: newest }} />
        {checked.warnings.length > 0 ? (
          <>
            <Warnings language={language} warnings={checked.warnings} />
            <Understood text={document.understood} />
          </>
        ) : null}
        <SubmitRow text={document.returnTo} back="/models/revisions" backText={frame.cancel} />
      </form>
    </ConsolePage>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '−' };

export function Diff({ language, lines, label }: { language: Language; lines: readonly DiffLine[]; label: string }) {
  const { document } = consoleWords(language);
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

export function Warnings({ language, warnings }: { language: Language; warnings: readonly DocumentWarning[] }) {
  const { document } = consoleWords(language);
  return (
    <div class="notice is-warning">
      <h2>{document.warnings}</h2>
      <ul>
        {warnings.map((warning) => (
          <li>
            {warningText(language, warning)} <span class="id faint">{warning.path}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function warningText(language: Language, warning: DocumentWarning): string {
  const { code, subject, price, before, after, requests, revision } = warning;
  const { document } = consoleWords(language);
  const names: Readonly<Record<string, string>> = priceNames(language);
  switch (code) {
    case 'price_jump':
      return document[code](subject, names[price ?? ''] ?? price ?? '', decimal(before ?? ''), decimal(after ?? ''));
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
