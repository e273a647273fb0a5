// /api/webhooks: who may use it, what it refuses, and what it shows.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { Webhook } from 'standardwebhooks';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let gateway: TestGateway;
let receiver: WebhookReceiver;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' }, limits: { register_per_ip: 1_000 } });
});
beforeEach(async () => {
  receiver = await startReceiver();
  account = await gateway.register();
});
afterEach(() => receiver.stop());
afterAll(() => gateway.stop());

interface Called {
  status: number;
  json: Answer;
}

async function call(method: string, path: string, body?: unknown, key = account.key): Promise<Called> {
  const headers = method === 'POST' ? { 'content-type': 'application/json' } : {};
  const response = await gateway.call(`/api/webhooks${path}`, { method, key, headers, ...(body ? { body } : {}) });
  return { status: response.status, json: await response.json() };
}

const add = async (body: Record<string, unknown> = {}, key = account.key): Promise<Answer> => {
  const { status, json } = await call('POST', '', { url: receiver.url, ...body }, key);
  expect({ status, json }).toMatchObject({ status: 201 });
  return json;
};
const remove = (id: string) => call('DELETE', `/${id}`);
const receivedWith = (id: string) => receiver.received.filter((one) => one.id === id);

test('a webhook is shown with its secret once', async () => {
  const made = await add({ types: ['key.revoked', 'key.created'] });
  expect(made).toEqual({
    id: expect.stringMatching(/^whk_/),
    url: receiver.url,
    types: ['key.created', 'key.revoked'],
    enabled: true,
    disabled_for: null,
    failing_since: null,
    old_secret_until: null,
    created_at: expect.any(String),
    secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/),
  });
  const { secret, ...shown } = made;
  expect(await call('GET', `/${made.id}`)).toEqual({ status: 200, json: shown });
  expect((await call('GET', '')).json).toEqual({ object: 'list', data: [shown] });
  const rows = JSON.stringify(gateway.sql('SELECT * FROM webhooks'), (_, value) => String(value));
  expect(rows).not.toContain(secret);
  expect(gateway.log.text()).not.toContain(secret);
  expect(await remove(made.id)).toEqual({ status: 200, json: { id: made.id, deleted: true } });
  expect((await call('GET', '')).json.data).toEqual([]);
});

describe('a new event is sent', () => {
  test('with a signature that both libraries accept, thin and with its id', async () => {
    const { id, secret } = await add({ types: ['key.created'] });
    const { id: keyId } = await createKey(gateway, account.key);
    const got = await eventually('the event', () => receiver.received.find(({ json }) => json.data.key_id === keyId));
    const [event] = (await gateway.get('/api/events?type=key.created&limit=200', account.key)).data.slice(-1);
    expect(got.json).toEqual({ id: event.id, type: 'key.created', timestamp: event.at, data: event.data });
    expect(got.headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
    const { body, headers } = got;
    expect(new Webhook(secret).verify(body, headers)).toEqual(got.json);
    const unwrapped: unknown = await new OpenAI({ apiKey: 'none' }).webhooks.unwrap(body, headers, secret);
    expect(unwrapped).toEqual(got.json);
    const delivered = await eventually('the delivery', async () => {
      const { data } = (await call('GET', `/${id}/deliveries`)).json;
      return data.length > 0 && data;
    });
    expect(delivered).toEqual([
      {
        event_id: event.id,
        state: 'delivered',
        attempts: 1,
        last_status: 204,
        last_error: null,
        last_attempt_at: expect.any(String),
        next_attempt_at: null,
      },
    ]);
  });

  test('to the webhooks of its account alone, of the types that they have', async () => {
    const other = await gateway.register();
    const all = await add();
    const revoked = await add({ types: ['key.revoked'] });
    const foreign = await add({}, other.key);
    const { id: keyId } = await createKey(gateway, account.key);
    await gateway.call(`/api/keys/${keyId}`, { method: 'DELETE', key: account.key });
    const about = () => receiver.received.filter(({ json }) => json.data.key_id === keyId);
    const verifies = (secret: string) => (one: { body: string; headers: Record<string, string> }) => {
      try {
        return Boolean(new Webhook(secret).verify(one.body, one.headers));
      } catch {
        return false;
      }
    };
    await eventually('three messages', () => about().length >= 3);
    const types = (secret: string) =>
      about()
        .filter(verifies(secret))
        .map(({ json }) => json.type);
    expect(types(all.secret)).toEqual(['key.created', 'key.revoked']);
    expect(types(revoked.secret)).toEqual(['key.revoked']);
    expect(types(foreign.secret)).toEqual([]);
  });
});

test('a rotated secret: for a day messages are signed with both', async () => {
  const before = await add({ types: ['key.revoked'] });
  const { status, json: after } = await call('POST', `/${before.id}/rotate`);
  expect(status).toBe(200);
  expect(after.secret).not.toBe(before.secret);
  const hours = (Date.parse(after.old_secret_until) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23.9);
  expect(hours).toBeLessThanOrEqual(24);
  const { json: tested } = await call('POST', `/${before.id}/test`);
  const [got] = receivedWith(tested.event_id);
  expect(got?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const secret of [before.secret, after.secret]) {
    expect(new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {})).toMatchObject({ type: 'webhook.test' });
  }
});

