// The runtime looks for the project's JSX setting in the folder it is started in: pages must name their library themselves.

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';

const SOURCE = join(import.meta.dir, '..', '..', 'src');
const PAGES = [...new Glob('**/*.tsx').scanSync(SOURCE)];

test('there are pages to look at', () => {
  expect(PAGES.length).toBeGreaterThan(10);
});

test.each(PAGES)('%s begins with where its JSX comes from', (page) => {
  expect(readFileSync(join(SOURCE, page), 'utf8')).toStartWith('/** @jsxImportSource hono/jsx */\n');
});
