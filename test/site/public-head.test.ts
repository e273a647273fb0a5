// What search engines and chats learn of a public page from its head: one address for each language, and what it says.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { LANGUAGES, wordsOf } from '../../src/site/language.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient, signedIn } from './site-client.ts';

const PUBLIC_URL = 'https://ai.example.tw';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { PUBLIC_URL } });
});
afterAll(() => gateway.stop());

async function headOf(path: string, language = 'en') {
  const html = await (await createSiteClient(gateway, language).get(path)).text();
  const [head = ''] = html.split('</head>');
  const links = [...head.matchAll(/<link rel="(canonical|alternate)"(?: hreflang="([^"]+)")? href="([^"]+)"/g)];
  const content = (name: string) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(head)?.[1];
  return {
    links: Object.fromEntries(links.map(([, rel = '', language, href]) => [language ?? rel, href])),
    description: content('description'),
    told: ['og:title', 'og:description', 'og:url', 'og:site_name', 'og:type'].map(content),
    html,
  };
}

describe.each(LANGUAGES)('in %s', (language) => {
  test.each(['/', '/pricing?q=demo&sort=output', '/status', '/security', '/changelog', '/docs', '/docs/billing'])(
    '%s names its address in each language, and which of them it is',
    async (address) => {
      const [path = ''] = address.split('?');
      const { links } = await headOf(address, language);
      expect(links).toEqual({
        canonical: `${PUBLIC_URL}${path}?lang=${language}`,
        en: `${PUBLIC_URL}${path}?lang=en`,
        'zh-TW': `${PUBLIC_URL}${path}?lang=zh-TW`,
        'x-default': PUBLIC_URL + path,
      });
    },
  );

  test.each([
    ['/status/', '/status'],
    ['/docs/%62illing', '/docs/billing'],
  ])('%s has the address of %s', async (asked, path) => {
    expect((await headOf(asked, language)).links.canonical).toBe(`${PUBLIC_URL}${path}?lang=${language}`);
  });

  test('a page that is in English only has no other address', async () => {
    const { links } = await headOf('/docs/performance', language);
    const address = `${PUBLIC_URL}/docs/performance`;
    expect(links).toEqual({ canonical: `${address}?lang=en`, en: `${address}?lang=en`, 'x-default': address });
  });

  test('every page of the docs is described by its own first paragraph', async () => {
    const { html } = await headOf('/docs', language);
    const paths = new Set([...html.matchAll(/href="(\/docs\/[\w-]+)"/g)].map(([, path = '']) => path));
    const heads = await Promise.all([...paths].map((path) => headOf(path, language)));
    expect(heads.length).toBeGreaterThan(8);
    expect(new Set(heads.map(({ description }) => description)).size).toBe(heads.length);
    const { description, told } = await headOf('/docs/relay', language);
    const [begin, title] =
      language === 'en'
        ? ['How the gateway routes a model call, what it does when a channel fails, and', 'Relay']
        : ['模型呼叫如何轉送：由哪一條線路處理、', '轉送'];
    expect(description).toStartWith(begin);
    expect(description).not.toMatch(/[[\]`]|\.md/);
    const address = `${PUBLIC_URL}/docs/relay?lang=${language}`;
    expect(told).toEqual([title, description, address, 'AI Gateway', 'website']);
  });

  test('the switch between languages is a link like any other', async () => {
    const { html } = await headOf('/docs/billing', language);
    expect(html).toMatch(/<a class="language" href="\/docs\/billing\?lang=/);
    expect(html).not.toContain('nofollow');
  });
});

test('what is one visitor’s own, and what is not there, tells nothing of the kind', async () => {
  const plain = await startTestGateway();
  try {
    const { key } = await plain.register();
    const client = await signedIn(plain, key);
    for (const path of ['/account', '/account/usage', '/nowhere']) {
      const [head] = (await (await client.get(path)).text()).split('</head>');
      expect(head).not.toMatch(/canonical|alternate|og:/);
    }
  } finally {
    await plain.stop();
  }
});

test.each([
  ['zh', 'zh-TW'],
  ['zh-Hant', 'zh-TW'],
  ['zh_TW', 'zh-TW'],
  ['ZH-tw', 'zh-TW'],
  ['en-GB', 'en'],
])('?lang=%s is understood as %s, and remembered so', async (asked, language) => {
  const client = createSiteClient(gateway, language === 'en' ? 'zh-TW' : 'en');
  const response = await client.get(`/status?lang=${asked}`);
  expect(await response.text()).toContain(`<html lang="${language}">`);
  expect(client.cookies.get('lang')).toBe(language);
});

test.each([
  ['/docs/zh-TW', '/docs?lang=zh-TW', wordsOf('zh-TW').docs.title],
  ['/docs/zh', '/docs?lang=zh-TW', wordsOf('zh-TW').docs.title],
  ['/docs/en', '/docs?lang=en', wordsOf('en').docs.title],
  ['/docs/zh-tw/billing', '/docs/billing?lang=zh-TW', '何時收費、收多少'],
])('%s leads to %s', async (path, location, title) => {
  const client = createSiteClient(gateway, 'en');
  const response = await client.get(path);
  expect([response.status, response.headers.get('location')]).toEqual([302, location]);
  expect(await (await client.get(location)).text()).toMatch(new RegExp(`<h1[^>]*>${title}</h1>`));
});

test('the sitemap has every public page in each of its languages, and robots.txt names it', async () => {
  const text = async (path: string) => (await gateway.call(path)).text();
  expect(await text('/robots.txt')).toEndWith(`\nSitemap: ${PUBLIC_URL}/sitemap.txt\n`);
  const addresses = (await text('/sitemap.txt')).trimEnd().split('\n');
  for (const path of ['/', '/pricing', '/docs', '/docs/billing', '/status', '/security', '/changelog']) {
    for (const language of LANGUAGES) expect(addresses).toContain(`${PUBLIC_URL}${path}?lang=${language}`);
  }
  expect(addresses.filter((address) => address.includes('/docs/performance'))).toHaveLength(1);
  for (const address of addresses) {
    const path = address.replace(PUBLIC_URL, '');
    const { links } = await headOf(path, 'en');
    expect(links.canonical).toBe(address);
  }
});
