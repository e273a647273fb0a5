// The docs: which pages there are, in what order, in which language. The files are the project's own Markdown; a page
// that has no file in the reader's language is shown in English, and says so.

import type { Language } from './language.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';

export const DOC_GROUPS = {
  start: ['getting-started', 'clients'],
  use: ['accounts', 'limits', 'billing', 'errors', 'relay', 'translation', 'reliability'],
  operate: ['configuration', 'operating', 'architecture'],
} as const;

export interface DocPage extends Rendered {
  name: string;
  /** The language it is written in. */
  language: Language;
  markdown: string;
}

export interface DocLink {
  name: string;
  title: string;
}

export interface DocsLibrary {
  find(name: string, language: Language): DocPage | undefined;
  groups(language: Language): { group: keyof typeof DOC_GROUPS; pages: DocLink[] }[];
}

/** `files`: text by path below docs/, such as `billing.md` and `zh-TW/billing.md`. `baseUrl` takes the place of the one
 * that the files are written with. */
export function createDocsLibrary(files: ReadonlyMap<string, string>, baseUrl: string): DocsLibrary {
  const pages = new Map<string, DocPage>();
  const isPage = (name: string) => files.has(`${name}.md`);
  for (const [path, text] of files) {
    const [, folder, name] = /^(?:(zh-TW)\/)?([\w-]+)\.md$/.exec(path) ?? [];
    if (name === undefined) continue;
    const markdown = text.replaceAll('http://127.0.0.1:8787', baseUrl);
    const language = folder === 'zh-TW' ? 'zh-TW' : 'en';
    pages.set(`${language}/${name}`, { name, language, markdown, ...renderMarkdown(markdown, isPage) });
  }
  const find = (name: string, language: Language) => pages.get(`${language}/${name}`) ?? pages.get(`en/${name}`);
  return {
    find,
    groups: (language) =>
      (Object.keys(DOC_GROUPS) as (keyof typeof DOC_GROUPS)[]).map((group) => ({
        group,
        pages: DOC_GROUPS[group].flatMap((name) => {
          const page = find(name, language);
          return page ? [{ name, title: page.title }] : [];
        }),
      })),
  };
}
