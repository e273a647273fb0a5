/** @jsxImportSource hono/jsx */
// A link to the operator's support; nothing without a contact.

import { withGap } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';

interface SupportProps {
  context: { language: Language; supportContact: string | undefined };
}

export function SupportLink({ context: { language, supportContact } }: SupportProps) {
  return supportContact === undefined ? null : <a href={supportContact}>{wordsOf(language).frame.support}</a>;
}

/** Where to get cards; nothing without a contact. */
export function CardSource({ context }: SupportProps) {
  if (context.supportContact === undefined) return null;
  return (
    <p>
      {withGap(wordsOf(context.language).account.redeem.source)}
      <SupportLink context={context} />
    </p>
  );
}
