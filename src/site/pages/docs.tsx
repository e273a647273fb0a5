/** @jsxImportSource hono/jsx */
// A page of the docs, with all others beside it.

import { raw } from 'hono/html';
import { CHANGELOG_PATH } from '../../kit/discovery-links.ts';
import {
  type DocChapter,
  type DocGroup,
  type DocLink,
  type DocPage,
  type DocsLibrary,
  placeOf,
  REFERENCE_GROUP,
} from '../docs-library.ts';
import { type DocHit, MAX_HITS, MAX_QUERY_CHARS } from '../docs-search.ts';
import { LANGUAGES } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { LinkLine } from '../parts/button.tsx';

interface DocsProps {
  context: PageContext;
  library: DocsLibrary;
  /** Undefined: the list of all. */
  page: DocPage | undefined;
  chapter?: DocChapter;
}

export function DocsPage({ context, library, page, chapter }: DocsProps) {
  const { docs } = context.words;
  const title = page?.title ?? docs.title;
  return (
    <Page
      context={context}
      title={chapter ? `${chapter.title} · ${title}` : title}
      description={(chapter ?? page ?? docs).lead}
      languages={page ? library.languages(page.name) : LANGUAGES}
    >
      <div class={page ? 'docs' : ''}>
        {page ? (
          <Article context={context} page={page} chapter={chapter} />
        ) : (
          <Overview context={context} library={library} />
        )}
        {page ? <Contents context={context} library={library} page={page} chapter={chapter} /> : null}
      </div>
    </Page>
  );
}

function Contents({ context, library, page: current, chapter }: PartProps & { library: DocsLibrary }) {
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
                <a href={`/docs/${page.name}`} aria-current={mark(page.name === current.name && !chapter)}>
                  <Title context={context} page={page} />
                </a>
                {page.name === current.name && chapter ? (
                  <ul lang={current.language}>
                    {current.chapters.map((one) => (
                      <li>
                        <a href={`/docs/${page.name}/${one.slug}`} aria-current={mark(one === chapter)}>
                          {one.title}
                        </a>
                      </li>
                    ))}
                  </ul>
                ) : null}
              </li>
            ))}
            <Reference context={context} group={group} />
          </ul>
        </>
      ))}
    </nav>
  );
}

function mark(isCurrent: boolean) {
  return isCurrent ? 'page' : undefined;
}

interface SearchProps {
  context: PageContext;
  query: string;
  hits: readonly DocHit[];
}

export function DocsSearchPage({ context, query, hits }: SearchProps) {
  const { docs, account } = context.words;
  const found = hits.length === MAX_HITS ? docs.foundMost : docs.found;
  return (
    <Page context={context} title={docs.search}>
      <div class="narrow">
        <LinkLine look="up" href="/docs" text={docs.all} />
        <h1>{docs.search}</h1>
        <SearchForm context={context} query={query} />
        <p role="status">{hits.length === 0 ? docs.notFound(query) : found(hits.length, query)}</p>
        <ol class="doc-hits">
          {hits.map((hit) => (
            <li lang={hit.page.language}>
              <a href={placeOf(hit.page.name, hit.page.chapters, hit.section?.id ?? '')}>
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
        maxlength={MAX_QUERY_CHARS}
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

/** A link to a page in another language says so. */
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

interface PartProps {
  context: PageContext;
  page: DocPage;
  chapter: DocChapter | undefined;
}

/** Folded on narrow screens: the script opens it where there is room. */
function Sections({ context, page, chapter }: PartProps) {
  const listed = chapter?.sections ?? page.sections;
  const sections = listed.filter(({ depth }) => depth === (chapter ? 3 : 2));
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

/** Each has the places that links to the page may point to: they lead on from there. */
function Chapters({ context, page }: Omit<PartProps, 'chapter'>) {
  return (
    <>
      <h2 lang={context.language}>{context.words.docs.chapters}</h2>
      <ol class="chapters">
        {page.chapters.map(({ slug, id, title, sections, anchors }) => (
          <li id={id}>
            <a href={`/docs/${page.name}/${slug}`}>{title}</a>
            {sections.length === 0 ? null : (
              <ul>
                {sections.map((section) => (
                  <li id={section.id}>
                    <a href={`/docs/${page.name}/${slug}#${section.id}`}>{section.title}</a>
                  </li>
                ))}
              </ul>
            )}
            {anchors
              .filter((anchor) => anchor !== id && !sections.some((section) => section.id === anchor))
              .map((anchor) => (
                <span id={anchor} />
              ))}
          </li>
        ))}
      </ol>
    </>
  );
}

function Article({ context, page, chapter }: PartProps) {
  const { docs } = context.words;
  const [, heading = '', rest = ''] = /^([\s\S]*?<\/h1>|)([\s\S]*)$/.exec(chapter?.html ?? page.intro) ?? [];
  return (
    <article lang={page.language}>
      <LinkLine look="up" lang={context.language} href="/docs" text={docs.all} />
      {chapter ? <LinkLine look="chapter-of" href={`/docs/${page.name}`} text={page.title} /> : null}
      {page.language === context.language ? null : (
        <p class="note" lang={context.language}>
          {docs.onlyEnglish}
        </p>
      )}
      {raw(heading)}
      {chapter || page.chapters.length === 0 ? <Sections context={context} page={page} chapter={chapter} /> : null}
      {raw(rest)}
      {!chapter && page.chapters.length > 0 ? <Chapters context={context} page={page} /> : null}
      {chapter ? <Around context={context} page={page} chapter={chapter} /> : null}
      <LinkLine look="faint" lang={context.language} href={`/docs/${page.name}.md`} text={docs.markdown} />
    </article>
  );
}

/** The chapters before and after. */
function Around({ context, page, chapter }: PartProps & { chapter: DocChapter }) {
  const place = page.chapters.indexOf(chapter);
  const link = (one: DocChapter | undefined, text: (title: string) => string) =>
    one ? <a href={`/docs/${page.name}/${one.slug}`}>{text(one.title)}</a> : <span />;
  return (
    <nav class="around" aria-label={context.words.docs.around}>
      {link(page.chapters[place - 1], (title) => `← ${title}`)}
      {link(page.chapters[place + 1], (title) => `${title} →`)}
    </nav>
  );
}

function Overview({ context, library }: Omit<DocsProps, 'page' | 'chapter'>) {
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
