// Every page in a real browser: no rule of accessibility broken, nothing that the policy or a script complains of, nothing
// wider than the smallest phone. In both languages, by day and by night, narrow and wide.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CARD_CODE_SHAPE } from '../../src/accounts/card-code.ts';
import { wordsOf } from '../../src/site/language.ts';
import { startBrowser, type TestBrowser, type Visitor } from '../support/browser.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { createLine } from '../support/key-tree.ts';
import { DESKTOP, LOOKS, type Look, lookAt as lookAtPage, PHONE, SMALLEST, USED_IN } from '../support/looks.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';

const PUBLIC = [
  ...['/', '/pricing', '/docs', '/docs/errors', '/status', '/security'],
  ...['/changelog', '/account', '/nothing', '/models/up-paid', '/docs?q=key'],
];
const ACCOUNT = [
  '',
  '/usage',
  '/keys',
  '/webhooks',
  '/redeem',
  '/setup',
  '/play',
  '/access',
  '/statements',
  '/refused',
  '/usage?from=x',
  '/setup?client=claude-code',
];
const LONG = 'a'.repeat(100);
/** What opens the form of a key. */
const CHANGE_KEY = '.key > details > summary';

/** Many pages in one test, on a machine that may be busy. */
setDefaultTimeout(180_000);

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway(), startBrowser()]);
  const at = Date.now();
  const said = { titleEn: 'Slow answers', titleZh: '回應緩慢', textEn: `One channel.\n${LONG}`, textZh: '單一線路' };
  await gateway.gateway.store.commit('putIncident', {
    incident: { incidentId: 'inc_1', startedAt: at - 3_600_000, endedAt: null, ...said, createdAt: at },
  });
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

/** An account with something on every page of it. */
async function busyAccount(): Promise<string> {
  const { key, accountId } = await gateway.register();
  const credit = { accountId, amount: 138_231_324_299n, reference: accountId, reason: 'sorry', at: Date.now() };
  await gateway.gateway.store.commit('credit', credit);
  await gateway.call('/api/redeem', { key, body: { code: (await issueCard(gateway)).code } });
  gateway.upstream.next(chatStream());
  await (await gateway.chat(key, { model: 'up-paid', stream: true })).text();
  await gateway.chat(key, { model: 'auto:free' });
  const webhook = { url: `https://example.com/${LONG}`, types: ['key.budget_reached', 'incident.resolved'] };
  await gateway.call('/api/webhooks', { key, body: webhook });
  const budgets = { day_ntd: 0.123456789, month_ntd: 1, total_ntd: 0.002 };
  const rates = { requests_per_minute: 60, tokens_per_minute: 1_000_000_000, in_flight: 3 };
  await createKey(gateway, key, { name: LONG, models: ['up-paid'], daily_budget_ntd: 0.123456789 });
  const line = await createLine(gateway, key, ['team', LONG, 'agent', 'helper'], { budgets, rates });
  gateway.upstream.next(chatAnswer());
  await gateway.chat(line.at(-1)?.key ?? '', { model: 'up-paid', max_tokens: 16 });
  for (const name of [LONG, 'n8n-production-workflow-customer-support-summaries-taipei-office-2026']) {
    const { key: named } = await createKey(gateway, key, { name });
    gateway.upstream.next(chatAnswer(), errorScript(500, { message: 'broken' }));
    await gateway.chat(named, { model: 'up-paid' });
    await gateway.chat(named, { model: 'up-paid' });
  }
  return key;
}

/** What must be scrolled to be read. */
function widerThanShown(elements: Element[]): string[] {
  return elements.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML);
}

/** Lists of money that came in which the serials of cards push beyond their edge. */
function widerBySerials(lists: Element[]): string[] {
  return lists
    .filter((list) => {
      const before = list.scrollWidth;
      const serials = [...list.querySelectorAll('.under')];
      for (const serial of serials) serial.remove();
      return serials.length === 0 || list.scrollWidth < before;
    })
    .map((list) => list.outerHTML);
}

/** Rows in which the name of a key is printed over what was paid. */
function namesOverAmounts(rows: Element[]): string[] {
  const edge = (row: Element, of: string) => row.querySelector(of)?.getBoundingClientRect();
  const textEnd = (row: Element) => {
    const range = document.createRange();
    range.selectNodeContents(row.querySelector('.what') ?? row);
    return range.getBoundingClientRect().right;
  };
  return rows.filter((row) => textEnd(row) > (edge(row, '.paid')?.left ?? 0)).map((row) => row.outerHTML);
}

