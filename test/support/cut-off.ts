// What a page hides from its readers at the widths that people have: figures beyond an edge, and times without a zone.

import type { Page } from 'playwright-core';

const HEIGHT = 900;

/** The page or a table of facts, where it is wider than what is shown of it at one of the widths; leaves the last width set. */
export async function cutOff(page: Page, widths: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    const wider = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('.scroll:has(.stack)')]
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => `${one.tagName} ${one.scrollWidth - one.clientWidth} px`),
    );
    found.push(...wider.map((text) => `${width}: ${text}`));
  }
  return found;
}

/** Times of day in the text that can be seen. */
export function timesWithoutZone(text: string): string[] {
  return text.match(/\d\d:\d\d:\d\d(?! UTC\+8)/g) ?? [];
}
