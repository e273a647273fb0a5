// From an empty service to a shop: a channel by the document, tested with a real call, a priced model, a hundred cards
// exported. In a real browser without scripts, and within a minute.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Answer } from '../../support/answer.ts';
import { startBrowser, type TestBrowser } from '../../support/browser.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer, chatStream } from '../../support/openai-chat.ts';
import { visitConsole } from './operator-client.ts';

const WITHIN_MS = 60_000;
const KEY = 'a-key-of-the-upstream-0123456789';

let gateway: TestGateway;
let browser: TestBrowser;
beforeAll(async () => {
  const empty = startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [{ name: 'demo', kind: 'demo' }],
      models: standard.models.slice(0, 2),
    }),
  });
  [gateway, browser] = await Promise.all([empty, startBrowser()]);
  gateway.upstream.otherwise(({ json }) => (json.stream === true ? chatStream() : chatAnswer()));
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

const channelYaml = () => `  - name: fresh
    kind: openai
    base_url: ${gateway.upstream.baseUrl}
    api_key: ${KEY}
`;
const MODEL_YAML = `  - id: fresh-model
    name: Fresh model
    max_output_tokens: 1000
    price:
      input: 10
      output: 40
    routes:
      - channel: fresh
        model: scripted-2026-01
`;

test(
  'channel, test, model, price, a hundred cards',
  async () => {
    const since = performance.now();
    const visitor = await visitConsole(browser, gateway, { javaScript: false });
    const { page, problems } = visitor;
    await page.click('text=Only the demo channel exists');
    await page.click('text=Edit the configuration as YAML instead');

    const yaml = await page.inputValue('#yaml');
    await page.fill('#yaml', yaml.replace('models:\n', `${channelYaml()}models:\n${MODEL_YAML}`));
    await page.click('text=Check and review changes');
    expect(await page.textContent('.diff')).toContain('name: fresh');
    await page.click('main button:text-is("Apply")');
    expect(await page.textContent('.notice')).toContain('Revision 2 is in effect');

    await page.click('nav >> text=Channels');
    await page.click('a:text-is("fresh")');
    await page.click('text=Test now');
    expect(await page.textContent('.notice')).toContain('Test passed: scripted-2026-01 answered');
    expect(gateway.upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);

    await page.click('nav >> text=Models');
    await page.click('a[href="/models/edit?model=fresh-model"]');
    await page.fill('#sale-output', '44.5');
    await page.fill('#cost-fresh-input', '8');
    await page.click('text=Review changes');
    await page.click('main button:text-is("Apply")');
    await page.click('nav >> text=Models');
    expect(await page.textContent('main')).toContain('20.0 %');

    await page.click('nav >> text=Cards');
    await page.fill('#amount', '100');
    await page.fill('#count', '100');
    await page.click('text=Continue');
    expect(await page.textContent('h1')).toBe('Issue 100 cards of NT$100.00?');
    await page.click('text=Issue now');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download as CSV')]);
    const csv = readFileSync(await download.path(), 'utf8');
    expect(performance.now() - since).toBeLessThan(WITHIN_MS);

    const lines = csv.slice(1).trim().split('\r\n');
    expect([csv.charCodeAt(0), lines.length]).toEqual([0xfeff, 101]);
    expect(lines[0]).toBe('serial,code,amount_ntd,expires,link');
    expect(problems).toEqual([]);
    await visitor.leave();

    // What was sold works: the card is worth its money, and the model is answered at its price.
    const { key } = await gateway.register();
    const code = lines[1]?.split(',')[1];
    const redeemed = await gateway.call('/api/redeem', { key, body: { code } });
    expect(redeemed.status).toBe(200);
    expect((await gateway.chat(key, { model: 'fresh-model' })).status).toBe(200);
    const { data }: Answer = await gateway.get('/api/usage', key);
    expect(data[0].cost_nano).toBe(String(11 * 10_000 + 7 * 44_500));
    expect(gateway.audit()).toEqual([]);
  },
  WITHIN_MS + 30_000,
);

test('every step is in the log of actions, without the key', async () => {
  const actions = gateway.sql<{ action: string; detail: string }>('SELECT action, detail FROM audit_log ORDER BY 1');
  expect(new Set(actions.map(({ action }) => action))).toEqual(
    new Set(['cards.issue', 'channels.test', 'config.apply', 'prices.edit']),
  );
  expect(JSON.stringify(actions.map(({ detail }) => detail))).not.toContain(KEY);
});

test('the sheet has a QR code for each card, and prints without the frame', async () => {
  const visitor = await visitConsole(browser, gateway, { language: 'zh-TW' });
  const { page } = visitor;
  await page.click('nav >> text=儲值卡');
  await page.click('main table a');
  await page.goto(`${page.url()}/sheet`);
  expect(await page.locator('svg.qr').count()).toBe(16);
  expect(await page.locator('.paper-cards').textContent()).toContain('NT$100.00');
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('header.head').isVisible()).toBe(false);
  expect(await page.locator('svg.qr').first().isVisible()).toBe(true);
  expect(await page.locator('main nav').isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });
  await page.click('nav >> text=最後一頁');
  await page.waitForSelector('text=第 97–100 項，共 100 項');
  expect(await page.locator('svg.qr').count()).toBe(4);
  expect(visitor.problems).toEqual([]);
  await visitor.leave();
});
