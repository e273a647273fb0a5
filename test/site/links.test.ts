// Every link of the site leads somewhere: all pages that can be reached from the front page, in both languages, and every
// heading that is linked to.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient, type SiteClient, signedIn } from './site-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** What pages with the same parameters share: one filter of a list looks like another. */
const kindOf = ({ pathname, searchParams }: URL) => `${pathname} ${[...new Set(searchParams.keys())].toSorted()}`;

interface Crawl {
  /** HTML by path and query; without HTML an empty text. */
  pages: Map<string, string>;
  broken: string[];
}

/**
 * Follows every link of a page without a query. Of the links of a page with one, which would combine every filter with
 * every other, it follows those to a page with parameters that no page had before.
 */
async function crawl(client: SiteClient, start: string): Promise<Crawl> {
  const pages = new Map<string, string>();
  const broken: string[] = [];
  const linked: { from: string; to: string; anchor: string }[] = [];
  const queue = [start];
  const kinds = new Set<string>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (pages.has(path)) continue;
    const response = await client.get(path);
    const isHtml = response.headers.get('content-type')?.startsWith('text/html') ?? false;
    const text = await response.text();
    pages.set(path, isHtml ? text : '');
    if (response.status !== 200) broken.push(`${path}: ${response.status}`);
    for (const [, href = ''] of isHtml ? text.matchAll(/(?:href|src|action)="([^"]*)"/g) : []) {
      const link = new URL(href.replaceAll('&amp;', '&'), gateway.url + path);
      const isForm = text.includes(`method="post" action="${href}"`);
      if (link.origin !== new URL(gateway.url).origin || isForm) continue;
      // The other language is crawled by itself.
      if (link.searchParams.has('lang')) continue;
      if (path.includes('?') && kinds.has(kindOf(link))) continue;
      kinds.add(kindOf(link));
      queue.push(link.pathname + link.search);
      if (link.hash)
        linked.push({ from: path, to: link.pathname + link.search, anchor: decodeURI(link.hash.slice(1)) });
    }
  }
  for (const { from, to, anchor } of linked) {
    if (!pages.get(to)?.includes(`id="${anchor}"`)) broken.push(`${from}: ${to}#${anchor}`);
  }
  return { pages, broken };
}

/** Those that lead to this site, from a page at `path`. */
function markdownLinks(markdown: string, path: string): URL[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  const links = [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, href = '']) => new URL(href, gateway.url + path));
  return links.filter(({ origin }) => origin === new URL(gateway.url).origin);
}

describe.each(['en', 'zh-TW'])('in %s', (language) => {
  test('no link of a public page is broken, and every page of the docs is reached', async () => {
    const { pages, broken } = await crawl(createSiteClient(gateway, language), '/');
    expect(broken).toEqual([]);
    const reached = [...pages.keys()];
    for (const path of ['/pricing', '/status', '/security', '/account', '/llms.txt', '/openapi.json']) {
      expect(reached).toContain(path);
    }
    for (const path of ['/changelog', '/changelog.json', '/changelog.atom']) expect(reached).toContain(path);
    expect(reached).toContain('/.well-known/security.txt');
    const files = readdirSync(join(import.meta.dir, '..', '..', 'docs')).filter((name) => name.endsWith('.md'));
    expect(files.length).toBeGreaterThan(8);
    for (const file of files) expect(reached).toContain(`/docs/${file.replace('.md', '')}`);
  });

  test('no link of a page of the docs is broken in its Markdown', async () => {
    const client = createSiteClient(gateway, language);
    const contents = await (await client.get('/docs', { accept: '*/*' })).text();
    const pages = markdownLinks(contents, '/docs').filter(({ pathname }) => pathname.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(8);
    const broken: string[] = [];
    for (const { pathname } of pages) {
      for (const link of markdownLinks(await (await client.get(pathname)).text(), pathname)) {
        const page = await client.get(link.pathname.replace(/\.md$/, ''));
        const html = await page.text();
        const isThere = link.hash === '' || html.includes(`id="${decodeURI(link.hash.slice(1))}"`);
        if (page.status !== 200 || !isThere) broken.push(`${pathname}: ${link.pathname}${link.hash}`);
        expect((await client.get(link.pathname)).status, link.pathname).toBe(page.status);
      }
    }
    expect(broken).toEqual([]);
  });

  test('no link of a page of the account is broken', async () => {
    const { key } = await gateway.register();
    await gateway.chat(key, { model: 'auto:free' });
    const { pages, broken } = await crawl(await signedIn(gateway, key, language), '/account');
    expect(broken).toEqual([]);
    const reached = [...pages.keys()];
    for (const tab of ['usage', 'keys', 'redeem', 'setup', 'play', 'access'])
      expect(reached).toContain(`/account/${tab}`);
    expect(reached.some((path) => path.startsWith('/account/receipts/req_'))).toBe(true);
  });
});
