// The price list: searched and sorted by its address, narrowed as one types, and without a price where none applies.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { upModel } from '../support/test-document.ts';
import { createSiteClient } from './site-client.ts';

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([
    startTestGateway({
      document: (standard) => ({
        ...standard,
        models: [
          ...standard.models,
          upModel('cheap', { price: { input: 1, output: 2 }, context_tokens: 9_000, features: ['vision', 'tools'] }),
          upModel('vectors', { kinds: ['embeddings'], price: { input: 3 } }),
        ],
      }),
    }),
    startBrowser(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

const read = async (path: string) => (await createSiteClient(gateway).get(path)).text();
const idsOf = (html: string) => [...html.matchAll(/<th scope="row"><a href="\/models\/([^"]+)"/g)].map(([, id]) => id);

/** Where the head of a column leads, and the order that it says. */
function headOf(html: string, text: string) {
  const [, order, href = ''] =
    new RegExp(`<th scope="col"[^>]*?(?: aria-sort="(\\w+)")?><a href="([^"]+)">${text}</a>`).exec(html) ?? [];
  return { order, href: href.replaceAll('&amp;', '&') };
}

test('a head sorts by its column, then the other way round, and keeps what was searched', async () => {
  const { pricing } = wordsOf('en');
  const { href } = headOf(await read('/pricing?q=u'), pricing.output);
  expect(href).toBe('/pricing?q=u&sort=output');
  const rising = await read('/pricing?sort=output');
  expect(idsOf(rising).slice(2)).toEqual(['cheap', 'up-paid', 'demo-small', 'vectors']);
  expect(headOf(rising, pricing.output)).toEqual({
    order: 'ascending',
    href: '/pricing?sort=output&order=reverse',
  });
  const falling = await read('/pricing?sort=output&order=reverse');
  expect(idsOf(falling).slice(2)).toEqual(['vectors', 'demo-small', 'up-paid', 'cheap']);
  expect(headOf(falling, pricing.output)).toEqual({ order: 'descending', href: '/pricing?sort=output' });
  expect(headOf(await read('/pricing?sort=context'), pricing.context).order).toBe('descending');
});

test('the list is narrowed to the models with a feature, and a search finds it, too', async () => {
  const { models, pricing } = wordsOf('en');
  expect(await read('/pricing')).toContain(`${models.feature.tools} · ${models.feature.vision}`);
  for (const query of ['feature=vision', 'q=vision']) {
    const html = await read(`/pricing?${query}`);
    expect(idsOf(html)).toEqual(['cheap']);
    expect(headOf(html, pricing.output).href).toContain(query);
  }
  expect(idsOf(await read('/pricing?feature=none')).length).toBeGreaterThan(3);
});

test('a price that does not apply is empty, and one that is that of input a dash: never another price', async () => {
  const { pricing } = wordsOf('en');
  const html = await read('/pricing');
  const shownOf = (id: string) => {
    const [, row = ''] = new RegExp(`<tr data-text="${id}[^>]*>(.*?)</tr>`, 's').exec(html) ?? [];
    const cells = [...row.matchAll(/<td class="right number(?: none)?" data-label="([^"]+)">([^<]*)</g)];
    return Object.fromEntries(cells.map(([, label, text]) => [label, text]));
  };
  expect(shownOf('vectors')).toMatchObject({ [pricing.input]: '3', [pricing.cachedInput]: '', [pricing.output]: '' });
  expect(shownOf('up-free')).toMatchObject({ [pricing.cachedInput]: '', [pricing.buys]: '' });
  expect(shownOf('cheap')).toMatchObject({
    [pricing.input]: '1',
    [pricing.cachedInput]: '–',
    [pricing.cacheWrite5m]: '–',
    [pricing.output]: '2',
  });
  expect(html).toContain(pricing.cacheNote);
  // No column for what no model of the list has.
  expect(await read('/pricing?q=cheap')).not.toContain(`data-label="${pricing.cachedInput}"`);
});

test('typing narrows the list before anything is sent', async () => {
  const visitor = await browser.visit();
  const { page } = visitor;
  await page.goto(`${gateway.url}/pricing`);
  const shown = () => page.locator('.is-prices tbody tr:visible th a').allTextContents();
  const all = await shown();
  await page.fill('#q', 'ＤＥＭＯ small');
  expect(await shown()).toEqual(['Demo small']);
  await page.fill('#q', 'nothing like it');
  expect(await shown()).toEqual([]);
  expect(await page.isVisible('[data-no-match]')).toBe(true);
  await page.fill('#q', '');
  expect(await shown()).toEqual(all);
  expect(await page.isVisible('[data-no-match]')).toBe(false);
  expect(await visitor.axe()).toEqual([]);
  expect(visitor.problems).toEqual([]);
  await visitor.leave();
});
