/** @jsxImportSource hono/jsx */
// Back to an old revision: what that undoes, before it is done.

import type { Notice } from '../../../site/frame.tsx';
import { SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import type { CheckedDocument } from '../../actions/documents.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { Diff } from './diff.tsx';
import { Understood } from './review.tsx';
import { Warnings } from './warnings.tsx';

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
