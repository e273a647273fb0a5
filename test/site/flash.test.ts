// What a form did is shown once, on the page that follows, to the session that sent the form. An address makes no notice,
// and a page with a secret can be left and come back to.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { money } from '../../src/site/format.ts';
import { wordsOf } from '../../src/site/language.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { createSiteClient, type SiteClient, signedIn } from './site-client.ts';

const { account } = wordsOf('en');
let gateway: TestGateway;
let clock: ManualClock;
beforeAll(async () => {
  clock = createManualClock(Date.UTC(2026, 0, 15, 4, 0, 0));
  gateway = await startTestGateway({ clock });
});
afterAll(() => gateway.stop());

async function noticeOf(client: SiteClient, path: string): Promise<string | undefined> {
  const html = await (await client.get(path)).text();
  return /<div class="notice[^"]*" role="\w+"><p>(.*?)<\/p>/.exec(html)?.[1];
}

/** The key on the page. */
async function secretOf(client: SiteClient, path: string): Promise<string | undefined> {
  return /<pre[^>]*class="secret"><code>([^<]*)/.exec(await (await client.get(path)).text())?.[1];
}

test('no address makes a notice', async () => {
  const { key } = await gateway.register();
  const client = await signedIn(gateway, key);
  const paths = ['keys?done=saved', 'keys?done=revoked', 'keys?done=stale', 'access?saved', 'webhooks?removed'];
  for (const path of paths) expect([path, await noticeOf(client, `/account/${path}`)]).toEqual([path, undefined]);
  expect(await noticeOf(createSiteClient(gateway), '/account/sign-in?signed-out')).toBeUndefined();
});

test('a notice is shown once, and to nobody else', async () => {
  const { key, keyId } = await gateway.register();
  const client = await signedIn(gateway, key);
  const other = await signedIn(gateway, key);
  const save = () => client.post(`/account/keys/${keyId}`, { name: 'mine', manage: '1' });
  expect((await save()).headers.get('location')).toBe('/account/keys');
  other.cookies.set('flash', client.cookies.get('flash') ?? '');
  expect(await noticeOf(other, '/account/keys')).toBeUndefined();
  expect(await noticeOf(client, '/account/webhooks')).toBeUndefined();
  expect(await noticeOf(client, '/account/keys')).toBe(account.keys.saved);
  expect(await noticeOf(client, '/account/keys')).toBeUndefined();
  await save();
  await clock.advance(61_000);
  expect(await noticeOf(client, '/account/keys')).toBeUndefined();
});

test('a changed or invented cookie is no notice', async () => {
  const { key, keyId } = await gateway.register();
  const client = await signedIn(gateway, key);
  await client.post(`/account/keys/${keyId}`, { name: 'mine', manage: '1' });
  const left = client.cookies.get('flash') ?? '';
  expect(left).not.toContain(account.keys.saved);
  const texts = [left.slice(0, -4), '{"notice":{"text":"hello"}}', btoa('{"notice":{"text":"hello"}}'), 'sealed:', ''];
  for (const text of texts) {
    client.cookies.set('flash', text);
    expect([text, await noticeOf(client, '/account/keys')]).toEqual([text, undefined]);
  }
});

test('a redeemed card is reported after a redirect: loading the page again sends nothing', async () => {
  const { key } = await gateway.register();
  const { code } = await issueCard(gateway);
  const client = await signedIn(gateway, key);
  const answer = await client.post('/account/redeem', { code });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account/redeem']);
  const done = account.redeem.done(money(100_000_000_000n), money(101_000_000_000n));
  expect(await noticeOf(client, '/account/redeem')).toBe(done);
  expect(await noticeOf(client, '/account/redeem')).toBeUndefined();
});

test('a new key and a rotated one are shown once, on a page that can be come back to', async () => {
  const { key } = await gateway.register();
  const client = await signedIn(gateway, key);
  const made = await client.post('/account/keys', { name: 'second', known: '1' });
  expect([made.status, made.headers.get('location')]).toEqual([303, '/account/keys']);
  const secret = await secretOf(client, '/account/keys');
  expect((await gateway.get('/api/me', secret ?? '')).key.name).toBe('second');
  expect(await secretOf(client, '/account/keys')).toBeUndefined();

  const third = await createKey(gateway, key, { name: 'third' });
  const rotated = await client.post(`/account/keys/${third.id}/rotate`, { last4: third.key.slice(-4), grace: '0' });
  expect(rotated.status).toBe(303);
  const renewed = await secretOf(client, '/account/keys');
  expect((await gateway.get('/api/me', renewed ?? '')).key.name).toBe('third');
  expect(await secretOf(client, '/account/keys')).toBeUndefined();
});

test('a new account shows its key once; who comes back is led to the account', async () => {
  const client = createSiteClient(gateway);
  const made = await client.post('/account/create', { next: '/account/setup' });
  expect([made.status, made.headers.get('location')]).toEqual([303, '/account/created?next=%2Faccount%2Fsetup']);
  const path = made.headers.get('location') ?? '';
  const secret = await secretOf(client, path);
  expect((await gateway.get('/api/me', secret ?? '')).key.manage).toBe(true);
  const again = await client.get(path);
  expect([again.status, again.headers.get('location')]).toEqual([303, '/account/setup']);
});

test('signing out is reported once', async () => {
  const { key } = await gateway.register();
  const client = await signedIn(gateway, key);
  const left = await client.post('/account/sign-out');
  expect(left.headers.get('location')).toBe('/account/sign-in');
  expect(await noticeOf(client, '/account/sign-in')).toBe(account.signedOut);
  expect(await noticeOf(client, '/account/sign-in')).toBeUndefined();
});
