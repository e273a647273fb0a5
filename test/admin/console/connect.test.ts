// Adding a channel whose vendor the gateway does not know, in a real browser without scripts.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startBrowser, type TestBrowser } from '../../support/browser.ts';
import { countClicks } from '../../support/count-clicks.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { offerModels } from '../../support/offer-models.ts';
import { visitConsole } from './operator-client.ts';

const KEY = 'sk-a-key-that-no-page-shows-0123456789';
const MOST_CLICKS = 6;
const PATIENCE_MS = 90_000;

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

test(
  'any other upstream, whose prices are typed, without scripts',
  async () => {
    offerModels(gateway.upstream, ['house-model', 'house-model-2']);
    const visitor = await visitConsole(browser, gateway, { javaScript: false });
    const { page } = visitor;
    await page.goto(`${gateway.gateway.adminUrl}/channels`);
    const hand = countClicks(page);
    await hand.click('a[href="/connect"]');
    await hand.click('a[href="/connect/other"]');
    await page.fill('#name', 'house');
    await page.fill('#address', gateway.upstream.baseUrl);
    await page.fill('#key', KEY);
    await hand.click('text="Connect"');
    await hand.click('input[value="house-model"]');
    await page.fill('[aria-label="Input, US$ of house-model"]', '0.5');
    await page.fill('[aria-label="Output, US$ of house-model"]', '2');
    await hand.click('text="Test and review"');
    expect(await page.textContent('main table')).toContain('19.5 in · 78 out');
    await hand.click('text="Save the channel"');
    expect(await page.textContent('.notice')).toContain('house is saved');
    expect(hand.clicks).toBe(MOST_CLICKS);
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
    const { key } = await gateway.register();
    expect((await gateway.chat(key, { model: 'house-model', max_tokens: 5 })).status).toBe(200);
  },
  PATIENCE_MS,
);
