/** @jsxImportSource hono/jsx */
// What is stored and what is not, and how to reach whoever runs this.

import { type Language, wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';

export function SecurityPage({ context }: { context: PageContext }) {
  const { security } = wordsOf(context.language);
  return (
    <Page context={context} title={security.title} description={security.lead}>
      <div class="narrow">
        <h1>{security.title}</h1>
        <p class="lead">{security.lead}</p>
        {securitySections(context.language).map(([title, text]) => (
          <section>
            <h2>{title}</h2>
            <p>{text}</p>
          </section>
        ))}
        <p>
          <a href="/.well-known/security.txt">security.txt</a>
        </p>
      </div>
    </Page>
  );
}

export function securitySections(language: Language): [title: string, text: string][] {
  const { security } = wordsOf(language);
  return [
    [security.notStoredTitle, security.notStored],
    [security.storedTitle, security.stored],
    [security.keysTitle, security.keys],
    [security.sessionsTitle, security.sessions],
    [security.addressesTitle, security.addresses],
    [security.retentionTitle, security.retention],
    [security.reportTitle, security.report],
  ];
}
