/** @jsxImportSource hono/jsx */
// The front page: what this is in ten seconds, a first call to copy, and how the free model is doing.

import { LANGUAGES, type Language, wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { State, type StateName } from '../parts/state.tsx';

export interface HomeFacts {
  free: { state: StateName; channels: readonly string[] };
  limits: { free_per_minute: number; free_per_day_zero: number; free_per_day_positive: number };
}

export function HomePage({ context, facts }: { context: PageContext; facts: HomeFacts }) {
  const { publicUrl, language } = context;
  const { home, frame } = wordsOf(language);
  const { free_per_minute: minute, free_per_day_zero: zero, free_per_day_positive: positive } = facts.limits;
  return (
    <Page context={context} title={home.title} description={home.lead} languages={LANGUAGES}>
      <h1>{home.headline}</h1>
      <p class="lead">{home.lead}</p>
      <div class="two is-uneven">
        <section>
          <h2>{home.firstCall}</h2>
          <p>{home.firstCallLead}</p>
          <CodeBlock label={frame.copy} done={frame.copied} code={registerCall(publicUrl)} />
          <p>{home.thenAsk}</p>
          <CodeBlock label={frame.copy} done={frame.copied} code={freeCall(publicUrl)} />
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
            <a class="button" href={context.isSignedIn ? '/account' : '/account#create'}>
              {context.isSignedIn ? home.toAccount : home.createAccount}
            </a>
            <a class="button quiet" href="/pricing">
              {home.seePrices}
            </a>
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
  return `curl -s ${publicUrl}/v1/chat/completions \\
  -H "Authorization: Bearer YOUR_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "auto:free",
       "messages": [{"role": "user", "content": "Hello!"}]}'`;
}
