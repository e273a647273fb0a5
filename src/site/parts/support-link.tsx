/** @jsxImportSource hono/jsx */
// The way to who runs the service, where a page sends somebody there; nothing where the operator named none.

import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';

export function SupportLink({ context: { language, supportContact } }: { context: PageContext }) {
  return supportContact === undefined ? null : <a href={supportContact}>{wordsOf(language).frame.support}</a>;
}

/** Where cards come from: told with the link, or not at all. */
export function CardSource({ context }: { context: PageContext }) {
  if (context.supportContact === undefined) return null;
  return (
    <p>
      {wordsOf(context.language).account.redeem.source} <SupportLink context={context} />
    </p>
  );
}
