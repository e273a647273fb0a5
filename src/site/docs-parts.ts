// The pages of the docs in parts, for their search: the text before the first heading, then that below each heading, as
// pieces of prose and lines of code.

import type { DocPage } from './docs-library.ts';

/** A paragraph or a point of a list, a row of a table, or a line of code. */
export interface DocPiece {
  text: string;
  kind: 'prose' | 'row' | 'code';
  /** The place in the page that points to it, if it has one of its own. */
  anchor: string | undefined;
}

export interface DocPart {
  page: DocPage;
  /** None before the first heading. */
  section: DocPage['sections'][number] | undefined;
  pieces: readonly DocPiece[];
}

/** Everybody may search, and taking all pages apart takes many times as long as finding words in them. */
const knownParts = new WeakMap<DocPage, DocPart[]>();

export function partsOf(page: DocPage): DocPart[] {
  const known = knownParts.get(page);
  if (known) return known;
  const parts = splitPage(page);
  knownParts.set(page, parts);
  return parts;
}

/** Every second piece is a block of code. */
const CODE_BLOCK = /^(```[\s\S]*?^```$)/m;
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
