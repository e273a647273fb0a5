// The journey "add and test a channel" in a real browser, with its clicks counted: at most six, in both languages, on a
// phone and on a desk, without scripts.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startBrowser, type TestBrowser } from '../../support/browser.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { DESKTOP, lookAt, PHONE } from '../../support/looks.ts';
import { chatAnswer, jsonScript } from '../../support/openai-chat.ts';
import type { SeenRequest } from '../../support/upstream.ts';
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

/** A vendor that lists these models and answers every call. */
function offer(...models: string[]): void {
  gateway.upstream.reset();
  gateway.upstream.otherwise(({ method }: SeenRequest) =>
    method === 'GET'
      ? jsonScript(200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
      : chatAnswer(),
  );
}

/** Counts what a person clicks. */
function clicking(page: Page) {
  let clicks = 0;
  return {
    get clicks() {
      return clicks;
    },
    async click(selector: string) {
      clicks++;
      await page.click(selector);
    },
  };
}

const LOOKS = (['en', 'zh-TW'] as const).flatMap((language) =>
  [DESKTOP, PHONE].map((width, index) => ({
    language,
    width,
    colorScheme: index === 0 ? ('light' as const) : ('dark' as const),
  })),
);

describe.each(LOOKS)('$language, $width wide', (look) => {
  const name = `openai-${look.language.toLowerCase()}-${look.width}`;

  test(
    'a vendor with known prices',
    async () => {
      offer('gpt-6.1-terra', 'gpt-6-luna', 'gpt-5-nano', 'whisper-9');
      const visitor = await visitConsole(browser, gateway, { ...look, javaScript: true });
      const { page } = visitor;
      await page.goto(`${gateway.gateway.adminUrl}/channels`);
      const hand = clicking(page);

      await hand.click('a[href="/connect"]');
      await lookAt(visitor, look, 'vendors');
      await hand.click('a[href="/connect/openai"]');
      expect(await page.inputValue('#address')).toBe('https://api.openai.com/v1');
      await lookAt(visitor, look, 'connection');
      await page.fill('#name', name);
      await page.fill('#address', gateway.upstream.baseUrl);
      await page.fill('#key', KEY);
      await hand.click('main form button[type=submit]');
      await page.waitForSelector('.notice');
      expect(await page.textContent('.notice')).toMatch(/3.*ms/);
      await lookAt(visitor, look, 'models');
      expect(await page.isChecked('input[value="gpt-6-luna"]')).toBe(true);
      expect(await page.isChecked('input[value="gpt-5-nano"]')).toBe(false);
      expect(await page.content()).not.toContain(KEY);

      await hand.click('main form button[type=submit]');
      await page.waitForSelector('main .state');
      expect(await page.locator('main .state.operational').count()).toBe(2);
      await page.locator('main details summary').click();
      expect(await page.textContent('.diff')).toContain('<new>');
      await lookAt(visitor, look, 'review');
      expect(await page.content()).not.toContain(KEY);

      await hand.click('main form button[type=submit]');
      await page.waitForURL(`**/channels/${name}`);
      expect(await page.textContent('.notice')).toContain(name);
      await lookAt(visitor, look, 'the channel');
      expect(hand.clicks).toBeLessThanOrEqual(MOST_CLICKS);
      console.log(`add and test a channel: ${hand.clicks} clicks`);
      await visitor.leave();

      const calls = gateway.upstream.requests.map(({ method, path, headers }) => [method, path, headers.authorization]);
      expect(calls).toEqual([
        ['GET', '/v1/models', `Bearer ${KEY}`],
        ['POST', '/v1/responses', `Bearer ${KEY}`],
        ['POST', '/v1/responses', `Bearer ${KEY}`],
      ]);
    },
    PATIENCE_MS,
  );
});

test(
  'any other upstream, whose prices are typed, without scripts',
  async () => {
    offer('house-model', 'house-model-2');
    const visitor = await visitConsole(browser, gateway, { javaScript: false });
    const { page } = visitor;
    await page.goto(`${gateway.gateway.adminUrl}/channels`);
    const hand = clicking(page);
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
    expect(visitor.troubles).toEqual([]);
    await visitor.leave();
    const { key } = await gateway.register();
    expect((await gateway.chat(key, { model: 'house-model', max_tokens: 5 })).status).toBe(200);
  },
  PATIENCE_MS,
);
