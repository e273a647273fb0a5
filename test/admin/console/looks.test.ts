// Every page of the console in a real browser: no rule of accessibility broken, nothing that the policy or a script
// complains of, nothing wider than the smallest phone. In both languages, by day and by night, narrow and wide.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { taipeiDay, taipeiTime } from '../../../src/kit/taipei.ts';
import { startBrowser, type TestBrowser, type Visitor } from '../../support/browser.ts';
import { createKey } from '../../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { DESKTOP, LOOKS, lookAt, SMALLEST } from '../../support/looks.ts';
import { chatAnswer, errorScript } from '../../support/openai-chat.ts';
import { clientOf, fieldOf, visitConsole } from './operator-client.ts';

const LONG = 'a'.repeat(100);
const SECONDS = 1_000;

let gateway: TestGateway;
let browser: TestBrowser;
let pages: string[];
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway(), startBrowser()]);
  pages = await fillShop();
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

/** Something on every page, with names as long as they may be; gives the paths of all pages. */
async function fillShop(): Promise<string[]> {
  const client = await clientOf(gateway);
  const { key, accountId, keyId } = await gateway.register();
  gateway.upstream.next(chatAnswer(), errorScript(500, { message: 'broken' }));
  await gateway.chat(key, { model: 'up-paid' });
  await gateway.chat(key, { model: 'up-paid' });
  await gateway.chat(key, { model: 'demo-small' });
  await gateway.gateway.store.recordAlarm(
    { name: 'usage_invalid', fields: { channel: 'up', detail: LONG } },
    Date.now(),
  );
  await gateway.gateway.store.recordAlarm({ name: 'usage_invalid', fields: {} }, Date.now());
  const [used] = (await gateway.gateway.store.read.usagePage({ accountId, limit: 1 })).records;
  await client.post('/incidents', { titleEn: LONG, titleZh: '字'.repeat(60), textEn: LONG, textZh: '字'.repeat(200) });
  const incident = /\/incidents\/(inc_\w+)\/delete/.exec(await (await client.get('/incidents')).text())?.[1];
  const cards = { amount: '100', count: '12', kind: 'promo', expires: '2099-12-31', note: LONG };
  const asked = await (await client.post('/cards/review', cards)).text();
  const issued = await client.post('/cards', { ...cards, once: fieldOf(asked, 'once') });
  const [batch = ''] = (issued.headers.get('location') ?? '').split('?');
  await client.post('/models/edit?model=up-free', { base: '1', 'sale-output': '5', 'cost-up-output': '9' });
  const once = fieldOf(await (await client.get(`/accounts/${accountId}/keys`)).text(), 'once');
  const refused = 'req_refused';
  await gateway.gateway.store.recordRefusals({
    ...{ source: 'test', number: 1 },
    counts: [{ accountId, day: taipeiDay(Date.now()), keyId, code: 'key_budget_exceeded', refused: 1_234 }],
    requests: [
      {
        ...{ requestId: refused, accountId, keyId, at: Date.now(), endpoint: 'POST /v1/chat/completions' },
        ...{ model: 'up-paid', status: 402, code: 'key_budget_exceeded' },
        figures: { budget: 'day', key_id: keyId, needed_ntd: 12.5, available_ntd: 0.25, affordable_max_tokens: 120 },
      },
    ],
  });
  await client.post(`/accounts/${accountId}/describe`, { nickname: 'x'.repeat(60), note: LONG });
  await client.post(`/accounts/${accountId}/keys`, { name: 'x'.repeat(60), once });
  await createKey(gateway, key, { name: LONG });
  const given = { kind: 'credit', amount: '99999999.123456789', reason: LONG };
  const review = await client.post(`/accounts/${accountId}/credit/review`, given);
  await client.post(`/accounts/${accountId}/credit`, { ...given, once: fieldOf(await review.text(), 'once') });
  return [
    ...['/', '/channels', '/channels/up', '/channels/demo/disable', '/models', '/models/edit?model=up-paid'],
    ...['/models?sort=-margin&q=up', '/models?q=nothing'],
    ...['/connect', '/connect/openai', '/connect/other', '/channels/up/edit', '/channels/up/remove'],
    ...[
      '/models/document',
      '/models/revisions',
      '/models/revisions/1',
      '/models/import',
      '/cards',
      '/cards?serial=none',
    ],
    ...[batch, `${batch}/sheet`, '/accounts', '/accounts?q=nobody', `/accounts/${accountId}`],
    ...['requests', 'refused', 'ledger', 'keys'].map((tab) => `/accounts/${accountId}/${tab}`),
    ...['/accounts?sort=spend', `/refusals/${refused}`],
    ...[`/accounts/${accountId}/refund`, `/accounts/${accountId}/payout`, `/accounts/${accountId}/statements`],
    `/accounts/${accountId}/statements/${taipeiTime(Date.now()).slice(0, 7)}`,
    ...[`/accounts/${accountId}/freeze`, `/accounts/${accountId}/keys/${keyId}/revoke`, '/ledger', '/ledger/reconcile'],
    ...['/ledger/losses', '/ledger/losses?by=account&days=30', '/ledger/losses?by=channel&days=90'],
    ...['/ledger/profit', '/ledger/profit?by=account&days=90', '/ledger/profit?by=day&days=30'],
    `/accounts/${accountId}/requests/${used?.requestId}`,
    ...[
      '/alarms',
      '/alarms?all&name=usage_invalid',
      '/alarms?name=usage_invalid&subject=up',
      '/alarms?all',
      '/incidents',
      `/incidents/${incident}`,
      `/incidents/${incident}/delete`,
    ],
    ...['/actions', '/actions?action=nothing', '/nothing'],
  ];
}

