/** @jsxImportSource hono/jsx */
// How to set up each client, with this site's own address in every line.

import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { AccountPage } from './frame.tsx';
import { snippets } from './snippets.ts';

export function SetupPage({ context }: { context: PageContext }) {
  const { account, frame } = wordsOf(context.language);
  return (
    <AccountPage context={context} tab="setup">
      <p>{account.setup.lead}</p>
      {snippets(context.publicUrl).map(({ title, code }) => (
        <section>
          <h2>{title}</h2>
          <CodeBlock code={code} label={frame.copy} done={frame.copied} />
        </section>
      ))}
      <p>
        <a href="/docs/clients">{account.setup.more}</a>
      </p>
    </AccountPage>
  );
}
