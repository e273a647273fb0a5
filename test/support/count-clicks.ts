// Uses a page as a person does, and counts what that takes: a click, or a text typed and sent with Enter.

import type { Page } from 'playwright-core';

export interface CountingHand {
  page: Page;
  readonly clicks: number;
  click(selector: string): Promise<void>;
  /** Types and sends with Enter, which counts as one. */
  send(selector: string, text: string): Promise<void>;
}

export function countClicks(page: Page): CountingHand {
  let clicks = 0;
  return {
    page,
    get clicks() {
      return clicks;
    },
    async click(selector) {
      clicks++;
      await page.click(selector);
    },
    async send(selector, text) {
      clicks++;
      await page.fill(selector, text);
      await page.press(selector, 'Enter');
    },
  };
}
