// Prices by the second, the character and the search, from the document to wherever prices are shown, edited and imported.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { importPrices } from '../../src/admin/actions/import-prices.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import { warnDocument } from '../../src/catalog/warn-document.ts';
import { clientOf } from '../admin/console/operator-client.ts';
import { type AdminApi, adminApiOf } from '../support/admin-api.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { faultsOf, withModel } from '../support/plain-document.ts';
import { upModel } from '../support/test-document.ts';
import { createSiteClient } from './site-client.ts';

const PRICE = { input: 10, output: 40, second: 0.00325, character: 487.5, search: 65 };
const COST = { input: 5, output: 20, second: 0.0026, character: 390, search: 52 };
const KINDS = ['chat', 'speech', 'transcription', 'rerank'];

let gateway: TestGateway;
let api: AdminApi;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [
        ...standard.models,
        upModel('spoken', {
          kinds: KINDS,
          price: PRICE,
          routes: [{ channel: 'up', model: 'upstream-spoken', cost: COST }],
        }),
      ],
    }),
  });
  api = adminApiOf(gateway);
});
afterAll(() => gateway.stop());

test('the catalog and the list of models show them for a model that has them', async () => {
  const catalog: Answer = await (await gateway.call('/api/public/catalog')).json();
  const { key } = await gateway.register();
  for (const { data } of [catalog, await gateway.get('/v1/models', key)]) {
    const priceOf = (id: string) => data.find((model: Answer) => model.id === id).price;
    expect(priceOf('spoken')).toMatchObject({ second: 0.00325, character: 487.5, search: 65 });
    expect(priceOf('up-paid')).not.toHaveProperty('second');
  }
});

test('the pricing page has their columns only while it lists a model that has them', async () => {
  const read = async (path: string) => await (await createSiteClient(gateway).get(path)).text();
  const table = (html: string) => html.slice(html.indexOf('<thead'), html.indexOf('</table>'));
  const all = table(await read('/pricing'));
  for (const text of ['Per second', '0.00325', 'Per 1M characters', '487.5', 'Per 1,000 searches', '65'])
    expect(all).toContain(text);
  const others = table(await read('/pricing?q=up-paid'));
  expect(others).toContain('Cached input');
  expect(others).not.toContain('Per image');
  expect(others).not.toContain('Per second');
});

test('the operator sees them with their margin, and changes one exactly', async () => {
  const rowOf = (rows: Answer) => rows.find(({ model }: Answer) => model === 'spoken');
  const { body } = await api('GET', '/prices');
  expect(rowOf(body.rows)).toMatchObject({
    sale: { second: '0.00325', character: '487.5', search: '65' },
    routes: [{ cost: { character: '390', search: '52' }, margin: { second: 0.2, character: 0.2, search: 0.2 } }],
  });
  const page = await (await (await clientOf(gateway)).get('/models/edit?model=spoken')).text();
  expect(page).toContain('One second of audio');
  const edits = [{ model: 'spoken', sale: { second: '0.000361' } }];
  expect(await api('PATCH', '/prices', { edits, base_revision: body.revision })).toMatchObject({ status: 200 });
  expect(rowOf((await api('GET', '/prices')).body.rows).sale).toMatchObject({ second: '0.000361', character: '487.5' });
  const back = [{ model: 'spoken', sale: { second: PRICE.second } }];
  expect(await api('PATCH', '/prices', { edits: back, base_revision: body.revision + 1 })).toMatchObject({
    status: 200,
  });
});

test('an import rounds a second up to 6 decimals, and everything else to 3', async () => {
  const options = { rate: '32.5', markup: '0', setCost: false };
  const text = 'model,second,character\nspoken,0.00001111,0.00001\n';
  const { edits, notes } = await importPrices({ store: gateway.gateway.store }, text, options);
  expect(edits).toEqual([{ model: 'spoken', sale: { second: '0.000362', character: '0.001' } }]);
  expect(notes).toEqual([]);
});

test.each([
  [{ second: 0.0000001 }, 'models[2].price.second: must be a plain decimal with at most 6 decimals'],
  [{ character: 0.0001 }, 'models[2].price.character: must be a plain decimal with at most 3 decimals'],
  [{ second: 0 }, 'models[2].price.second: must be above 0; a model that costs nothing says "price: free"'],
])('%p is refused', (price, message) => {
  expect(faultsOf(withModel({ price: { input: 1, output: 1, ...price } }))).toEqual([message]);
});

test('the check names those that no kind of the model is charged by', () => {
  const read = readDocument(withModel({ kinds: ['chat', 'speech'], price: PRICE }));
  if (!read.ok) throw new Error('the document is valid');
  const warnings = warnDocument(read.document, { variable: () => 'set', readFile: () => undefined });
  expect(warnings).toEqual([
    {
      path: 'models[2].price.second',
      message: 'extra has a price for each second, but no model of kind chat, speech is charged by it',
    },
    {
      path: 'models[2].price.search',
      message: 'extra has a price for each search, but no model of kind chat, speech is charged by it',
    },
  ]);
});
