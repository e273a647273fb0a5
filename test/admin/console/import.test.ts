// An import of prices: rate and mark-up are remembered for each channel once it was applied; the review shows what changes by
// how many per cent and what is overwritten, by channel; nothing is applied before it.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SiteClient } from '../../site/site-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { openaiChannel, upModel, upstreamUrl } from '../../support/test-document.ts';
import { clientOf, fieldOf, textAreaOf } from './operator-client.ts';

const route = (channel: string, cost?: object) => ({ channel, model: 'scripted-2026-01', ...(cost ? { cost } : {}) });

let gateway: TestGateway;
let client: SiteClient;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [...standard.channels, openaiChannel('second', upstreamUrl(standard))],
      models: [
        ...standard.models,
        upModel('both', {
          price: { input: 10, output: 40 },
          routes: [route('up', { input: 8, output: 32 }), route('second', { input: 4 })],
        }),
      ],
    }),
  });
  client = await clientOf(gateway);
});
afterAll(() => gateway.stop());

const page = async (path: string) => (await client.get(path)).text();
const preview = async (fields: Record<string, string>) => (await client.post('/models/import', fields)).text();
const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const revisionOf = () =>
  gateway.sql<{ revision: bigint }>('SELECT max(revision) AS revision FROM revisions')[0]?.revision;

function apply(html: string, more: Record<string, string> = {}): Promise<Response> {
  const names = ['channel', 'rate', 'markup', 'cost', 'base', 'action'];
  const sent = names.filter((name) => html.includes(`name="${name}"`)).map((name) => [name, fieldOf(html, name)]);
  return client.post('/models/document/apply', {
    ...Object.fromEntries(sent),
    yaml: textAreaOf(html, 'yaml'),
    ...more,
  });
}

const LIST = 'model,input,output\nboth,0.3,1\n';

test('a rate or a mark-up that cannot be used is marked at its field, in the language of the page', async () => {
  const reader = await clientOf(gateway, 'zh-TW');
  for (const fields of [
    { rate: '0', markup: '-50' },
    { rate: '1e9', markup: 'x' },
  ]) {
    const refused = await reader.post('/models/import', { list: LIST, ...fields });
    const html = await refused.text();
    expect([refused.status, fieldOf(html, 'rate'), fieldOf(html, 'markup')]).toEqual([422, ...Object.values(fields)]);
    for (const said of ['請輸入大於 0 的數字', '請輸入 0 以上的數字']) expect(html).toContain(said);
    expect(html).not.toContain('must be');
  }
  expect(await preview({ list: LIST, rate: '３２', markup: '２５' })).toContain('+20.0 %');
});

test('the review shows each change in per cent, by channel, and applies nothing', async () => {
  const before = revisionOf();
  const html = await preview({ list: LIST, rate: '32', markup: '25', cost: 'yes' });
  const text = textOf(html);
  expect(text).toContain('What customers pay 1 price is overwritten. 1 unchanged.');
  expect(text).toContain('both Input 10 12 +20.0 %');
  expect(text).toContain(
    'What up charges 1 price is overwritten. 1 unchanged. Model Now New Change both Input 8 9.6 +20.0 %',
  );
  expect(text).toContain('What second charges 1 price is overwritten. 1 price is new.');
  expect(html).toContain('<strong class="warn">+140 %</strong>');
  expect(text).toMatch(/both Output – 32 new/);
  expect(revisionOf()).toBe(before ?? 0n);
});

test('with a channel, only its costs are shown and set', async () => {
  const html = await preview({ list: LIST, rate: '32', markup: '25', cost: 'yes', channel: 'second' });
  expect(html).toContain('What second charges');
  expect(html).not.toContain('What up charges');
  const chinese = await clientOf(gateway, 'zh-TW');
  const sent = { list: LIST, rate: '32', markup: '25', cost: 'yes', channel: 'second' };
  expect(textOf(await (await chinese.post('/models/import', sent)).text())).toContain(
    'second 收取的成本 覆寫 1 個價格。新增 1 個價格。',
  );
});

test('rate and mark-up of the last applied import are remembered for each channel', async () => {
  const figures = async (path: string) => {
    const form = await page(path);
    return [fieldOf(form, 'rate'), fieldOf(form, 'markup'), / name="cost"[^>]* checked/.test(form)];
  };
  expect(await figures('/models/import?channel=second')).toEqual(['32.5', '20', true]);
  const html = await preview({ list: LIST, rate: '31.9', markup: '37', cost: 'yes', channel: 'second' });
  expect(await figures('/models/import?channel=second')).toEqual(['32.5', '20', true]);
  // A refusal, of warnings that were not confirmed, keeps them as well.
  expect((await apply(html, { confirmed: 'yes' })).status).toBe(303);
  expect(await figures('/models/import?channel=second')).toEqual(['31.9', '37', true]);
  expect(await figures('/models/import')).toEqual(['32.5', '20', true]);

  const forAll = await preview({ list: 'model,input\nboth,0.33\n', rate: '33', markup: '15' });
  expect((await apply(forAll, { confirmed: 'yes' })).status).toBe(303);
  expect(await figures('/models/import?channel=second')).toEqual(['31.9', '37', true]);
  expect(await figures('/models/import?channel=up')).toEqual(['33', '15', false]);
  const shown = await page('/models/import');
  expect(shown).toContain('href="/models/import?channel=second"');
  expect(textOf(shown)).toMatch(/second 31\.9 37 20\d\d-/);
  expect(textOf(await page('/actions'))).toMatch(/Imported prices .*? exchange rate 31\.9 markup in % 37/);
});

test('what was typed and refused stays as it was typed', async () => {
  const refused = await client.post('/models/import', {
    list: 'model,input\nboth,x\n',
    rate: '30',
    markup: '1',
    channel: 'up',
  });
  const html = await refused.text();
  expect([refused.status, fieldOf(html, 'rate'), fieldOf(html, 'markup')]).toEqual([422, '30', '1']);
  expect(html).toContain('<option value="up" selected');
});
