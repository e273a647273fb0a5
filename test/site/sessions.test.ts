// Sessions of the site: their cookies, their end by time and by key, and the way back to where one was.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';
import { createSiteClient, type SiteClient, signedIn } from './site-client.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(async () => {
  clock = createManualClock();
  gateway = await startTestGateway({ clock });
});
afterEach(() => gateway.stop());

const isIn = async (client: SiteClient) => (await client.get('/account/usage')).status === 200;

describe('the cookie', () => {
  test('on a plain loopback address: out of reach for scripts and other sites', async () => {
    const { key } = await gateway.register();
    const client = createSiteClient(gateway);
    const [cookie = ''] = (await client.post('/account/sign-in', { key })).headers.getSetCookie();
    expect(cookie).toMatch(/^session=acc_[0-9a-z]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
    const [ended] = (await client.post('/account/sign-out')).headers.getSetCookie();
    expect(ended).toBe('session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
  });

  test('on https: bound to the host, over TLS alone', async () => {
    const secure = await startTestGateway({ env: { PUBLIC_URL: 'https://gateway.example' } });
    try {
      const client = createSiteClient(secure);
      const created = await client.post('/account/create', {}, { origin: 'https://gateway.example' });
      const [cookie = ''] = created.headers.getSetCookie();
      expect(cookie).toMatch(/^__Host-session=acc_\S+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200; Secure$/);
      expect((await client.get('/account/usage')).status).toBe(200);
      const [language] = (await client.get('/?lang=en')).headers.getSetCookie();
      expect(language).toEndWith('; SameSite=Lax; Secure');
    } finally {
      await secure.stop();
    }
  });

  test('is another one after every sign-in, and the one before is worth nothing', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key);
    const before = client.cookies.get('session') ?? '';
    await client.post('/account/sign-in', { key });
    expect(client.cookies.get('session')).not.toBe(before);
    expect(await isIn(client)).toBe(true);
    client.cookies.set('session', before);
    expect(await isIn(client)).toBe(false);
  });

  test('that nobody was given opens nothing', async () => {
    const { accountId } = await gateway.register();
    const client = createSiteClient(gateway);
    for (const value of [`${accountId}.${'A'.repeat(43)}`, accountId, 'x', "acc_1' OR 1=1--", '%00']) {
      client.cookies.set('session', value);
      expect([value, await isIn(client)]).toEqual([value, false]);
    }
  });
});

describe('time', () => {
  test('half an hour without a visit ends a session; visits carry it on, up to twelve hours', async () => {
    const { key } = await gateway.register();
    const idle = await signedIn(gateway, key);
    const busy = await signedIn(gateway, key);
    await passTime(gateway, clock, 29 * MINUTE_MS);
    expect(await isIn(busy)).toBe(true);
    await passTime(gateway, clock, 2 * MINUTE_MS);
    expect([await isIn(idle), await isIn(busy)]).toEqual([false, true]);

    for (let passed = 31 * MINUTE_MS; passed < 12 * HOUR_MS - 25 * MINUTE_MS; passed += 25 * MINUTE_MS) {
      expect(await isIn(busy)).toBe(true);
      await passTime(gateway, clock, 25 * MINUTE_MS);
    }
    await passTime(gateway, clock, 25 * MINUTE_MS);
    expect(await isIn(busy)).toBe(false);
  });

  test.each(['/account/usage', '/account/usage.csv'])(
    'after signing in again one is where one was, filters and all: a page, also who asked for %s',
    async (path) => {
      const { key } = await gateway.register();
      const client = await signedIn(gateway, key);
      await passTime(gateway, clock, HOUR_MS);
      const asked = await client.get(`${path}?model=up-paid&status=ok`);
      const html = await asked.text();
      expect(asked.status).toBe(401);
      expect(html).toContain('Your session has ended. Sign in again to return to the page.');
      const [, next = ''] = /name="next" value="([^"]*)"/.exec(html) ?? [];
      const again = await client.post('/account/sign-in', { key, next: next.replaceAll('&amp;', '&') });
      expect(again.headers.get('location')).toBe('/account/usage?model=up-paid&status=ok');
    },
  );

  test.each(['en', 'zh-TW'] as const)(
    'in %s a form that came too late leads back to its page, did nothing, and says so',
    async (language) => {
      const { key, keyId } = await gateway.register();
      const client = await signedIn(gateway, key, language);
      await passTime(gateway, clock, HOUR_MS);
      const told = `<div class="notice is-bad" role="alert"><p>${wordsOf(language).account.notDone}</p></div>`;
      const send = async () => {
        const late = await client.post(`/account/keys/${keyId}/revoke`);
        const html = await late.text();
        expect([late.status, html.includes(told)]).toEqual([401, true]);
        expect(html).toContain('name="next" value="/account/keys"');
      };
      await send();
      // Signed out in another tab, or after twelve hours, the browser has no cookie any more.
      client.cookies.clear();
      await send();
      expect((await gateway.call('/api/me', { key })).status).toBe(200);
    },
  );

  test('who rotates their own key at once stays signed in; others who signed in with it do not', async () => {
    const { key, keyId } = await gateway.register();
    const [client, other] = [await signedIn(gateway, key), await signedIn(gateway, key)];
    const form = { last4: key.slice(-4), old: 'none' };
    const rotate = (by: SiteClient) => by.post(`/account/keys/${keyId}/rotate`, form);
    expect((await rotate(client)).status).toBe(303);
    expect((await client.get('/account/access')).status).toBe(200);
    const again = await rotate(client);
    expect([again.status, again.headers.get('location')]).toEqual([303, '/account/keys']);
    const ended = await rotate(other);
    expect([ended.status, (await ended.text()).includes(wordsOf('en').account.lookFirst)]).toEqual([401, true]);
  });

  test('the way back never leads away', async () => {
    const { key } = await gateway.register();
    const elsewhere = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '',
      '/v1/models',
    ];
    for (const next of [...elsewhere, '/account/usage?x=\\y', '/account/usage#x', '/accounts']) {
      const response = await createSiteClient(gateway).post('/account/sign-in', { key, next });
      expect([next, response.headers.get('location')]).toEqual([next, '/account']);
    }
  });
});

