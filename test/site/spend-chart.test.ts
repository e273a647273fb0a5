// What was spent, day by day: as a chart, and as a table that can be read without a mouse.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { passTime } from '../support/pass-time.ts';
import { signedIn } from './site-client.ts';

const DAY_MS = 24 * 3_600_000;
let gateway: TestGateway;
let clock: ManualClock;
beforeEach(async () => {
  clock = createManualClock(Date.UTC(2026, 0, 15, 4, 0, 0));
  gateway = await startTestGateway({ clock });
});
afterEach(() => gateway.stop());

test.each(['en', 'zh-TW'] as const)('in %s', async (language) => {
  const { overview } = wordsOf(language).account;
  const { key } = await gateway.register();
  const page = async () => (await (await signedIn(gateway, key, language)).get('/account')).text();
  expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
  expect(await page()).toContain(overview.noSpend);
  for (const tokens of [200, 500, 100]) {
    gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } }));
    expect((await gateway.chat(key, { model: 'up-paid' })).status).toBe(200);
    await passTime(gateway, clock, 2 * DAY_MS);
  }
  const html = await page();
  expect(html).toContain('<small><span title="NT$0.008">NT$0.008</span></small>');
  const rows = [...html.matchAll(/<th scope="row"><a href="([^"]*)">([\d-]+)<\/a><\/th><td[^>]*>([^<]*)/g)];
  const paid = rows.filter(([, , , amount]) => amount !== 'NT$0').map(([, , day, amount]) => [day, amount]);
  expect(rows).toHaveLength(30);
  expect(paid).toEqual([
    ['2026-01-15', 'NT$0.002'],
    ['2026-01-17', 'NT$0.005'],
    ['2026-01-19', 'NT$0.001'],
  ]);
  expect(rows.at(-1)?.[1]).toBe('/account/usage?from=2026-01-21&amp;to=2026-01-21');
});