/** Amounts and names that go on in a second line. */
function brokenInTwo(elements: Element[]): string[] {
  const isTall = (one: Element) =>
    one.getBoundingClientRect().height > 1.8 * Number.parseFloat(getComputedStyle(one).fontSize);
  return elements.filter(isTall).map((one) => one.outerHTML);
}

/** Words that go on in a second line. */
function brokenWords(cells: Element[]): string[] {
  const texts = cells.flatMap((cell) => [cell, ...cell.children]).flatMap((one) => [...one.childNodes]);
  return texts
    .filter((one) => one instanceof Text)
    .flatMap((text) => [...text.data.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ text, word, index })))
    .filter(({ text, word, index }) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
    })
    .map(({ word }) => word);
}

/** Rows that do not lead to their receipt wherever they are touched. */
function untouchable(rows: Element[]): string[] {
  const isLink = (row: Element) => {
    row.scrollIntoView({ block: 'center' });
    const { left, right, top, bottom } = row.getBoundingClientRect();
    const touched = [document.elementFromPoint(right - 3, top + 3), document.elementFromPoint(left + 3, bottom - 3)];
    return touched.every((one) => one === row.querySelector('a'));
  };
  return rows.filter((row) => !isLink(row)).map((row) => row.outerHTML);
}

/** Code beside which a part of the width stays empty. */
function narrowCode(blocks: Element[]): string[] {
  const width = (one: Element | null) => one?.getBoundingClientRect().width ?? 0;
  return blocks.filter((one) => width(one.querySelector('pre')) < width(one)).map((one) => one.outerHTML);
}

/** Rows of three whose first has no line of its own. */
function crowdedRows(rows: Element[]): string[] {
  const edges = (row: Element, at: number) => row.children[at]?.getBoundingClientRect();
  return rows.filter((row) => (edges(row, 0)?.bottom ?? 0) > (edges(row, 1)?.top ?? 0)).map((row) => row.outerHTML);
}

/** Of a row of filters, which stand in one line: one. */
function heights(elements: Element[]): number[] {
  return [...new Set(elements.map((one) => one.getBoundingClientRect().height))];
}

/** As every page is looked at; and the filters of a list stand in one line. */
async function lookAt(visitor: Visitor, look: Look, place: string): Promise<void> {
  await lookAtPage(visitor, look, place);
  const filters = visitor.page.locator('.filters :is(input:not([type=hidden]), select, button)');
  expect([place, (await filters.evaluateAll(heights)).slice(1)]).toEqual([place, []]);
}

