// The usage page as people use it: a chart that filters, presets, order, failures in words; in both languages, on a phone
// and a desk, light and dark. The page stays small however much there is.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { roundedMoney } from '../../src/site/format.ts';
import { wordsOf } from '../../src/site/language.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { LOOKS } from '../support/looks.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
import { passTime } from '../support/pass-time.ts';
import { upModel } from '../support/test-document.ts';
import { type SiteClient, signedIn } from './site-client.ts';

setDefaultTimeout(180_000);

const MODELS = ['first-model', 'second-model', 'third-model', 'fourth-model', 'fifth-model', 'sixth-model'];
const DAYS = 32;
const HOUR_MS = 3_600_000;
const MAX_BYTES = 60_000;

let gateway: TestGateway;
let browser: TestBrowser;
let account: TestAccount;
let client: SiteClient;
beforeAll(async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1, 4, 0, 0));
  const priced = MODELS.map((id, index) => upModel(id, { price: { input: 10 * (index + 1), output: 40 } }));
  const document = (standard: { models: unknown[] }) => ({ ...standard, models: [...standard.models, ...priced] });
  [gateway, browser] = await Promise.all([startTestGateway({ clock, document: document as never }), startBrowser()]);
  account = await gateway.register();
  const { accountId, key } = account;
  const credit = { accountId, amount: 500_000_000_000n, reference: accountId, reason: 'test', at: clock.now() };
  await gateway.gateway.store.commit('credit', credit);
  const second = await createKey(gateway, key, { name: 'reports' });
  for (let day = 0; day < DAYS; day++) {
    for (const [index, model] of MODELS.entries()) {
      const usage = { prompt_tokens: 100 * (day + index + 1), completion_tokens: 9 };
      gateway.upstream.next(chatAnswer({ usage: { ...usage, total_tokens: usage.prompt_tokens + 9 } }));
      const answer = await gateway.chat(index % 2 ? key : second.key, {
        model,
        messages: [{ role: 'user', content: 'word '.repeat(4_000) }],
      });
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    }
    if (day < DAYS - 1) await passTime(gateway, clock, 24 * HOUR_MS);
  }
  gateway.upstream.next(errorScript(400, { message: 'no' }));
  expect((await gateway.chat(key, { model: 'first-model' })).status).toBe(400);
  client = await signedIn(gateway, key);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

const html = async (query = '') => (await client.get(`/account/usage${query}`)).text();
const figures = (text: string) =>
  [...text.matchAll(/<strong class="figure"><span title="([^"]*)"/g)].map(([, sum]) => sum);
const lines = (text: string) => text.split('<details class="call">').slice(1);
const hrefs = (text: string, part: RegExp) =>
  [...(part.exec(text)?.[0] ?? '').matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

test('without a filter it has the last 30 days: chart, sums and list', async () => {
  const text = await html();
  const { totals } = await gateway.get('/api/usage?from=2026-01-03', account.key);
  expect(totals.requests).toBe(30 * MODELS.length + 1);
  expect(figures(text)[1]).toBe(String(totals.requests));
  expect(text).toContain(`>${roundedMoney(BigInt(totals.cost_nano))}</span></strong>`);
  expect(hrefs(text, /<svg class="chart-drawing".*?<svg class="chart-labels"/s)).toHaveLength(30);
  expect(lines(text)).toHaveLength(15);
  expect(text).toContain('Others (2)');
  expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES);
});

test('presets, bars and legend lead to what they name', async () => {
  const [today = '', week = '', , , all = ''] = hrefs(await html(), /<nav class="choices-line".*?<\/nav>/);
  const requests = async (path: string) => figures(await (await client.get(path)).text())[1];
  expect([await requests(today), await requests(week)]).toEqual(['7', '43']);
  expect(await requests(all)).toBe(String(DAYS * MODELS.length + 1));
  const [bar = ''] = hrefs(await html(), /<svg class="chart-drawing".*?<svg class="chart-labels"/s);
  expect([bar, await requests(bar)]).toEqual(['/account/usage?from=2026-01-03&to=2026-01-03', '6']);
  const [series = ''] = hrefs(await html('?by=key'), /<ul class="chart-legend">.*?<\/ul>/);
  const keyId = new URLSearchParams(series.split('?')[1]).get('key');
  const { totals } = await gateway.get(`/api/usage?from=2026-01-03&key_id=${keyId}`, account.key);
  expect(await requests(series)).toBe(String(totals.requests));
});

