// The docs: which pages there are, in what order, in which language. The files are the project's own Markdown; a page
// that has no file in the reader's language is shown in English, and says so. Long pages are split into chapters.

import { type Catalog, tokenBounds } from '../catalog/catalog.ts';
import { FREE_MODEL, type Guards, type Limits } from '../catalog/document.ts';
import { ntdNumber } from '../kit/money.ts';
import { LANGUAGES, type Language, wordsOf } from './language.ts';
import { type LinkTo, markdownPath, type Rendered, relinkMarkdown, renderMarkdown, type Section } from './markdown.ts';

const DOC_GROUPS = {
  start: ['getting-started', 'clients'],
  use: ['accounts', 'limits', 'billing', 'errors', 'relay', 'translation', 'reliability', 'versioning'],
  operate: ['configuration', 'operating', 'performance', 'scaling', 'architecture'],
} as const;

export type DocGroup = keyof typeof DOC_GROUPS;

/** The API reference, which is not a page, is last in it. */
export const REFERENCE_GROUP: DocGroup = 'use';

export interface DocPage extends Rendered {
  name: string;
  language: Language;
  markdown: string;
  /** The text before the first chapter; all of it if there is none. */
  intro: string;
  chapters: readonly DocChapter[];
}

export interface DocLink extends Pick<DocPage, 'name' | 'title' | 'language'> {
  /** Its summary: the first sentence. */
  about: string;
}

export type DocsLibrary = ReturnType<typeof createDocsLibrary>;

/** `files`: text by path below docs/, such as `billing.md` and `zh-TW/billing.md`. `baseUrl` takes the place of the one
 * that the files are written with, and the numbers of `catalog` that of the defaults. */
export function createDocsLibrary(files: ReadonlyMap<string, string>, baseUrl: string, catalog: () => Catalog) {
  const names = [...files.keys()].flatMap((path) => /^([\w-]+)\.md$/.exec(path)?.[1] ?? []);
  // Rendered at the first request of a revision, to keep the start fast.
  const written = new Map<Language, { catalog: Catalog; pages: Map<string, DocPage> }>();
  const find = (name: string, language: Language) => {
    const current = catalog();
    const known = written.get(language);
    if (known?.catalog === current) return known.pages.get(name);
    const fill = (text: string) => fillNumbers(text.replaceAll('http://127.0.0.1:8787', baseUrl), current);
    const pages = readPages(files, names, language, fill);
    written.set(language, { catalog: current, pages });
    return pages.get(name);
  };
  return {
    find,
    languages: (name: string) => LANGUAGES.filter((language) => find(name, language)?.language === language),
    groups: (language: Language) =>
      GROUPS.map((group) => ({
        group,
        pages: namesIn(group, names).flatMap((name): DocLink[] => {
          const page = find(name, language);
          return page ? [{ name, title: page.title, language: page.language, about: firstSentence(page.lead) }] : [];
        }),
      })),
  };
}

function firstSentence(text: string): string {
  return /^.*?(?:。|[.!?](?=\s|$))/.exec(text)?.[0] ?? text;
}

const GROUPS = Object.keys(DOC_GROUPS) as DocGroup[];

/** Pages without a group are last. */
function namesIn(group: DocGroup, names: readonly string[]): readonly string[] {
  const named: readonly string[] = Object.values(DOC_GROUPS).flat();
  const others = group === 'operate' ? names.filter((name) => !named.includes(name)) : [];
  return [...DOC_GROUPS[group], ...others];
}

/** All pages as a reader of one language gets them. A heading in another language has another name: a link to it leads to
 * the page as a whole. */
function readPages(
  files: ReadonlyMap<string, string>,
  names: readonly string[],
  language: Language,
  fill: (text: string) => string,
): Map<string, DocPage> {
  const sources = new Map(
    names.map((name) => {
      const own = language === 'en' ? undefined : files.get(`${language}/${name}.md`);
      const text = own ?? files.get(`${name}.md`) ?? '';
      const written: Language = own === undefined ? 'en' : language;
      return [name, { language: written, markdown: fill(text) }];
    }),
  );
  const { frame } = wordsOf(language);
  const copy = { label: frame.copy, done: frame.copied, language };
  const plain = new Map([...sources].map(([name, { markdown }]) => [name, renderMarkdown(markdown)]));
  // In every language a page has the chapters of the English one, at the same addresses.
  const english = (name: string, page: Rendered) =>
    sources.get(name)?.language === 'en' ? page : renderMarkdown(fill(files.get(`${name}.md`) ?? ''));
  const starts = new Map([...plain].map(([name, page]) => [name, chapterStarts(english(name, page))]));
  const split = (name: string, page: Rendered) => splitChapters(name, page, starts.get(name) ?? []);
  const places = new Map([...plain].map(([name, page]) => [name, { html: page.html, ...split(name, page) }]));
  const linkBy =
    (path: (name: string, anchor: string) => string): LinkTo =>
    (name, anchor) => {
      const target = places.get(name);
      if (target === undefined) return undefined;
      return path(name, target.html.includes(`id="${decodeURI(anchor)}"`) ? anchor : '');
    };
  const pathTo = (name: string, anchor: string) => placeOf(name, places.get(name)?.chapters ?? [], anchor);
  return new Map(
    [...sources].map(([name, { language: written, markdown }]) => {
      const page = renderMarkdown(markdown, linkBy(pathTo), copy);
      const relinked = relinkMarkdown(markdown, linkBy(markdownPath));
      return [name, { name, language: written, markdown: relinked, ...page, ...split(name, page) }];
    }),
  );
}

