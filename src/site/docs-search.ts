// The search of the docs: every part of every page that has all words. Titles come first, then what the text says most
// often, and words that are only in code last.

import type { DocGroup, DocPage, DocsLibrary } from './docs-library.ts';
import { plain } from './format.ts';
import type { Language } from './language.ts';
import { CODE_BLOCK } from './markdown.ts';

export interface DocHit {
  page: Pick<DocPage, 'name' | 'title' | 'language' | 'chapters'>;
  /** The part of the page, or a row of it; none at its beginning. */
  section: { id: string; title: string } | undefined;
  /** A piece of its text around the first word; the words that were found are every second one. */
  snippet: readonly string[];
  isCode: boolean;
}

export const MAX_HITS = 20;
export const MAX_QUERY_CHARS = 100;
const SNIPPET_CHARS = 200;
/** A sentence that begins so long before the word that was found is not shown from its beginning. */
const BEFORE_CHARS = 90;

export function searchDocs(library: DocsLibrary, language: Language, query: string): DocHit[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(withoutPlural);
  if (words.length === 0) return [];
  const links = library.groups(language).flatMap(({ group, pages }) => pages.map(({ name }) => ({ name, group })));
  const parts = links.flatMap(({ name, group }) => {
    const page = library.find(name, language);
    return page ? partsOf(page).map((part) => ({ part, group })) : [];
  });
  return parts
    .map(({ part, group }) => ({ part, rank: rankOf(part, words, group) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MAX_HITS)
    .map(({ part }) => hitOf(part, words));
}

/** Weight of the place where words were found; their frequency decides between equals. */
const RANKS = { ofPage: 500, heading: 400, headingAndPage: 300, partOfHeading: 200, prose: 100, code: 20 };
const MAX_COUNTED = 20;
/** Fewer readers run the service than use it. */
const LESS_READ = 50;

function rankOf({ page, section, pieces }: DocPart, words: readonly string[], group: DocGroup): number {
  const [title, heading] = [plain(page.title), plain(section?.title ?? '')];
  const textOf = (isCode: boolean) => pieces.filter(({ kind }) => (kind === 'code') === isCode).map(({ text }) => text);
  const prose = plain(textOf(false).join(' '));
  const hasAll = (text: string) => words.every((word) => text.includes(word));
  const often = words.reduce((sum, word) => sum + prose.split(word).length - 1, 0);
  const counted = Math.min(often, MAX_COUNTED);
  if (section === undefined && hasAll(title)) return RANKS.ofPage + counted;
  if (section && hasAll(heading)) return RANKS.heading + counted + (heading.startsWith(words[0] ?? '') ? LESS_READ : 0);
  if (section && pieces.some(({ anchor }) => anchor === words[0])) return RANKS.heading;
  if (!hasAll(`${title} ${heading} ${prose} ${plain(textOf(true).join(' '))}`)) return 0;
  if (section && hasAll(`${title} ${heading}`)) return RANKS.headingAndPage + counted;
  if (section && words.some((word) => heading.includes(word))) return RANKS.partOfHeading + counted;
  if (!hasAll(`${title} ${heading} ${prose}`)) return RANKS.code;
  return RANKS.prose + counted - (group === 'operate' ? LESS_READ : 0);
}

function hitOf({ page, section, pieces }: DocPart, words: readonly string[]): DocHit {
  const { text = '', kind, anchor } = bestPiece(pieces, words, plain(section?.title ?? page.title)) ?? {};
  const place = section && anchor !== undefined ? { ...section, id: anchor } : section;
  return { page, section: place, snippet: snippetOf(text, words), isCode: kind === 'code' };
}

const KINDS = ['prose', 'row', 'code'] as const;

/** The first that has the most of the words, prose before rows and code. Where the heading has them, and where nothing
 * has, how the part begins. */
function bestPiece(pieces: readonly DocPiece[], words: readonly string[], heading: string): DocPiece | undefined {
  const ordered = KINDS.flatMap((wanted) => pieces.filter(({ kind }) => kind === wanted));
  const [first] = ordered;
  const isTitled = first?.kind === 'prose' && words.every((word) => heading.includes(word));
  let best = first;
  let most = 0;
  for (const piece of ordered) {
    if (isTitled && piece.kind !== 'prose') break;
    const text = plain(piece.text);
    const has = words.filter((word) => text.includes(word)).length + (piece.anchor === words[0] ? 1 : 0);
    if (has > most) [best, most] = [piece, has];
  }
  return best;
}

function snippetOf(text: string, words: readonly string[]): string[] {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const from = beginning(text, places.length === 0 ? 0 : Math.min(...places));
  const piece = text.slice(from, from + SNIPPET_CHARS);
  const isCut = from + SNIPPET_CHARS < text.length;
  const whole = isCut ? piece.replace(/\s+\S*$/, '') : piece;
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const marks = new RegExp(`((?:${escaped.join('|')})s?)`, 'i');
  return `${isSentenceStart(text, from) ? '' : '… '}${whole}${isCut ? ' …' : ''}`.split(marks);
}

/** The sentence with the word; of a long one, some words before it. */
function beginning(text: string, first: number): number {
  const before = text.slice(0, first);
  const sentence = Math.max(before.lastIndexOf('. ') + 2, before.lastIndexOf('。') + 1, 0);
  const start = sentence === 1 ? 0 : sentence;
  if (first - start <= BEFORE_CHARS) return start;
  const word = text.indexOf(' ', first - BEFORE_CHARS);
  return word === -1 || word >= first ? first - BEFORE_CHARS : word + 1;
}

function isSentenceStart(text: string, from: number): boolean {
  return from === 0 || /[.。]\s*$/.test(text.slice(0, from));
}

/** Reduces plurals: a search for "errors" also finds "error". */
function withoutPlural(word: string): string {
  return /^[a-z]{3,}[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

/** A paragraph or a point of a list, a row of a table, or a line of code. */
interface DocPiece {
  text: string;
  kind: 'prose' | 'row' | 'code';
  /** The place in the page that points to it, if it has one of its own. */
  anchor: string | undefined;
}

interface DocPart {
  page: DocPage;
  /** None before the first heading. */
  section: DocPage['sections'][number] | undefined;
  pieces: readonly DocPiece[];
}

/** Everybody may search, and taking all pages apart takes many times as long as finding words in them. */
const knownParts = new WeakMap<DocPage, DocPart[]>();

function partsOf(page: DocPage): DocPart[] {
  const known = knownParts.get(page);
  if (known) return known;
  const parts = splitPage(page);
  knownParts.set(page, parts);
  return parts;
}

/** Every second piece is the marks before a heading of a part; that of the page is none. */
const HEADING = /^(#{2,3}) .*$/m;

function splitPage(page: DocPage): DocPart[] {
  const parts: { pieces: DocPiece[] }[] = [{ pieces: [] }];
  for (const [index, block] of page.markdown.split(CODE_BLOCK).entries()) {
    if (index % 2 === 1) {
      parts.at(-1)?.pieces.push(...codeLines(block));
      continue;
    }
    for (const [place, text] of block.split(HEADING).entries()) {
      if (place % 2 === 1) parts.push({ pieces: [] });
      else parts.at(-1)?.pieces.push(...prosePieces(text));
    }
  }
  return parts.map(({ pieces }, index) => ({ page, section: page.sections[index - 1], pieces }));
}

function codeLines(block: string): DocPiece[] {
  const lines = block.split('\n').slice(1, -1);
  return lines
    .map((line): DocPiece => ({ text: line.trim(), kind: 'code', anchor: undefined }))
    .filter(({ text }) => text !== '');
}

/** Before an empty line, a point of a list or a row of a table, a piece ends. */
const BETWEEN_PIECES = /\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=\s*\|)/;

function prosePieces(markdown: string): DocPiece[] {
  return markdown
    .replace(/<!--[\s\S]*?-->|^#+ .*$/gm, '')
    .replace(/^\s*\|.*\|\n\s*\|[-|: ]+\|$/gm, '\n')
    .split(BETWEEN_PIECES)
    .map(
      (piece): DocPiece => ({
        text: plainText(piece),
        kind: /^\s*\|/.test(piece) ? 'row' : 'prose',
        anchor: /<a id="([\w-]+)">/.exec(piece)?.[1],
      }),
    )
    .filter(({ text }) => text !== '');
}

/** Without the marks of Markdown; the cells of a row with a point between them. */
function plainText(markdown: string): string {
  return markdown
    .replace(/<\/?a\b[^>]*>/g, '')
    .replace(/\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/^\s*(?:[-*>]|\d+\.) /, '')
    .replace(/^\s*\| | \|\s*$/g, '')
    .replaceAll(' | ', ' · ')
    .replace(/`|\*\*/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
