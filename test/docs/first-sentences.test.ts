// The first sentence of each page describes it in the list of docs and in llms.txt, so it must be a whole sentence.

import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMarkdown } from '../../src/site/markdown.ts';

const DOCS = join(import.meta.dir, '..', '..', 'docs');
const pages = ['.', 'zh-TW'].flatMap((folder) =>
  readdirSync(join(DOCS, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

test.each(pages)('%s begins with whole sentences', (path) => {
  const { lead } = renderMarkdown(readFileSync(join(DOCS, path), 'utf8'));
  expect(lead).toMatch(/[.。]$/);
  expect(lead.length).toBeGreaterThan(20);
});
