// The page of keys as a tree: children below their parents, budgets as bars, and nothing of others for who signed in with a
// child.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { money, roundedMoney } from '../../src/site/format.ts';
import { wordsOf } from '../../src/site/language.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { CHILD_BUDGET, createLine } from '../support/key-tree.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { signedIn } from './site-client.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeEach(async () => {
  gateway = await startTestGateway();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterEach(() => gateway.stop());

const page = async (key: string, path: string, language = 'en') =>
  await (await (await signedIn(gateway, key, language)).get(path)).text();
const namesIn = (html: string) => [...html.matchAll(/<h2>([^<]+)/g)].map(([, name]) => name);
const use = async (key: string) => {
  const response = await gateway.chat(key, { model: 'up-paid', max_tokens: 20 });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
};

test('children stand in a list below their parent', async () => {
  await createLine(gateway, account.key, ['top', 'middle']);
  const beside = await createKey(gateway, account.key, { name: 'beside' });
  const html = await page(account.key, '/account/keys');
  expect(namesIn(html).slice(0, 4)).toEqual(['Unnamed key', 'top', 'middle', 'beside']);
  expect(html.match(/<ul class="sheets is-tree">/g)).toHaveLength(2);
  expect(html.indexOf('</ul></li>')).toBeLessThan(html.indexOf(beside.id));
  expect(html).toContain('<dt>Parent key</dt><dd class="id">top</dd>');
});

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { account: words, fields } = wordsOf(language);
  const { limits } = words.keys;

  test('a key is made with every limit, below a key that is chosen, and its form shows them', async () => {
    const top = await createKey(gateway, account.key, { name: 'top', delegate: true, budgets: { total_ntd: 5 } });
    const client = await signedIn(gateway, account.key, language);
    const form = {
      ...{ known: '2', name: 'child', parent: top.id, models: ['up-paid', 'demo-small'], delegate: '1' },
      ...{ day_ntd: '1', month_ntd: 'NT$2', total_ntd: '5', session_ntd: '0.5' },
      ...{ requests_per_minute: '60', tokens_per_minute: '100,000', in_flight: '2' },
    };
    expect((await client.submit('/account/keys', form)).status).toBe(200);
    const made = (await gateway.get('/api/keys', top.key)).data[1];
    expect(made).toMatchObject({
      ...{ name: 'child', parent_id: top.id, models: ['up-paid', 'demo-small'], delegate: true, manage: false },
      budgets: { day_ntd: 1, month_ntd: 2, total_ntd: 5, session_ntd: 0.5 },
      rates: { requests_per_minute: 60, tokens_per_minute: 100_000, in_flight: 2 },
    });
    const html = await page(account.key, '/account/keys', language);
    for (const [name, value] of [
      ['month_ntd', '2'],
      ['session_ntd', '0.5'],
      ['tokens_per_minute', '100000'],
    ]) {
      expect(html).toContain(`<input id="${name}-${made.id}" name="${name}" type="text"`);
      expect(new RegExp(`id="${name}-${made.id}"[^>]*value="${value}"`).test(html), name).toBe(true);
    }
    // An empty field takes its limit away.
    const changed = await client.post(`/account/keys/${made.id}`, { name: 'child', total_ntd: '4' });
    expect(changed.headers.get('location')).toBe('/account/keys');
    expect((await gateway.get('/api/keys', top.key)).data[1]).toMatchObject({
      ...{ models: null, delegate: false, parent_id: top.id },
      budgets: { day_ntd: null, total_ntd: 4 },
      rates: { in_flight: null },
    });
  });

  test('what a parent does not allow is told at its field', async () => {
    const top = await createKey(gateway, account.key, {
      ...{ name: 'top', delegate: true, models: ['up-paid'], expires_at: '2098-01-01T00:00:00Z' },
      ...{ budgets: { month_ntd: 1 }, rates: { in_flight: 1 } },
    });
    const client = await signedIn(gateway, account.key, language);
    const add = async (form: object) => {
      const response = await client.post('/account/keys', { known: '2', name: 'x', parent: top.id, ...form });
      const html = await response.text();
      return [response.status, /<div class="notice is-bad"[^>]*><p>(.*?)<\/p>/s.exec(html)?.[1]];
    };
    expect(await add({})).toEqual([400, words.keys.childNeedsBudget]);
    expect(await add({ month_ntd: '2' })).toEqual([400, words.keys.aboveParent(limits.monthBudget)]);
    expect(await add({ day_ntd: '1', in_flight: '2' })).toEqual([400, words.keys.aboveParent(limits.inFlight)]);
    expect(await add({ day_ntd: '1', models: 'demo-small' })).toEqual([400, fields.models]);
    expect(await add({ day_ntd: '1', expires: '2099-01-01' })).toEqual([400, fields.expires_at]);
    expect(await add({ day_ntd: '1', manage: '1' })).toEqual([400, fields.manage]);
    expect((await gateway.get('/api/keys', account.key)).data).toHaveLength(2);
  });

  test('who signed in with a child sees its own subtree and nothing of others', async () => {
    const [top, middle, bottom] = await createLine(gateway, account.key, ['secret-top', 'middle', 'bottom']);
    const sibling = await createKey(gateway, top?.key ?? '', { name: 'secret-sibling', ...CHILD_BUDGET });
    const hidden = [await use(account.key), await use(sibling.key), await use(top?.key ?? '')];
    const seen = [await use(middle?.key ?? ''), await use(bottom?.key ?? '')];
    const client = await signedIn(gateway, middle?.key ?? '', language);
    for (const path of [
      '/account',
      '/account/usage',
      '/account/usage.csv',
      `/account/usage?subtree=${top?.id}`,
      '/account/keys',
    ]) {
      const html = await (await client.get(path)).text();
      for (const text of ['secret-top', 'secret-sibling', ...hidden])
        expect([path, html.includes(text)]).toEqual([path, false]);
    }
    const usage = await (await client.get('/account/usage')).text();
    for (const id of seen) expect(usage).toContain(id);
    expect(namesIn(await (await client.get('/account/keys')).text())).toEqual(['middle', 'bottom']);
    expect((await client.get(`/account/receipts/${seen[1]}`)).status).toBe(200);
    for (const id of hidden) expect((await client.get(`/account/receipts/${id}`)).status).toBe(404);
    const refused = await client.post(`/account/keys/${bottom?.id}`, { name: 'mine' });
    expect(refused.status).toBe(403);
  });

  test.each([false, true])(
    'a key that cannot manage sees only itself and its children, delegate %p',
    async (delegate) => {
      const mine = await createKey(gateway, account.key, { name: 'mine', delegate, ...CHILD_BUDGET });
      if (delegate) await createKey(gateway, mine.key, { name: 'my-child', ...CHILD_BUDGET });
      await createKey(gateway, account.key, { name: 'secret-other', budgets: { day_ntd: 7.25 } });
      const html = await page(mine.key, '/account/keys', language);
      expect(namesIn(html)).toEqual(delegate ? ['mine', 'my-child'] : ['mine']);
      for (const text of ['secret-other', '7.25', account.keyId]) expect(html).not.toContain(text);
      expect(html.includes('POST /api/keys')).toBe(delegate);
      expect(html.includes(words.keys.restricted)).toBe(!delegate);
      // The usage of the account is shown, as by GET /api/usage.
      const request = await use(account.key);
      expect(await page(mine.key, '/account/usage', language)).toContain(request);
    },
  );

  test('a child sees what the keys above it leave and allow', async () => {
    const top = await createKey(gateway, account.key, {
      ...{ name: 'secret-top', delegate: true, models: ['up-paid'], expires_at: '2098-01-01T00:00:00Z' },
      budgets: { day_ntd: 0.004 },
    });
    const child = await createKey(gateway, top.key, { name: 'child', ...CHILD_BUDGET });
    await use(child.key);
    const { ancestors_left: above } = (await gateway.get('/api/me', child.key)).key;
    const amount = BigInt(above.left_nano);
    const shown = `<span title="${money(amount)}">${roundedMoney(amount)}</span>`;
    const left = `${words.keys.aboveLeft}${words.colon}<strong class="number">${shown}</strong>`;
    const client = await signedIn(gateway, child.key, language);
    for (const path of ['/account', '/account/keys']) {
      const html = await (await client.get(path)).text();
      expect(html).toContain(left);
      expect(html).not.toContain('secret-top');
    }
    const mark = `<span class="under">${words.keys.setAbove}</span>`;
    for (const key of [child.key, account.key]) {
      const html = await page(key, '/account/keys', language);
      const sheet = html.slice(html.indexOf('<h2>child'));
      expect(sheet).toContain(`<dt>${words.keys.models}</dt><dd class="id">up-paid${mark}`);
      expect(sheet).toContain(`<dt>${words.keys.expires}</dt><dd class="id">2098-01-01 08:00:00 UTC+8${mark}`);
      expect(html.split(mark)).toHaveLength(3);
    }
    expect(await page(account.key, '/account', language)).not.toContain(words.keys.aboveLeft);
  });

  test('the form of a managing key says that it cannot be limited', async () => {
    await createKey(gateway, account.key, { name: 'limited', budgets: { day_ntd: 1 } });
    const html = await page(account.key, '/account/keys', language);
    const [manager = '', limited = ''] = html.split(/<form method="post" action="\/account\/keys\/key_/).slice(1);
    expect(manager).toContain(`<summary>${words.keys.managerLimits}</summary>`);
    expect(manager).toContain(words.keys.managerHasNone);
    expect(limited).not.toContain(words.keys.managerHasNone);
    // Both at once is what the note asks for.
    const client = await signedIn(gateway, account.key, language);
    const second = await createKey(gateway, account.key, { name: 'second', manage: true });
    const refused = await client.post(`/account/keys/${second.id}`, { name: 'second', day_ntd: '1', manage: '1' });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(`<details open=""><summary>${words.keys.managerLimits}</summary>`);
    const changed = await client.post(`/account/keys/${second.id}`, { name: 'second', day_ntd: '1' });
    expect(changed.headers.get('location')).toBe('/account/keys');
  });

  test('the usage page has the sums of each key, and can show one subtree', async () => {
    const [top, bottom] = await createLine(gateway, account.key, ['top', 'bottom']);
    const [above, below] = [await use(top?.key ?? ''), await use(bottom?.key ?? '')];
    const other = await use(account.key);
    const html = await page(account.key, '/account/usage', language);
    expect(html).toContain(`<summary>${words.usage.byKey}</summary>`);
    expect(html).toContain(`<option value="${top?.id}">top</option>`);
    const subtree = await page(account.key, `/account/usage?subtree=${top?.id}`, language);
    expect([above, below, other].map((id) => subtree.includes(id))).toEqual([true, true, false]);
    const { by_key } = await gateway.get('/api/usage?group_by=key', account.key);
    expect(by_key.map(({ subtree: { requests } }: Answer) => requests)).toEqual([1, 2, 1]);
  });
});

