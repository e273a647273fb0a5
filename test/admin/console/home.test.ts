// The start page: today against yesterday until the same time of day, what sold most, whose balance is low; with links to
// all of it, and up to date without a reload where scripts run.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { AlarmName } from '../../../src/kit/alarms.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/kit/clock.ts';
import { taipeiDay, taipeiDayStart } from '../../../src/kit/taipei.ts';
import { roundedMoney } from '../../../src/site/format.ts';
import type { SiteClient } from '../../site/site-client.ts';
import { startBrowser, type TestBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer, errorScript } from '../../support/openai-chat.ts';
import { createShiftedClock } from '../../support/shifted-clock.ts';
import { type TestDocument, UP_PRICES } from '../../support/test-document.ts';
import { clientOf, strangerOf, visitConsole } from './operator-client.ts';

/** Longer than the page waits before it asks again. */
const NEXT_MS = 16_000;

const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

const route = { channel: 'up', model: 'scripted-2026-01', cost: { input: 5, cached_input: 1, output: 20 } };
const withCost = ({ models, ...rest }: TestDocument): TestDocument => ({
  ...rest,
  models: models.map((model) => (model.id === 'up-paid' ? { ...model, routes: [route] } : model)),
});

describe('figures', () => {
  const clock = createShiftedClock({ standsStill: true });
  let gateway: TestGateway;
  let client: SiteClient;
  let customers: TestAccount[];
  beforeAll(async () => {
    clock.skip(taipeiDayStart(taipeiDay(clock.now()) + 1) + 9 * HOUR_MS - clock.now());
    gateway = await startTestGateway({ clock, document: withCost });
    customers = [await gateway.register(), await gateway.register()];
    gateway.upstream.otherwise(() => chatAnswer());
    await buy(0, 'up-paid', 'up-paid');
    clock.skip(4 * HOUR_MS);
    await buy(0, 'up-paid');
    clock.skip(DAY_MS - 3 * HOUR_MS);
    await buy(0, 'up-paid');
    await buy(1, 'demo-small');
    gateway.upstream.otherwise(() => errorScript(500, { message: 'broken' }));
    await buy(1, 'up-paid');
    client = await clientOf(gateway);
  });
  afterAll(() => gateway.stop());

  async function buy(customer: number, ...models: string[]): Promise<void> {
    for (const model of models) await gateway.chat(customers[customer]?.key ?? '', { model });
  }
  const home = async (one: SiteClient = client) => textOf(await (await one.get('/')).text());

  test('today stands against yesterday until the same time of day', async () => {
    const text = await home();
    expect(text).toContain('Requests today 3 +50.0 % yesterday by this time: 2');
    expect(text).toContain('Error rate today 33.3 % yesterday by this time: 0 %');
    expect(text).toContain('Active accounts today 2 +100 % yesterday by this time: 1');
    expect(text).toMatch(/Revenue today NT\$0\.\d+ [+−][\d.]+ % yesterday by this time: NT\$0\.0008/);
    // The cost of 11 tokens of input and 7 of output is known: once today, twice yesterday until this time.
    const earned = 11n * UP_PRICES.input + 7n * UP_PRICES.output - (11n * 5_000n + 7n * 20_000n);
    // The demo channel costs nothing.
    const { data } = await gateway.get('/api/usage', customers[1]?.key ?? '');
    const demo = data.find(({ model }: { model: string }) => model === 'demo-small');
    const profit = roundedMoney(earned + BigInt(demo.cost_nano));
    expect(text).toContain(`Profit today ${profit} `);
    expect(text).toMatch(
      new RegExp(`Profit today \\S+ [+−][\\d.]+ % yesterday by this time: ${RegExp.escape(roundedMoney(2n * earned))}`),
    );
    expect(await home(await clientOf(gateway, 'zh-TW'))).toContain('今日請求數 3 +50.0 % 昨天同一時間：2');
  });

  test('what sold most and who bought most lead on', async () => {
    const html = await (await client.get('/')).text();
    expect(textOf(html)).toMatch(/Top models today .*? demo-small NT\$0\.0028 1 up-paid NT\$0\.0004 2/);
    for (const { accountId } of customers) expect(html).toContain(`href="/accounts/${accountId}"`);
    for (const path of [
      '/models/edit?model=up-paid',
      '/ledger',
      '/ledger/losses',
      '/channels',
      '/accounts',
      '/actions',
    ]) {
      expect(html).toContain(`href="${path}"`);
    }
  });

  test('a customer who paid and has little left is named, with how long it lasts', async () => {
    expect(await home()).toContain('No paying customer is low.');
    const accountId = customers[0]?.accountId ?? '';
    await gateway.gateway.store.commit('credit', {
      ...{ accountId, amount: 1_000_000_000n, reference: 'a card', reason: 'test' },
      at: clock.now(),
    });
    clock.skip(MINUTE_MS);
    const low = (await home()).split('Low balances')[1] ?? '';
    expect(low).toContain(`${accountId} NT$2.00`);
    expect(low).toContain('over a year');
  });

  test('a customer is called as the operator named the account', async () => {
    const accountId = customers[0]?.accountId ?? '';
    await client.post(`/accounts/${accountId}/describe`, { nickname: 'Corner <shop>', note: '' });
    const named = `<a href="/accounts/${accountId}" class="nickname">Corner &lt;shop&gt;</a>`;
    // Among those who bought most, and among those with little left.
    expect((await (await client.get('/')).text()).split(named)).toHaveLength(3);
  });

  test('a critical alarm is named first', async () => {
    const raise = (name: AlarmName) => gateway.gateway.store.recordAlarm({ name, fields: {} }, clock.now());
    await raise('wallet_wrong');
    await raise('usage_invalid');
    const html = await (await client.get('/')).text();
    expect(html).toContain(
      '<li class="bad"><a href="/alarms">Critical alarm: A wallet does not match its ledger entries.',
    );
    expect(html).not.toContain('Critical alarm: An upstream reported implausible usage');
  });

  test('the chart of 30 days is read once a minute, whoever watches, and today at once', async () => {
    const shown = async () => {
      const [today = '', chart = ''] = (await home()).split('Revenue by day');
      return { requests: /Requests today (\d+)/.exec(today)?.[1], chart: chart.split('Profit by model')[0] };
    };
    const before = await shown();
    await buy(1, 'demo-small');
    const live = textOf(await (await (await clientOf(gateway)).get('/live')).text());
    expect(live).toContain(`Requests today ${Number(before.requests) + 1} `);
    expect((await shown()).chart).toBe(before.chart);
    clock.skip(MINUTE_MS);
    const after = await shown();
    expect(after.requests).toBe(String(Number(before.requests) + 1));
    expect(after.chart).not.toBe(before.chart);
  });

  test('its changing part is for who is signed in', async () => {
    const live = await client.get('/live');
    const html = await live.text();
    expect([live.status, live.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(html).toContain('Requests today');
    expect(html).not.toContain('<html');
    expect((await strangerOf(gateway).get('/live')).status).toBe(401);
  });
});

describe('in a browser', () => {
  let gateway: TestGateway;
  let browser: TestBrowser;
  let account: TestAccount;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startTestGateway(), startBrowser()]);
    account = await gateway.register();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.stop();
  });

  test('the figures change without a reload, not while the page is hidden, and it says when they no longer do', async () => {
    const visitor = await visitConsole(browser, gateway);
    const { page } = visitor;
    // Until the first request there is no chart, whose table can be opened.
    await gateway.chat(account.key, { model: 'demo-small' });
    await page.clock.install();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(gateway.gateway.adminUrl);
    expect(await page.isVisible('text=updates by itself')).toBe(true);
    const timesAsked = () => asked.filter((path) => path === '/live').length;
    const hide = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);

    await page.click('summary');
    await page.focus('a[href="/ledger/losses"]');
    await gateway.chat(account.key, { model: 'demo-small' });
    await page.clock.runFor(NEXT_MS);
    await page.waitForSelector('.cards strong:text-is("2")');
    expect(await page.getAttribute('details', 'open')).not.toBeNull();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('/ledger/losses');

    const before = timesAsked();
    await hide(true);
    await page.clock.runFor(4 * NEXT_MS);
    expect(timesAsked()).toBe(before);
    await hide(false);
    await eventually('asked again when it is seen', () => timesAsked() === before + 1);
    expect(await page.isVisible('#stale')).toBe(false);
    expect(visitor.problems).toEqual([]);

    await visitor.context.clearCookies();
    await hide(false);
    await page.waitForSelector('#stale:has-text("the session has ended")');
    await visitor.leave();
  });

  test('without scripts it is the same page, without the promise', async () => {
    const visitor = await visitConsole(browser, gateway, { javaScript: false, language: 'zh-TW' });
    expect(await visitor.page.isVisible('text=今日請求數')).toBe(true);
    expect(await visitor.page.isVisible('text=自動更新')).toBe(false);
    await visitor.leave();
  });
});
