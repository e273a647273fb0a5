// Splits a long page of the docs into chapters, one page for each heading. Short pages are not split.

import type { Rendered, Section } from './markdown.ts';

export interface DocChapter {
  /** In its address, the same in every language: the id of its heading in English. */
  slug: string;
  /** The anchor of its heading. */
  id: string;
  title: string;
  /** Its first paragraph, without any marks. */
  lead: string;
  html: string;
  /** Below its heading. */
  sections: Section[];
  /** Every place in it that links can point to. */
  anchors: readonly string[];
}

/** More is too much for one page, of which the list of pages and the frame take up some, too. */
const MAX_BYTES = 48_000;
/** Before each heading that `sections` knows: text that looks like one is escaped. */
const BEFORE_HEADING = /(?=<h[23] id=)/;

interface ChapterStart {
  /** Which of the headings of the page it is. */
  index: number;
  slug: string;
}

/** The headings that begin a chapter of the English page: those of its parts, and those inside a part that is too long. */
export function chapterStarts({ html, sections }: Rendered): ChapterStart[] {
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
export function splitChapters(
  name: string,
  { html, sections }: Rendered,
  starts: readonly ChapterStart[],
): { intro: string; chapters: DocChapter[] } {
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
