// The search of the docs: every part of every page that has all words, those that have them in their title first.

import type { DocPage, DocsLibrary } from './docs-library.ts';
import type { Language } from './language.ts';

export interface DocHit {
  page: Pick<DocPage, 'name' | 'title' | 'language'>;
  /** The part of the page; none at its beginning. */
  section: { id: string; title: string } | undefined;
  /** A piece of its text around the first word; the words that were found are every second one. */
  snippet: readonly string[];
}

const MOST_HITS = 30;
export const MOST_QUERY_CHARS = 100;
const BEFORE_CHARS = 60;
const SNIPPET_CHARS = 180;

export function searchDocs(library: DocsLibrary, language: Language, query: string): DocHit[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  const names = library.groups(language).flatMap(({ pages }) => pages.map(({ name }) => name));
  const parts = names.flatMap((name) => {
    const page = library.find(name, language);
    return page ? partsOf(page) : [];
  });
  return parts
    .map((part) => ({ part, rank: rankOf(part, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST_HITS)
    .map(({ part: { page, section, text } }) => ({ page, section, snippet: snippetOf(text, words) }));
}

interface Part {
  page: DocPage;
  section: DocHit['section'];
  text: string;
  /** What words are looked for in: its title, and all of it. */
  title: string;
  whole: string;
}

/** Everybody may search, and the parts of all pages take many times as long as finding words in them. */
const knownParts = new WeakMap<DocPage, Part[]>();

function partsOf(page: DocPage): Part[] {
  const known = knownParts.get(page);
  if (known) return known;
  const parts = splitPage(page);
  knownParts.set(page, parts);
  return parts;
}

/** The text before the first heading, then that of each. */
function splitPage(page: DocPage): Part[] {
  return withoutCodeMarks(page.markdown)
    .split(/^## .*$/m)
    .map((markdown, index) => {
      const section = index === 0 ? undefined : page.sections[index - 1];
      const text = plainText(markdown);
      const title = plain(section?.title ?? page.title);
      return { page, section, text, title, whole: plain(`${page.title} ${section?.title ?? ''} ${text}`) };
    });
}

/** A line of code that begins with `##` is no heading. */
function withoutCodeMarks(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, (block) =>
    block
      .split('\n')
      .slice(1, -1)
      .map((line) => ` ${line}`)
      .join('\n'),
  );
}

/** Without the marks of Markdown. */
function plainText(markdown: string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->|<\/?a\b[^>]*>/g, '')
    .replace(/^\|[-|: ]+\|$/gm, '')
    .replace(/\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/^#+ .*$/gm, (line) => `${line.replace(/^#+ /, '')}.`)
    .replace(/[`*|>]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** 4 for all words in the title of a page, 3 in that of a part, 2 for some of them there, 1 for all in the text; else 0. */
function rankOf({ section, title, whole }: Part, words: readonly string[]): number {
  if (!words.every((word) => whole.includes(word))) return 0;
  if (words.every((word) => title.includes(word))) return section === undefined ? 4 : 3;
  return words.some((word) => title.includes(word)) ? 2 : 1;
}

function snippetOf(text: string, words: readonly string[]): string[] {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const from = first <= BEFORE_CHARS ? 0 : first - BEFORE_CHARS;
  const piece = text.slice(from, from + SNIPPET_CHARS);
  const shown = `${from > 0 ? '…' : ''}${piece}${from + SNIPPET_CHARS < text.length ? '…' : ''}`;
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return shown.split(new RegExp(`(${escaped.join('|')})`, 'i'));
}

/** Neither case nor width matters. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
