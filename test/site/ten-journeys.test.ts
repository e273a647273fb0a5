// What people come for, in a real browser with their clicks counted: ten journeys of visitors, customers and operators.
// `npm test` takes each in one look; `npm run test:pages` in every language, width and light.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { money, roundedMoney } from '../../src/site/format.ts';
import { wordsOf } from '../../src/site/language.ts';
import { visitConsole } from '../admin/console/operator-client.ts';
import type { Answer } from '../support/answer.ts';
import { startBrowser, type TestBrowser, type Visitor } from '../support/browser.ts';
import { type CountingHand, countClicks } from '../support/count-clicks.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { ALL_LOOKS, type Look, lookAt, lookName, looksInTurn } from '../support/looks.ts';
import { offerModels } from '../support/offer-models.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
import { openaiChannel, type TestDocument, upModel, upstreamUrl } from '../support/test-document.ts';

const VENDOR_KEY = 'sk-a-key-that-no-page-shows-0123456789';
const PATIENCE_MS = 120_000;

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway({ document: withFailing }), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

/** Of each look a channel that fails, because failures of one must not close it for another. */
const failing = (look: Look) => `failing-${lookName(look)}`;
function withFailing(standard: TestDocument): TestDocument {
  const names = ALL_LOOKS.map(failing);
  const price = { input: 10, output: 40 };
  return {
    ...standard,
    channels: [...standard.channels, ...names.map((name) => openaiChannel(name, upstreamUrl(standard)))],
    models: [
      ...standard.models,
      ...names.map((name) => upModel(name, { price, routes: [{ channel: name, model: name }] })),
    ],
  };
}

interface Journey {
  name: string;
  most: number;
  who: 'visitor' | 'customer' | 'operator';
  /** What there is before the first click; gives what `go` needs to know. */
  prepare?(account: TestAccount, look: Look): Promise<string>;
  go(hand: CountingHand, look: Look, known: string, account: TestAccount): Promise<void>;
}

/** One call that the upstream answers. */
async function callOnce({ key }: TestAccount): Promise<string> {
  gateway.upstream.next(chatAnswer());
  return requestId(await gateway.chat(key, { model: 'up-paid' }));
}

const requestId = (response: Response) => response.headers.get('x-request-id') ?? '';
const textOf = async ({ page }: CountingHand, selector: string) => (await page.textContent(selector)) ?? '';

