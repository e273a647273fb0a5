/** @jsxImportSource hono/jsx */
// The security page: stored and not stored data, and the operator's contact.

import { LANGUAGES, type Language, wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { LinkLine } from '../parts/button.tsx';

interface SecurityProps {
  context: PageContext;
  /** How long usage records are kept; null: for ever. */
  usageMonths: number | null;
  contact: string | undefined;
}

export function SecurityPage({ context, usageMonths, contact }: SecurityProps) {
  const { security } = context.words;
  return (
    <Page context={context} title={security.title} description={security.lead} languages={LANGUAGES}>
      <div class="narrow">
        <h1>{security.title}</h1>
        <p class="lead">{security.lead}</p>
        {securitySections(context.language, usageMonths).map(([title, text]) => (
          <section>
            <h2>{title}</h2>
            <p>{text}</p>
          </section>
        ))}
        {contact === undefined ? null : (
          <p>
            {security.contact}
            <a href={contact}>{contactText(contact)}</a>
          </p>
        )}
        <LinkLine href="/.well-known/security.txt" text="security.txt" />
      </div>
    </Page>
  );
}

export function contactText(contact: string): string {
  return contact.replace(/^mailto:([^?]*).*$/i, '$1');
}

export function securitySections(language: Language, usageMonths: number | null): [title: string, text: string][] {
  const { security } = wordsOf(language);
  return [
    [security.notStoredTitle, security.notStored],
    [security.storedTitle, security.stored],
    [security.keysTitle, security.keys],
    [security.sessionsTitle, security.sessions],
    [security.addressesTitle, security.addresses],
    [security.retentionTitle, security.retention(usageMonths)],
    [security.reportTitle, security.report],
  ];
}
