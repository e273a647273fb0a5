// What happens on a gateway in a few weeks, in a few seconds and through its API: accounts, cards, calls that are paid,
// free and failed, keys of every kind, a name to sign in with, revisions, an alarm, an incident, a frozen account.

import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createSiteClient } from '../../site/site-client.ts';
import type { Answer } from '../../support/answer.ts';
import { chatAnswer, chatStream } from '../../support/openai-chat.ts';
import { logged, type RunningServer, type Workplace } from '../../support/start-process.ts';
import { testDocument } from '../../support/test-document.ts';
import type { ScriptedUpstream } from '../../support/upstream.ts';

export interface Seen {
  status: number;
  body: Answer;
}

export interface Doors {
  call(path: string, options?: { key?: string; body?: unknown; method?: string; once?: string }): Promise<Seen>;
  /** Paths below /api/admin. */
  admin(method: string, path: string, body?: unknown): Promise<Seen>;
}

export function doorsOf(server: RunningServer, { dataDir }: Workplace): Doors {
  const token = readFileSync(`${dataDir}/admin-token`, 'utf8').trim();
  const adminUrl = String(logged(server, 'operator_serving')[0]?.url);
  const send = async (url: string, bearer: string | undefined, method: string, body: unknown, once?: string) => {
    const response = await fetch(url, {
      method,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(once === undefined ? {} : { 'idempotency-key': once }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return {
    call: (path, { key, body, method = body === undefined ? 'GET' : 'POST', once } = {}) =>
      send(server.url + path, key, method, body, once),
    admin: (method, path, body) => send(`${adminUrl}/api/admin${path}`, token, method, body),
  };
}

export const PASSWORD = 'correct horse battery';
export const LOGIN_NAME = 'moved-name';
export const ONCE = 'fake-idempotency-key-0001';

export interface History {
  /** Every key that was ever given out, by what became of it. */
  keys: Record<'managing' | 'frozen' | 'limited' | 'rotated' | 'beforeRotation' | 'revoked', string>;
  accounts: string[];
  unredeemed: string;
  cookies: Map<string, string>;
}

export function catalogOf(upstream: ScriptedUpstream, price = 40.123) {
  const document = testDocument(upstream.baseUrl);
  const models = document.models.map((model) =>
    model.id === 'up-paid'
      ? { ...model, price: { input: 10, cached_input: 1, cache_write_5m: 12.5, output: price } }
      : model,
  );
  return { ...document, models };
}

export async function makeHistory(
  place: Workplace,
  server: RunningServer,
  upstream: ScriptedUpstream,
): Promise<History> {
  const { call, admin } = doorsOf(server, place);
  const must = async (seen: Promise<Seen>, status = 200): Promise<Answer> => {
    const { status: found, body } = await seen;
    if (found !== status) throw new Error(`${found} instead of ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const chat = (key: string, model: string, more = {}) =>
    call('/v1/chat/completions', { key, body: { model, messages: [{ role: 'user', content: 'Hi' }], ...more } });

  const first = await must(call('/api/agent/register', { body: {} }), 201);
  const second = await must(call('/api/agent/register', { body: {} }), 201);
  const managing: string = first.api_key;

  const sold = await place.gateway(['cards', 'issue', '--amount', '100', '--count', '3', '--json']);
  const [redeemed, unredeemed, voided] = JSON.parse(sold.stdout);
  const promoted = await place.gateway([
    ...['cards', 'issue', '--amount', '5', '--count', '2', '--kind', 'promo', '--expires', '2099-12-31', '--json'],
  ]);
  const [promo] = JSON.parse(promoted.stdout);
  await must(call('/api/redeem', { key: managing, body: { code: redeemed.code }, once: ONCE }));
  await must(call('/api/redeem', { key: managing, body: { code: promo.code } }));
  await place.gateway(['cards', 'void', voided.serial]);

  upstream.next(chatAnswer(), chatStream());
  await must(chat(managing, 'up-paid'));
  await must(chat(managing, 'up-paid', { stream: true }));
  place.write('gateway.yaml', catalogOf(upstream, 50));
  await place.gateway(['config', 'apply', place.path('gateway.yaml')]);
  await must(admin('PATCH', '/prices', { edits: [{ model: 'demo-small', sale: { output: 66 } }], base_revision: 2 }));
  await must(chat(managing, 'demo-small'));
  await must(chat(managing, 'auto:free'));
  // Refused by the upstream: a record that costs nothing, and an alarm.
  upstream.otherwise({ status: 401, body: ['{"error":{"message":"no"}}'] });
  await must(chat(managing, 'up-free'), 502);

  const limited = await must(
    call('/api/keys', {
      key: managing,
      body: { name: '報表 "a\\b", {c}', models: ['demo-small'], daily_budget_ntd: 0.5 },
    }),
    201,
  );
  await must(chat(limited.api_key, 'demo-small', { max_tokens: 16 }));
  const rotated = await must(call('/api/keys', { key: managing, body: { name: 'NULL' } }), 201);
  const renewed = await must(
    call(`/api/keys/${rotated.id}/rotate`, { key: managing, body: { grace_seconds: 86_400 }, method: 'POST' }),
  );
  const revoked = await must(call('/api/keys', { key: managing, body: { name: null } }), 201);
  await call(`/api/keys/${revoked.id}`, { key: managing, method: 'DELETE' });

  await must(
    admin('POST', `/accounts/${first.account_id}/credit`, {
      amount_ntd: '99999998.765432101',
      reason: 'goodwill, {1}',
    }),
  );
  const refund = { amount_ntd: '0.000000001', reason: 'one billionth', kind: 'refund', once: 'r1' };
  await must(admin('POST', `/accounts/${first.account_id}/credit`, refund));
  const ofCard = { card: promo.serial, amount_ntd: '0.5', reason: 'late' };
  await must(admin('POST', `/accounts/${first.account_id}/refund`, ofCard));
  await must(admin('PUT', `/accounts/${first.account_id}/billing`, { name: '小店', tax_id: '04595257' }));
  await must(admin('POST', `/accounts/${second.account_id}/freeze`, { reason: 'asked for' }));
  await must(admin('PATCH', `/accounts/${first.account_id}`, { nickname: '小王 "1"', note: 'two\nlines' }));
  expect((await call('/v1/models', { key: 'sk-svc-wrong' })).status).toBe(401);
  const titles = ['--title-en', 'Slow', '--title-zh', '回應較慢'];
  await place.gateway(['incidents', 'add', ...titles]);

  const browser = createSiteClient(server);
  await browser.post('/account/sign-in', { key: managing });
  await browser.post('/account/access', { name: LOGIN_NAME, password: PASSWORD });
  return {
    keys: {
      managing,
      frozen: second.api_key,
      limited: limited.api_key,
      rotated: renewed.api_key,
      beforeRotation: rotated.api_key,
      revoked: revoked.api_key,
    },
    accounts: [first.account_id, second.account_id],
    unredeemed: unredeemed.code,
    cookies: browser.cookies,
  };
}

/** Everything that customers and the operator are shown of it. */
export async function lookAround(
  place: Workplace,
  server: RunningServer,
  { keys, accounts, cookies }: History,
): Promise<Record<string, unknown>> {
  const { call, admin } = doorsOf(server, place);
  const seen: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(keys)) seen[`me ${name}`] = lasting(await call('/api/me', { key }));
  seen.keys = await call('/api/keys', { key: keys.managing });
  let cursor = '';
  const requests: string[] = [];
  do {
    const page: Seen = await call(`/api/usage?limit=2${cursor}`, { key: keys.managing });
    seen[`usage${cursor}`] = page;
    for (const { request_id } of page.body.data) requests.push(request_id);
    cursor = page.body.next_cursor ? `&cursor=${page.body.next_cursor}` : '';
  } while (cursor !== '');
  for (const id of requests) seen[id] = await call(`/api/receipts/${id}`, { key: keys.managing });
  for (const id of accounts) seen[id] = await admin('GET', `/accounts/${id}`);
  for (const path of [
    '/document',
    '/revisions',
    '/prices',
    '/cards',
    '/batches',
    '/alarms',
    '/incidents',
    '/actions',
  ]) {
    seen[path] = await admin('GET', path);
  }
  for (const number of [1, 2, 3]) seen[`revision ${number}`] = await admin('GET', `/revisions/${number}`);
  const browser = createSiteClient(server);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  seen.session = (await browser.get('/account/usage')).status;
  return seen;
}

/** Without what the last minute was, and without the words of a refusal, which name the port. */
function lasting({ status, body }: Seen): unknown {
  if (status !== 200) return status;
  return JSON.parse(JSON.stringify(body, (name, value) => (name === 'minute' ? undefined : value)));
}
