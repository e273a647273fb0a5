// What strangers write is text on every page: names of keys and models, incidents, filters, searches and wrong answers.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startBrowser, type TestBrowser, type Visitor } from '../support/browser.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { upModel } from '../support/test-document.ts';

const ATTACKS = [
  '<script>window.hit=1</script>',
  '"><img src=x onerror=window.hit=1>',
  "'><svg/onload=window.hit=1>",
  '</textarea></title></script><script>window.hit=1</script>',
];
const MODEL_NAME = `"><img src=x onerror=window.hit=1>`;

let gateway: TestGateway;
let browser: TestBrowser;
let visitor: Visitor;
let key: string;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([
    startTestGateway({
      document: (standard) => ({
        ...standard,
        models: [...standard.models, upModel('named-badly', { name: MODEL_NAME, price: { input: 1, output: 1 } })],
      }),
    }),
    startBrowser(),
  ]);
  const [text = ''] = ATTACKS;
  const said = { titleEn: text, titleZh: text, textEn: ATTACKS.join('\n'), textZh: text };
  await gateway.gateway.store.commit('putIncident', {
    incident: { incidentId: 'inc_1', startedAt: 0, endedAt: 1, ...said, createdAt: 0 },
  });
  ({ key } = await gateway.register());
  for (const name of ATTACKS) {
    const made = await createKey(gateway, key, { name });
    await gateway.chat(made.key, { model: 'auto:free' });
  }
  visitor = await browser.visit();
  await visitor.page.goto(`${gateway.url}/account`);
  await visitor.page.fill('#key', key);
  await visitor.page.click('form:has(#key) button');
  await visitor.page.waitForSelector('nav.tabs');
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

/** Nothing ran, nothing was made of it, and the policy had nothing to forbid. */
async function isUnharmed(place: string): Promise<void> {
  const { page, problems } = visitor;
  const seen = await page.evaluate(() => ({
    hit: 'hit' in window,
    images: document.images.length,
    scripts: document.scripts.length,
    outside: document.body.querySelectorAll(
      'svg:not([role=img], .mark svg, .legend svg, .chart svg), [onload], [onerror]',
    ).length,
  }));
  expect([place, seen]).toEqual([place, { hit: false, images: 0, scripts: 1, outside: 0 }]);
  expect([place, problems]).toEqual([place, []]);
}

test('names of keys', async () => {
  const { page } = visitor;
  await page.goto(`${gateway.url}/account/keys`);
  for (const attack of ATTACKS) expect(await page.textContent('.sheets')).toContain(attack);
  await isUnharmed('keys');
  await page.goto(`${gateway.url}/account/usage`);
  for (const attack of ATTACKS) expect(await page.textContent('.calls')).toContain(attack);
  await isUnharmed('usage');
  await page.click('.call > summary');
  await page.click('.call a');
  await page.waitForSelector('dl.lines');
  await isUnharmed('receipt');
});

test('names of models and texts of incidents', async () => {
  const { page } = visitor;
  await page.goto(`${gateway.url}/pricing`);
  expect(await page.textContent('.is-prices')).toContain(MODEL_NAME);
  await isUnharmed('pricing');
  await page.goto(`${gateway.url}/status`);
  expect(await page.textContent('article h3')).toBe(ATTACKS[0] ?? '');
  for (const attack of ATTACKS) expect(await page.textContent('article')).toContain(attack);
  await isUnharmed('status');
});

test('filters, searches and addresses', async () => {
  const { page } = visitor;
  for (const attack of ATTACKS) {
    const word = encodeURIComponent(attack);
    await page.goto(`${gateway.url}/pricing?q=${word}&kind=${word}&sort=${word}&lang=${word}`);
    expect(await page.inputValue('#q')).toBe(attack);
    await isUnharmed('search');
    await page.goto(
      `${gateway.url}/account/usage?model=${word}&channel=${word}&status=${word}&from=${word}&cursor=${word}`,
    );
    expect([await page.inputValue('#model'), await page.inputValue('#status')]).toEqual([attack, attack]);
    await isUnharmed('filters');
    await page.goto(`${gateway.url}/nothing/${word}?${word}`);
    await isUnharmed('an address');
  }
});

test('wrong answers in forms', async () => {
  const { page } = visitor;
  const [, attack = ''] = ATTACKS;
  await page.goto(`${gateway.url}/account/redeem`);
  await page.fill('#code', attack);
  await page.click('form[action="/account/redeem"] button');
  await page.waitForSelector('.notice.is-bad');
  expect(await page.inputValue('#code')).toBe(attack);
  await isUnharmed('a code');
  await page.goto(`${gateway.url}/account/keys`);
  await page.fill('#name-new', attack);
  await page.fill('#day_ntd-new', attack);
  await page.click('form[action="/account/keys"] button');
  await page.waitForSelector('.notice.is-bad');
  expect(await page.inputValue('#name-new')).toBe(attack);
  await isUnharmed('a key');
  await page.goto(`${gateway.url}/account/access`);
  await page.fill('#name', attack);
  await page.fill('#password', 'long enough password');
  await page.click('form[action="/account/access"] button');
  await page.waitForSelector('.notice.is-bad');
  await isUnharmed('a name');
});

test('a link that carries no code of a card is left alone', async () => {
  const { page } = visitor;
  await page.goto(`${gateway.url}/account/redeem#main`);
  await page.reload();
  expect(await page.inputValue('#code')).toBe('');
  await page.goto(`${gateway.url}/account/setup`);
  await page.goto(`${gateway.url}/account/redeem#%E0%A4%A"><img src=x onerror=window.hit=1>`);
  expect(await page.inputValue('#code')).toBe('');
  await isUnharmed('a link');
});
