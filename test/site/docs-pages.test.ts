// The docs as a reader uses them: code that is copied with a click, a list of what a long page has, and what is not in
// their language marked before they open it.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordsOf } from '../../src/site/language.ts';
import { renderMarkdown } from '../../src/site/markdown.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient } from './site-client.ts';

const DOCS = join(import.meta.dir, '..', '..', 'docs');

setDefaultTimeout(180_000);

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

test('code is copied as it stands, and the button says so in the language of the reader', async () => {
  const { page, context, leave } = await browser.visit({ language: 'zh-TW' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${gateway.url}/docs/clients`);
  const { copy, copied } = wordsOf('zh-TW').frame;
  const block = page.locator('.docs .copy').first();
  const button = block.locator('button');
  expect([await button.textContent(), await button.getAttribute('lang')]).toEqual([copy, 'zh-TW']);
  await button.click();
  await block.locator(`button:text-is("${copied}")`).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    (await block.locator('pre').textContent()) ?? '',
  );
  await leave();
});

test('a long page lists its parts: open where there is room, folded on a phone', async () => {
  const { page, leave } = await browser.visit();
  const isOpen = () => page.locator('.sections').evaluate((list) => (list as HTMLDetailsElement).open);
  await page.goto(`${gateway.url}/docs/clients`);
  expect(await isOpen()).toBe(true);
  const headings = await page.locator('article h2').allTextContents();
  expect(await page.locator('.sections a').allTextContents()).toEqual(headings);
  await page.setViewportSize({ width: 390, height: 900 });
  await page.reload();
  expect(await isOpen()).toBe(false);
  await page.click('.sections summary');
  await page.locator('.sections a').last().click();
  expect(decodeURIComponent(new URL(page.url()).hash)).toBe(
    `#${await page.locator('article h2').last().getAttribute('id')}`,
  );
  await page.goto(`${gateway.url}/docs/versioning`);
  expect(await page.locator('.sections').count()).toBe(0);
  await leave();
});

test('a page that is in English only says so in the Chinese lists, and no other does', async () => {
  const { inEnglish } = wordsOf('zh-TW').docs;
  const client = createSiteClient(gateway, 'zh-TW');
  for (const path of ['/docs', '/docs/accounts']) {
    const html = await (await client.get(path)).text();
    const marked = (name: string) =>
      new RegExp(`<a href="/docs/${name}"[^>]*>(.*?)</a>`).exec(html)?.[1]?.includes(inEnglish);
    expect([marked('performance'), marked('operating')]).toEqual([true, false]);
  }
  expect(await (await client.get('/docs', { accept: '*/*' })).text()).toContain(
    `performance.md?lang=zh-TW)${inEnglish}`,
  );
  expect(await (await createSiteClient(gateway).get('/docs')).text()).not.toContain(wordsOf('en').docs.inEnglish);
});

test.each(['en', 'zh-TW'] as const)(
  'in %s, the reference of the API and its changes stand with the pages for who calls it',
  async (language) => {
    const { docs, changelog } = wordsOf(language);
    const client = createSiteClient(gateway, language);
    for (const path of ['/docs', '/docs/accounts']) {
      const html = await (await client.get(path)).text();
      const [, list = ''] = new RegExp(`<h2>${docs.use}</h2><ul>(.*?)</ul>(?:<h2>|</section>)`).exec(html) ?? [];
      expect(list).toEndWith(
        `<li><a href="/openapi.json">${docs.reference}</a></li><li><a href="/changelog">${changelog.title}</a></li>`,
      );
    }
    const text = await (await client.get('/docs', { accept: '*/*' })).text();
    const links = `- [${docs.reference}](${gateway.url}/openapi.json)\n- [${changelog.title}](${gateway.url}/changelog)`;
    expect(text).toContain(`\n${links}\n\n## ${docs.operate}`);
  },
);

test.each([
  ['en', 'relay', 'How the gateway routes a model call, what it does when a channel fails, and what the client sees.'],
  ['zh-TW', 'relay', '模型呼叫如何轉送：由哪一條線路處理、供應商線路失敗時會發生什麼，以及用戶端看得到什麼。'],
  [
    'zh-TW',
    'performance',
    'CPU, latency and memory of this gateway with billing on, compared with what you could run instead.',
  ],
] as const)('in %s, the list of all pages says what %s is about', async (language, name, about) => {
  const client = createSiteClient(gateway, language);
  const html = await (await client.get('/docs')).text();
  const lines = [...html.matchAll(/<li><a href="\/docs\/([\w-]+)">.*?<\/a><p class="faint" lang="([\w-]+)">([^<]+)</g)];
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.find(([, page]) => page === name)?.slice(2)).toEqual([name === 'performance' ? 'en' : language, about]);
  expect(await (await client.get('/docs', { accept: '*/*' })).text()).toContain(
    `${wordsOf(language).account.colon}${about}\n`,
  );
  if (language === 'en')
    expect(await (await client.get('/llms.txt')).text()).toContain(`/docs/${name}.md): ${about}\n`);
});

test('every column of a table has a name', () => {
  const files = ['', 'zh-TW'].flatMap((folder) => readdirSync(join(DOCS, folder)).map((file) => join(folder, file)));
  for (const name of files.filter((file) => file.endsWith('.md'))) {
    const { html } = renderMarkdown(readFileSync(join(DOCS, name), 'utf8'));
    expect([name, /<th[^>]*>\s*<\/th>/.test(html)]).toEqual([name, false]);
  }
});

test('a drawing is nothing to copy', () => {
  const words = { label: 'Copy', done: 'Copied', language: 'en' };
  const { html, sections } = renderMarkdown('## `a` & b\n\n```\ndrawn\n```\n\n```sh\nls\n```\n', undefined, words);
  expect(html.match(/<button/g)).toHaveLength(1);
  expect(sections).toEqual([{ id: 'a-b', title: 'a & b', depth: 2 }]);
});