test('many keys are folded, except one whose form was refused', async () => {
  const isOpen = (html: string) =>
    [...html.matchAll(/<details class="key" id="key_\w+"( open="")?>/g)].map(([, open]) => !!open);
  for (const name of ['one', 'two']) await createKey(gateway, account.key, { name });
  expect(isOpen(await page(account.key, '/account/keys'))).toEqual([true, true, true]);
  const last = await createKey(gateway, account.key, { name: 'three', budgets: { day_ntd: 1, total_ntd: 4 } });
  const folded = await page(account.key, '/account/keys');
  expect(isOpen(folded)).toEqual([false, false, false, false]);
  const summary = folded.slice(folded.indexOf('<h2>three'));
  expect(summary.slice(0, summary.indexOf('</summary>'))).toContain('Daily budget: NT$1.00 left');
  const client = await signedIn(gateway, account.key);
  const refused = await client.post(`/account/keys/${last.id}`, { name: 'three', day_ntd: 'much' });
  expect(isOpen(await refused.text())).toEqual([false, false, false, true]);
});

test('of many keys a page shows some, and the form of one that is asked for', async () => {
  const made = [];
  for (let index = 0; index < 14; index++)
    made.push(await createKey(gateway, account.key, { name: `number ${index}` }));
  const client = await signedIn(gateway, account.key);
  const formsOn = async (path: string) => {
    const html = await (await client.get(path)).text();
    const forms = [...html.matchAll(/<form method="post" action="\/account\/keys\/(key_\w+)"/g)].map(([, id]) => id);
    return { names: namesIn(html).filter((name) => name !== 'Create a key'), forms, html };
  };
  const first = await formsOn('/account/keys');
  expect([first.names.length, first.forms, first.html.includes('Page 1 of 2')]).toEqual([12, [], true]);
  const last = made.at(-1);
  expect(first.html).toContain(`href="/account/keys?edit=${made[0]?.id}#${made[0]?.id}"`);
  expect((await formsOn('/account/keys?page=2')).names).toEqual(['number 11', 'number 12', 'number 13']);
  for (const page of ['0', '-1', '99', 'x', '1.5']) {
    expect((await formsOn(`/account/keys?page=${page}`)).names.length).toBeGreaterThan(0);
  }
  const edited = await formsOn(`/account/keys?edit=${last?.id}`);
  expect([edited.names.at(-1), edited.forms]).toEqual(['number 13', [last?.id]]);
  const refused = await client.post(`/account/keys/${last?.id}`, { name: 'number 13', day_ntd: 'much' });
  expect(await refused.text()).toContain('value="much"');
});

test('a bar tells how much of a budget is used in words, too', async () => {
  const { id, key } = await createKey(gateway, account.key, { name: 'full', budgets: { total_ntd: 0.5 } });
  await use(key);
  const { spent } = (await gateway.get('/api/me', key)).key;
  await gateway.call(`/api/keys/${id}`, {
    ...{ key: account.key, method: 'PATCH' },
    body: {
      budgets: { total_ntd: spent.total_ntd, month_ntd: Math.floor(1.2 * spent.total_nano) / 1e9, day_ntd: 0.5 },
    },
  });
  const html = await page(account.key, '/account/keys');
  const bars = [...html.matchAll(/class="(operational|degraded|down)" width/g)].map(([, kind]) => kind);
  // The first is that of the budget that is used most, for a folded key.
  expect(bars).toEqual(['down', 'operational', 'degraded', 'down']);
  expect(html).toContain('83\u00a0% used');
  expect(html).toContain('100\u00a0% used');
});
