// Prices from the console: right on the next request and wrong on none in flight, asked about twice where they jump,
// refused with the difference where somebody else was faster.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { parse, stringify } from 'yaml';
import type { SiteClient } from '../../site/site-client.ts';
import type { Answer } from '../../support/answer.ts';
import { createGate } from '../../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { UP_PRICES } from '../../support/test-document.ts';
import { clientOf, fieldOf, textAreaOf } from './operator-client.ts';

let gateway: TestGateway;
let client: SiteClient;
beforeEach(async () => {
  gateway = await startTestGateway();
  client = await clientOf(gateway);
});
afterEach(() => gateway.stop());

const FORM = '/models/edit?model=up-paid';

async function edit(fields: Record<string, string>): Promise<{ status: number; html: string }> {
  const form = await (await client.get(FORM)).text();
  const names = ['sale-input', 'sale-cached_input', 'sale-cache_write_5m', 'sale-output'];
  const known = Object.fromEntries(names.map((name) => [name, fieldOf(form, name)]));
  const response = await client.post(FORM, { base: fieldOf(form, 'base'), ...known, ...fields });
  return { status: response.status, html: await response.text() };
}

function apply(html: string, more: Record<string, string> = {}): Promise<Response> {
  return client.post('/models/document/apply', {
    yaml: textAreaOf(html, 'yaml'),
    base: fieldOf(html, 'base'),
    action: fieldOf(html, 'action'),
    ...more,
  });
}

const revisionOf = async () => ((await (await gateway.call('/api/public/catalog')).json()) as Answer).revision;

test('a request that runs keeps its price, the next one has the new', async () => {
  const { key } = await gateway.register();
  const gate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] }, chatAnswer());
  const running = gateway.chat(key, { model: 'up-paid' });
  await gateway.upstream.request(0);

  const { html } = await edit({ 'sale-input': '20', 'sale-output': '80' });
  expect((await apply(html)).headers.get('location')).toBe('/models/revisions');
  expect((await gateway.chat(key, { model: 'up-paid' })).status).toBe(200);
  gate.open();
  expect((await running).status).toBe(200);

  const { data }: Answer = await gateway.get('/api/usage', key);
  const costs = Object.fromEntries(data.map((record: Answer) => [record.revision, record.cost_nano]));
  expect(costs).toEqual({
    1: String(11n * UP_PRICES.input + 7n * UP_PRICES.output),
    2: String(11n * 20_000n + 7n * 80_000n),
  });
  expect(gateway.audit()).toEqual([]);
});

test('a cached token that sells below what input costs is told, although its cost is not listed', async () => {
  const cost = { 'cost-up-input': '90', 'cost-up-output': '330' };
  const { html } = await edit({ 'sale-input': '100', 'sale-cached_input': '10', 'sale-output': '400', ...cost });
  expect((await apply(html, { confirmed: 'yes' })).status).toBe(303);
  const page = await (await client.get(FORM)).text();
  expect(page).toContain('90 <small>as input</small>');
  expect(page).toContain('−800 % sold below cost');
});

test('a model without a name is told by its id once', async () => {
  const page = await (await client.get('/models')).text();
  expect(page).toContain('Demo small</a><span class="under id">demo-small</span>');
  expect(page).not.toContain('<span class="under id">up-paid</span>');
});

describe('a price that may be a slip of the hand', () => {
  test('a hundred times the old one is applied only when it was confirmed', async () => {
    const { html } = await edit({ 'sale-input': '1000' });
    expect(html).toContain('up-paid: Input changes from NT$10 to NT$1,000.');
    const unconfirmed = await apply(html);
    expect([unconfirmed.status, await revisionOf()]).toEqual([409, 1]);
    expect(await unconfirmed.text()).toContain('the warnings are not confirmed');
    expect((await apply(html, { confirmed: 'yes' })).status).toBe(303);
    expect(await revisionOf()).toBe(2);
  });

  test('free of charge is confirmed, too', async () => {
    const { html } = await edit({ free: 'yes' });
    expect(html).toContain('up-paid becomes free of charge.');
    expect((await apply(html)).status).toBe(409);
  });

  test('zero and what is no figure come back with the field named', async () => {
    for (const text of ['x', '1.2345', '-3', '1e3']) {
      const { status, html } = await edit({ 'sale-input': text });
      expect([text, status]).toEqual([text, 422]);
      expect(html).toContain('id="sale-input-fault"');
    }
    const zero = await edit({ 'sale-input': '0' });
    expect(zero.status).toBe(422);
    expect(zero.html).toContain('price.input');
    expect(await revisionOf()).toBe(1);
  });
});