describe('a test message', () => {
  test('is sent at once, and the answer says what the receiver said', async () => {
    const { id } = await add();
    expect((await call('POST', `/${id}/test`)).json).toEqual({
      event_id: expect.stringMatching(/^test_/),
      delivered: true,
      status: 204,
      error: null,
      duration_ms: expect.any(Number),
    });
    receiver.answer = () => 503;
    expect((await call('POST', `/${id}/test`)).json).toMatchObject({
      delivered: false,
      status: 503,
      error: 'it answered 503',
    });
    receiver.answer = () => 204;
    await call('PATCH', `/${id}`, { url: 'http://127.0.0.1:9/' });
    expect((await call('POST', `/${id}/test`)).json).toMatchObject({ status: null, error: 'it could not be reached' });
    expect((await call('GET', `/${id}/deliveries`)).json.data).toEqual([]);
  });

  test('can be sent ten times a minute', async () => {
    const busy = await gateway.register();
    const { id } = await add({}, busy.key);
    const test = () => call('POST', `/${id}/test`, undefined, busy.key);
    for (let sent = 0; sent < 10; sent++) expect((await test()).status).toBe(200);
    expect(await test()).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
  });
});

describe('what is refused', () => {
  test.each([
    [{}, 'url'],
    [{ url: 7 }, 'url'],
    [{ url: 'example.com' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'https://user@example.com/' }, 'url'],
    [{ url: 'https://example.com/', types: [] }, 'types'],
    [{ url: 'https://example.com/', types: 'balance.low' }, 'types'],
    [{ url: 'https://example.com/', types: ['balance.high'] }, 'types[0]'],
    [{ url: 'https://example.com/', secret: 'mine' }, 'secret'],
  ])('%j', async (body, param) => {
    const { status, json } = await call('POST', '', body);
    expect({ status, error: json.error }).toMatchObject({ status: 400, error: { code: 'invalid_request', param } });
  });

  test('an unknown webhook, and one of another account', async () => {
    const other = await gateway.register();
    const { id } = await add({}, other.key);
    for (const unknown of ['whk_none', id]) {
      for (const [method, path, body] of [
        ['GET', ''],
        ['PATCH', '', { enabled: false }],
        ['DELETE', ''],
        ['POST', '/rotate'],
        ['POST', '/test'],
        ['GET', '/deliveries'],
        ['POST', '/replay', { after: null }],
      ] as const) {
        const { status, json } = await call(method, `/${unknown}${path}`, body);
        expect([method, path, status, json.error?.code]).toEqual([method, path, 404, 'not_found']);
      }
    }
    expect((await call('GET', `/${id}`, undefined, other.key)).json).toMatchObject({ enabled: true });
  });

  test('a key that does not manage', async () => {
    const { key } = await createKey(gateway, account.key);
    expect(await call('GET', '', undefined, key)).toMatchObject({
      status: 403,
      json: { error: { code: 'key_not_permitted' } },
    });
    expect((await call('POST', '', { url: receiver.url }, key)).status).toBe(403);
  });

  test.each([['evt_0'], ['x'], [7]])('a replay after %j', async (after) => {
    const { id } = await add();
    expect((await call('POST', `/${id}/replay`, { after })).json.error).toMatchObject({
      code: 'invalid_request',
      param: 'after',
    });
  });

  test('more than ten of an account, also at once', async () => {
    const many = await gateway.register();
    const made = await Promise.all(Array.from({ length: 14 }, () => call('POST', '', { url: receiver.url }, many.key)));
    expect(made.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 10 }, () => 201),
      ...Array.from({ length: 4 }, () => 400),
    ]);
    const listed = (await call('GET', '', undefined, many.key)).json.data;
    expect(listed).toHaveLength(10);
    expect((await call('DELETE', `/${listed[0].id}`, undefined, many.key)).status).toBe(200);
    expect((await call('POST', '', { url: receiver.url }, many.key)).status).toBe(201);
  });
});

