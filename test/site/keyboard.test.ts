// The site by keyboard alone: the way past the menu, signing in, redeeming, making a key; and one always sees where one is.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startBrowser, type TestBrowser, type Visitor } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';

const MAX_TABS = 60;
let gateway: TestGateway;
let browser: TestBrowser;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway(), startBrowser()]);
  visitor = await browser.visit();
  page = visitor.page;
});
afterAll(async () => {
  expect(visitor.problems).toEqual([]);
  await browser.close();
  await gateway.stop();
});

/** Goes from place to place until it is there. Every place on the way is marked. */
async function tabTo(selector: string): Promise<void> {
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    await page.keyboard.press('Tab');
    const { isThere, outline, place } = await page.evaluate((wanted) => {
      const at = document.activeElement;
      return {
        isThere: at?.matches(wanted) ?? false,
        outline: at ? getComputedStyle(at).outlineStyle : 'none',
        place: at?.outerHTML.slice(0, 80),
      };
    }, selector);
    expect([place, outline]).not.toEqual([place, 'none']);
    if (isThere) return;
  }
  throw new Error(`not reached by ${MAX_TABS} tabs: ${selector}`);
}

test('the first tab leads past the menu', async () => {
  await page.goto(`${gateway.url}/pricing`);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Skip to the content');
  const box = await page.locator('.skip').boundingBox();
  expect(box && box.x >= 0 && box.y >= 0).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('q');
});

test('signing in, redeeming a card and making a key', async () => {
  const { key } = await gateway.register();
  const { code } = await issueCard(gateway);
  await page.goto(`${gateway.url}/account`);
  await tabTo('#key');
  await page.keyboard.type(key);
  await page.keyboard.press('Enter');
  await page.waitForSelector('nav.tabs');

  await tabTo('nav.tabs a[href="/account/redeem"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#code');
  await tabTo('#code');
  await page.keyboard.type(code);
  await tabTo('form[action="/account/redeem"] button');
  await page.keyboard.press('Space');
  await page.waitForSelector('.notice');
  expect(await page.textContent('.notice')).toContain('NT$100.00');

  await tabTo('nav.tabs a[href="/account/keys"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#name-new');
  await tabTo('#name-new');
  await page.keyboard.type('typed');
  await tabTo('#day_ntd-new');
  await page.keyboard.type('3');
  await tabTo('form[action="/account/keys"] button');
  await page.keyboard.press('Enter');
  await page.waitForSelector('pre.secret');
  expect((await gateway.get('/api/keys', key)).data[1]).toMatchObject({ name: 'typed', daily_budget_ntd: 3 });

  await tabTo('li:last-child .key > details > summary');
  await page.keyboard.press('Enter');
  await tabTo('a[href$="/revoke"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('button.danger');
  await tabTo('button.danger');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/account/keys');
  expect((await gateway.get('/api/keys', key)).data).toHaveLength(1);
});
