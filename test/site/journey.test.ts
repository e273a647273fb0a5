// A whole journey in a real browser: from no account to the last session's end.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { CARD_CODE_SHAPE } from '../../src/accounts/card-code.ts';
import { money, roundedMoney } from '../../src/site/format.ts';
import { type Language, wordsOf } from '../../src/site/language.ts';
import { startBrowser, type TestBrowser, type Visitor } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { USED_IN } from '../support/looks.ts';
import { chatStream } from '../support/openai-chat.ts';

const PASSWORD = 'correct horse battery';
const OTHER_CARD = 'PC-AAAA-AAAA-AAAA-AAAA-AAAA-AAAA-AAAA';
let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

const submit = (page: Page, action: string) => page.click(`form[action="${action}"] button`);
const textOf = async (page: Page, selector: string) => ((await page.textContent(selector)) ?? '').trim();

describe.each(USED_IN)('in %s', (language) => {
  const { account } = wordsOf(language);
  const otherLanguage: Language = language === 'en' ? 'zh-TW' : 'en';
  let visitor: Visitor;
  let page: Page;
  beforeEach(async () => {
    visitor = await browser.visit({ language });
    page = visitor.page;
  });
  afterEach(async () => {
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
  });

  const open = (path: string) => page.goto(gateway.url + path);
  async function createAccount(): Promise<string> {
    await open('/account');
    await submit(page, '/account/create');
    await page.waitForSelector('pre.secret');
    return textOf(page, 'pre.secret');
  }
  async function signIn(fields: Record<string, string>): Promise<void> {
    const [first = ''] = Object.keys(fields);
    for (const [name, value] of Object.entries(fields)) await page.fill(`#${name}`, value);
    await page.click(`form:has(#${first}) button`);
    await page.waitForSelector('nav.tabs');
  }

  test('the front page leads to where an account is made, also on a small screen', async () => {
    await page.setViewportSize({ width: 390, height: 664 });
    await open('/');
    await page.click(`main a.button:has-text("${wordsOf(language).home.createAccount}")`);
    await page.waitForURL('**#create');
    const isSeen = () => {
      const { top, bottom } =
        document.querySelector('form[action="/account/create"] button')?.getBoundingClientRect() ?? {};
      return top !== undefined && bottom !== undefined && top >= 0 && bottom <= innerHeight;
    };
    await page.waitForFunction(isSeen);
    await submit(page, '/account/create');
    await page.waitForSelector('pre.secret');
    await open('/');
    expect(await page.getAttribute('main a.button', 'href')).toBe('/account');
    expect(await textOf(page, 'main a.button')).toBe(wordsOf(language).home.toAccount);
  });

  test('the key of a new account is shown once; its call is on the pages as in the answer', async () => {
    await open('/account');
    const [created] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/account/create')),
      submit(page, '/account/create'),
    ]);
    await page.waitForSelector('pre.secret');
    const key = await textOf(page, 'pre.secret');
    expect(key).toStartWith('sk-svc-');
    // It would lead away from what is shown once.
    expect(await page.locator('a.language').count()).toBe(0);
    expect(created.headers()['cache-control']).toBe('no-store');
    const before = await gateway.sql('SELECT count(*) AS keys FROM keys');

    await page.reload();
    await page.waitForSelector('nav.tabs');
    expect(await page.content()).not.toContain(key);
    expect(await page.locator('a.language').count()).toBe(1);
    expect(await gateway.sql('SELECT count(*) AS keys FROM keys')).toEqual(before);
    const stored = 'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])';
    expect(await page.evaluate(stored)).toBe('[[],[],""]');

    expect(await textOf(page, 'ol.steps')).toContain(account.overview.nextSetup);
    gateway.upstream.next(chatStream());
    const answer = await gateway.chat(key, { model: 'up-paid', stream: true });
    await answer.text();
    const { cost_nano: cost, request_id: requestId } = (await gateway.get('/api/usage', key)).data[0];

    await page.click(`nav.tabs a[href="/account/usage"]`);
    await page.waitForSelector('.call');
    expect(await textOf(page, '.call .by')).toBe(answer.headers.get('x-svc-channel') ?? '');
    expect(await textOf(page, '.call .paid')).toBe(roundedMoney(BigInt(cost)));
    expect(await textOf(page, '.calls-head')).toContain(account.usage.channel);
    await page.click('.call > summary');
    await page.click('.call a');
    await page.waitForSelector('dl.lines');
    expect(await textOf(page, 'dl.lines')).toContain(requestId);
    expect(await textOf(page, 'tr.sum')).toContain(money(BigInt(cost)));
  });

  test('a card adds its amount once, however often it is clicked', async () => {
    const key = await createAccount();
    const { code } = await issueCard(gateway);
    await open('/account/redeem');
    expect(await page.getAttribute('#code', 'placeholder')).toBe(CARD_CODE_SHAPE);
    await page.fill('#code', code.toLowerCase().replaceAll('-', '－'));
    await page.dblclick('form[action="/account/redeem"] button');
    await page.waitForSelector('.notice');
    expect(await textOf(page, '.notice')).toBe(account.redeem.done(money(100_000_000_000n), money(101_000_000_000n)));
    // Only then is the next page that loads the one after the next click.
    await page.waitForLoadState();
    await page.fill('#code', code);
    await Promise.all([page.waitForEvent('load'), submit(page, '/account/redeem')]);
    expect(await textOf(page, '.notice')).toBe(account.redeem.again(money(100_000_000_000n)));
    await open('/account');
    expect(await textOf(page, '.is-money > :first-child .figure')).toBe('NT$101.00');
    expect((await gateway.get('/api/me', key)).balance_ntd).toBe(101);
  });

  test("a card's link carries its code through a new account, and no server sees it", async () => {
    const { code } = await issueCard(gateway);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url() + (request.postData() ?? '')));
    const switchTo = async (other: Language) => {
      await Promise.all([page.waitForEvent('load'), page.click('a.language')]);
      expect(await page.getAttribute('html', 'lang')).toBe(other);
    };
    await open('/account/redeem');
    // Who types the address has the code on paper, and most likely no account.
    expect(await page.isVisible('[data-card-waits]')).toBe(false);
    expect((await textOf(page, '.notice')).trim()).toEndWith(account.cardFirst);
    expect(await textOf(page, '.two > :first-child button')).toBe(account.create);
    // What stands behind the # alone would load no page.
    await open(`/account/redeem?#${code}`);
    // The links of other cards, followed in the same tab: the last one counts.
    for (const hash of [`code=${OTHER_CARD}`, code]) {
      await page.evaluate((text) => location.assign(`#${text}`), hash);
    }
    for (const one of [otherLanguage, language]) {
      await switchTo(one);
      expect(await page.locator('[data-card-waits]:visible').textContent()).toBe(wordsOf(one).account.cardWaits);
      expect(await page.isVisible('[data-without-card]')).toBe(false);
    }
    await page.click('form[action*="/account/create"] button');
    await page.waitForSelector('pre.secret');
    await page.click('a[data-keep-code]');
    await page.waitForSelector('#code');
    // Its script, which runs before that, puts the code into the field.
    await page.waitForLoadState();
    for (const one of [otherLanguage, language]) {
      expect(await page.inputValue('#code')).toBe(code);
      expect(page.url()).not.toContain('#');
      await switchTo(one);
    }
    expect(await page.inputValue('#code')).toBe(code);
    for (const [hash, shown] of [
      [`code=${OTHER_CARD}`, OTHER_CARD],
      [code, code],
    ] as const) {
      await page.evaluate((text) => location.assign(`#${text}`), hash);
      await page.waitForFunction((text) => document.querySelector<HTMLInputElement>('#code')?.value === text, shown);
      expect(page.url()).not.toContain('#');
    }
    expect(asked.map((url) => url.split('#')[0]).filter((url) => url?.includes(code))).toEqual([]);
    await submit(page, '/account/redeem');
    await page.waitForSelector('.notice');
    expect(await textOf(page, '.notice')).toContain('NT$101.00');
  });

  test('a card that was sent after the session had ended is not redeemed, and waits through signing in', async () => {
    const key = await createAccount();
    const { code } = await issueCard(gateway);
    const balance = async () => (await gateway.get('/api/me', key)).balance_ntd;
    await open('/account/redeem');
    await page.fill('#code', ` ${code.toLowerCase().replaceAll('-', ' ')}`);
    const other = await visitor.context.newPage();
    await other.goto(`${gateway.url}/account`);
    await submit(other, '/account/sign-out');
    await other.waitForSelector('#key');
    await submit(page, '/account/redeem');
    await page.waitForSelector('#key');
    expect(await textOf(page, '.notice.is-bad')).toBe(account.notDone);
    expect(await textOf(page, '[data-card-waits]:visible')).toBe(account.cardWaits);
    expect(await balance()).toBe(1);
    await signIn({ key });
    await page.waitForLoadState();
    expect(new URL(page.url()).pathname).toBe('/account/redeem');
    expect(await page.inputValue('#code')).toBe(code);
    await submit(page, '/account/redeem');
    await page.waitForSelector('.notice');
    expect(await balance()).toBe(101);
    expect(await page.inputValue('#code')).toBe('');
  });

  test('the file of usage has what the page shows, with the same filters', async () => {
    const key = await createAccount();
    for (const model of ['demo-small', 'auto:free']) await (await gateway.chat(key, { model })).text();
    await open('/account/usage?model=demo-small');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('a[href^="/account/usage.csv"]')]);
    const [head, ...rows] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    const [record] = (await gateway.get('/api/usage?model=demo-small', key)).data;
    expect(head).toStartWith(`\uFEFF${account.usage.file.time},`);
    expect(rows).toEqual([expect.stringContaining(record.request_id)]);
    expect(download.suggestedFilename()).toMatch(/^usage_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/);
  });

  test('keys: made with limits, used, changed, rotated, revoked', async () => {
    const owner = await createAccount();
    await open('/account/keys');
    await page.fill('#name-new', 'reports');
    for (const summary of await page.locator('#new ~ form summary').all()) await summary.click();
    for (const id of ['demo-small', 'up-paid']) await page.check(`form[action="/account/keys"] [value="${id}"]`);
    await page.fill('#day_ntd-new', '0.5');
    await page.fill('#expires-new', '2099-01-01');
    await submit(page, '/account/keys');
    await page.waitForSelector('pre.secret');
    const key = await textOf(page, 'pre.secret');
    expect(await page.locator('a.language').count()).toBe(0);
    const made = (await gateway.get('/api/keys', owner)).data[1];
    expect(made).toMatchObject({
      name: 'reports',
      models: ['demo-small', 'up-paid'],
      daily_budget_ntd: 0.5,
      manage: false,
    });
    expect(made.expires_at).toBe('2098-12-31T16:00:00.000Z');
    expect((await gateway.chat(key, { model: 'demo-small' })).status).toBe(200);
    expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(403);
    // Loaded again, or come back to, the page sends nothing and shows the key no more.
    await page.reload();
    expect(await page.content()).not.toContain(key);
    await open('/account/usage');
    await page.goBack();
    expect([page.url(), await page.locator('.notice').count()]).toEqual([`${gateway.url}/account/keys`, 0]);
    expect((await gateway.get('/api/keys', owner)).data).toHaveLength(2);

    const sheet = `li:has(form[action="/account/keys/${made.id}"])`;
    await page.click(`${sheet} .key > details > summary`);
    for (const id of ['demo-small', 'up-paid']) await page.uncheck(`${sheet} [value="${id}"]`);
    await submit(page, `/account/keys/${made.id}`);
    await page.waitForSelector('.notice');
    expect(await textOf(page, '.notice')).toBe(account.keys.saved);
    expect((await gateway.get('/api/keys', owner)).data[1]).toMatchObject({ models: null, daily_budget_ntd: 0.5 });

    const rotate = async (choice?: string) => {
      await page.click(`${sheet} .key > details > summary`);
      await page.click(`${sheet} a[href$="/rotate"]`);
      await page.waitForSelector('#old');
      expect(await textOf(page, 'h1')).toBe(account.keys.askRotate);
      if (choice) await page.selectOption('#old', { label: choice });
      await submit(page, `/account/keys/${made.id}/rotate`);
      await page.waitForSelector('pre.secret');
      return textOf(page, 'pre.secret');
    };
    const leaked = await rotate();
    expect(leaked).not.toBe(key);
    for (const one of [key, leaked]) expect((await gateway.chat(one, { model: 'auto:free' })).status).toBe(200);
    expect(await textOf(page, sheet)).toContain('UTC+8');
    const rotated = await rotate(account.keys.graces.none);
    for (const one of [key, leaked]) expect((await gateway.chat(one, { model: 'auto:free' })).status).toBe(401);

    const askToRevoke = async () => {
      await page.click(`${sheet} .key > details > summary`);
      await page.click(`${sheet} a[href$="/revoke"]`);
      await page.waitForSelector('button.danger');
    };
    await askToRevoke();
    expect(await textOf(page, 'h1')).toBe(account.keys.askRevoke);
    expect(await page.locator('dl.facts dd').allTextContents()).toContain(`…${rotated.slice(-4)}`);
    expect(await textOf(page, 'main')).not.toContain(account.keys.revokeCurrent);
    await page.click('main a[href="/account/keys"].button');
    await page.waitForSelector(sheet);
    expect((await gateway.chat(rotated, { model: 'auto:free' })).status).toBe(200);
    await askToRevoke();
    await submit(page, `/account/keys/${made.id}/revoke`);
    await page.waitForURL('**/account/keys');
    for (const one of [key, rotated]) expect((await gateway.chat(one, { model: 'auto:free' })).status).toBe(401);
  });

  test('what cannot be made says why, and what was typed is still there', async () => {
    await createAccount();
    await open('/account/keys');
    await page.fill('#name-new', 'kept');
    await page.fill('#day_ntd-new', 'much');
    await submit(page, '/account/keys');
    await page.waitForSelector('.notice.is-bad');
    expect(await textOf(page, '.notice')).toBe(account.keys.badAmount(account.keys.limits.dayBudget));
    expect([await page.inputValue('#name-new'), await page.inputValue('#day_ntd-new')]).toEqual(['kept', 'much']);
    await page.click('.key > details > summary');
    await page.click('a[href$="/revoke"]');
    await page.waitForSelector('button.danger');
    expect(await textOf(page, 'main')).toContain(account.keys.revokeCurrent);
    await page.click('button.danger');
    await page.waitForSelector('.notice.is-bad');
    expect(await textOf(page, '.notice')).toBe(wordsOf(language).faults.last_key);
  });

  test('out, in with the key, in with a name and a password, and out everywhere', async () => {
    const key = await createAccount();
    const name = `somebody-${language.toLowerCase()}`;
    await open('/account');
    await submit(page, '/account/sign-out');
    await page.waitForSelector('#key');
    expect(await textOf(page, '.notice')).toBe(account.signedOut);
    await signIn({ key });
    await open('/account/access');
    await page.fill('#name', name);
    await page.fill('#password', PASSWORD);
    await submit(page, '/account/access');
    await page.waitForSelector('.notice');
    expect(await textOf(page, 'main')).toContain(account.access.current(name));
    await submit(page, '/account/sign-out');
    await page.waitForSelector('#name');
    await signIn({ name: name.toUpperCase(), password: PASSWORD });

    const other = await browser.visit({ language });
    await other.page.goto(`${gateway.url}/account`);
    await other.page.fill('#key', key);
    await other.page.click('form:has(#key) button');
    await other.page.waitForSelector('nav.tabs');
    await open('/account/access');
    await submit(page, '/account/sign-out-everywhere');
    await page.waitForSelector('#key');
    expect(await textOf(page, '.notice')).toBe(account.signedOut);
    await other.page.goto(`${gateway.url}/account/usage`);
    expect(await other.page.textContent('.notice')).toBe(account.expired);
    await other.leave();
  });
});
