/** @jsxImportSource hono/jsx */
// The front page: a short description, a first call to copy, and the state of the free model.

import { type Catalog, exampleModel } from '../../catalog/catalog.ts';
import { FREE_MODEL } from '../../catalog/document.ts';
import { NoticeBox } from '../frame.tsx';
import { LANGUAGES, type Language, wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { LinkButton } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { State } from '../parts/state.tsx';
import type { SiteTools } from '../tools.ts';
import { exampleTrace, TraceFigure } from './home-trace.tsx';

export type HomeFacts = Awaited<ReturnType<typeof homeFacts>>;

export async function homeFacts({ catalog, status }: SiteTools) {
  const free = (await status()).models.find(({ id }) => id === FREE_MODEL);
  const { limits, models } = catalog();
  const demo = models.every((model) => model.demo) ? 'all' : free?.demo ? 'free' : undefined;
  return {
    limits,
    demo,
    free: free && { state: free.state, channels: free.channels.map(({ name }) => name) },
    model: exampleModel(catalog(), 'chat')?.id ?? FREE_MODEL,
    trace: exampleTrace(catalog()),
    picture: pictureOf(catalog()),
  } as const;
}

export function HomePage({ context, facts }: { context: PageContext; facts: HomeFacts }) {
  const { publicUrl, language } = context;
  const { home } = context.words;
  return (
    <Page context={context} title={home.title} description={home.lead} languages={LANGUAGES}>
      <div class="hero">
        <div>
          <h1>{home.headline}</h1>
          <p class="lead">{home.lead}</p>
          <p class="row">
            {context.isSignedIn ? (
              <>
                <LinkButton href="/account" text={home.toAccount} />
                <LinkButton look="quiet" href="/account/play" text={home.toPlay} />
              </>
            ) : (
              <LinkButton href="/account/sign-in?next=%2Faccount%2Fplay#create" text={home.createAccount} />
            )}
            <LinkButton look="quiet" href="/pricing" text={home.seePrices} />
          </p>
        </div>
        <HowItWorks language={language} siteName={context.siteName} picture={facts.picture} />
      </div>
      <NoticeBox notice={facts.demo && { text: home.demo[facts.demo], isWarning: true }} />
      {facts.trace ? <TraceFigure language={language} trace={facts.trace} /> : null}
      <div class="two is-uneven">
        <section>
          <h2>{home.firstCall}</h2>
          <p>{home.firstCallLead}</p>
          <CodeBlock language={context.language} code={registerCall(publicUrl)} />
          <p>{facts.free ? home.thenAsk : home.thenAskPaid}</p>
          <CodeBlock language={context.language} code={firstCall(publicUrl, facts.model)} />
        </section>
        <section>
          <FreeModel language={language} facts={facts} />
          <p>{home.paidBy}</p>
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

function FreeModel({ language, facts: { free, limits } }: { language: Language; facts: HomeFacts }) {
  if (!free) return null;
  const { home } = wordsOf(language);
  return (
    <>
      <h2>{home.freeNow}</h2>
      <p>
        <strong class="id">{FREE_MODEL}</strong> <State language={language} state={free.state} />
      </p>
      {free.channels.length > 0 ? <p>{home.freeBy(free.channels.join(' · '))}</p> : null}
      <p class="faint">{freeLimits(language, limits)}</p>
    </>
  );
}

export function freeLimits(language: Language, limits: HomeFacts['limits']): string {
  const { free_per_minute: minute, free_per_day_zero: zero, free_per_day_positive: positive } = limits;
  return wordsOf(language).home.freeLimits(minute, zero, positive);
}

export function homePromises(language: Language): [title: string, text: string][] {
  const { home } = wordsOf(language);
  return ([1, 2, 3, 4] as const).map((number) => [home[`promise${number}`], home[`promise${number}Text`]]);
}

export function registerCall(publicUrl: string): string {
  return `curl -s -X POST ${publicUrl}/api/agent/register`;
}

export function firstCall(publicUrl: string, model: string): string {
  return `curl -sN ${publicUrl}/v1/chat/completions \\
  -H "Authorization: Bearer YOUR_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "stream": true,
       "messages": [{"role": "user", "content": "Hello!"}]}'`;
}

const SHOWN_CHANNELS = 3;

/** How it works in one picture: the visitor's tools, this gateway with the wallet, and the channels of this server. */
function pictureOf(catalog: Catalog) {
  const { first, second } = exampleTrace(catalog) ?? {};
  const used = catalog.models.flatMap(({ routes }) => routes.map(({ channel }) => channel));
  const real = used.filter(({ kind }) => kind !== 'demo');
  const names = (real.length > 0 ? real : used).map(({ name }) => name);
  const channels = [...new Set([...[first, second].filter((name) => name !== undefined), ...names])];
  return {
    models: catalog.models.length,
    /** Those that are shown; the first two are those of the example, where one takes over from the other. */
    channels: channels.slice(0, SHOWN_CHANNELS),
    others: Math.max(0, channels.length - SHOWN_CHANNELS),
    takesOver: second !== undefined,
  };
}

interface PictureProps {
  language: Language;
  siteName: string;
  picture: HomeFacts['picture'];
}

export function pictureText({ language, siteName, picture }: PictureProps): string {
  const { picture: words } = wordsOf(language).home;
  const { models, channels, others, takesOver } = picture;
  const says = takesOver ? [words.first, words.second] : [];
  return [
    `## ${words.title}`,
    '',
    `1. ${words.tools}: ${words.toolNames} → ${words.oneKey}`,
    `2. ${siteName}: ${words.wallet} → ${words.models(models)}`,
    ...channels.map((name, index) => `   - ${name}${says[index] === undefined ? '' : `: ${says[index]}`}`),
    ...(others === 0 ? [] : [`   - ${words.others(others)}`]),
  ].join('\n');
}

function HowItWorks({ language, siteName, picture }: PictureProps) {
  const { picture: words } = wordsOf(language).home;
  const { models, channels, others, takesOver } = picture;
  const says = takesOver ? [words.first, words.second] : [];
  return (
    <figure class="how" aria-label={words.title}>
      <div class="how-box">
        <strong>{words.tools}</strong>
        <span class="faint">{words.toolNames}</span>
      </div>
      <p class="how-link">{words.oneKey}</p>
      <div class="how-box is-own">
        <strong>{siteName}</strong>
        <span class="faint">{words.wallet}</span>
      </div>
      <p class="how-link">{words.models(models)}</p>
      <ul class="how-channels">
        {channels.map((name, index) => (
          <li>
            <span class="id">{name}</span>
            {says[index] === undefined ? null : <span class="faint">{says[index]}</span>}
          </li>
        ))}
      </ul>
      {others === 0 ? null : <p class="faint">{words.others(others)}</p>}
    </figure>
  );
}