test('a repeated call with its Idempotency-Key makes one webhook and shows the same secret', async () => {
  const headers = { 'idempotency-key': 'hook-1' };
  const body = { url: receiver.url };
  const make = async (given: unknown): Promise<Called> => {
    const response = await gateway.call('/api/webhooks', { key: account.key, body: given, headers });
    return { status: response.status, json: await response.json() };
  };
  const first = await make(body);
  expect(await make(body)).toEqual(first);
  expect((await make({ ...body, types: ['balance.low'] })).status).toBe(422);
  expect((await call('GET', '')).json.data).toHaveLength(1);
});

test('a disabled webhook gets nothing; enabled again, it goes on where it was', async () => {
  const { id } = await add({ types: ['key.created'] });
  expect((await call('PATCH', `/${id}`, { enabled: false })).json).toMatchObject({
    enabled: false,
    disabled_for: null,
  });
  const { id: first } = await createKey(gateway, account.key);
  await add({ types: ['key.created'] });
  const { id: second } = await createKey(gateway, account.key);
  const about = (keyId: string) => receiver.received.filter(({ json }) => json.data.key_id === keyId);
  await eventually('the other webhook has its event', () => about(second).length === 1);
  expect(about(first)).toHaveLength(0);
  expect((await call('PATCH', `/${id}`, { enabled: true })).json).toMatchObject({ enabled: true });
  await eventually('both events', () => about(first).length === 1 && about(second).length === 2);
});

test('a type that is added later is sent from then on', async () => {
  const { id } = await add({ types: ['card.redeemed'] });
  const { id: before } = await createKey(gateway, account.key);
  await eventually('the webhook is past the event', () => {
    const [row] = gateway.sql<{ left: bigint }>(
      `SELECT count(*) AS left FROM events JOIN webhooks ON event_id > cursor_event_id WHERE webhook_id = ?`,
      id,
    );
    return row?.left === 0n;
  });
  expect((await call('PATCH', `/${id}`, { types: null })).status).toBe(200);
  const { id: after } = await createKey(gateway, account.key);
  await eventually('an event', () => receiver.received.length > 0);
  expect(receiver.received.map(({ json }) => json.data.key_id)).toEqual([after]);
  expect(before).not.toBe(after);
});

test('a URL that is changed while an event is sent gets this event and all later ones', async () => {
  const other = await startReceiver();
  try {
    const { id } = await add({ types: ['key.created'] });
    const gate = createGate();
    receiver.answer = () => gate.opened.then(() => 204);
    const { id: first } = await createKey(gateway, account.key);
    await eventually('the first event', () => receiver.received.length === 1);
    const { id: second } = await createKey(gateway, account.key);
    expect((await call('PATCH', `/${id}`, { url: other.url })).status).toBe(200);
    gate.open();
    await eventually('both events', () => other.received.length === 2);
    expect(other.received.map(({ json }) => json.data.key_id)).toEqual([first, second]);
    expect(receiver.received).toHaveLength(1);
  } finally {
    await other.stop();
  }
});

test('a replay sends the events after one of them again, under the same ids', async () => {
  const { id } = await add({ types: ['key.created'] });
  const keys = [await createKey(gateway, account.key), await createKey(gateway, account.key)].map((key) => key.id);
  const about = () => receiver.received.filter(({ json }) => keys.includes(String(json.data.key_id)));
  await eventually('both events', () => about().length === 2);
  const [first = '', second = ''] = about().map((one) => one.id);
  expect((await call('POST', `/${id}/replay`, { after: first })).status).toBe(200);
  await eventually('the second one again', () => about().length === 3);
  expect(about().map((one) => one.id)).toEqual([first, second, second]);
});
