// Links in the docs lead somewhere: to a file of the project, and to a heading of it as the site names it.

import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { renderMarkdown } from '../../src/site/markdown.ts';

const ROOT = join(import.meta.dir, '..', '..');
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Pages in Chinese show the English page where they have none of their own, as the site does. */
function targetOf(page: string, link: string): string {
  const own = normalize(join(dirname(page), link));
  return existsSync(join(ROOT, own)) ? own : own.replace(/^docs\/zh-TW\//, 'docs/');
}

test.each(PAGES)('%s', (page) => {
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  const links = [...text.matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)/g)];
  const broken = links.filter(([, path = '', anchor]) => {
    const target = path === '' ? page : targetOf(page, path);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !renderMarkdown(read(target)).html.includes(`id="${decodeURI(anchor)}"`);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});
