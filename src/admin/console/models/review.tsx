/** @jsxImportSource hono/jsx */
// What a change comes to, before it is made: the difference, what should be looked at twice, and the two ways on. One page
// for the document, for prices from the form, and for an imported list.

import type { Child } from 'hono/jsx';
import type { Notice } from '../../../site/frame.tsx';
import { LinkButton, Submit, SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import type { CheckedDocument } from '../../actions/documents.ts';
import type { DiffLine } from '../../actions/line-diff.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { Diff } from './diff.tsx';
import { Warnings } from './warnings.tsx';

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