const MARKED = /<!-- (limits|guards)\.([a-z_]+)(?: x (\d+))? -->[\d,.]*\d/g;
const UNLIMITED = '∞';

/**
 * Fills in the numbers that the operator can change. In the files each number is the default, after a comment with its setting,
 * such as `<!-- limits.free_per_minute -->6`, which no viewer shows; pages of this server show the current number. In code
 * blocks, which cannot have such comments, a number is found by the variable or field before it.
 */
function fillNumbers(markdown: string, catalog: Catalog): string {
  const { input, output } = freeBounds(catalog);
  return markdown
    .replace(MARKED, (_, group: string, name: string, factor = '1') => {
      const value = numberOf(catalog, group, name);
      return value === null ? UNLIMITED : (value * Number(factor)).toLocaleString('en-US');
    })
    .replace(/(?<=CLAUDE_CODE_MAX_CONTEXT_TOKENS=|model_context_window = |"context": )\d+/g, String(input))
    .replace(/(?<="output": )\d+/g, String(output));
}

/** Throws for a name that is no setting: a test renders every page. */
function numberOf(catalog: Catalog, group: string, name: string): number | null {
  const { limits, guards } = catalog;
  if (group === 'limits' && Object.hasOwn(limits, name)) return limits[name as keyof Limits];
  if (name === 'free_input_tokens') return freeBounds(catalog).input;
  if (name === 'free_output_tokens') return freeBounds(catalog).output;
  const guard = Object.hasOwn(guards, name) ? guards[name as keyof Guards] : undefined;
  if (guard === undefined) throw new Error(`the docs name a setting that does not exist: ${group}.${name}`);
  return typeof guard === 'bigint' ? ntdNumber(guard) : guard;
}

/** Without the guards, those of the free model itself. */
function freeBounds(catalog: Catalog): { input: number; output: number } {
  const { free_input_tokens: input, free_output_tokens: output } = catalog.guards;
  const free = catalog.find(FREE_MODEL);
  return free ? tokenBounds(free, catalog) : { input: input ?? 0, output: output ?? 0 };
}

export interface DocChapter {
  /** In its address, the same in every language: the id of its heading in English. */
  slug: string;
  id: string;
  title: string;
  /** Its first paragraph, without any marks. */
  lead: string;
  html: string;
  sections: Section[];
  /** Every place in it that links can point to. */
  anchors: readonly string[];
}

/** More is too much for one page, of which the list of pages and the frame take up some, too. */
const MAX_BYTES = 48_000;
/** Before each heading that `sections` knows: text that looks like one is escaped. */
const BEFORE_HEADING = /(?=<h[23] id=)/;

/** The headings that begin a chapter of the English page, by their place among all: those of its parts, and those inside a
 * part that is too long. */
function chapterStarts({ html, sections }: Rendered) {
  if (Buffer.byteLength(html) <= MAX_BYTES) return [];
  const [, ...pieces] = html.split(BEFORE_HEADING);
  const parts = sections.flatMap(({ depth }, index) => (depth === 2 ? [index] : []));
  const starts = parts.flatMap((part, index) => {
    const end = parts[index + 1] ?? sections.length;
    const isLong = Buffer.byteLength(pieces.slice(part, end).join('')) > MAX_BYTES;
    return isLong ? Array.from({ length: end - part }, (_, place) => part + place) : [part];
  });
  return starts.map((index) => ({ index, slug: sections[index]?.id ?? '' }));
}

/** Text before the first of `starts` stays on the page itself. */
function splitChapters(name: string, { html, sections }: Rendered, starts: ReturnType<typeof chapterStarts>) {
  const [intro = '', ...pieces] = html.split(BEFORE_HEADING);
  if (starts.length === 0) return { intro: html, chapters: [] };
  const chapters = starts.flatMap(({ index: start, slug }, place): DocChapter[] => {
    const end = starts[place + 1]?.index ?? sections.length;
    const heading = sections[start];
    if (!heading) return [];
    const raised = raiseHeadings(pieces.slice(start, end).join(''), heading.depth - 1);
    const anchors = [...raised.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    return [
      {
        slug,
        id: heading.id,
        title: heading.title,
        lead: firstParagraph(raised),
        html: raised,
        sections: sections.slice(start + 1, end),
        anchors,
      },
    ];
  });
  const relink = (text: string) =>
    text.replace(/href="#([^"]+)"/g, (_link, anchor: string) => `href="${placeOf(name, chapters, decodeURI(anchor))}"`);
  return { intro: relink(intro), chapters: chapters.map((one) => ({ ...one, html: relink(one.html) })) };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** As text. */
function firstParagraph(html: string): string {
  const [, paragraph = ''] = /<p>([\s\S]*?)<\/p>/.exec(html) ?? [];
  const text = paragraph.replace(/<[^>]+>/g, '').replaceAll('\n', ' ');
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

/** A chapter has the one title of its page. */
function raiseHeadings(html: string, levels: number): string {
  return html.replace(
    /(<\/?h)([2-6])(?= id=|>)/g,
    (_heading, tag: string, depth: string) => tag + (Number(depth) - levels),
  );
}

/** Where a place of a page is shown: in a chapter, or on the page as a whole. */
export function placeOf(name: string, chapters: readonly DocChapter[], anchor: string): string {
  const chapter = chapters.find(({ anchors }) => anchors.includes(anchor));
  const path = chapter ? `/docs/${name}/${chapter.slug}` : `/docs/${name}`;
  return anchor === '' || anchor === chapter?.id ? path : `${path}#${anchor}`;
}