describe('keys', () => {
  test('a revoked key ends the session it opened, and no other', async () => {
    const { key } = await gateway.register();
    const lesser = await createKey(gateway, key, { name: 'other', manage: true });
    const [owner, other] = [await signedIn(gateway, key), await signedIn(gateway, lesser.key)];
    await gateway.call(`/api/keys/${lesser.id}`, { key, method: 'DELETE' });
    expect([await isIn(owner), await isIn(other)]).toEqual([true, false]);
  });

  test('a key that has expired ends its session', async () => {
    const { key } = await gateway.register();
    const expires_at = new Date(clock.now() + 10 * MINUTE_MS).toISOString();
    const client = await signedIn(gateway, (await createKey(gateway, key, { expires_at })).key);
    expect(await isIn(client)).toBe(true);
    await passTime(gateway, clock, 11 * MINUTE_MS);
    expect(await isIn(client)).toBe(false);
  });

  test('a key that may not manage shows, and changes nothing', async () => {
    const { key } = await gateway.register();
    const lesser = await createKey(gateway, key, { name: 'calls only', models: ['up-paid'] });
    const client = await signedIn(gateway, lesser.key);
    expect(await (await client.get('/account/keys')).text()).not.toContain('action="/account/keys"');
    const known = '2';
    expect((await client.post('/account/keys', { name: 'x', known })).status).toBe(403);
    expect((await client.post(`/account/keys/${lesser.id}`, { name: 'x' })).status).toBe(403);
    expect((await client.post(`/account/keys/${lesser.id}/rotate`)).status).toBe(403);
    const refused = await client.post('/account/access', { name: 'taken-over', password: 'long enough password' });
    expect(refused.status).toBe(400);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
  });

  test.each(['en', 'zh-TW'] as const)(
    'a key that may not manage is not told the name of the owner, in %s',
    async (language) => {
      const { access, keys } = wordsOf(language).account;
      const { key } = await gateway.register();
      const owner = await signedIn(gateway, key, language);
      const lesser = await createKey(gateway, key, { name: 'calls only' });
      const page = async (client: SiteClient) => await (await client.get('/account/access')).text();
      for (const name of [undefined, `boss-${language.toLowerCase()}`]) {
        if (name) await owner.post('/account/access', { name, password: 'long enough password' });
        expect(await page(owner)).toContain(name ? access.current(name) : access.lead);
        const html = await page(await signedIn(gateway, lesser.key, language));
        expect(html).toContain(access.restricted);
        for (const text of [access.lead, keys.restricted, name ?? access.nameHelp]) expect(html).not.toContain(text);
      }
    },
  );

  test('a key that may not manage signs out nobody but itself', async () => {
    const { key } = await gateway.register();
    const lesser = await createKey(gateway, key, { name: 'calls only' });
    const other = await createKey(gateway, key, { name: 'calls, too' });
    const owner = await signedIn(gateway, key);
    const [client, elsewhere] = [await signedIn(gateway, lesser.key), await signedIn(gateway, lesser.key)];
    expect(await (await client.get('/account/access')).text()).toContain('opened with your key');
    expect((await client.post('/account/sign-out-everywhere')).status).toBe(303);
    expect([await isIn(owner), await isIn(client), await isIn(elsewhere)]).toEqual([true, false, false]);

    for (let n = 0; n < 21; n++) await signedIn(gateway, lesser.key);
    expect(await isIn(owner)).toBe(true);
    const others = await signedIn(gateway, other.key);
    for (let n = 0; n < 3; n++) await signedIn(gateway, lesser.key);
    expect([await isIn(owner), await isIn(others)]).toEqual([true, true]);

    const again = await signedIn(gateway, key);
    expect([await isIn(owner), await isIn(again)]).toEqual([true, true]);
    await again.post('/account/sign-out-everywhere');
    expect(await isIn(owner)).toBe(false);
    await signedIn(gateway, other.key);
  });

  test('where all sessions manage, a key that may not is told that they are too many', async () => {
    const { key } = await gateway.register();
    const lesser = await createKey(gateway, key, { name: 'calls only' });
    for (let n = 0; n < 20; n++) await signedIn(gateway, key);
    const refused = await createSiteClient(gateway).post('/account/sign-in', { key: lesser.key });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain('too many open sessions');
  });
});
