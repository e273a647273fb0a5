// Figures and words that are as long as they get: on a phone an amount stands whole below its name, and no button breaks
// inside a word.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { upModel } from '../support/test-document.ts';

setDefaultTimeout(180_000);

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  const dear = upModel('dear', { price: { input: 999_999.999, output: 999_999.999 } });
  [gateway, browser] = await Promise.all([
    startTestGateway({ document: (standard) => ({ ...standard, models: [...standard.models, dear] }) }),
    startBrowser(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

test('a large amount is whole on the smallest phone, on the overview and on a receipt', async () => {
  const { key, accountId } = await gateway.register();
  const credit = { accountId, amount: 98_765_432_123_456_789n, reference: accountId, reason: 'large', at: Date.now() };
  await gateway.gateway.store.commit('credit', credit);
  const usage = { prompt_tokens: 500_000, completion_tokens: 900, total_tokens: 500_900 };
  gateway.upstream.next(chatAnswer({ usage }));
  const long = [{ role: 'user', content: 'word '.repeat(100_000) }];
  expect((await gateway.chat(key, { model: 'dear', messages: long })).status).toBe(200);
  const { page, leave } = await browser.visit({ language: 'zh-TW', width: 360 });
  await page.goto(`${gateway.url}/account/sign-in`);
  await page.fill('#key', key);
  await page.press('#key', 'Enter');
  await page.click('details summary');
  await page.waitForSelector('.flows');
  const cut = () =>
    page.locator('.scroll').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
  const credits = await page.locator('.flows').last().textContent();
  expect([await cut(), credits]).toEqual([0, expect.stringContaining('NT$98,765,432.12')]);
  await page.click('a[href^="/account/receipts/"]');
  await page.waitForSelector('.flows .sum');
  expect(await cut()).toBe(0);
  await leave();
});

test('no button breaks inside a word, however little room it has; a price list has no rule of its own', async () => {
  const { page, leave } = await browser.visit({ language: 'zh-TW' });
  await page.goto(`${gateway.url}/pricing`);
  const lines = await page.locator('.filters button').evaluate((button) => {
    button.textContent = '撤銷';
    button.style.width = '1px';
    const range = document.createRange();
    range.selectNodeContents(button);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  });
  expect(lines).toBe(1);
  const rules = await page
    .locator('.is-history details')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).borderTopWidth));
  expect([...new Set(rules)]).toEqual(['0px']);
  await leave();
});