describe('the document', () => {
  test('what is wrong is told by path, and the text stays as it was typed', async () => {
    const shown = await (await client.get('/models/document')).text();
    const yaml = textAreaOf(shown, 'yaml').replace('kind: openai', 'kind: opnai');
    const refused = await client.post('/models/document', { yaml, base: '1' });
    const html = await refused.text();
    expect(refused.status).toBe(422);
    expect(html).toContain('channels[1].kind</code>');
    expect(textAreaOf(html, 'yaml')).toBe(yaml);
  });

  test('an edit of an old revision is refused with what the others did, and nothing is lost', async () => {
    const yaml = textAreaOf(await (await client.get('/models/document')).text(), 'yaml');
    const mine = yaml.replace('name: Demo small', 'name: Demo smaller');
    await apply((await edit({ 'sale-input': '11' })).html);

    const stale = await client.post('/models/document', { yaml: mine, base: '1' });
    const html = await stale.text();
    expect(stale.status).toBe(409);
    expect(html).toContain('revision 2 is now in effect');
    expect(html).toContain('input: 11');
    expect(textAreaOf(html, 'yaml')).toBe(mine);
    // Also where the check was passed before the other one applied.
    const late = await client.post('/models/document/apply', { yaml: mine, base: '1', confirmed: 'yes' });
    expect([late.status, await revisionOf()]).toEqual([409, 2]);
    // Kept on purpose, it shows what it would undo.
    const kept = await client.post('/models/document', { yaml: mine, base: fieldOf(html, 'base') });
    expect([kept.status, (await kept.text()).includes('Apply this change?')]).toEqual([200, true]);
  });

  test('a channel that is taken out says which models go with it, and asks twice', async () => {
    const { channels, models, ...rest } = parse(
      textAreaOf(await (await client.get('/models/document')).text(), 'yaml'),
    );
    const usesUp = (model: Answer) => model.routes.some((route: Answer) => route.channel === 'up');
    const without = (list: Answer[]) => list.filter(({ name }) => name !== 'up');
    // Models that still point at it are faults, each by its path.
    const dangling = stringify({ channels: without(channels), models, ...rest });
    const refused = await client.post('/models/document', { yaml: dangling, base: '1' });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('models[2].routes[0].channel');
    const gone = { channels: without(channels), models: models.filter((model: Answer) => !usesUp(model)), ...rest };
    const html = await (await client.post('/models/document', { yaml: stringify(gone), base: '1' })).text();
    for (const text of ['The channel up is removed', 'up-free is removed', 'up-paid is removed']) {
      expect(html).toContain(text);
    }
    expect((await apply(html)).status).toBe(409);
    expect((await apply(html, { confirmed: 'yes' })).status).toBe(303);
  });

  test('any revision comes back, after a look at what that undoes', async () => {
    await apply((await edit({ 'sale-input': '11' })).html);
    const asked = await (await client.get('/models/revisions/1/return')).text();
    expect(asked).toContain('input: 11');
    const returned = await client.post('/models/revisions/1/return', { base: fieldOf(asked, 'base') });
    expect(returned.headers.get('location')).toBe('/models/revisions');
    const form = await (await client.get(FORM)).text();
    expect(fieldOf(form, 'sale-input')).toBe('10');
  });

  test('stored secrets are never shown, and stay', async () => {
    const html = await (await client.get('/models/document')).text();
    expect(html).not.toContain('fake-upstream-secret');
    const yaml = textAreaOf(html, 'yaml').replace('name: Demo small', 'name: Demo smaller');
    await apply(await (await client.post('/models/document', { yaml, base: '1' })).text());
    const { key } = await gateway.register();
    gateway.upstream.next(chatAnswer());
    expect((await gateway.chat(key, { model: 'up-paid' })).status).toBe(200);
  });
});

test('prices are told with their unit, and in groups, wherever they are typed or shown', async () => {
  const list = 'model,input,output\nup-paid,0.25,60\nsomething-else,1,2\n';
  const sent = { list, rate: '32', markup: '25', cost: 'yes' };
  for (const [language, unit, unknown] of [
    ['en', 'NT$ for one million tokens, or for the unit that is named.', 'skipped: <span'],
    ['zh-TW', '單位為每一百萬個 Token 的 NT$，或項目所註明的單位。', '略過的模型：<span'],
  ] as const) {
    const operator = await clientOf(gateway, language);
    const preview = await (await operator.post('/models/import', sent)).text();
    const pages = ['/models', FORM].map(async (path) => (await operator.get(path)).text());
    for (const html of [preview, ...(await Promise.all(pages))]) expect(html).toContain(unit);
    expect(preview).toContain(unknown);
    expect(preview).toContain('<strong>2,400</strong>');
    expect(preview).toContain('>1,920<');
  }
});

test('a price list becomes prices and costs, and unknown models are named', async () => {
  const list = 'model,input,output\nup-paid,0.25,2\nsomething-else,1,2\n';
  const preview = await client.post('/models/import', { list, rate: '32', markup: '25', cost: 'yes' });
  const html = await preview.text();
  expect([preview.status, html.includes('something-else')]).toEqual([200, true]);
  expect((await apply(html)).status).toBe(303);
  const form = await (await client.get(FORM)).text();
  expect(['sale-input', 'sale-output', 'cost-up-input'].map((name) => fieldOf(form, name))).toEqual(['10', '80', '8']);
  const wrong = await client.post('/models/import', { list: 'model,input\nup-paid,lots', rate: '32' });
  expect(wrong.status).toBe(422);
});

test('a price of 0 is told with its line, and stands in the review as the cost that it becomes', async () => {
  const list = 'model,input,cached_input,output\nup-paid,0.25,0,2\n';
  const sent = { rate: '32', markup: '25' };
  const html = await (await client.post('/models/import', { list, ...sent, cost: 'yes' })).text();
  expect(html).toContain('<span class="under">Cached input</span></th>');
  expect(html).toContain('<code>line 2.cached_input</code>');
  expect(html).toContain('The cost is recorded; the price is unchanged.');
  expect((await apply(html)).status).toBe(303);
  const form = await (await client.get(FORM)).text();
  expect(['sale-cached_input', 'cost-up-cached_input'].map((name) => fieldOf(form, name))).toEqual(['1', '0']);
  const nothing = await client.post('/models/import', { list: 'model,input\nup-paid,0\n', ...sent });
  expect([nothing.status, (await nothing.text()).includes('0 is not a valid sale price')]).toEqual([422, true]);
});
