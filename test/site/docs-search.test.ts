// The search of the docs: titles first, a piece of the text with the words in it, in both languages and without a script.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { DocPage, DocsLibrary } from '../../src/site/docs-library.ts';
import { searchDocs } from '../../src/site/docs-search.ts';
import { wordsOf } from '../../src/site/language.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient } from './site-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const search = async (query: string, language = 'en') => {
  const response = await createSiteClient(gateway, language).get(`/docs?q=${encodeURIComponent(query)}`);
  const html = await response.text();
  const hits = [...html.matchAll(/<li lang="[^"]+"><a href="([^"]+)">([^<]+)<\/a><p class="faint">(.*?)<\/p>/gs)];
  return { html, hits: hits.map(([, href = '', title = '', snippet = '']) => ({ href, title, snippet })) };
};

test('a page whose title has the words stands first, and every result leads to what is there', async () => {
  const { hits } = await search('errors');
  expect(hits[0]?.href).toBe('/docs/errors');
  expect(hits.length).toBeGreaterThan(3);
  for (const { href } of hits) {
    const [path = '', anchor = ''] = href.split('#');
    const page = await createSiteClient(gateway).get(path);
    expect(page.status).toBe(200);
    if (anchor !== '') expect(await page.text()).toContain(`id="${anchor}"`);
  }
});

test('the words are marked in the text, whatever their case and width', async () => {
  const { hits } = await search('ＩＤＥＭＰＯＴＥＮＣＹ-key');
  expect(hits.length).toBeGreaterThan(0);
  expect(hits.some(({ snippet }) => /<mark>idempotency-key<\/mark>/i.test(snippet))).toBe(true);
});

test('all words must be there, and a search in Chinese finds Chinese pages', async () => {
  expect((await search('idempotency nonsensewordxyz')).hits).toEqual([]);
  const { hits, html } = await search('餘額', 'zh-TW');
  expect(hits.length).toBeGreaterThan(2);
  expect(html).toContain('<mark>餘額</mark>');
  expect(html).toContain(wordsOf('zh-TW').docs.foundMost(hits.length, '餘額'));
});

test('what is typed is text, is found by no accident, and stays in its field', async () => {
  const { html, hits } = await search('<b>(x[');
  expect(hits).toEqual([]);
  expect(html).not.toContain('<b>(x[');
  expect(html).toContain('value="&lt;b&gt;(x["');
});

test('a heading below a heading is a result of its own, before pages that only mention the word', async () => {
  const { hits } = await search('budgets');
  expect(hits[0]).toMatchObject({ href: '/docs/accounts/keys#budgets-and-rates' });
  expect(hits[0]?.title).toEndWith('Budgets and rates');
});

test('the piece of text is prose, although the part has code with the word', async () => {
  const { hits } = await search('webhooks');
  expect(hits[0]?.href).toBe('/docs/accounts/webhooks');
  const prose = hits.filter(({ snippet }) => !snippet.startsWith('<code>'));
  expect(prose.length).toBeGreaterThan(3);
  for (const { snippet } of prose) expect(snippet).not.toMatch(/curl -|-H |\\$/);
});

test('the code of an error leads to its row', async () => {
  const { hits } = await search('key_budget_exceeded');
  expect(hits[0]?.href).toBe('/docs/errors#key_budget_exceeded');
});

test('who asks for no HTML gets the results as Markdown', async () => {
  const response = await createSiteClient(gateway).get('/docs?q=webhooks', { accept: '*/*' });
  expect(await response.text()).toMatch(/^- \[[^\]]*\]\(http[^)]*\/docs\/[\w-]+\.md/m);
});

function libraryOf(markdown: string, sections: DocPage['sections'] = [{ id: 'refunds', title: 'Refunds', depth: 2 }]) {
  let read = 0;
  const page: DocPage = {
    name: 'billing',
    title: 'Billing',
    language: 'en',
    lead: '',
    html: '',
    intro: '',
    chapters: [],
    sections,
    get markdown() {
      read++;
      return markdown;
    },
  };
  const library: DocsLibrary = {
    find: () => page,
    languages: () => ['en'],
    groups: () => [{ group: 'use', pages: [{ name: 'billing', title: 'Billing', language: 'en', about: '' }] }],
  };
  return { library, timesRead: () => read };
}

test('a page is taken apart for the first search only', () => {
  const { library, timesRead } = libraryOf(
    '# Billing\n\nWhat a **call** costs.\n\n## Refunds\n\nBack to the ＢＡＬＡＮＣＥ.\n',
  );
  const found = (query: string) => searchDocs(library, 'en', query).map(({ section }) => section?.id);
  for (let round = 0; round < 3; round++) {
    expect(found('call costs')).toEqual([undefined]);
    expect(found('balance')).toEqual(['refunds']);
    expect(found('billing')).toEqual([undefined, 'refunds']);
    expect(found('nothing')).toEqual([]);
  }
  expect(timesRead()).toBe(1);
});

test('titles come first, then the text that says it most often, and code last', () => {
  const { library } = libraryOf(
    [
      '# Billing',
      'A refund here.',
      '## Refunds',
      'Other words.',
      '## Codes',
      '```sh\ncurl refund\n```',
      'Nothing else.',
      '## Money',
      'One refund. Another refund.\n\n| sum | meaning |\n|---|---|\n| `paid` | before any refund |',
    ].join('\n\n'),
    [
      { id: 'refunds', title: 'Refunds', depth: 2 },
      { id: 'codes', title: 'Codes', depth: 2 },
      { id: 'money', title: 'Money', depth: 2 },
    ],
  );
  const hits = searchDocs(library, 'en', 'refunds');
  expect(hits.map(({ section }) => section?.id)).toEqual(['refunds', 'money', undefined, 'codes']);
  expect(hits.map(({ snippet }) => snippet.join(''))).toEqual([
    'Other words.',
    'One refund. Another refund.',
    'A refund here.',
    'curl refund',
  ]);
  expect(hits.map(({ isCode }) => isCode)).toEqual([false, false, false, true]);
  expect(searchDocs(library, 'en', 'before')[0]?.snippet).toEqual(['paid · ', 'before', ' any refund']);
});
