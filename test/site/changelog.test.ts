// The changelog: a page, a JSON feed and an Atom feed with the same entries, in both languages.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../src/kit/clock.ts';
import { ENTRIES, NOTICE_DAYS } from '../../src/site/changelog/entries.ts';
import { LANGUAGES, wordsOf } from '../../src/site/language.ts';
import type { Answer } from '../support/answer.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient } from './site-client.ts';

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway({ env: { SITE_NAME: 'Cats & <Dogs>' } }), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

/** What a feed reader finds in an Atom document; the browser's parser refuses one that is not well-formed. */
async function readAtom(xml: string) {
  const visitor = await browser.visit();
  try {
    return await visitor.page.evaluate((source) => {
      const root = new DOMParser().parseFromString(source, 'application/xml').documentElement;
      const textIn = (parent: Element, name: string) =>
        [...parent.children].find((child) => child.localName === name)?.textContent ?? '';
      const linkIn = (parent: Element, rel: string) =>
        [...parent.children].find((child) => child.localName === 'link' && child.getAttribute('rel') === rel);
      const entries = [...root.children].filter(({ localName }) => localName === 'entry');
      return {
        root: `${root.namespaceURI} ${root.localName}`,
        language: root.getAttribute('xml:lang'),
        id: textIn(root, 'id'),
        title: textIn(root, 'title'),
        updated: textIn(root, 'updated'),
        author: textIn(root, 'author').trim(),
        self: linkIn(root, 'self')?.getAttribute('href') ?? '',
        entries: entries.map((entry) => ({
          id: textIn(entry, 'id'),
          title: textIn(entry, 'title'),
          updated: textIn(entry, 'updated'),
          text: textIn(entry, 'content'),
          kind: [...entry.children].find((child) => child.localName === 'category')?.getAttribute('term') ?? '',
          url: linkIn(entry, 'alternate')?.getAttribute('href') ?? '',
        })),
      };
    }, xml);
  } finally {
    await visitor.leave();
  }
}

const withoutMarks = (text: string) => text.replaceAll('`', '');
const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

describe.each(LANGUAGES)('in %s', (language) => {
  const feed = (name: string) => gateway.call(`/changelog${name}?lang=${language}`);

  test('the JSON feed has what JSON Feed 1.1 requires', async () => {
    const response = await feed('.json');
    expect(response.headers.get('content-type')).toBe('application/feed+json');
    expect(response.headers.get('content-language')).toBe(language);
    const { items, ...head }: Answer = await response.json();
    expect(head).toEqual({
      version: 'https://jsonfeed.org/version/1.1',
      title: `${wordsOf(language).changelog.title} · Cats & <Dogs>`,
      description: wordsOf(language).changelog.lead,
      home_page_url: `${gateway.url}/changelog?lang=${language}`,
      feed_url: `${gateway.url}/changelog.json?lang=${language}`,
      language,
    });
    expect(items.length).toBe(ENTRIES.length);
    for (const { url, external_url: docs, id } of items) {
      const page = await fetch(docs, { headers: { accept: 'text/html' } });
      expect([id, (await fetch(url)).status, page.status]).toEqual([id, 200, 200]);
      expect(page.headers.get('content-language')).toBe(language);
      const section = decodeURIComponent(new URL(docs).hash.slice(1));
      if (section) expect(await page.text()).toContain(` id="${section}"`);
    }
    expect(items.find(({ id }: Answer) => id.endsWith('statements')).external_url).toEndWith(
      `?lang=${language}#${language === 'en' ? 'statements' : encodeURIComponent('對帳單')}`,
    );
  });

  test('the Atom feed is what RFC 4287 requires, with the entries of the JSON feed', async () => {
    const response = await feed('.atom');
    expect(response.headers.get('content-type')).toBe('application/atom+xml');
    const { entries, ...head } = await readAtom(await response.text());
    const { items }: Answer = await (await feed('.json')).json();
    expect(head).toEqual({
      root: 'http://www.w3.org/2005/Atom feed',
      language,
      id: `${gateway.url}/changelog`,
      title: `${wordsOf(language).changelog.title} · Cats & <Dogs>`,
      updated: items[0].date_published,
      author: 'Cats & <Dogs>',
      self: `${gateway.url}/changelog.atom?lang=${language}`,
    });
    expect(entries).toEqual(
      items.map((item: Answer) => ({
        id: item.id,
        title: item.title,
        updated: item.date_published,
        text: item.content_text,
        kind: item.tags[0],
        url: item.url,
      })),
    );
    expect(entries.map(({ updated }) => new Date(updated).toISOString())).toEqual(
      entries.map(({ updated }) => updated),
    );
  });

  test('the page has the same entries, at the anchors that the feeds name, and names the feeds', async () => {
    const html = await (await createSiteClient(gateway, language).get('/changelog')).text();
    const { items }: Answer = await (await feed('.json')).json();
    const shown = [...html.matchAll(/<section id="([^"]+)"><h2>(.*?)<\/h2>.*?<p>(.*?)<\/p><\/section>/gs)];
    expect(shown.map(([, id, title = '', text = '']) => [id, plain(title), plain(text)])).toEqual(
      items.map((item: Answer) => [new URL(item.id).hash.slice(1), item.title, withoutMarks(item.content_text)]),
    );
    for (const [type, path] of [
      ['application/atom+xml', '/changelog.atom'],
      ['application/feed+json', '/changelog.json'],
    ]) {
      expect(html).toContain(`<link rel="alternate" type="${type}"`);
      expect(html).toContain(`href="${path}?lang=${language}"`);
    }
  });

  test('a program that asks for no HTML gets them as Markdown', async () => {
    const response = await gateway.call(`/changelog?lang=${language}`);
    expect(response.headers.get('content-type')).toStartWith('text/markdown');
    const text = await response.text();
    const { items }: Answer = await (await feed('.json')).json();
    const titles = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(items.map(({ title }: Answer) => title));
    for (const { content_text: content } of items) expect(text).toContain(content);
  });
});

test('an entry has one id in both languages', async () => {
  const [one = [], other = []] = await Promise.all(
    LANGUAGES.map(async (language) => {
      const { items }: Answer = await (await gateway.call(`/changelog.json?lang=${language}`)).json();
      return items.map(({ id }: Answer) => id);
    }),
  );
  expect(one).toEqual(other);
  expect(new Set(one).size).toBe(ENTRIES.length);
});

test('the newest is first, and nothing is announced for removal later than the docs promise', async () => {
  expect(await (await gateway.call('/docs/versioning.md')).text()).toContain(`at least ${NOTICE_DAYS} days before`);
  const dates = ENTRIES.map(({ date }) => date);
  expect(dates).toEqual(dates.toSorted().reverse());
  const late = ENTRIES.flatMap((entry) =>
    entry.kind === 'deprecated' && Date.parse(entry.removedOn) - Date.parse(entry.date) < NOTICE_DAYS * DAY_MS
      ? [entry.id]
      : [],
  );
  expect(late).toEqual([]);
});
