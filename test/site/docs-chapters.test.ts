// Pages of the docs stay light: a long one becomes a list of chapters, each at an address of its own in both languages, and
// links to its headings from before still lead to them.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient } from './site-client.ts';

const MAX_BYTES = 60_000;
/** Of one chapter, in the Markdown of each language. */
const BREAKER = { en: 'the-breaker', 'zh-TW': encodeURIComponent('斷路器') };

setDefaultTimeout(120_000);

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const get = async (path: string) => {
    const response = await createSiteClient(gateway, language).get(path);
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };

  test('no page of the docs is heavier than promised, and each has one title of its own', async () => {
    const queue = ['/docs'];
    const titles = new Map<string, string>();
    const tooHeavy: string[] = [];
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      if (titles.has(path)) continue;
      const html = await get(path);
      if (Buffer.byteLength(html) > MAX_BYTES) tooHeavy.push(`${path}: ${Buffer.byteLength(html)}`);
      expect([path, html.match(/<h1/g)?.length]).toEqual([path, 1]);
      expect([path, /name="description" content="[^"]*&amp;#?\w+;/.test(html)]).toEqual([path, false]);
      titles.set(path, /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '');
      queue.push(...[...html.matchAll(/href="(\/docs\/[^"#?.]+)/g)].map(([, link = '']) => link));
    }
    expect(tooHeavy).toEqual([]);
    expect(titles.size).toBeGreaterThan(50);
    expect(new Set(titles.values()).size).toBe(titles.size);
  });

  test('a chapter stands below its page, with the chapters around it', async () => {
    const list = await get('/docs/relay');
    const [, chapters = ''] = /<ol class="chapters">([\s\S]*?)<\/ol>/.exec(list) ?? [];
    const paths = [...chapters.matchAll(/href="(\/docs\/relay\/[\w-]+)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(10);
    const [first = '', second = '', third = ''] = paths;
    const html = await get(second);
    expect(html).toContain(`<a href="${second}" aria-current="page">`);
    for (const other of ['/docs/relay', first, third]) expect(html).toContain(`href="${other}"`);
    expect(html).toContain(`<a class="language" href="${second}?lang=`);
    const sitemap = await (await gateway.call('/sitemap.txt')).text();
    expect(sitemap).toContain(`${second}?lang=${language}`);
  });

  test('a client that asks for no HTML is led to the Markdown of the whole page', async () => {
    const answer = await createSiteClient(gateway, language).get('/docs/relay/the-breaker', { accept: '*/*' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `/docs/relay.md#${BREAKER[language]}`]);
  });

  test('what is no chapter is not found', async () => {
    for (const path of ['/docs/relay/nothing', '/docs/billing/rows', '/docs/nothing/the-breaker']) {
      expect([path, (await createSiteClient(gateway, language).get(path)).status]).toEqual([path, 404]);
    }
  });
});

test('a link to a heading from before leads to it, with a script and without', async () => {
  for (const javaScript of [true, false]) {
    const { page, leave } = await browser.visit({ javaScript });
    await page.goto(`${gateway.url}/docs/accounts#budgets-and-rates`);
    if (!javaScript) await page.click('li:target a');
    await page.waitForURL('**/docs/accounts/keys#budgets-and-rates');
    expect(await page.locator('h2:target').isVisible()).toBe(true);
    await leave();
  }
});