const JOURNEYS: readonly Journey[] = [
  {
    name: 'from the front page to the first answer',
    most: 4,
    who: 'visitor',
    async go(hand) {
      await hand.click('main a.button');
      await hand.click('form[action="/account/create"] button');
      await hand.page.waitForSelector('pre.secret');
      await hand.click('main a.button');
      await hand.page.waitForSelector('#send:not([disabled])');
      await hand.page.fill('#prompt', 'Hello!');
      await hand.click('#send');
      await hand.page.waitForSelector('.turn .served .cost');
      expect(await textOf(hand, '.turn.is-model .turn-text')).toContain('demo channel');
    },
  },
  {
    name: 'add and test a channel',
    most: 6,
    who: 'operator',
    async go(hand, look) {
      const name = `openai-${lookName(look)}`;
      const { page } = hand;
      offerModels(gateway.upstream, ['gpt-6.1-terra', 'gpt-6-luna', 'gpt-5-nano', 'whisper-9']);
      await hand.click('.head nav a[href="/channels"]');
      await hand.click('a[href="/connect"]');
      await hand.click('a[href="/connect/openai"]');
      expect(await page.inputValue('#address')).toBe('https://api.openai.com/v1');
      await page.fill('#name', name);
      await page.fill('#address', gateway.upstream.baseUrl);
      await page.fill('#key', VENDOR_KEY);
      await hand.click('main form button[type=submit]');
      await page.waitForSelector('.notice');
      expect(await textOf(hand, '.notice')).toMatch(/3.*ms/);
      expect(await page.isChecked('input[value="gpt-6-luna"]')).toBe(true);
      expect(await page.isChecked('input[value="gpt-5-nano"]')).toBe(false);
      await hand.click('main form button[type=submit]');
      await page.waitForSelector('main .state');
      expect(await page.locator('main .state.operational').count()).toBe(2);
      expect(await page.content()).not.toContain(VENDOR_KEY);
      await hand.click('main form button[type=submit]');
      await page.waitForURL(`**/channels/${name}`);
      expect(await textOf(hand, '.notice')).toContain(name);
      const calls = gateway.upstream.requests.map(({ method, path, headers }) => [method, path, headers.authorization]);
      expect(calls).toEqual([
        ['GET', '/v1/models', `Bearer ${VENDOR_KEY}`],
        ['POST', '/v1/responses', `Bearer ${VENDOR_KEY}`],
        ['POST', '/v1/responses', `Bearer ${VENDOR_KEY}`],
      ]);
    },
  },
  {
    name: 'the profit of the week by model',
    most: 2,
    who: 'operator',
    prepare: callOnce,
    async go(hand) {
      await hand.click('.head nav a[href="/ledger"]');
      await hand.click('nav.tabs a[href="/ledger/profit"]');
      await hand.page.waitForSelector('a[href="/ledger/profit?by=model&days=7"][aria-current=page]');
      expect(await textOf(hand, 'main .stack tbody tr:has-text("up-paid")')).toContain('NT$');
    },
  },
  {
    name: 'why a request was refused that a customer quotes',
    most: 2,
    who: 'operator',
    async prepare({ key }) {
      const id = requestId(await gateway.chat(key, { model: 'no-such-model' }));
      const { read } = gateway.gateway.store;
      await eventually('the refused request', async () => (await read.refusedRequests({ requestId: id })).length > 0);
      return id;
    },
    async go(hand, _look, id) {
      await hand.send('.head .find input', id);
      await hand.page.waitForURL(`**/refusals/${id}`);
      expect(await textOf(hand, 'main')).toContain('model_not_found');
    },
  },
  {
    name: 'refund a request that a customer quotes',
    most: 3,
    who: 'operator',
    prepare: callOnce,
    async go(hand, _look, id, { key }) {
      await hand.send('.head .find input', id);
      await hand.page.waitForURL(`**/requests/${id}`);
      await hand.click('#reason');
      await hand.page.fill('#reason', 'cut off');
      await hand.click('main form[action$="/refund"] button[type=submit]');
      await hand.page.waitForSelector('.notice');
      expect((await gateway.get('/api/me', key)).balance_ntd).toBe(1);
    },
  },
  {
    name: 'redeem a card',
    most: 2,
    who: 'customer',
    prepare: async () => (await issueCard(gateway)).code,
    async go(hand, _look, code) {
      await hand.click('nav.tabs a[href="/account/redeem"]');
      await hand.page.fill('#code', code);
      await hand.click('form[action="/account/redeem"] button');
      await hand.page.waitForSelector('.notice');
      expect(await textOf(hand, '.notice')).toContain(money(101_000_000_000n));
    },
  },
  {
    name: "find today's costliest model",
    most: 2,
    who: 'customer',
    async prepare(account) {
      for (let times = 0; times < 3; times++) await (await gateway.chat(account.key, { model: 'auto:free' })).text();
      await callOnce(account);
      await (await gateway.chat(account.key, { model: 'demo-small', max_tokens: 1_000 })).text();
      const { data } = await gateway.get('/api/usage', account.key);
      const [first, second] = data.toSorted(
        (a: { cost_ntd: number }, b: { cost_ntd: number }) => b.cost_ntd - a.cost_ntd,
      );
      expect(first.cost_ntd).toBeGreaterThan(second.cost_ntd);
      return first.model;
    },
    async go(hand, look, model) {
      await hand.click('nav.tabs a[href="/account/usage"]');
      await hand.click(`main a:text-is("${wordsOf(look.language).account.usageView.periods.today}")`);
      await hand.page.waitForURL('**from=**');
      expect((await textOf(hand, 'main .stack tbody th')).trim()).toBe(model);
    },
  },
  {
    name: 'make a key with a budget',
    most: 2,
    who: 'customer',
    async go(hand, _look, _known, { key }) {
      await hand.click('nav.tabs a[href="/account/keys"]');
      await hand.page.fill('#name-new', 'reports');
      await hand.page.fill('#day_ntd-new', '0.5');
      await hand.click('form[action="/account/keys"] button[type=submit]');
      await hand.page.waitForSelector('pre.secret');
      const { data } = await gateway.get('/api/keys', key);
      expect(data[1]).toMatchObject({ name: 'reports', budgets: { day_ntd: 0.5 } });
    },
  },
  {
    name: 'change a price',
    most: 4,
    who: 'operator',
    async go(hand) {
      const before = await priceOf('demo-small');
      await hand.click('.head nav a[href="/models"]');
      await hand.click('a[href="/models/edit?model=demo-small"] >> visible=true');
      await hand.page.fill('#sale-output', String(before + 1));
      await hand.click('main form button[type=submit]');
      await hand.page.waitForSelector('.diff');
      await hand.click('main form button[type=submit]');
      await hand.page.waitForSelector('.notice');
      expect(await priceOf('demo-small')).toBe(before + 1);
    },
  },
  {
    name: 'why a failed call cost nothing',
    most: 2,
    who: 'customer',
    async prepare({ key }, look) {
      gateway.upstream.next(errorScript(500, { message: 'broken' }), errorScript(500, { message: 'broken' }));
      return requestId(await gateway.chat(key, { model: failing(look) }));
    },
    async go(hand, look, id) {
      await hand.click(`main a[href="/account/receipts/${id}"]`);
      await hand.page.waitForSelector('.notice');
      const { endings, usageView } = wordsOf(look.language).account;
      expect(await textOf(hand, '.notice')).toContain(endings.upstream_failed.cause);
      expect(await textOf(hand, '.notice')).toContain(usageView.free);
      expect(await textOf(hand, 'tr.sum')).toContain(roundedMoney(0n));
    },
  },
];

async function priceOf(model: string): Promise<number> {
  const catalog: Answer = await (await gateway.call('/api/public/catalog')).json();
  return catalog.data.find(({ id }: { id: string }) => id === model)?.price.output;
}

async function arrive({ who }: Journey, look: Look, { key }: TestAccount): Promise<Visitor> {
  if (who === 'operator') return visitConsole(browser, gateway, look);
  const visitor = await browser.visit(look);
  await visitor.page.goto(`${gateway.url}${who === 'visitor' ? '/' : '/account/sign-in'}`);
  if (who === 'customer') {
    await visitor.page.fill('#key', key);
    await visitor.page.click('form:has(#key) button');
    await visitor.page.waitForSelector('nav.tabs');
  }
  return visitor;
}

for (const [index, journey] of JOURNEYS.entries()) {
  const { name, most, prepare, go } = journey;
  describe.each(looksInTurn(index))('$language, $width wide, $colorScheme', (look) => {
    test(
      `${name}: at most ${most} clicks`,
      async () => {
        gateway.upstream.reset();
        const account = await gateway.register();
        const known = (await prepare?.(account, look)) ?? '';
        const visitor = await arrive(journey, look, account);
        const hand = countClicks(visitor.page);
        await go(hand, look, known, account);
        expect(hand.clicks).toBeLessThanOrEqual(most);
        await lookAt(visitor, look, name);
        await visitor.leave();
      },
      PATIENCE_MS,
    );
  });
}
