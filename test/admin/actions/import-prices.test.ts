// Price lists in US$: exact, rounded up, by CSV and JSON.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ImportOptions, importPrices } from '../../../src/admin/actions/import-prices.ts';
import { OperatingRefused } from '../../../src/admin/actions/refused.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const read = (text: string, options: Partial<ImportOptions> = {}) =>
  importPrices({ store: gateway.gateway.store }, text, {
    rate: '32.5',
    markup: '0',
    setCost: false,
    ...options,
  });

test.each([
  ['CSV', 'id,input,output\nup-paid,0.15,0.6\n'],
  ['a JSON list', '[{"model":"up-paid","input":0.15,"output":"0.60"}]'],
  ['a JSON object', '{"up-paid":{"input":0.15,"output":0.6,"image":null}}'],
  ['an alias', 'model,input,output\nclaude-up-paid,0.15,0.6\n'],
])('from %s', async (_, text) => {
  expect((await read(text)).edits).toEqual([{ model: 'up-paid', sale: { input: '4.875', output: '19.5' } }]);
});

test.each([
  ['0.0001', '32.5', '0', '0.004'],
  ['0.0000001', '1', '0', '0.001'],
  ['3', '31.987', '15', '110.356'],
  ['1', '1', '0.05', '1.001'],
  ['0.003', '1', '0', '0.003'],
])('US$%s at %s with %s %% is NT$%s: up to the next price of 3 decimals', async (usd, rate, markup, ntd) => {
  const { edits } = await read(`model,input\nup-paid,${usd}\n`, { rate, markup });
  expect(edits[0]?.sale).toEqual({ input: ntd });
});

test('a model that is listed twice has no price: which of the two is meant, nobody knows', async () => {
  const { edits, faults } = await read('model,input\nup-paid,1\ndemo-small,1\nclaude-up-paid,2\n');
  expect(faults).toMatchObject([{ path: 'line 4.model' }]);
  expect(edits.map(({ model }) => model)).toEqual(['up-paid', 'demo-small']);
});

test('in an object the name is the model, even an empty one', async () => {
  const { edits, unknown } = await read('{"":{"id":"up-paid","input":2}}');
  expect({ edits, unknown }).toEqual({ edits: [], unknown: [''] });
});

test('costs are noted without the mark-up, for one channel or for all', async () => {
  const options = { markup: '100', setCost: true };
  expect((await read('model,input\nup-paid,1\n', options)).edits).toEqual([
    { model: 'up-paid', sale: { input: '65' }, cost: { prices: { input: '32.5' } } },
  ]);
  const { edits, rows } = await read('model,input\nup-paid,1\n', { ...options, channel: 'up' });
  expect(edits[0]?.cost).toEqual({ channel: 'up', prices: { input: '32.5' } });
  expect(rows[0]?.before).toMatchObject({ input: '10', output: '40.123' });
});

test('a column that is no price is told, once and where it is first filled', async () => {
  const { edits, notes, faults } = await read('model,input_price,output,remark,\nup-paid,1,2,,\ndemo-small,1,2,new,\n');
  expect(edits.map(({ sale }) => sale)).toEqual([{ output: '65' }, { output: '65' }]);
  const message =
    'is not read; prices are input, cached_input, cache_write_5m, cache_write_1h, output, image, second, character, search';
  expect(notes).toEqual([
    { path: 'line 2.input_price', code: 'unknown_column', message },
    { path: 'line 3.remark', code: 'unknown_column', message },
  ]);
  expect(faults).toEqual([]);
  expect((await read('{"up-paid":{"input":1,"outptu":2}}')).notes).toMatchObject([{ path: 'up-paid.outptu' }]);
});

test('the name at the upstream counts where its channel is named, and is that of one model', async () => {
  const list = 'model,input\nscripted-2026-01,1\n';
  expect(await read(list)).toMatchObject({ edits: [], unknown: ['scripted-2026-01'] });
  const own = JSON.stringify({ 'own-name': { input: 1 } });
  await gateway.apply((document) => ({
    ...document,
    models: [
      ...document.models,
      { id: 'renamed', price: { input: 1, output: 1 }, routes: [{ channel: 'up', model: 'own-name' }] },
    ],
  }));
  expect((await read(own, { channel: 'up' })).edits).toEqual([{ model: 'renamed', sale: { input: '32.5' } }]);
  expect((await read(own, { channel: 'demo' })).unknown).toEqual(['own-name']);
  const both = await read('model,input\nown-name,2\nrenamed,1\n', { channel: 'up' });
  expect(both.edits).toEqual([{ model: 'renamed', sale: { input: '32.5' } }]);
  expect([both.unknown, both.faults]).toEqual([['own-name'], []]);
  // Two models of the standard document ask the upstream for this one.
  expect((await read(list, { channel: 'up' })).unknown).toEqual(['scripted-2026-01']);
});

test('0 is a cost and no sale price: told by line and column, and the cost is noted', async () => {
  const list = 'model,input,cached_input,output\nup-paid,3,0,15\ndemo-small,0,,\nup-free,,,\n';
  const { edits, rows, notes, faults } = await read(list, { setCost: true });
  expect(edits).toEqual([
    {
      model: 'up-paid',
      sale: { input: '97.5', output: '487.5' },
      cost: { prices: { input: '97.5', cached_input: '0', output: '487.5' } },
    },
    { model: 'demo-small', cost: { prices: { input: '0' } } },
  ]);
  expect(rows).toMatchObject([
    { model: 'up-paid', cost: { cached_input: '0' } },
    { model: 'demo-small', after: {}, cost: { input: '0' } },
  ]);
  const message = '0 cannot be a sale price: the cost is noted, the price stays';
  expect(notes).toMatchObject([
    { path: 'line 2.cached_input', code: 'zero_cost_noted', message },
    { path: 'line 3.input', code: 'zero_cost_noted', message },
    { path: 'line 4', code: 'no_price' },
  ]);
  expect(faults).toEqual([]);
  const unnoted = await read('model,input\ndemo-small,0\n');
  expect([unnoted.edits, unnoted.rows]).toEqual([[], []]);
  expect(unnoted.notes).toMatchObject([{ path: 'line 2.input', code: 'zero' }]);
});

test('a cost for a channel that is not there is refused, and for one that does not serve the model told by its line', async () => {
  const list = 'model,input\nup-paid,1\ndemo-small,1\n';
  const error: unknown = await read(list, { setCost: true, channel: 'upp' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'not_found', message: 'there is no channel upp' });
  const { edits, faults } = await read(list, { setCost: true, channel: 'up' });
  expect(faults).toEqual([{ path: 'line 3.model', message: 'demo-small has no route to up' }]);
  expect(edits.map(({ model }) => model)).toEqual(['up-paid']);
});

// The edges put the field before these words.
test.each([
  ['a rate of nothing', 'model,input\nup-paid,1\n', { rate: '0' }, 'rate', 'must be a plain decimal number above 0: 0'],
  [
    'a mark-up that is no number',
    'model,input\nup-paid,1\n',
    { markup: '20%' },
    'markup',
    'must be a plain decimal number: 20%',
  ],
  ['a list without models', 'input\n1\n', {}, 'text', 'needs a header with a column "model"'],
  ['broken JSON', '[{', {}, 'text', 'is not valid JSON'],
])('%s is refused by its field', async (_, text, options, field, message) => {
  const error: unknown = await read(text, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OperatingRefused);
  expect(error).toMatchObject({ code: 'invalid', message, facts: { field } });
});
