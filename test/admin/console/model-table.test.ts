// The table of models: what is sold below cost comes first, then what sells most; sorted, searched, page by page; each price
// leads to its field in the form.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SiteClient } from '../../site/site-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { openaiChannel, upModel, upstreamUrl } from '../../support/test-document.ts';
import { clientOf } from './operator-client.ts';

const KIB = 1_024;

const onUp = (cost?: object) => ({ channel: 'up', model: 'scripted-2026-01', ...(cost ? { cost } : {}) });
const priced = (id: string, price: object, ...routes: object[]) => upModel(id, { price, routes });

let gateway: TestGateway;
let client: SiteClient;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [...standard.channels, openaiChannel('second', upstreamUrl(standard))],
      models: [
        ...standard.models,
        priced('m-sells', { input: 10, output: 40 }, onUp({ input: 5, output: 20 })),
        priced('m-loses', { input: 10, output: 40 }, onUp({ input: 9, output: 50 })),
        priced('m-loses-more', { input: 100, cached_input: 10, output: 400 }, onUp({ input: 90, output: 330 })),
        priced(
          'm-partly',
          { input: 10, output: 40 },
          { channel: 'second', model: 'scripted-2026-01', cost: { input: 4, output: 8 } },
          onUp({ input: 8 }),
        ),
        ...Array.from({ length: 80 }, (_, index) => priced(`z-${index}`, { input: 1, output: 2 }, onUp())),
      ],
    }),
  });
  client = await clientOf(gateway);
  const { key } = await gateway.register();
  for (const model of ['m-sells', 'm-sells', 'up-paid']) {
    gateway.upstream.next(chatAnswer());
    expect((await gateway.chat(key, { model })).status).toBe(200);
  }
});
afterAll(() => gateway.stop());

const page = async (path: string) => (await client.get(path)).text();

/** The rows by model, with their text. */
async function rowsOf(path: string): Promise<Map<string, string>> {
  const rows = (await page(path)).split('<tr>').slice(2);
  return new Map(
    rows.map((row) => {
      const model = decodeURIComponent(/href="\/models\/edit\?model=([^"#]+)"/.exec(row)?.[1] ?? '');
      return [model, row.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')];
    }),
  );
}
const modelsOf = async (path: string) => [...(await rowsOf(path)).keys()];

test('below cost is first, the worst of it before the rest, then what sold most', async () => {
  expect((await modelsOf('/models')).slice(0, 4)).toEqual(['m-loses-more', 'm-loses', 'm-sells', 'up-paid']);
  expect(await page('/models')).toContain('2 models are sold below cost.');
});

test('a row has the price, cost and margin of each unit, the lowest margin, and the use of 30 days', async () => {
  const rows = await rowsOf('/models');
  expect(rows.get('m-sells')).toContain('Input 10 Output 40 Input 5 Output 20 Input 50.0 % Output 50.0 %');
  expect(rows.get('m-sells')).toContain('NT$0.0008 2 requests up');
  expect(rows.get('m-loses')).toContain('Input 10.0 % Output −25.0 % below cost');
  // A cached token costs as much as input, so the list sells it far below: the unit with the lowest margin is shown, too.
  expect(rows.get('m-loses-more')).toContain('Cached input 90');
  expect(rows.get('m-loses-more')).toContain('Cached input −800 %');
  expect(rows.get('up-paid')).toContain('cost not recorded');
  expect(rows.get('up-free')).toContain('free');
});

test('of several routes the dearest counts, and a cost that is not known is named', async () => {
  const row = (await rowsOf('/models?q=m-partly')).get('m-partly');
  expect(row).toContain('Input 8 Output – up, the lowest margin Input 20.0 % Output –');
  expect(row).toContain('cost not fully recorded: up');
});

test('it is sorted by any column, and back', async () => {
  expect((await modelsOf('/models?sort=model')).slice(0, 2)).toEqual(['auto:free', 'demo-small']);
  expect((await modelsOf('/models?sort=-model')).slice(0, 1)).toEqual(['z-9']);
  expect((await modelsOf('/models?sort=margin')).slice(0, 4)).toEqual([
    ...['m-loses-more', 'm-loses', 'm-partly', 'm-sells'],
  ]);
  expect((await modelsOf('/models?sort=-margin')).slice(0, 2)).toEqual(['m-sells', 'm-partly']);
  expect((await modelsOf('/models?sort=volume')).slice(0, 2)).toEqual(['m-sells', 'up-paid']);
  expect((await modelsOf('/models?sort=price')).slice(0, 1)).toEqual(['m-loses-more']);
  expect(await page('/models?sort=margin')).toContain('aria-sort="ascending"><a href="/models?sort=-margin"');
});

test('a search finds names and channels, and says if nothing matches', async () => {
  expect(await modelsOf('/models?q=SECOND')).toEqual(['m-partly']);
  expect(await modelsOf('/models?q=loses+up')).toEqual(['m-loses-more', 'm-loses']);
  expect(await page('/models?q=nothing')).toContain('No model matches.');
});

test('a long list has pages, none of them too large', async () => {
  const first = await page('/models');
  expect(first.length).toBeLessThan(60 * KIB);
  expect(first).toContain('href="/models?page=3"');
  const all = [
    ...(await modelsOf('/models')),
    ...(await modelsOf('/models?page=2')),
    ...(await modelsOf('/models?page=3')),
  ];
  expect([all.length, new Set(all).size]).toEqual([88, 88]);
  expect(await modelsOf('/models?page=1000000')).toEqual(await modelsOf('/models?page=3'));
});

test('a price leads to its field, below what stands in the document', async () => {
  expect(await page('/models')).toContain('href="/models/edit?model=m-loses#sale-output"');
  const form = await page('/models/edit?model=m-loses');
  expect(form).toContain('id="sale-output"');
  expect(form).toContain('−25.0 % sold below cost');
});
