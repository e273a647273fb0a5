// Red is for failures alone: a page on which nothing failed shows none, by day and by night, in the mark and the buttons too.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

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

/** Elements with a colour that is read as red: within 30 degrees of it, and far from grey. A legend explains it. */
function redElements(): string[] {
  const isRed = (color: string) => {
    const [r = 0, g = 0, b = 0, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
    const chroma = Math.max(r, g, b) - Math.min(r, g, b);
    if (alpha === 0 || chroma < 80 || r !== Math.max(r, g, b)) return false;
    return Math.abs((60 * (g - b)) / chroma) < 30;
  };
  const painted = ['color', 'backgroundColor', 'borderLeftColor', 'borderBottomColor', 'fill', 'textDecorationColor'];
  return [...document.querySelectorAll('*')]
    .filter((one) => !one.closest('.legend'))
    .filter((one) => painted.some((name) => isRed(String(Reflect.get(getComputedStyle(one), name)))))
    .map((one) => one.outerHTML.slice(0, 80));
}

test.each(['light', 'dark'] as const)('no red without a failure, %s', async (colorScheme) => {
  const { page, leave } = await browser.visit({ colorScheme });
  for (const path of ['/', '/pricing', '/models/up-paid', '/docs/errors', '/account', '/security', '/assets-none']) {
    await page.goto(gateway.url + path);
    expect([path, await page.evaluate(redElements)]).toEqual([path, []]);
  }
  await page.goto(gateway.url + ((await page.getAttribute('link[rel=icon]', 'href')) ?? ''));
  expect(await page.evaluate(redElements)).toEqual([]);
  // The check itself sees a failure.
  await page.goto(`${gateway.url}/account`);
  await page.fill('#key', 'sk-svc-wrong');
  await page.click('form:has(#key) button');
  await page.waitForSelector('.notice.is-bad');
  expect(await page.evaluate(redElements)).not.toEqual([]);
  await leave();
});
