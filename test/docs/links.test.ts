// Links in the docs lead somewhere: to a file of the project, and to a heading of it as the site names it.

import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { buildCatalog } from '../../src/catalog/catalog.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import { createDocsLibrary, type DocPage } from '../../src/site/docs-library.ts';
import { plainDocument } from '../support/plain-document.ts';
import { renderedPage } from '../support/rendered-page.ts';

const ROOT = join(import.meta.dir, '..', '..');
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const plain = readDocument(JSON.stringify(plainDocument()));
if (!plain.ok) throw new Error('the plain document is valid');
const catalog = buildCatalog(plain.document, 1, 0);

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test.each(PAGES)('%s', (page) => {
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  const links = [...text.matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)/g)];
  const broken = links.filter(([, path = '', anchor]) => {
    const target = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !renderedPage(target).includes(`id="${decodeURI(anchor)}"`);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

describe.each(['en', 'zh-TW'] as const)('on the site, in %s', (language) => {
  const names = PAGES.flatMap((path) => /^docs\/([\w-]+)\.md$/.exec(path)?.[1] ?? []);
  const texts = PAGES.flatMap((path) => /^docs\/((?:zh-TW\/)?[\w-]+\.md)$/.exec(path)?.[1] ?? []);
  const files = new Map(texts.map((path) => [path, read(`docs/${path}`)]));
  const library = createDocsLibrary(files, 'http://site.test', () => catalog);

  const textsOf = ({ intro, chapters }: DocPage) => [intro, ...chapters.map(({ html }) => html)];

  test.each(names)('%s leads to pages and chapters, and to headings that are there', (name) => {
    const page = library.find(name, language);
    expect(page?.intro).toContain('<h1');
    const shown = page ? textsOf(page) : [];
    const broken = shown.flatMap((html) =>
      [...html.matchAll(/href="(?:\/docs\/([\w-]+)(?:\/([\w-]+))?)?(?:#([^"]*))?"/g)].filter(
        ([, target, slug, anchor]) => {
          const other = library.find(target ?? name, language);
          const chapter = other?.chapters.find((one) => one.slug === slug);
          const text = target === undefined ? html : slug === undefined ? other?.intro : chapter?.html;
          return text === undefined || (anchor !== undefined && !text.includes(`id="${decodeURI(anchor)}"`));
        },
      ),
    );
    expect(broken.map(([link]) => link)).toEqual([]);
    for (const html of shown) expect(html).not.toMatch(/href="[^"]*\.md/);
  });

  test('a link out of the folder of a language leads to the page', () => {
    const operating = library.find('operating', language);
    expect(operating && textsOf(operating).join('')).toContain('href="/docs/performance#which-arrangement-when"');
  });
});
