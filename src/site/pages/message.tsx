/** @jsxImportSource hono/jsx */
// A page that says one thing: that there is nothing here, or that something did not work.

import { wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';

export function MessagePage({ context, title, text }: { context: PageContext; title: string; text: string }) {
  const { frame } = wordsOf(context.language);
  return (
    <Page context={context} title={title}>
      <div class="narrow">
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        <p>
          <a class="button" href="/">
            {frame.toHome}
          </a>
        </p>
      </div>
    </Page>
  );
}