describe.each(LOOKS)('$language, $width wide, $colorScheme', (look) => {
  test('the public pages', async () => {
    const visitor = await browser.visit(look);
    for (const path of PUBLIC) {
      await visitor.page.goto(gateway.url + path);
      await lookAt(visitor, look, path);
      expect(await visitor.page.locator('.docs td:first-child code').evaluateAll(brokenInTwo)).toEqual([]);
      expect([path, await visitor.page.locator('.copy').evaluateAll(narrowCode)]).toEqual([path, []]);
    }
    await visitor.page.goto(`${gateway.url}/pricing`);
    // A long name leaves the other columns little room.
    await visitor.page.locator('.is-prices tbody th').evaluateAll((names) => {
      for (const name of names) name.textContent = 'llama-4-maverick-17b-128e-instruct-fp8-turbo-preview-2026-04-18';
    });
    for (const wide of [1_000, DESKTOP]) {
      await visitor.page.setViewportSize({ width: wide, height: 900 });
      const cells = visitor.page.locator('.is-prices :is(thead th, td:last-child)');
      expect([wide, await cells.evaluateAll(brokenWords)]).toEqual([wide, []]);
    }
    await visitor.leave();
  });

  test('the pages of the account', async () => {
    const key = await busyAccount();
    const { colon } = wordsOf(look.language).account;
    const visitor = await browser.visit(look);
    const { page } = visitor;
    await page.goto(`${gateway.url}/account/sign-in`);
    await page.fill('#key', key);
    await page.click('form:has(#key) button');
    await page.waitForSelector('nav.tabs');
    for (const path of ACCOUNT) {
      await page.goto(`${gateway.url}/account${path}`);
      await lookAt(visitor, look, path);
    }
    await page.goto(`${gateway.url}/account`);
    expect(await page.locator('.is-money .figure').evaluateAll(brokenInTwo)).toEqual([]);
    expect(await page.locator('.chart-drawing title').last().textContent()).toContain('NT$');
    await page.setViewportSize({ width: PHONE, height: 900 });
    expect(await page.locator('.is-usage tbody tr').evaluateAll(untouchable)).toEqual([]);
    expect(await page.locator('.flows tr:has(td:nth-child(3))').evaluateAll(crowdedRows)).toEqual([]);
    expect(await page.locator('.scroll:has(td.good)').evaluateAll(widerBySerials)).toEqual([]);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    expect(await page.locator('html').evaluateAll(widerThanShown)).toEqual([]);
    await page.goto(`${gateway.url}/account/keys`);
    await page.locator('.key > summary').last().click();
    await page.locator('a[href*="?edit="]').last().click();
    await page.waitForSelector('.key form');
    expect(await page.locator('summary .unseen').first().textContent()).toStartWith(colon);
    await page.goto(`${gateway.url}/account/redeem`);
    await page.fill('#code', CARD_CODE_SHAPE);
    for (const width of [SMALLEST, PHONE]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await page.locator('#code').evaluateAll(widerThanShown)]).toEqual([width, []]);
    }
    // A phone zooms into smaller letters.
    expect(await page.locator('#code').evaluate((field) => getComputedStyle(field).fontSize)).toBe('16px');
    await page.goto(`${gateway.url}/account/usage`);
    expect(await page.locator('.call > summary').evaluateAll(namesOverAmounts)).toEqual([]);
    await page.locator('.call .by').evaluateAll((names) => {
      for (const name of names) name.textContent = 'openrouter-eu';
    });
    for (const wide of [1_000, DESKTOP]) {
      await page.setViewportSize({ width: wide, height: 900 });
      expect(await page.locator('.call > summary :is(.by, .how)').evaluateAll(brokenWords)).toEqual([]);
    }
    await page.locator('.call').evaluateAll((calls) => {
      for (const call of calls) call.setAttribute('open', '');
    });
    await lookAt(visitor, look, 'open rows');
    await page.click('.call a');
    await page.waitForSelector('dl.lines');
    await lookAt(visitor, look, 'receipt');
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.language', '.back']) expect([part, await page.isVisible(part)]).toEqual([part, false]);
    await page.emulateMedia({ media: 'screen' });
    expect(await page.locator('.scroll').evaluateAll(widerThanShown)).toEqual([]);
    await visitor.leave();
  });

  test('what actions come to: a new account and its first steps, a refusal, a new key', async () => {
    const visitor = await browser.visit(look);
    const { page } = visitor;
    await page.goto(`${gateway.url}/account`);
    await page.fill('#key', 'sk-svc-wrong');
    await page.click('form:has(#key) button');
    await page.waitForSelector('.notice.is-bad');
    await lookAt(visitor, look, 'a wrong key');
    await page.click('form[action="/account/create"] button');
    await page.waitForSelector('pre.secret');
    await lookAt(visitor, look, 'a new account');
    await page.goto(`${gateway.url}/account`);
    await lookAt(visitor, look, 'the first steps');
    await page.goto(`${gateway.url}/account/keys`);
    await page.fill('#name-new', LONG);
    await page.click('form[action="/account/keys"] button');
    await page.waitForSelector('pre.secret');
    for (const summary of await page.locator('#new ~ form summary').all()) await summary.click();
    await page.locator(CHANGE_KEY).last().click();
    await lookAt(visitor, look, 'a new key');
    await page.locator('a[href$="/rotate"]').last().click();
    await page.waitForSelector('#old');
    await lookAt(visitor, look, 'before a key is rotated');
    await page.goto(`${gateway.url}/account/keys`);
    await page.locator(CHANGE_KEY).last().click();
    await page.locator('a[href$="/revoke"]').last().click();
    await page.waitForSelector('button.danger');
    await lookAt(visitor, look, 'before a key is revoked');
    await visitor.leave();
  });
});

test('a button can be read under the mouse, by day and by night', async () => {
  const { page, axe, leave } = await browser.visit();
  await page.goto(`${gateway.url}/account`);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const button of await page.locator('main button').all()) {
      await button.hover();
      expect(await axe(['color-contrast'])).toEqual([]);
    }
  }
  await leave();
});