test('more than a month is drawn by week, and a long period by month', async () => {
  const bars = (text: string) => hrefs(text, /<svg class="chart-drawing".*?<svg class="chart-labels"/s);
  expect(bars(await html('?from=2026-01-02'))).toHaveLength(31);
  const weeks = bars(await html('?from=2026-01-01'));
  expect([weeks[0], weeks.at(-1), weeks.length]).toEqual([
    '/account/usage?from=2026-01-01&to=2026-01-04',
    '/account/usage?from=2026-01-26&to=2026-02-01',
    5,
  ]);
  const text = await html('?from=2025-08-01');
  const months = bars(text);
  expect(months).toHaveLength(7);
  expect(months.at(-1)).toBe('/account/usage?from=2026-02-01&to=2026-02-01');
  expect(text).toContain('>2026-01</a>');
});

test('a single day is drawn by hour, with the figures of each model', async () => {
  const text = await html('?from=2026-02-01');
  const table = /<table class="chart-figures">.*?<\/table>/s.exec(text)?.[0] ?? '';
  const hours = [...table.matchAll(/<th scope="row">([^<]*)<\/th>/g)].map(([, hour]) => hour);
  expect([hours.length, hours[12]]).toEqual([24, '2026-02-01 12:00 UTC+8']);
  const used = table.split('<tr>').filter((row) => row.includes('NT$0.'));
  expect([used.length, used[0]?.includes('2026-02-01 12:00')]).toEqual([1, true]);
  expect(text).toContain('Spend by model, 2026-02-01');
  for (const model of MODELS)
    expect(text).toContain(`<a class="id" href="/account/usage?from=2026-02-01&amp;model=${model}`);
});

test('the order can be by cost or by duration, and only failures can be shown', async () => {
  const costs: number[] = [];
  const ids = new Set<string>();
  let path: string | undefined = '/account/usage?sort=cost';
  for (let page = 0; path !== undefined && page < 20; page++) {
    const text: string = await (await client.get(path)).text();
    expect(page > 0 || lines(text)[0]?.includes('sixth-model')).toBe(true);
    for (const line of lines(text)) {
      costs.push(Number(/paid"><span title="NT\$([\d.]+)"/.exec(line)?.[1]));
      ids.add(/req_\w+/.exec(line)?.[0] ?? '');
    }
    path = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(costs).toEqual(costs.toSorted((one, other) => other - one));
  expect([costs.length, ids.size]).toEqual([30 * MODELS.length + 1, 30 * MODELS.length + 1]);
  const failed = await html('?status=failed');
  expect([lines(failed).length, figures(failed)[1]]).toEqual([1, '1']);
  expect(failed).toContain('Status: Any failure');
});

describe.each(LOOKS)('in $language, $width wide, $colorScheme', (look) => {
  const { language } = look;
  const words = wordsOf(language).account;

  test('overview, a bar, a model, a failed call', async () => {
    const { page, axe, problems, leave } = await browser.visit(look);
    const isWhole = async (place: string) => {
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([place, await axe(), wider, problems]).toEqual([place, [], 0, []]);
    };
    await page.goto(`${gateway.url}/account/sign-in`);
    await page.fill('#key', account.key);
    await page.press('#key', 'Enter');
    await page.waitForSelector('.chart');
    await isWhole('overview');
    const [family = ''] = await page.$$eval('h1', ([h1]) => [h1 ? getComputedStyle(h1).fontFamily : '']);
    expect(family).not.toContain('PMingLiU');
    expect(family.endsWith(language === 'en' ? ' serif' : ' sans-serif')).toBe(true);

    await page.locator('.chart-drawing a').last().click();
    await page.waitForURL('**/account/usage?from=2026-02-01&to=2026-02-01');
    await isWhole('one day');
    await page.click('nav.tabs a[href="/account/usage"]');
    await page.waitForSelector('.chart');
    await isWhole('usage');
    await page.locator('.chart-legend a').first().click();
    await page.waitForSelector('.chosen');
    expect(await page.textContent('.chosen')).toContain('sixth-model');
    expect(new Set(await page.locator('.call .what > .id').allTextContents())).toEqual(new Set(['sixth-model']));
    await page.click('.chosen a');
    await page.waitForSelector('.chosen', { state: 'detached' });

    await page.click('.filter-box > summary');
    await page.selectOption('#status', 'failed');
    await page.click('.filters button');
    await page.waitForSelector('.chosen');
    await page.click('.call > summary');
    await page.waitForSelector('.call .notice', { state: 'visible' });
    await isWhole('failed');
    await page.click('.call .button');
    await page.waitForSelector('dl.lines');
    const notice = (await page.textContent('main .notice')) ?? '';
    const { cause, remedy } = words.endings.invalid_request;
    expect([cause, words.usageView.free, remedy].filter((said) => !notice.includes(said))).toEqual([]);
    expect(await page.locator('.copy-id button').first().getAttribute('aria-label')).toBe(
      words.usageView.copy(words.usage.requestId),
    );
    await isWhole('receipt');
    await leave();
  });
});
