/** @jsxImportSource hono/jsx */
// Back to an old revision: what that undoes, before it is done.

import type { CheckedDocument } from '../../actions/documents.ts';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { consoleWords } from '../words/words.ts';
import { Diff } from './diff.tsx';
import { Understood } from './review.tsx';
import { modelTabs } from './tabs.ts';
import { Warnings } from './warnings.tsx';

interface ReturnProps {
  context: ConsoleContext;
  revision: number;
  newest: number;
  checked: CheckedDocument;
  notice?: Notice | undefined;
}

export function ReturnPage({ context, revision, newest, checked, notice }: ReturnProps) {
  const { document, frame } = consoleWords(context.language);
  const { language } = context;
  return (
    <ConsolePage
      context={context}
      section="models"
      title={document.returnTitle(revision)}
      lead={document.returnText(newest, newest + 1)}
      tabs={modelTabs(language)}
      notice={notice}
    >
      <Diff language={language} lines={checked.diff} label={document.changes} />
      <form method="post" action={`/models/revisions/${revision}/return`}>
        <input type="hidden" name="base" value={String(newest)} />
        {checked.warnings.length > 0 ? (
          <>
            <Warnings language={language} warnings={checked.warnings} />
            <Understood text={document.understood} />
          </>
        ) : null}
        <div class="row">
          <button type="submit">{document.returnTo}</button>
          <a class="button quiet" href="/models/revisions">
            {frame.cancel}
          </a>
        </div>
      </form>
    </ConsolePage>
  );
}
