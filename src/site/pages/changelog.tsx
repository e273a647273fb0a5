/** @jsxImportSource hono/jsx */
// The changelog of the API as a page; the feeds have the same entries.

import type { Child } from 'hono/jsx';
import { ATOM_FEED, JSON_FEED } from '../../kit/discovery-links.ts';
import { ENTRIES, type Entry } from '../changelog/entries.ts';
import { contentOf, sectionHash } from '../changelog/feeds.ts';
import { LANGUAGES } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { LinkLine } from '../parts/button.tsx';

export function ChangelogPage({ context }: { context: PageContext }) {
  const { changelog } = context.words;
  const feeds = [ATOM_FEED, JSON_FEED].map(({ path, type }) => (
    <link rel="alternate" type={type} title={changelog.title} href={`${path}?lang=${context.language}`} />
  ));
  return (
    <Page context={context} title={changelog.title} description={changelog.lead} languages={LANGUAGES} head={feeds}>
      <div class="narrow">
        <h1>{changelog.title}</h1>
        <p class="lead">{changelog.lead}</p>
        <LinkLine href="/docs/versioning" text={changelog.policy} />
        <p class="faint">
          {changelog.feeds} <a href={ATOM_FEED.path}>Atom</a> · <a href={JSON_FEED.path}>JSON</a>
        </p>
        {ENTRIES.map((entry) => (
          <ChangelogEntry context={context} entry={entry} />
        ))}
      </div>
    </Page>
  );
}

function ChangelogEntry({ context, entry }: { context: PageContext; entry: Entry }) {
  const { language, words } = context;
  const { changelog } = words;
  return (
    <section id={entry.id}>
      <h2>{entry.title[language]}</h2>
      <p class="faint">
        <time datetime={entry.date}>{entry.date}</time> · {changelog.kinds[entry.kind]} ·{' '}
        <a href={`/docs/${entry.docs}${sectionHash(entry, language)}`}>{changelog.more}</a>
      </p>
      <p>{withCode(contentOf(entry, language))}</p>
    </section>
  );
}

/** Every second piece stands between backticks. */
function withCode(text: string): Child[] {
  return text.split('`').map((piece, index) => (index % 2 === 0 ? piece : <code>{piece}</code>));
}