test('all pages of the docs have their list at the same place', async () => {
  const { page, leave } = await browser.visit({ javaScript: false });
  await page.goto(`${gateway.url}/docs`);
  const paths = await page
    .locator('.is-list a[href^="/docs/"]')
    .evaluateAll((links) => links.map((one) => one.getAttribute('href')));
  expect(paths.length).toBeGreaterThan(10);
  for (const [index, path] of paths.entries()) {
    await page.goto(gateway.url + path);
    // One style sheet: where it changes is looked for on one page.
    for (const width of index === 0 ? [PHONE, 769, 1_024, 1_135, 1_136, DESKTOP] : [PHONE, DESKTOP]) {
      await page.setViewportSize({ width, height: 900 });
      const seen = await page.evaluate(() => {
        const edge = (of: string) => document.querySelector(of)?.getBoundingClientRect().left ?? 0;
        const up = document.querySelector('.docs .up');
        const { width: upWidth = 0, height: upHeight = 0 } = up?.getBoundingClientRect() ?? {};
        const { scrollWidth, clientWidth } = document.documentElement;
        return {
          isBeside: edge('.docs > nav') < edge('.docs > article'),
          isUpShown: up?.checkVisibility({ visibilityProperty: true }) === true && upWidth > 0 && upHeight > 0,
          isWider: scrollWidth > clientWidth,
        };
      });
      const isRoom = width >= 1_136;
      expect([path, width, seen]).toEqual([path, width, { isBeside: isRoom, isUpShown: !isRoom, isWider: false }]);
    }
  }
  await leave();
});

describe.each(USED_IN)('without JavaScript, in %s', (language) => {
  test.each([[DESKTOP], [PHONE]])('%d wide: prices and status are those of the API', async (width) => {
    const { page, problems, leave } = await browser.visit({ language, width, javaScript: false });
    await page.goto(`${gateway.url}/pricing`);
    const catalog = await (await gateway.call('/api/public/catalog')).json();
    for (const { id, name, free, price } of catalog.data) {
      const row = page.locator('table.is-prices tbody tr', { has: page.locator(`th:has-text("${id}")`) });
      expect(await row.locator('th').textContent()).toStartWith(name);
      const shown = await row.locator('td').allTextContents();
      // A cache price that is that of input is no price of its own; no model here has one for writes of an hour.
      const caches = [price.cached_input, price.cache_write_5m].map((value) => (value === price.input ? '–' : value));
      const word = language === 'en' ? 'Free' : '免費';
      const written = free ? [word, '', '', word] : [price.input, ...caches, price.output].map(String);
      expect(shown.slice(0, 4)).toEqual(written);
      expect(await row.locator('td').first().isVisible()).toBe(true);
    }
    await page.goto(`${gateway.url}/status`);
    const status = await (await gateway.call('/api/public/status')).json();
    const pairs = status.data.flatMap(({ id, channels }: { id: string; channels: { name: string }[] }) =>
      channels.map(({ name }) => [id, name]),
    );
    const rows = await page.locator('table.is-status tbody tr').all();
    const shown = await Promise.all(
      rows.map(async (row) => [await row.locator('.what').textContent(), await row.locator('.by').textContent()]),
    );
    expect(shown).toEqual(pairs);
    const known = await page.locator('table.is-status tbody td:not(.none)').all();
    for (const cell of known) expect(await cell.isVisible()).toBe(true);
    expect(await page.textContent('article h3')).toBe(language === 'en' ? 'Slow answers' : '回應緩慢');
    expect(await page.locator('.bars').first().isVisible()).toBe(true);
    expect(problems).toEqual([]);
    await leave();
  });

  test('search, kinds and order work, and so does the switch of language', async () => {
    const { page, leave } = await browser.visit({ language, javaScript: false });
    await page.goto(`${gateway.url}/pricing`);
    await page.selectOption('#sort', 'output');
    await page.fill('#q', 'p');
    await page.click('form.filters button');
    await page.waitForURL('**/pricing?**');
    const names = await page.locator('table.is-prices tbody th').allInnerTexts();
    expect(names).toEqual(['up-free', 'up-paid\nclaude-up-paid']);
    await page.click('a.language');
    await page.waitForURL('**&lang=*');
    expect(await page.getAttribute('html', 'lang')).toBe(language === 'en' ? 'zh-TW' : 'en');
    expect(await page.inputValue('#q')).toBe('p');
    await leave();
  });

  test('an account can be made and a key limited', async () => {
    const { page, leave } = await browser.visit({ language, javaScript: false });
    await page.goto(`${gateway.url}/account`);
    await page.click('form[action="/account/create"] button');
    const key = ((await page.textContent('pre.secret')) ?? '').trim();
    await page.goto(`${gateway.url}/account/keys`);
    await page.fill('#name-new', 'limited');
    await page.fill('#day_ntd-new', '2');
    await page.click('form[action="/account/keys"] button');
    await page.waitForSelector('pre.secret');
    expect((await gateway.get('/api/keys', key)).data[1].daily_budget_ntd).toBe(2);
    expect(await page.locator('[data-copy]').first().isVisible()).toBe(false);
    await leave();
  });
});
