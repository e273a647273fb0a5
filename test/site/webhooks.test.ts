// The page of webhooks: added, tested, given a new secret and deleted without a program.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { type SiteClient, signedIn } from './site-client.ts';

let gateway: TestGateway;
let receiver: WebhookReceiver;
let account: TestAccount;
let client: SiteClient;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' }, limits: { register_per_ip: 100 } });
});
beforeEach(async () => {
  receiver = await startReceiver();
  account = await gateway.register();
  client = await signedIn(gateway, account.key);
});
afterEach(() => receiver.stop());
afterAll(() => gateway.stop());

const listed = async (): Promise<Answer[]> => (await gateway.get('/api/webhooks', account.key)).data;
const secretIn = (html: string) => /whsec_[0-9A-Za-z+/=]+/.exec(html)?.[0];
const knownIn = (html: string) => /name="known" value="([^"]*)"/.exec(html)?.[1] ?? '';
const page = async (path = '') => (await client.get(`/account/webhooks${path}`)).text();

async function add(url = receiver.url): Promise<string> {
  const response = await client.submit('/account/webhooks', { url, known: knownIn(await page()) });
  expect(response.status).toBe(200);
  return response.text();
}

test('a webhook is added, and its secret is shown once', async () => {
  expect(await page()).toContain('There is no webhook yet.');
  const html = await add();
  expect(secretIn(html)).toBeDefined();
  expect(await listed()).toMatchObject([{ url: receiver.url, types: null, enabled: true }]);
  const after = await page();
  expect(after).toContain(receiver.url);
  expect(secretIn(after)).toBeUndefined();
});

test('a form that is sent twice adds one', async () => {
  const known = knownIn(await page());
  await client.post('/account/webhooks', { url: receiver.url, known });
  const again = await client.post('/account/webhooks', { url: receiver.url, known });
  expect(again.status).toBe(409);
  expect(await again.text()).toContain('Nothing was done.');
  expect(await listed()).toHaveLength(1);
});

test('a test says what the receiver answered', async () => {
  await add();
  const [{ id }] = await listed();
  const sendTest = async () => (await client.submit(`/account/webhooks/${id}/test`)).text();
  expect(await sendTest()).toContain('the receiver answered 204');
  receiver.answer = () => 503;
  expect(await sendTest()).toContain('The receiver answered 503');
  await receiver.away();
  expect(await sendTest()).toContain('did not arrive');
});

test('a secret is replaced once, after a question', async () => {
  const before = secretIn(await add());
  const [{ id }] = await listed();
  const known = knownIn(await page(`/${id}/rotate`));
  const rotated = await client.submit(`/account/webhooks/${id}/rotate`, { known });
  const after = secretIn(await rotated.text());
  expect(after).toBeDefined();
  expect(after).not.toBe(before);
  expect((await client.post(`/account/webhooks/${id}/rotate`, { known })).status).toBe(409);
});

test('a webhook is deleted, after a question', async () => {
  await add();
  const [{ id }] = await listed();
  expect(await page(`/${id}/delete`)).toContain('Delete this webhook?');
  expect(await listed()).toHaveLength(1);
  const response = await client.post(`/account/webhooks/${id}/delete`);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/account/webhooks']);
  expect(await listed()).toEqual([]);
});

test('a URL that is not valid stays in its field, in both languages', async () => {
  for (const [language, text] of [
    ['en', 'The URL is not valid.'],
    ['zh-TW', '網址無效。'],
  ] as const) {
    const visitor = await signedIn(gateway, account.key, language);
    const refused = await visitor.post('/account/webhooks', { url: 'ftp://example.com', known: '' });
    const html = await refused.text();
    expect([refused.status, html.includes(text), html.includes('value="ftp://example.com"')]).toEqual([
      400,
      true,
      true,
    ]);
  }
});

test('a key that does not manage sees and changes nothing', async () => {
  await add();
  const { key } = await createKey(gateway, account.key);
  const visitor = await signedIn(gateway, key);
  const html = await (await visitor.get('/account/webhooks')).text();
  expect(html).toContain('cannot manage webhooks');
  expect(html).not.toContain(receiver.url);
  const [{ id }] = await listed();
  expect((await visitor.post(`/account/webhooks/${id}/delete`)).status).toBe(403);
  expect((await visitor.get(`/account/webhooks/${id}/delete`)).status).toBe(403);
  expect(await listed()).toHaveLength(1);
});
