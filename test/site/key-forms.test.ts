// Forms that come after something else has changed. What a key's form leaves as it stands needs not be allowed any more;
// what was typed into one that came too late is in the form again, but for secrets.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { fieldOf } from '../admin/console/operator-client.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient, signedIn } from './site-client.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.stop());

const withoutDemo = () =>
  gateway.apply((standard) => ({ ...standard, models: standard.models.filter(({ id }) => id !== 'demo-small') }));

test.each(['en', 'zh-TW'] as const)('in %s, a key is renamed though a model of its list has left', async (language) => {
  const { key } = await gateway.register();
  const { id } = await createKey(gateway, key, { name: 'old', models: ['demo-small', 'up-paid'] });
  await withoutDemo();
  const client = await signedIn(gateway, key, language);
  const change = (form: object) =>
    client.post(`/account/keys/${id}`, {
      name: 'new',
      models: ['demo-small', 'up-paid'],
      day_ntd: '',
      expires: '',
      ...form,
    });
  expect((await change({})).headers.get('location')).toBe('/account/keys');
  const { data } = await gateway.get('/api/keys', key);
  const changed = data.find((one: Answer) => one.id === id);
  expect(changed).toMatchObject({ name: 'new', models: ['demo-small', 'up-paid'] });

  const { account } = wordsOf(language);
  const wrongBudget = await (await change({ day_ntd: '-1' })).text();
  expect(wrongBudget).toContain(`<p>${account.keys.badAmount(account.keys.limits.dayBudget)}</p>`);
  expect(wrongBudget).not.toContain(account.keys.noModel('demo-small'));
  const added = await change({ models: ['demo-small', 'none-such'] });
  expect([added.status, await added.text()]).toEqual([400, expect.stringContaining(account.keys.noModel('none-such'))]);
});

test.each([
  ['en', 'without control characters', 'This is the last key that can manage'],
  ['zh-TW', '不含控制字元', '這是最後一把可管理的金鑰'],
] as const)('in %s, a refused name and a last key that stops managing are told why', async (language, name, last) => {
  const { key, keyId } = await gateway.register();
  const client = await signedIn(gateway, key, language);
  const change = (form: object) => client.post(`/account/keys/${keyId}`, { day_ntd: '', expires: '', ...form });
  const turned = await change({ name: 'a\u202eb', manage: '1' });
  expect([turned.status, await turned.text()]).toEqual([400, expect.stringContaining(name)]);
  const stopped = await change({ name: 'only' });
  expect([stopped.status, await stopped.text()]).toEqual([409, expect.stringContaining(last)]);
});

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { account } = wordsOf(language);
  const TYPED = {
    name: '報表 & "x"',
    models: 'up-paid',
    day_ntd: '0.5',
    in_flight: '3',
    expires: '2099-01-01',
    manage: '1',
  };
  const typedIn = (html: string, id: string) =>
    new RegExp(`<input id="${id}"[^>]* value="([^"]*)"`)
      .exec(html)?.[1]
      ?.replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
  /** The models that are checked in the form of a key. */
  const checkedIn = (html: string, of: string) => {
    const [, form = ''] = html.split(`id="name-${of}"`);
    const [fields = ''] = form.split('</form>');
    return [...fields.matchAll(/name="models" value="([^"]*)" checked/g)].map(([, id]) => id).join();
  };
  const shown = (html: string, of: string) => [
    ...['name', 'day_ntd', 'in_flight', 'expires'].map((name) => typedIn(html, `${name}-${of}`)),
    checkedIn(html, of),
  ];
  const typed = ['報表 & "x"', '0.5', '3', '2099-01-01', 'up-paid'];
  const decoded = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

  test('a form for a new key that comes too late is shown again as it was typed, and makes none', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    await createKey(gateway, key);
    const late = await client.post('/account/keys', { known: '1', ...TYPED });
    const html = await late.text();
    expect([late.status, html.includes(`<p>${account.keys.stale}</p>`)]).toEqual([409, true]);
    expect(shown(html, 'new')).toEqual(typed);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
    const again = await client.submit('/account/keys', { known: fieldOf(html, 'known'), ...TYPED, manage: '' });
    expect(again.status).toBe(200);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(3);
  });

  test('what was typed for a key is in its form after signing in, also after a wrong key', async () => {
    const { key } = await gateway.register();
    const { id } = await createKey(gateway, key, { name: 'old' });
    for (const [path, of] of [
      ['/account/keys', 'new'],
      [`/account/keys/${id}`, id],
    ] as const) {
      const client = createSiteClient(gateway, language);
      const asked = await client.post(path, { known: '2', ...TYPED });
      const door = await asked.text();
      expect([asked.status, door.includes(account.typedKept)]).toEqual([401, true]);
      const sent = { next: decoded(fieldOf(door, 'next')), typed: decoded(fieldOf(door, 'typed')) };
      const wrong = await (await client.post('/account/sign-in', { ...sent, key: 'sk-svc-wrong' })).text();
      const again = { next: decoded(fieldOf(wrong, 'next')), typed: decoded(fieldOf(wrong, 'typed')) };
      expect(again).toEqual(sent);
      const entered = await client.post('/account/sign-in', { ...again, key });
      const html = await entered.text();
      expect([entered.status, entered.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(shown(html, of)).toEqual(typed);
      expect(typedIn(html, `name-${of === 'new' ? id : 'new'}`)).toBe(of === 'new' ? 'old' : '');
      expect((await client.get('/account/keys')).status).toBe(200);
    }
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
    expect(JSON.stringify(gateway.log.lines())).not.toContain('報表');
  });

  test('of a name and a password the name alone is kept; a code of a card is not', async () => {
    const { key } = await gateway.register();
    const client = createSiteClient(gateway, language);
    const door = await (await client.post('/account/access', { name: 'somebody', password: 'correct horse' })).text();
    expect(door).not.toContain('correct');
    expect(fieldOf(door, 'typed')).toBe('name=somebody');
    const sent = { next: '/account/access', typed: 'name=somebody&password=x&code=y', key };
    const html = await (await client.post('/account/sign-in', sent)).text();
    expect(fieldOf(html, 'name')).toBe('somebody');
    expect(html).not.toMatch(/id="password"[^>]*value=/);
    const card = await (await createSiteClient(gateway, language).post('/account/redeem', { code: 'PC-X' })).text();
    expect(card).not.toContain('name="typed"');
  });

  test('what is too long to be sent once more is let go', async () => {
    const client = createSiteClient(gateway, language);
    const door = await (await client.post('/account/keys', { known: '1', name: '測'.repeat(1_500) })).text();
    expect(door).not.toContain('name="typed"');
    expect(door).toContain(account.lookFirst);
  });
});
