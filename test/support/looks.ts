// How pages are looked at and used in a real browser. `npm test` looks at each page once, by night on a phone, and uses it
// in the same language; `npm run test:pages` does both in every language, light and width.

import { expect } from 'bun:test';
import type { Visitor } from './browser.ts';
import { cutOff, timesWithoutZone } from './cut-off.ts';

export const [DESKTOP, PHONE, SMALLEST] = [1_280, 390, 360];
const HEIGHT = 900;

export interface Look {
  language: 'en' | 'zh-TW';
  width: number;
  colorScheme: 'light' | 'dark';
}

const EVERY_LOOK = process.env.LOOKS === 'all';

export const ALL_LOOKS: readonly Look[] = (['en', 'zh-TW'] as const).flatMap((language) =>
  [DESKTOP, PHONE].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ language, width, colorScheme })),
  ),
);

export const LOOKS: readonly Look[] = EVERY_LOOK
  ? ALL_LOOKS
  : [{ language: 'zh-TW', width: PHONE, colorScheme: 'dark' }];

/** In names of things that one look must not share with another. */
export function lookName({ language, width, colorScheme }: Look): string {
  return `${language.toLowerCase()}-${width}-${colorScheme}`;
}

/** For many short tests: `npm test` gives each another look in turn. */
export function looksInTurn(index: number): readonly Look[] {
  const next = (index * 3) % ALL_LOOKS.length;
  return EVERY_LOOK ? ALL_LOOKS : ALL_LOOKS.slice(next, next + 1);
}

/** The language, or languages, of those who use the pages. */
export const USED_IN: readonly Look['language'][] = EVERY_LOOK ? ['en', 'zh-TW'] : ['zh-TW'];

/** Widths at which nothing may be cut off; the smallest comes last. */
const WIDTHS = EVERY_LOOK ? [DESKTOP, 1_024, 768, SMALLEST] : [DESKTOP, SMALLEST];

/** For a visitor who came with this look. No rule of accessibility broken, nothing cut off, no error; leaves the page as wide as the smallest phone. */
export async function lookAt({ page, axe, problems }: Visitor, look: Look, place: string): Promise<void> {
  await page.setViewportSize({ width: look.width, height: HEIGHT });
  // Asked for at once: each question to the browser takes both processes some milliseconds.
  const seen = await page.evaluate(() => ({
    language: document.documentElement.lang,
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
    text: document.body.innerText,
  }));
  expect([place, seen.language, seen.isDark]).toEqual([place, look.language, look.colorScheme === 'dark']);
  expect([place, await axe()]).toEqual([place, []]);
  expect([place, await cutOff(page, WIDTHS)]).toEqual([place, []]);
  expect([place, timesWithoutZone(seen.text)]).toEqual([place, []]);
  expect([place, problems]).toEqual([place, []]);
}
