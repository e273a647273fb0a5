/** @jsxImportSource hono/jsx */
// A page of the docs, with all others beside it.

import { raw } from 'hono/html';
import { CHANGELOG_PATH } from '../../kit/discovery-links.ts';
import { type DocGroup, type DocLink, type DocPage, type DocsLibrary, REFERENCE_GROUP } from '../docs-library.ts';
import { type DocHit, MOST_HITS, MOST_QUERY_CHARS } from '../docs-search.ts';
import { LANGUAGES } from '../language.ts';
import { docsPath } from '../markdown.ts';
import { Page, type PageContext } from '../page.tsx';

interface DocsProps {
  context: PageContext;
  library: DocsLibrary;
  /** Undefined: the list of all. */
  page: DocPage | undefined;
}

export function DocsPage({ context, library, page }: DocsProps) {
  const { docs } = context.words;
  return (
    <Page
      context={context}
      title={page?.title ?? docs.title}
      description={page?.lead ?? docs.lead}
      languages={page ? library.languages(page.name) : LANGUAGES}
    >
      <div class={page ? 'docs' : ''}>
        {page ? <Article context={context} page={page} /> : <Overview context={context} library={library} />}
        {page ? <Contents context={context} library={library} current={page.name} /> : null}
      </div>
    </Page>
  );
}

function Contents({ context, library, current }: { context: PageContext; library: DocsLibrary; current: string }) {
  const { docs } = context.words;
  return (
    <nav aria-label={docs.contents}>
      <SearchForm context={context} />
      {library.groups(context.language).map(({ group, pages }) => (
        <>
          <h2>{docs[group]}</h2>
          <ul>
            {pages.map((page) => (
              <li>
                <a href={`/docs/${page.name}`} {...(page.name === current ? { 'aria-current': 'page' as const } : {})}>
                  <Title context={context} page={page} />
                </a>
              </li>
            ))}
            <Reference context={context} group={group} />
          </ul>
        </>
      ))}
    </nav>
  );
}

export function DocsSearchPage({
  context,
  query,
  hits,
}: {
  context: PageContext;
  query: string;
  hits: readonly DocHit[];
}) {
  const { docs, account } = context.words;
  const found = hits.length === MOST_HITS ? docs.foundMost : docs.found;
  return (
    <Page context={context} title={docs.search}>
      <div class="narrow">
        <p class="up">
          <a href="/docs">{docs.all}</a>
        </p>
        <h1>{docs.search}</h1>
        <SearchForm context={context} query={query} />
        <p role="status">{hits.length === 0 ? docs.notFound(query) : found(hits.length, query)}</p>
        <ol class="doc-hits">
          {hits.map((hit) => (
            <li lang={hit.page.language}>
              <a href={docsPath(hit.page.name, hit.section?.id ?? '')}>
                {hit.section === undefined ? hit.page.title : hit.page.title + account.colon + hit.section.title}
              </a>
              <p class="faint">{hit.isCode ? <code>{markedText(hit)}</code> : markedText(hit)}</p>
            </li>
          ))}
        </ol>
      </div>
    </Page>
  );
}

function markedText({ snippet }: DocHit) {
  return snippet.map((text, index) => (index % 2 === 1 ? <mark>{text}</mark> : text));
}

function SearchForm({ context, query = '' }: { context: PageContext; query?: string }) {
  const { docs } = context.words;
  return (
    <form method="get" action="/docs" class="doc-search" lang={context.language}>
      <label class="unseen" for="q">
        {docs.search}
      </label>
      <input
        id="q"
        name="q"
        type="search"
        value={query}
        maxlength={MOST_QUERY_CHARS}
        placeholder={docs.search}
        required
      />
      <button type="submit" class="quiet">
        {docs.find}
      </button>
    </form>
  );
}

/** Listed beside the pages for users of the API. */
function Reference({ context, group }: { context: PageContext; group: DocGroup }) {
  if (group !== REFERENCE_GROUP) return null;
  return (
    <>
      <li>
        <a href="/openapi.json">{context.words.docs.reference}</a>
      </li>
      <li>
        <a href={CHANGELOG_PATH}>{context.words.frame.changelog}</a>
      </li>
    </>
  );
}

/** What is not in the reader's language says so before it is opened. */
function Title({ context, page }: { context: PageContext; page: DocLink }) {
  if (page.language === context.language) return <>{page.title}</>;
  return (
    <>
      <span lang={page.language}>{page.title}</span>
      <span class="faint">{context.words.docs.inEnglish}</span>
    </>
  );
}

/** So many parts are worth a list. */
const LISTED_SECTIONS = 4;

/** Folded on narrow screens: the script opens it where there is room. */
function Sections({ context, page }: { context: PageContext; page: DocPage }) {
  const sections = page.sections.filter(({ depth }) => depth === 2);
  if (sections.length < LISTED_SECTIONS) return null;
  return (
    <details class="sections" data-open-wide>
      <summary lang={context.language}>{context.words.docs.sections}</summary>
      <ul>
        {sections.map(({ id, title }) => (
          <li>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Article({ context, page }: { context: PageContext; page: DocPage }) {
  const { docs } = context.words;
  const [, heading = '', rest = ''] = /^([\s\S]*?<\/h1>|)([\s\S]*)$/.exec(page.html) ?? [];
  return (
    <article lang={page.language}>
      <p class="up" lang={context.language}>
        <a href="/docs">{docs.all}</a>
      </p>
      {page.language === context.language ? null : (
        <p class="note" lang={context.language}>
          {docs.onlyEnglish}
        </p>
      )}
      {raw(heading)}
      <Sections context={context} page={page} />
      {raw(rest)}
      <p class="faint" lang={context.language}>
        <a href={`/docs/${page.name}.md`}>{docs.markdown}</a>
      </p>
    </article>
  );
}

function Overview({ context, library }: Omit<DocsProps, 'page'>) {
  const { docs } = context.words;
  return (
    <article>
      <h1>{docs.title}</h1>
      <p class="lead">{docs.lead}</p>
      <SearchForm context={context} />
      <div class="two is-list">
        {library.groups(context.language).map(({ group, pages }) => (
          <section>
            <h2>{docs[group]}</h2>
            <ul>
              {pages.map((page) => (
                <li>
                  <a href={`/docs/${page.name}`}>
                    <Title context={context} page={page} />
                  </a>
                  <p class="faint" lang={page.language}>
                    {page.about}
                  </p>
                </li>
              ))}
              <Reference context={context} group={group} />
            </ul>
          </section>
        ))}
      </div>
    </article>
  );
}
