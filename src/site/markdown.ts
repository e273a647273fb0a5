// The project's own Markdown as HTML. Raw HTML in it is shown as text but for anchors, headings get ids, and links between the files lead
// to the pages they became.

import { Marked, Renderer, type Tokens } from 'marked';

export interface Rendered {
  title: string;
  /** Its first paragraph, without any marks. */
  lead: string;
  html: string;
  /** The headings of its parts and of the parts of these, in order. */
  sections: Section[];
}

export interface Section {
  id: string;
  title: string;
  depth: number;
}

/** Texts of the button beside code, before and after, and their language. */
interface CopyWords {
  label: string;
  done: string;
  language: string;
}

/** The address of the page that a file became, and of a heading in it; a link to what is no page is only its words. */
export type LinkTo = (name: string, anchor: string) => string | undefined;

export function renderMarkdown(markdown: string, linkTo: LinkTo = docsPath, copy?: CopyWords): Rendered {
  const sections: Section[] = [];
  let lead: string | undefined;
  const used = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) =>
        isComment(text) ? '' : isAnchor(text) ? text : Bun.escapeHTML(text),
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = uniqueSlug(text, used);
        if (depth === 2 || depth === 3) sections.push({ id, title: text.replaceAll('`', ''), depth });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      paragraph({ tokens }: Tokens.Paragraph) {
        lead ??= this.parser.parseInline(tokens, this.parser.textRenderer).replaceAll('\n', ' ');
        return `<p>${this.parser.parseInline(tokens)}</p>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const target = pageLink(href, linkTo);
        const text = this.parser.parseInline(tokens);
        return target === undefined ? text : `<a href="${Bun.escapeHTML(target)}">${text}</a>`;
      },
      // A table wider than the page scrolls by itself, with a keyboard too. On a narrow page one with many columns becomes labelled lines.
      table(token: Tokens.Table) {
        const names = token.header.map(({ text }) => Bun.escapeHTML(text.replaceAll('`', '')));
        const labels = names.length >= STACKED_COLUMNS ? names : [];
        const table = Renderer.prototype.table
          .call(this, token)
          .replace('<table>', labels.length > 0 ? '<table class="stack is-doc">' : '<table>');
        return `<div class="scroll" tabindex="0">${labelled(table, labels)}</div>\n`;
      },
      code({ text, lang }: Tokens.Code) {
        const code = `<pre tabindex="0"><code>${highlight(text, lang)}</code></pre>`;
        // A block without a language is a drawing, not code.
        return copy && lang ? `<div class="copy">${code}${copyButton(copy)}</div>\n` : `${code}\n`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  const title = /^#\s+(.+)$/m.exec(markdown)?.[1] ?? '';
  return { title: title.replace(/[`*_]/g, ''), lead: lead ?? '', html, sections };
}

/** As `CodeBlock` has it. */
function copyButton({ label, done, language }: CopyWords): string {
  const words = `lang="${language}" data-done="${Bun.escapeHTML(done)}"`;
  return `<button type="button" class="quiet small" ${words} data-copy hidden>${Bun.escapeHTML(label)}</button>`;
}

/** Split by it, every second piece is a block of code. */
export const CODE_BLOCK = /^(```[\s\S]*?^```$)/m;
const LINK = /\[([^[\]]+)\]\(([^()\s]+)\)/g;

/** The Markdown itself with the links of its page, for clients that read Markdown. */
export function relinkMarkdown(markdown: string, linkTo: LinkTo): string {
  const relink = (text: string) =>
    text.replace(LINK, (_link, words: string, href: string) => {
      const target = pageLink(href, linkTo);
      return target === undefined ? words : `[${words}](${target})`;
    });
  const pieces = markdown.split(CODE_BLOCK);
  return pieces.map((piece, index) => (index % 2 === 0 ? relink(piece) : piece)).join('');
}

const STACKED_COLUMNS = 3;

/** Every cell but the first of its row says what its column is called. */
function labelled(table: string, labels: readonly string[]): string {
  return table.replace(/<tr>[\s\S]*?<\/tr>/g, (row) => {
    let column = 0;
    return row.replace(/<td/g, (cell) => {
      const label = labels[column++];
      return label === undefined || column === 1 ? cell : `${cell} data-label="${label}"`;
    });
  });
}

/** A place that links and faults point to, such as a row of a table. */
function isAnchor(text: string): boolean {
  return /^(<a id="[\w-]+">|<\/a>)$/.test(text);
}

function isComment(text: string): boolean {
  return text.trim().startsWith('<!--');
}

function docsPath(name: string, anchor: string): string {
  return anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`;
}

/** From one page's Markdown to another's. */
export function markdownPath(name: string, anchor: string): string {
  return anchor === '' ? `${name}.md` : `${name}.md#${anchor}`;
}

/** `billing.md#rows` and `docs/billing.md` become /docs/billing#rows; addresses stay as they are. */
function pageLink(href: string, linkTo: LinkTo): string | undefined {
  const [, name, anchor = ''] = /^(?:\.\/|\.\.\/|docs\/|zh-TW\/)*([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return linkTo(name, anchor.slice(1));
  return /^(https?:|\/|#|mailto:)/.test(href) ? href : undefined;
}

function uniqueSlug(text: string, used: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
  const times = used.get(slug) ?? 0;
  used.set(slug, times + 1);
  return times === 0 ? slug : `${slug}-${times}`;
}

const KEYWORDS: Readonly<Record<string, string>> = {
  sh: 'export|unset|if|then|else|fi|for|in|do|done|while|case|esac|function',
  js: 'import|from|export|const|let|await|async|function|return|new|for|of|in|if|else|while|try|catch|throw|null|true|false|undefined',
  python: 'import|from|def|return|for|in|if|elif|else|while|with|as|try|except|raise|class|print|None|True|False',
  json: 'true|false|null',
};
const NAMES: Readonly<Record<string, string>> = {
  bash: 'sh',
  ts: 'js',
  typescript: 'js',
  javascript: 'js',
  py: 'python',
};
const COMMENTS: Readonly<Record<string, string>> = { sh: '(?<!\\S)#.*', python: '#.*', js: '\\/\\/.*', json: '(?!)' };
const TEXT = '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'';

/** Code as HTML, with colours for comments, texts and the words of its language; of one that is not known the code alone. */
export function highlight(code: string, language: string | undefined): string {
  const name = NAMES[language ?? ''] ?? language ?? '';
  const keywords = KEYWORDS[name];
  const comments = COMMENTS[name];
  if (keywords === undefined || comments === undefined) return Bun.escapeHTML(code);
  const pattern = new RegExp(`(${TEXT})|(${comments})|(?<![\\w$-])(${keywords})(?![\\w-])`, 'g');
  let html = '';
  let from = 0;
  for (const found of code.matchAll(pattern)) {
    const [whole, text, comment] = found;
    const look = text !== undefined ? 'text' : comment !== undefined ? 'comment' : 'word';
    html += `${Bun.escapeHTML(code.slice(from, found.index))}<span class="code-${look}">${Bun.escapeHTML(whole)}</span>`;
    from = found.index + whole.length;
  }
  return html + Bun.escapeHTML(code.slice(from));
}
