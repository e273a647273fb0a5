// Tiers, service tiers and tools of a price, wherever prices are shown, edited and compared.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { importPrices } from '../../src/admin/actions/import-prices.ts';
import { clientOf } from '../admin/console/operator-client.ts';
import { type AdminApi, adminApiOf } from '../support/admin-api.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { type TestDocument, upModel } from '../support/test-document.ts';
import { createSiteClient } from './site-client.ts';

const RULES = {
  tiers: [
    { above_input_tokens: 272_000, input: 20, output: 60.5 },
    { from_input_tokens: 500_000, input: 30 },
  ],
  service_tiers: { flex: 0.5, priority: 2 },
  tools: { web_search: 0.325 },
};
const COST = { input: 5, output: 20, service_tiers: { flex: 0.25 } };

const catalog =
  (rules: object) =>
  (standard: TestDocument): TestDocument => ({
    ...standard,
    models: [
      ...standard.models,
      upModel('ruled', {
        context_tokens: 1_000_000,
        price: { input: 10, cached_input: 1, output: 40, ...rules },
        routes: [{ channel: 'up', model: 'upstream-ruled', cost: COST }],
      }),
    ],
  });

let gateway: TestGateway;
let api: AdminApi;
beforeEach(async () => {
  gateway = await startTestGateway({ document: catalog(RULES) });
  api = adminApiOf(gateway);
});
afterEach(() => gateway.stop());

test('the catalog shows them as the document has them, with what tiers leave out', async () => {
  const { data }: Answer = await (await gateway.call('/api/public/catalog')).json();
  const writes = (input: number) => ({ cache_write_5m: input, cache_write_1h: input, image: null });
  expect(data.find(({ id }: Answer) => id === 'ruled').price).toEqual({
    ...{ input: 10, cached_input: 1, output: 40, ...writes(10) },
    tiers: [
      { above_input_tokens: 272_000, input: 20, cached_input: 1, output: 60.5, ...writes(20) },
      { from_input_tokens: 500_000, input: 30, cached_input: 1, output: 40, ...writes(30) },
    ],
    service_tiers: { flex: 0.5, priority: 2 },
    tools: { web_search: 0.325 },
  });
  expect(data.find(({ id }: Answer) => id === 'up-paid').price).not.toHaveProperty('tiers');
});

test('the pricing page has a line for each tier, and names the rest', async () => {
  const html = await (await createSiteClient(gateway).get('/pricing')).text();
  for (const text of [
    'more than 272,000 input tokens',
    '60.5',
    '500,000 or more input tokens',
    'Service tiers: flex × 0.5, priority × 2',
    'web_search: NT$0.325 per call',
  ]) {
    expect(html).toContain(text);
  }
  const chinese = await (await createSiteClient(gateway, 'zh-TW').get('/pricing')).text();
  expect(chinese).toContain('輸入超過 272,000 個 Token');
  const plain = await (await gateway.call('/pricing', { headers: { accept: 'text/markdown' } })).text();
  expect(plain).toContain('- ruled: more than 272,000 input tokens: Input NT$20, Cached input NT$1, Output NT$60.5');
});

test('the pricing page denies other fees only if no tool has one', async () => {
  const read = async (language: string) => await (await createSiteClient(gateway, language).get('/pricing')).text();
  const withFee = [await read('en'), await read('zh-TW')];
  expect(withFee[0]).toContain('price per call of a tool');
  expect(withFee[1]).toContain('按呼叫次數計費');
  await gateway.apply(catalog({ ...RULES, tools: {} }));
  const withoutFee = [await read('en'), await read('zh-TW')];
  for (const [index, text] of ['There are no other fees.', '沒有其他費用。'].entries()) {
    expect([withFee[index]?.includes(text), withoutFee[index]?.includes(text)]).toEqual([false, true]);
  }
});

test('a tier stands under its model, not as another one', async () => {
  const html = await (await createSiteClient(gateway).get('/pricing')).text();
  const tiers = [...html.matchAll(/<tr class="is-tier"[^>]*><th scope="row">(.*?)<\/th>/g)].map(([, text]) => text);
  expect(tiers).toEqual([
    '<span class="unseen">ruled: </span>more than 272,000 input tokens',
    '<span class="unseen">ruled: </span>500,000 or more input tokens',
  ]);
});

test('the price history has a change of them alone', async () => {
  await gateway.apply(catalog({ ...RULES, service_tiers: { flex: 0.4 } }));
  const html = await (await createSiteClient(gateway).get('/pricing')).text();
  expect(html).toContain('Service tiers: flex × 0.5, priority × 2, web_search: NT$0.325 per call → more than 272,000');
  expect(html).toContain('Service tiers: flex × 0.4');
});

