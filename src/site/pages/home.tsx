/** @jsxImportSource hono/jsx */
// The front page: a short description, a first call to copy, and the state of the free model.

import { FREE_MODEL } from '../../catalog/document.ts';
import { NoticeBox } from '../frame.tsx';
import { LANGUAGES, type Language, wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { LinkButton } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { State } from '../parts/state.tsx';
import type { SiteTools } from '../tools.ts';

export type HomeFacts = Awaited<ReturnType<typeof homeFacts>>;

export async function homeFacts({ catalog, status }: SiteTools) {
  const free = (await status()).models.find(({ id }) => id === FREE_MODEL);
  const channels = free?.channels.map(({ name }) => name) ?? [];
  const { limits, models } = catalog();
  const demo = models.every((model) => model.demo) ? 'all' : free?.demo ? 'free' : undefined;
  return { limits, demo, free: { state: free?.state ?? 'unknown', channels } } as const;
}

export function HomePage({ context, facts }: { context: PageContext; facts: HomeFacts }) {
  const { publicUrl, language } = context;
  const { home } = context.words;
  const { free_per_minute: minute, free_per_day_zero: zero, free_per_day_positive: positive } = facts.limits;
  return (
    <Page context={context} title={home.title} description={home.lead} languages={LANGUAGES}>
      <h1>{home.headline}</h1>
      <p class="lead">{home.lead}</p>
      <NoticeBox notice={facts.demo && { text: home.demo[facts.demo], isWarning: true }} />
      <div class="two is-uneven">
        <section>
          <h2>{home.firstCall}</h2>
          <p>{home.firstCallLead}</p>
          <CodeBlock language={context.language} code={registerCall(publicUrl)} />
          <p>{home.thenAsk}</p>
          <CodeBlock language={context.language} code={freeCall(publicUrl)} />
        </section>
        <section>
          <h2>{home.freeNow}</h2>
          <p>
            <strong class="id">auto:free</strong> <State language={language} state={facts.free.state} />
          </p>
          {facts.free.channels.length > 0 ? <p>{home.freeBy(facts.free.channels.join(' · '))}</p> : null}
          <p class="faint">{home.freeLimits(minute, zero, positive)}</p>
          <p>{home.paidBy}</p>
          <p class="row">
            {context.isSignedIn ? (
              <LinkButton href="/account" text={home.toAccount} />
            ) : (
              <LinkButton href="/account#create" text={home.createAccount} />
            )}
            <LinkButton look="quiet" href="/pricing" text={home.seePrices} />
          </p>
        </section>
      </div>
      <h2>{home.promises}</h2>
      <ul class="cards">
        {homePromises(language).map(([title, text]) => (
          <li>
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </Page>
  );
}

export function homePromises(language: Language): [title: string, text: string][] {
  const { home } = wordsOf(language);
  return [
    [home.promise1, home.promise1Text],
    [home.promise2, home.promise2Text],
    [home.promise3, home.promise3Text],
    [home.promise4, home.promise4Text],
  ];
}

export function registerCall(publicUrl: string): string {
  return `curl -s -X POST ${publicUrl}/api/agent/register`;
}

export function freeCall(publicUrl: string): string {
  return `curl -sN ${publicUrl}/v1/chat/completions \\
  -H "Authorization: Bearer YOUR_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "auto:free", "stream": true,
       "messages": [{"role": "user", "content": "Hello!"}]}'`;
}