describe.each(LOOKS)('$language, $width wide, $colorScheme', (look) => {
  test('the door', async () => {
    const visitor = await browser.visit(look);
    await visitor.page.goto(`${gateway.gateway.adminUrl}/sign-in`);
    await lookAt(visitor, look, 'the door');
    await visitor.page.fill('#token', 'wrong');
    await visitor.page.click('main button');
    await visitor.page.waitForSelector('[role=alert]');
    await lookAt(visitor, look, 'a wrong token');
    await visitor.leave();
  });

  test(
    'every page',
    async () => {
      const visitor = await visitConsole(browser, gateway, look);
      for (const path of pages) {
        await visitor.page.goto(gateway.gateway.adminUrl + path);
        await lookAt(visitor, look, path);
      }
      await visitor.leave();
    },
    300 * SECONDS,
  );

  test(
    'what forms answer: faults, questions, differences, results',
    async () => {
      const visitor = await visitConsole(browser, gateway, look);
      const { page } = visitor;
      const send = async (path: string, fields: Record<string, string>, form = 'main form') => {
        await page.setViewportSize({ width: look.width, height: 900 });
        await page.goto(gateway.gateway.adminUrl + path);
        for (const [selector, text] of Object.entries(fields)) await page.fill(selector, text);
        await page.click(`${form} button[type=submit]`);
        await lookAt(visitor, look, `answer of ${path}`);
      };
      await send('/models/document', { '#yaml': 'channels: []\nmodels: wrong\n' });
      await send('/models/edit?model=up-paid', { '#sale-input': 'x' });
      await send('/models/edit?model=up-paid', { '#sale-input': '9999', '#cost-up-input': '10' });
      await send('/models/import', { '#list': 'model,input\nup-paid,lots' });
      await send('/models/import', { '#list': `model,input,output\nup-paid,1,0\n${LONG},1,1` });
      await send('/cards', { '#amount': '0', '#count': '1' }, 'form[action="/cards/review"]');
      await send('/cards', { '#amount': '5', '#count': '3' }, 'form[action="/cards/review"]');
      const bill = `model,date,input_tokens,output_tokens,amount\n${LONG},2026-11-15,1,2,3\n`;
      await send('/ledger/reconcile', { '#bill': bill });
      await send('/ledger', {});
      gateway.upstream.next(errorScript(401, { message: 'bad key' }));
      await send('/channels/up', {});
      await visitor.leave();
    },
    300 * SECONDS,
  );
});

