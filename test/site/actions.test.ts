// What forms do, and say, without a browser: limits told in the reader's language, a rotation's day of grace, forms that
// come twice or late, and dates as people mean them.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { roundedMoney, sentences } from '../../src/site/format.ts';
import { wordsOf } from '../../src/site/language.ts';
import { MAX_KEYS } from '../../src/store/book/key-count.ts';
import { clientOf, fieldOf } from '../admin/console/operator-client.ts';
import { createAccount } from '../store/suite/samples.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard, unissuedCode } from '../support/issue-cards.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';
import { createSiteClient, signedIn } from './site-client.ts';

const HOUR_MS = 3_600_000;
let gateway: TestGateway;
let clock: ManualClock;
beforeEach(async () => {
  // Half past eleven at night in Taipei.
  clock = createManualClock(Date.UTC(2026, 0, 15, 15, 30, 0));
  gateway = await startTestGateway({ clock, limits: { register_per_ip: 2 } });
});
afterEach(() => gateway.stop());

const notice = async (response: Response) =>
  /class="notice[^"]*" role="\w+"><p>([^<]*)/.exec(await response.text())?.[1];
const works = async (key: string) => (await gateway.call('/api/me', { key })).status === 200;

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { faults, fields, account } = wordsOf(language);
  const badDay = account.keys.badAmount(account.keys.limits.dayBudget);

  test('an address that has its accounts is told so, and gets no further one', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 2; i++)
      statuses.push((await createSiteClient(gateway, language).submit('/account/create')).status);
    const refused = await createSiteClient(gateway, language).post('/account/create');
    expect([...statuses, refused.status]).toEqual([200, 200, 429]);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect(await notice(refused)).toBe(faults.registration_ip_limit);
    expect(gateway.sql('SELECT count(*) AS n FROM accounts')).toEqual([{ n: 2n }]);
  });

  test('every field of a key that is wrong is told by its name', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    const { limits, badAmount, badCount, noModel } = account.keys;
    const wrong = [
      [{ day_ntd: '-1' }, badAmount(limits.dayBudget)],
      [{ day_ntd: '0.0000000001' }, badAmount(limits.dayBudget)],
      [{ day_ntd: '0x10' }, badAmount(limits.dayBudget)],
      [{ month_ntd: '1e2' }, badAmount(limits.monthBudget)],
      [{ total_ntd: '1,5' }, badAmount(limits.totalBudget)],
      [{ session_ntd: 'much' }, badAmount(limits.sessionBudget)],
      [{ requests_per_minute: '0' }, badCount(limits.requestsPerMinute)],
      [{ tokens_per_minute: '1.5' }, badCount(limits.tokensPerMinute)],
      [{ in_flight: '-1' }, badCount(limits.inFlight)],
      [{ models: ['auto:free', 'nothing-like-it', 'none'] }, noModel('nothing-like-it')],
      [{ models: Array.from({ length: 501 }, () => 'x') }, fields.models],
      [{ expires: '2020-01-01' }, fields.expires_at],
      [{ name: 'x'.repeat(101) }, fields.name],
      [{ name: ' ' }, fields.name],
      [{ parent: 'key_unknown', day_ntd: '1' }, fields.parent_id],
      [{ day_ntd: '1', manage: '1' }, fields.manage],
      [{ in_flight: '1', manage: '1' }, fields.manage],
    ] as const;
    for (const [form, text] of wrong) {
      const response = await client.submit('/account/keys', { known: '1', name: 'x', ...form });
      expect([response.status, await notice(response)]).toEqual([400, text]);
    }
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(1);
  });

  test('all that is wrong with a key is told at once, each at its field, and the first has the focus', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    const html = await (
      await client.submit('/account/keys', { known: '1', name: 'x', day_ntd: '-1', expires: '2020-01-01' })
    ).text();
    expect(html).toContain(`<p>${sentences(badDay, fields.expires_at)}</p>`);
    const input = (id: string) => new RegExp(`<input id="${id}"[^>]*>`).exec(html)?.[0] ?? '';
    const marks = ['name', 'day_ntd', 'expires'].map((name) => {
      const text = input(`${name}-new`);
      const isTold = html.includes(`id="${name}-new-fault"`);
      return [text.includes('aria-invalid="true"'), text.includes('autofocus'), isTold];
    });
    expect(marks).toEqual([
      [false, false, false],
      [true, true, true],
      [true, false, true],
    ]);
    expect(html.match(/autofocus/g)).toHaveLength(1);
    expect(html).toContain('href="#new"');
  });

  test('to manage is told beside what else is wrong, of a limit that a key has, too', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    const wrong = { name: 'x', models: 'nope', day_ntd: '', expires: '', manage: '1' };
    const unknown = account.keys.noModel('nope');
    const added = await client.submit('/account/keys', { known: '1', ...wrong, day_ntd: '5' });
    const html = await added.text();
    expect(html).toContain(`<p>${sentences(unknown, fields.manage)}</p>`);
    expect(html).toContain('id="manage-new-fault"');
    const ending = await createKey(gateway, key, { expires_at: '2026-12-31T23:59:59+08:00' });
    const change = (form: object) => client.post(`/account/keys/${ending.id}`, { ...wrong, ...form });
    expect(await notice(await change({ expires: '2026-12-31' }))).toBe(sentences(unknown, fields.manage));
    expect(await notice(await change({ models: '', day_ntd: '-1' }))).toBe(sentences(badDay, fields.manage));
    expect(await notice(await change({ name: '', models: '', day_ntd: 'x', manage: '' }))).toBe(badDay);
  });

  test('who has no room for a key is told so beside what is wrong with it', async () => {
    const { key } = await gateway.register();
    const made: string[] = [];
    while (made.length < MAX_KEYS - 1) made.push((await createKey(gateway, key)).id);
    const client = await signedIn(gateway, key, language);
    const add = (form: object) => client.post('/account/keys', { known: String(MAX_KEYS), name: 'x', ...form });
    expect(await notice(await add({}))).toBe(fields.too_many_keys);
    expect(await notice(await add({ day_ntd: '-1' }))).toBe(sentences(fields.too_many_keys, badDay));
    const changed = await client.post(`/account/keys/${made[0]}`, { name: 'x', day_ntd: '-1' });
    expect(await notice(changed)).toBe(badDay);
  });

  test('a budget is taken to the last digit that was typed', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    await client.submit('/account/keys', { known: '1', name: 'exact', day_ntd: '123456789.123456789' });
    const { data } = await gateway.get('/api/keys', key);
    const budgets = data.map(({ daily_budget_nano }: Answer) => daily_budget_nano);
    expect(budgets).toContain('123456789123456789');
  });

  test('who guessed at too many codes is told until when to wait', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    const redeem = () => client.post('/account/redeem', { code: unissuedCode() });
    for (let i = 0; i < 5; i++) expect((await redeem()).status).toBe(404);
    const refused = await redeem();
    expect([refused.status, await notice(refused)]).toEqual([429, account.redeem.tooMany('2026-01-15 23:40:00 UTC+8')]);
  });

  test('who tried or changed a password too often is told what helps, and no cause that may be wrong', async () => {
    const { key } = await gateway.register();
    const client = createSiteClient(gateway, language);
    const signIn = (form: Record<string, string>) => client.post('/account/sign-in', form);
    for (let i = 0; i < 10; i++) expect((await signIn({ key: `wrong-${i}` })).status).toBe(401);
    const refused = await signIn({ name: 'somebody', password: 'wrong password' });
    expect([refused.status, await notice(refused)]).toEqual([429, account.tooMany]);
    expect(account.tooMany).not.toMatch(/address|位址/);
    const wrongKey = await signIn({ key: 'wrong-11' });
    expect([wrongKey.status, await notice(wrongKey)]).toEqual([429, account.tooManyKeys]);
    expect((await signIn({ key })).status).toBe(303);

    const change = () => client.post('/account/access', { name: 'somebody', password: 'correct horse battery' });
    for (let i = 0; i < 10; i++) expect((await change()).status).toBe(303);
    const unchanged = await change();
    expect([unchanged.status, await notice(unchanged)]).toEqual([429, account.access.tooMany]);
  });

  test('what a key has spent of its budget today is on its card, and on the overview of who came with it', async () => {
    const { key } = await gateway.register();
    const limited = await createKey(gateway, key, { name: 'reports', daily_budget_ntd: 0.5 });
    const idle = await createKey(gateway, key, { name: 'idle', daily_budget_ntd: 0.25 });
    expect((await gateway.chat(limited.key, { model: 'demo-small' })).status).toBe(200);
    const spent = roundedMoney(BigInt((await gateway.get('/api/me', limited.key)).key.daily_spent_nano));
    const page = async (of: string, path: string) =>
      await (await (await signedIn(gateway, of, language)).get(path)).text();

    const { limits, budgetUsed } = account.keys;
    const left = roundedMoney(500_000_000n - BigInt((await gateway.get('/api/me', limited.key)).key.daily_spent_nano));
    const used = (today: string, limit: string, rest: string) => `>${budgetUsed(today, limit, '0\u00a0%', rest)}`;
    const cards = await page(key, '/account/keys');
    expect(cards.split(`<strong>${limits.dayBudget}</strong>`)).toHaveLength(1 + 2);
    expect(cards).toContain(used(spent, 'NT$0.50', left));
    expect(cards).toContain(used('NT$0', 'NT$0.25', 'NT$0.25'));
    expect(cards.split(`<summary>${account.keys.edit}<`)).toHaveLength(4);
    const overview = await page(limited.key, '/account');
    expect(overview).toContain(used(spent, 'NT$0.50', left));
    expect(overview).toContain(`<span class="under">${account.overview.resets('2026-01-16 00:00:00 UTC+8')}</span>`);
    expect(await page(idle.key, '/account')).toContain(used('NT$0', 'NT$0.25', 'NT$0.25'));
    expect(await page(key, '/account')).not.toContain(account.overview.budgets);
  });

  test('who cannot raise the budget of a key is told whom to ask when it does not suffice', async () => {
    const { key } = await gateway.register();
    const limited = await createKey(gateway, key, { daily_budget_ntd: 0 });
    const client = await signedIn(gateway, limited.key, language);
    const response = await fetch(`${gateway.url}/account/play`, {
      method: 'POST',
      body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hi' }] }),
      headers: {
        'content-type': 'application/json',
        'accept-language': language,
        origin: gateway.url,
        cookie: [...client.cookies].map((pair) => pair.join('=')).join('; '),
      },
    });
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.json()).toEqual({
      error: { code: 'key_budget_exceeded', message: account.play.budgetTooLow, others: 'free' },
    });
  });

  test('a key that ends within a day says at which hour, and that it stays so', async () => {
    const { key } = await gateway.register();
    await createKey(gateway, key, { name: 'late', expires_at: '2026-12-31T23:59:59+08:00' });
    const client = await signedIn(gateway, key, language);
    const html = await (await client.get('/account/keys')).text();
    expect(html).toContain('<dd class="id">2026-12-31 23:59:59 UTC+8</dd>');
    expect(html).toContain(account.keys.expiresKept('2026-12-31 23:59:59 UTC+8'));
    expect(html.split(`> ${account.keys.expiresHelp}<`)).toHaveLength(3);
  });

  test('what is not there is told', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    const receipt = await client.get('/account/receipts/req_0');
    expect(receipt.status).toBe(404);
    expect(await receipt.text()).toContain(account.refusals.notFound(7, 100));
    expect(await notice(await client.get('/account/usage?from=yesterday'))).toBe(fields.from);
    const turned = await client.get('/account/usage?from=2026-01-16&to=2026-01-15');
    expect([turned.status, await notice(turned.clone())]).toEqual([400, fields.from_after_to]);
    expect((await client.get('/account/usage.csv?from=2026-01-16&to=2026-01-15')).status).toBe(400);
    expect(await notice(await client.post('/account/keys/key_0', {}))).toBe(faults.not_found);
    expect(await notice(await client.post('/account/access', { name: 'x', password: 'x' }))).toBe(
      account.access.badName,
    );
  });

  test('a name that was refused is no way in; a password is told whether it is too short or too long', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    const password = 'correct horse battery';
    const page = async (form: Record<string, string>) => {
      const html = await (await client.post('/account/access', form)).text();
      return { html, text: /class="notice[^"]*" role="\w+"><p>([^<]*)/.exec(html)?.[1] };
    };
    const unnamed = await page({ name: 'nobody here', password });
    expect(unnamed.html).toContain(account.access.lead);
    expect(unnamed.html).toContain('value="nobody here"');
    expect((await client.post('/account/access', { name: 'first-name', password })).status).toBe(303);
    const renamed = await page({ name: 'no', password });
    expect([renamed.text, renamed.html.includes(account.access.current('first-name'))]).toEqual([
      account.access.badName,
      true,
    ]);
    expect((await page({ name: 'first-name', password: 'x'.repeat(11) })).text).toBe(account.access.shortPassword);
    expect((await page({ name: 'first-name', password: 'x'.repeat(1_025) })).text).toBe(account.access.longPassword);
  });

  test('a frozen wallet is told on every page that spends or adds money, whatever else is told', async () => {
    const { key, accountId } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    const pages = ['/account', '/account/redeem', '/account/play'];
    const told = async (response: Response) => (await response.text()).includes(`<p>${faults.wallet_frozen}</p>`);
    const all = async () => [
      ...(await Promise.all(pages.map(async (path) => told(await client.get(path))))),
      await told(await client.post('/account/redeem', { code: 'PC-WRONG' })),
    ];
    expect(await all()).toEqual([false, false, false, false]);
    await gateway.gateway.store.commit('freeze', { accountId, frozen: true, at: clock.now() });
    expect(await all()).toEqual([true, true, true, true]);
    const { code } = await issueCard(gateway);
    const html = await (await client.submit('/account/redeem', { code })).text();
    expect(html).toContain(faults.wallet_frozen);
    expect(html).toContain(account.redeem.toOverview);
  });

  test('the figures of a frozen account are those of the API, and beside what cannot be used it says so', async () => {
    const { key, accountId } = await gateway.register();
    await gateway.gateway.store.commit('freeze', { accountId, frozen: true, at: clock.now() });
    const html = await (await (await signedIn(gateway, key, language)).get('/account')).text();
    const told = [...html.matchAll(/class="figure[^"]*">(.*?)<\/strong>(?:<p class="faint">(.*?)<\/p>)?/g)];
    const figures = told.map(([, figure = '', beside]) => [figure.replaceAll(/<[^>]*>/g, ''), beside]);
    const { left, frozen } = account.overview;
    expect(figures).toEqual([
      ['NT$1.00', frozen],
      [left(6, 6), frozen],
      [left(300, 300), frozen],
    ]);
    const me = await fetch(`${gateway.url}/api/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(await me.json()).toMatchObject({
      available_ntd: 1,
      free: { minute: { remaining: 6, limit: 6 }, day: { remaining: 300, limit: 300 } },
    });
  });
});

describe('keys', () => {
  test.each([
    ['１００', 100],
    ['1,000', 1000],
    ['１，０００．５', 1000.5],
    ['1', 1],
    ['NT$50', 50],
    ['1,000 元', 1000],
    ['ＮＴ＄５０元', 50],
    ['nt＄50', 50],
  ])('a budget of %p is read as it is meant', async (day_ntd, ntd) => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key);
    const models = ['demo-small', 'up-paid'];
    const form = { known: '1', name: 'x', models, day_ntd, requests_per_minute: '１,０００' };
    expect((await client.submit('/account/keys', form)).status).toBe(200);
    const meant = { models, daily_budget_ntd: ntd, rates: expect.objectContaining({ requests_per_minute: 1000 }) };
    expect((await gateway.get('/api/keys', key)).data).toContainEqual(expect.objectContaining(meant));
  });

  test('to ask before one is revoked changes nothing, and what cannot be revoked is not asked about', async () => {
    const { key, keyId } = await gateway.register();
    const limited = await createKey(gateway, key, { name: 'limited' });
    const client = await signedIn(gateway, key);
    const asked = await client.get(`/account/keys/${keyId}/revoke`);
    expect([asked.status, await works(key)]).toEqual([200, true]);
    for (const action of ['revoke', 'rotate']) {
      expect((await client.get(`/account/keys/key_0/${action}`)).status).toBe(404);
    }
    const other = await signedIn(gateway, limited.key);
    expect((await other.get(`/account/keys/${keyId}/revoke`)).status).toBe(403);
    expect((await client.post(`/account/keys/${limited.id}/revoke`)).status).toBe(303);
    for (const again of [client.get, client.post]) {
      const { headers } = await again(`/account/keys/${limited.id}/revoke`);
      expect(headers.get('location')).toBe('/account/keys');
    }
    expect(await notice(await client.get('/account/keys'))).toBe(wordsOf('en').account.keys.gone);
  });

  test('a rotated key works for a day under its old text; a form that comes twice rotates once', async () => {
    const { key, keyId } = await gateway.register();
    const client = await signedIn(gateway, key);
    const last4 = key.slice(-4);
    const rotated = await client.submit(`/account/keys/${keyId}/rotate`, { last4 });
    const html = await rotated.text();
    const [fresh = ''] = /sk-svc-\w+/.exec(html) ?? [];
    expect(html).toContain('The old key works until 2026-01-16 23:30:00 UTC+8.');
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    const again = await client.post(`/account/keys/${keyId}/rotate`, { last4 });
    expect([again.status, again.headers.get('location')]).toEqual([303, '/account/keys']);
    await passTime(gateway, clock, 23 * HOUR_MS);
    expect([await works(key), await works(fresh)]).toEqual([true, true]);
    await passTime(gateway, clock, 2 * HOUR_MS);
    expect([await works(key), await works(fresh)]).toEqual([false, true]);
  });

  test('the last key that manages is stopped at once by a rotation, which its refusal names', async () => {
    const { key, keyId } = await gateway.register();
    const client = await signedIn(gateway, key);
    const { keys } = wordsOf('en').account;
    const refused = await client.post(`/account/keys/${keyId}/revoke`);
    expect([refused.status, await notice(refused)]).toEqual([409, wordsOf('en').faults.last_key]);
    const asked = await (await client.get(`/account/keys/${keyId}/rotate`)).text();
    expect(asked).toContain(`<option value="none">${keys.graces.none}</option>`);
    expect(asked).toContain(keys.rotateCurrent);
    expect(await works(key)).toBe(true);
    const rotated = await client.submit(`/account/keys/${keyId}/rotate`, { last4: key.slice(-4), old: 'none' });
    const [fresh = ''] = /sk-svc-\w+/.exec(await rotated.text()) ?? [];
    expect([await works(key), await works(fresh)]).toEqual([false, true]);
  });

  test('a key is made once, though its form is sent twice', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key);
    expect((await client.submit('/account/keys', { name: 'one', known: '1' })).status).toBe(200);
    const again = await client.post('/account/keys', { name: 'one', known: '1' });
    expect([again.status, await notice(again)]).toEqual([409, wordsOf('en').account.keys.stale]);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
  });

  test('another name leaves the hour of expiry as it was, also of a key that has expired', async () => {
    const { key } = await gateway.register();
    const expires_at = new Date(clock.now() + HOUR_MS).toISOString();
    const made = await createKey(gateway, key, { name: 'old', expires_at });
    const client = await signedIn(gateway, key);
    const change = (name: string) =>
      client.post(`/account/keys/${made.id}`, { name, models: '', day_ntd: '', expires: '2026-01-16' });
    expect((await change('new')).status).toBe(303);
    await passTime(gateway, clock, 2 * HOUR_MS);
    const again = await signedIn(gateway, key);
    expect(await (await again.get('/account/keys')).text()).toContain('<small class="bad"> expired</small>');
    client.cookies.set('session', again.cookies.get('session') ?? '');
    expect((await change('newer')).status).toBe(303);
    const { data } = await gateway.get('/api/keys', key);
    expect(data.find(({ id }: Answer) => id === made.id)).toMatchObject({ name: 'newer', expires_at });
  });
});

test('a page that an action made can be read in the other language: the switch leads to what can be asked for', async () => {
  const client = createSiteClient(gateway);
  const created = await client.submit('/account/create', { next: '/account/redeem' });
  expect(await created.text()).not.toContain('lang=zh-TW');
  const refused = await client.post('/account/keys/key_0/rotate');
  expect(await refused.text()).toContain('href="/account/keys?lang=zh-TW"');
  const wrong = await createSiteClient(gateway).post('/account/sign-in', { key: 'x', next: '/account/usage?model=a' });
  const html = await wrong.text();
  expect(html).toContain('href="/account/sign-in?next=%2Faccount%2Fusage%3Fmodel%3Da&amp;lang=zh-TW"');
  expect(html).toContain('name="next" value="/account/usage?model=a"');
});

test('money that came in stays in sight, however many paid calls follow', async () => {
  const { key } = await gateway.register();
  for (let n = 0; n < 50; n++) expect((await gateway.chat(key, { model: 'demo-small' })).status).toBe(200);
  expect(gateway.sql("SELECT count(*) AS n FROM entries WHERE kind = 'usage'")).toEqual([{ n: 50n }]);
  const { overview, entryKinds } = wordsOf('en').account;
  const html = await (await (await signedIn(gateway, key)).get('/account')).text();
  expect(html.slice(html.indexOf(overview.credits))).toContain(entryKinds.trial);
  expect(html).not.toContain(overview.noCredits);
});

test('cards of one amount are told apart by their serials', async () => {
  const { key } = await gateway.register();
  const cards = [await issueCard(gateway), await issueCard(gateway)];
  for (const { code } of cards) await gateway.call('/api/redeem', { key, body: { code } });
  const html = await (await (await signedIn(gateway, key)).get('/account')).text();
  const serials = [...html.matchAll(/<span class="under id may-wrap">(SN\w+)/g)].map(([, serial]) => serial);
  expect(serials).toEqual(cards.map(({ serial }) => serial).reverse());
});

test('the page for cards lists those that the account has redeemed, but not to a child key', async () => {
  const { key } = await gateway.register();
  const { code, serial } = await issueCard(gateway);
  await gateway.call('/api/redeem', { key, body: { code } });
  const pageFor = async (one: string) => (await (await signedIn(gateway, one)).get('/account/redeem')).text();
  expect(await pageFor(key)).toContain(`<span class="id">${serial}</span>`);
  const top = await createKey(gateway, key, { name: 'top', delegate: true });
  const child = await createKey(gateway, key, { name: 'child', parent_id: top.id, budgets: { day_ntd: 0.1 } });
  expect(await pageFor(child.key)).not.toContain(serial);
});

test('a list of money that came in says so where it is not whole', async () => {
  const { key, accountId } = await gateway.register();
  const credit = (reference: string) =>
    gateway.gateway.store.commit('credit', { accountId, amount: 1n, reference, reason: 'sorry', at: clock.now() });
  const cut = wordsOf('en').account.overview.latestCredits(8);
  // The trial credit came before.
  for (let n = 1; n < 8; n++) await credit(`a ${n}`);
  const client = await signedIn(gateway, key);
  expect(await (await client.get('/account')).text()).not.toContain(cut);
  await credit('one more');
  const html = await (await client.get('/account')).text();
  expect(html).toContain(cut);
  expect(html).not.toContain(wordsOf('en').account.entryKinds.trial);
});

test('where no money came in, the overview says so', async () => {
  const { accountId } = await createAccount(gateway.gateway.store, 0n);
  const operator = await clientOf(gateway);
  const once = fieldOf(await (await operator.get(`/accounts/${accountId}/keys`)).text(), 'once');
  const made = await operator.submit(`/accounts/${accountId}/keys`, { name: 'the first', once });
  const [key = ''] = /sk-svc-\w+/.exec(await made.text()) ?? [];
  const html = await (await (await signedIn(gateway, key)).get('/account')).text();
  expect(html).toContain(wordsOf('en').account.overview.noCredits);
});

test('the last day of a filter is part of it, in Taipei; case and width do not matter', async () => {
  const { key } = await gateway.register();
  await gateway.chat(key, { model: 'auto:free' });
  await passTime(gateway, clock, HOUR_MS);
  await gateway.chat(key, { model: 'demo-small' });
  const client = await signedIn(gateway, key);
  const rows = async (query: string) => {
    const html = await (await client.get(`/account/usage?${query}`)).text();
    return [...html.matchAll(/class="what"><span class="id">([^<]*)/g)].map(([, model = '']) => model);
  };
  expect(await rows('from=2026-01-15&to=2026-01-15')).toEqual(['auto:free']);
  expect(await rows('from=2026-01-16&to=2026-01-16')).toEqual(['demo-small']);
  expect(await rows('from=2026-01-15&to=2026-01-16')).toEqual(['demo-small', 'auto:free']);
  expect(await rows('to=2999-12-31')).toEqual(['demo-small', 'auto:free']);
  expect(await rows('to=1999-12-31')).toEqual([]);
  expect(await rows('model=%20Demo-ＳＭＡＬＬ&channel=DEMO')).toEqual(['demo-small']);
  const csv = await (await client.get('/account/usage.csv?from=2026-01-15&to=2026-01-15')).text();
  expect(csv.trimEnd().split('\r\n')).toHaveLength(2);
});
