// The price history on the public page, and all revisions in the console, after many revisions that changed no price.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { clientOf } from '../admin/console/operator-client.ts';
import type { Answer } from '../support/answer.ts';
import { appliedLine } from '../support/applied-line.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient } from './site-client.ts';

const SWITCHES = 110;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  const { store } = gateway.gateway;
  const document = JSON.parse((await store.read.newestRevision())?.document ?? '{}');
  const revise = (given: object, at: number) =>
    store.commit('revise', {
      document: JSON.stringify(given),
      source: 'operator',
      sourceHash: String(at),
      at,
      log: appliedLine(at),
    });
  const [first, ...others] = document.models;
  const priced = (price: unknown) => ({ ...document, models: [first, ...others, { ...first, ...MODEL, price }] });
  await revise(priced({ input: 10, output: 1_234.5 }), Date.UTC(2030, 0, 1));
  await revise(priced({ input: 10, output: 2_000 }), Date.UTC(2030, 0, 2));
  for (let n = 0; n < SWITCHES; n++) {
    const limits = { ...document.limits, in_flight: 5 + (n % 2) };
    await revise({ ...priced({ input: 10, output: 2_000 }), limits }, Date.UTC(2031, 0, 1) + n);
  }
  await eventually('the newest revision is in force', async () => {
    const catalog: Answer = await (await gateway.call('/api/public/catalog')).json();
    return catalog.revision === SWITCHES + 3;
  });
});
afterAll(() => gateway.stop());

const MODEL = { id: 'priced-anew', name: undefined, aliases: [] };

test('tells each change of a price, from which to which, and since when', async () => {
  const html = await (await createSiteClient(gateway).get('/pricing')).text();
  expect(html).toContain('Price list 3, in effect since 2030-01-02 08:00:00 UTC+8.');
  expect(html).toContain('priced-anew: Output NT$1,234.5 → NT$2,000');
  expect(html).toContain('priced-anew added: Input NT$10,');
  expect(html.match(/First price list/g)).toHaveLength(1);
  const history = html.slice(html.indexOf('Price history'));
  expect([...history.matchAll(/No\. (\d+)/g)].map(([, revision]) => revision)).toEqual(['3', '2', '1']);
  const chinese = await (await createSiteClient(gateway, 'zh-TW').get('/pricing')).text();
  expect(chinese).toContain('第 3 版價目表，自 2030-01-02 08:00:00 UTC+8 起生效。');
  expect(chinese).toContain('priced-anew：輸出 NT$1,234.5 → NT$2,000');
});

test('a price that was changed while its history cannot be read is no earlier list’s', async () => {
  const { store } = gateway.gateway;
  const { read } = store;
  const document = JSON.parse((await read.newestRevision())?.document ?? '{}');
  const [last] = document.models.splice(-1);
  const models = [...document.models, { ...last, price: { input: 10, output: 3_000 } }];
  const { revision } = read;
  Object.assign(read, { revision: () => Promise.reject(new Error('away')) });
  const at = Date.UTC(2032, 0, 1);
  await store.commit('revise', {
    document: JSON.stringify({ ...document, models }),
    source: 'operator',
    sourceHash: 'away',
    at,
    log: appliedLine(at),
  });
  const page = async () => (await createSiteClient(gateway).get('/pricing')).text();
  await eventually('the price is in force', async () => (await page()).includes('3,000'));
  expect(await page()).toContain(`Price list ${SWITCHES + 4}, in effect since 2032-01-01 08:00:00 UTC+8.`);
  Object.assign(read, { revision });
  expect(await page()).toContain('priced-anew: Output NT$2,000 → NT$3,000');
});

test('the console lists every revision, page by page', async () => {
  const client = await clientOf(gateway);
  const newest = await (await client.get('/models/revisions')).text();
  expect(newest).not.toContain('href="/models/revisions/1"');
  const older = /href="(\/models\/revisions\?before=\d+)"/.exec(newest)?.[1] ?? '';
  const rest = await (await client.get(older)).text();
  expect(rest).toContain('href="/models/revisions/1"');
  expect(rest).not.toContain('>Older<');
});