describe('on a wide screen', () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await visitConsole(browser, gateway, { language: 'zh-TW', width: DESKTOP });
  });
  afterAll(() => visitor.leave());

  const goTo = (wanted: RegExp) =>
    visitor.page.goto(gateway.gateway.adminUrl + pages.find((path) => wanted.test(path)));
  const boxOf = async (selector: string) => {
    const box = await visitor.page.locator(selector).first().boundingBox();
    if (!box) throw new Error(`${selector} is not seen`);
    return box;
  };

  test('fields side by side are level, also where only one has a fault', async () => {
    await goTo(/^\/cards$/);
    await visitor.page.fill('#amount', '0');
    await visitor.page.fill('#count', '1');
    await visitor.page.click('form[action="/cards/review"] button[type=submit]');
    await visitor.page.waitForSelector('#amount-fault');
    expect((await boxOf('#amount')).y).toBe((await boxOf('#count')).y);
  });

  test('the id of a request is one line', async () => {
    await goTo(/^\/accounts\/acc_\w+\/requests$/);
    // Beside a model with a long name, which may break.
    await visitor.page.locator('td .id').evaluateAll((names, text) => {
      for (const name of names) name.textContent = text;
    }, `model-${LONG}`);
    const line = 24;
    expect((await boxOf('a.under.id')).height).toBeLessThan(line);
  });

  test('the buttons of new codes stand apart from the list below', async () => {
    await goTo(/^\/cards\/batches\/[^/]+$/);
    const [buttons, list] = [await boxOf('.notice .row'), await boxOf('.notice details')];
    expect(list.y - buttons.y - buttons.height).toBeGreaterThan(8);
  });

  test('each line of the configuration is level with its number, also while it is typed', async () => {
    await goTo(/^\/models\/document$/);
    const { page } = visitor;
    const measure = () =>
      page.locator('.numbered').evaluate((box) => {
        const [numbers, text] = [box.querySelector('pre'), box.querySelector('textarea')];
        if (!numbers || !text) throw new Error('no editor');
        const styleOf = (one: Element) => {
          const { lineHeight, paddingTop } = getComputedStyle(one);
          return [lineHeight, paddingTop, one.getBoundingClientRect().top];
        };
        const scrolls = text.scrollHeight > text.clientHeight;
        return {
          numbers: styleOf(numbers),
          text: styleOf(text),
          scrolls,
          lines: numbers.innerText.trim().split('\n').length,
        };
      });
    const before = await measure();
    expect([before.text, before.scrolls]).toEqual([before.numbers, false]);
    await page.locator('#yaml').press('Control+End');
    for (let line = 0; line < 5; line++) await page.locator('#yaml').press('Enter');
    const after = await measure();
    expect([after.lines, after.scrolls]).toEqual([before.lines + 5, false]);
  });

  test('the models of a channel have the whole width', async () => {
    await goTo(/^\/channels\/up$/);
    expect((await boxOf('.facts.is-wide > div')).width).toBe((await boxOf('.facts')).width);
  });
});

test('an amount is one line on a phone, however long it is', async () => {
  const visitor = await visitConsole(browser, gateway, { language: 'zh-TW', width: SMALLEST });
  for (const path of pages.filter((one) => /^(\/|\/accounts\/acc_\w+|\/cards|\/ledger\/profit)$/.test(one))) {
    await visitor.page.goto(gateway.gateway.adminUrl + path);
    const broken = await visitor.page.locator('.figure').evaluateAll((figures) =>
      figures
        .filter((one) => {
          const line = Number.parseFloat(getComputedStyle(one).fontSize) * 1.25;
          return one.scrollWidth > one.clientWidth || one.getBoundingClientRect().height > line;
        })
        .map((one) => one.textContent),
    );
    expect([path, broken]).toEqual([path, []]);
  }
  await visitor.leave();
});