test('the operator sees them, and an edit of a price leaves them as they are', async () => {
  const { body } = await api('GET', '/prices');
  const row = body.rows.find(({ model }: Answer) => model === 'ruled');
  expect(row.rules).toEqual({
    tiers: [
      { above_input_tokens: '272000', input: '20', output: '60.5' },
      { from_input_tokens: '500000', input: '30' },
    ],
    service_tiers: { flex: '0.5', priority: '2' },
    tools: { web_search: '0.325' },
  });
  expect(row.routes[0].cost_rules).toEqual({ service_tiers: { flex: '0.25' } });
  const page = await (await (await clientOf(gateway)).get('/models/edit?model=ruled')).text();
  expect(page).toContain('tiers: above_input_tokens 272000, input 20, output 60.5');
  expect(page).toContain('service_tiers: flex 0.25');
  const edits = [{ model: 'ruled', sale: { input: 11 }, cost: { prices: { input: 6 } } }];
  const { status } = await api('PATCH', '/prices', { edits, base_revision: body.revision });
  expect(status).toBe(200);
  const after = (await api('GET', '/prices')).body.rows.find(({ model }: Answer) => model === 'ruled');
  expect(after.sale).toMatchObject({ input: '11', output: '40' });
  expect(after.rules).toEqual(row.rules);
  expect(after.routes[0]).toMatchObject({ cost: { input: '6' }, cost_rules: row.routes[0].cost_rules });
});

test('an import says that they stay', async () => {
  const options = { rate: '32.5', markup: '0', setCost: false };
  const read = (text: string) => importPrices({ store: gateway.gateway.store }, text, options);
  const { notes, edits } = await read('model,input\nruled,1\n');
  expect(edits).toHaveLength(1);
  expect(notes).toMatchObject([{ path: 'line 2', code: 'rules_kept' }]);
  expect((await read('model,input,tiers\nup-paid,1,2\n')).notes).toMatchObject([{ code: 'unknown_column' }]);
});

test('an import in JSON sets them, in NT$ with the mark-up, and their costs without it', async () => {
  const entry = {
    ...{ model: 'ruled', input: 1, output: 4 },
    tiers: [{ above_input_tokens: 200_000, input: 2, output: '6' }],
    service_tiers: { flex: 0.5 },
    tools: { web_search: 0.01 },
  };
  const list = { text: JSON.stringify([entry]), rate: 30, markup: 10, set_cost: true };
  const { body: imported } = await api('POST', '/prices/import', list);
  expect(imported).toMatchObject({ faults: [], notes: [] });
  const { status } = await api('PATCH', '/prices', { edits: imported.edits, base_revision: imported.revision });
  expect(status).toBe(200);
  const row = (await api('GET', '/prices')).body.rows.find(({ model }: Answer) => model === 'ruled');
  expect(row.sale).toMatchObject({ input: '33', cached_input: '1', output: '132' });
  expect(row.rules).toEqual({
    tiers: [{ above_input_tokens: '200000', input: '66', output: '198' }],
    service_tiers: { flex: '0.5' },
    tools: { web_search: '0.33' },
  });
  expect(row.routes[0]).toMatchObject({
    cost: { input: '30', output: '120' },
    cost_rules: { tiers: [{ above_input_tokens: '200000', input: '60', output: '180' }], tools: { web_search: '0.3' } },
  });
  const wrong = { text: JSON.stringify([{ ...entry, tiers: [{ input: 'two' }] }]), rate: 30, markup: 10 };
  expect((await api('POST', '/prices/import', wrong)).body.faults).toEqual([
    { path: '[0].tiers[0].input', message: 'must be a plain decimal number of US$: two' },
  ]);
});

test('a bill is compared by its tokens: sums do not say what requests cost', async () => {
  const { key } = await gateway.register();
  gateway.upstream.next(chatAnswer());
  await (await gateway.chat(key, { model: 'ruled', max_tokens: 20 })).text();
  const { day } = (await api('GET', '/ledger?days=1')).body.days[0];
  const csv = `model,date,input_tokens,output_tokens,amount\nupstream-ruled,${day},11,7,3\n`;
  const { body } = await api('POST', '/ledger/reconcile', { channel: 'up', csv });
  expect(body.rows).toMatchObject([
    { agrees: true, difference: { input_tokens: 0, output_tokens: 0, amount_ntd: null } },
  ]);
  expect(body.notes).toMatchObject([{ code: 'price_rules', models: ['upstream-ruled'] }]);
});
