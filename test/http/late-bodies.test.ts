// A body that comes long after its headers: what counts is the key as it is when the body is there. So nobody keeps a
// request parked to act with a key that was taken away meanwhile.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type CreatedKey, createKey } from '../support/create-key.ts';
import { dial, type Line } from '../support/dial.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';

const clock = createManualClock();
const FIRST_CHARS = 5;
const MODEL_CALL =
  '{"model":"demo-small","max_tokens":20,"input":"x","prompt":"x","messages":[{"role":"user","content":"x"}]}';
let gateway: TestGateway;
let account: TestAccount;
let parked: Line[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    document: (doc) => ({ ...doc, guards: { ...doc.guards, bad_keys_per_minute: null } }),
  });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  account = await gateway.register();
});
afterEach(() => {
  for (const line of parked) line.hangUp();
  parked = [];
});

interface Parked {
  finish(): Promise<{ status: number; head: string; error: Answer }>;
}

interface Sent {
  method?: string;
  isChunked?: boolean;
}

/** All headers and the beginning of the body are there; the rest comes with `finish`. */
async function park(
  path: string,
  key: string,
  body: string,
  { method = 'POST', isChunked }: Sent = {},
): Promise<Parked> {
  const timers = clock.pending();
  const line = await dial(gateway.port);
  parked.push(line);
  const framing = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
  const piece = (text: string) => (isChunked ? `${text.length.toString(16)}\r\n${text}\r\n` : text);
  const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${framing}\r\n\r\n`;
  await line.write(head + piece(body.slice(0, FIRST_CHARS)));
  await eventually('the body to be waited for', () => clock.pending() > timers);
  return {
    async finish() {
      await line.write(piece(body.slice(FIRST_CHARS)) + (isChunked ? '0\r\n\r\n' : ''));
      const text = await eventually('an answer', () => line.text().endsWith('}') && line.text());
      const [head = '', json = ''] = text.split('\r\n\r\n');
      return { status: Number(text.split(' ')[1]), head, error: (JSON.parse(json) as Answer).error };
    },
  };
}

const send = (method: string, path: string, key: string, body?: unknown) => gateway.call(path, { method, key, body });
const statusOf = async (key: string) => (await gateway.call('/api/me', { key })).status;
const change = async (id: string, changes: Record<string, unknown>) =>
  expect((await send('PATCH', `/api/keys/${id}`, account.key, changes)).status).toBe(200);
const usageOf = async () => (await gateway.get('/api/usage', account.key)).data;

describe('a key that was deleted while the body came', () => {
  const routes: [path: string, body: string, sent?: Sent][] = [
    ['/v1/chat/completions', MODEL_CALL],
    ['/v1/chat/completions', MODEL_CALL, { isChunked: true }],
    ['/v1/responses', MODEL_CALL],
    ['/v1/messages', MODEL_CALL],
    ['/v1/embeddings', MODEL_CALL],
    ['/v1/images/generations', MODEL_CALL],
    ['/v1/messages/count_tokens', MODEL_CALL],
    ['/api/quote', MODEL_CALL],
    ['/v1/chat/completions', 'no JSON at all'],
    ['/api/redeem', '{"code":"PC-M368-9GV2-R7X6-HBG9-72CQ-70V6-DA3K"}'],
    ['/api/keys', '{"manage":true}'],
    ['/api/keys', '{"manage":true}', { isChunked: true }],
    ['/api/keys/OTHER', '{"name":"taken"}', { method: 'PATCH' }],
    ['/api/keys/OTHER/rotate', '{"grace_seconds":0}'],
  ];
  test.each(routes)('%s is refused as at the beginning: %s', async (path, body, sent = {}) => {
    const { id, key } = await createKey(gateway, account.key, { manage: true });
    const other = await createKey(gateway, account.key, { name: 'other' });
    const asked = path.replace('OTHER', other.id);
    const call = await park(asked, key, body, sent);
    expect((await send('DELETE', `/api/keys/${id}`, account.key)).status).toBe(200);
    const before = (await gateway.get('/api/keys', account.key)).data;
    const { status, head, error } = await call.finish();
    const fresh = await send(sent.method ?? 'POST', asked, key, {});
    const refused: Answer = await fresh.json();
    expect(status).toBe(401);
    expect({ ...error, request_id: undefined }).toEqual({ ...refused.error, request_id: undefined });
    for (const name of ['www-authenticate', 'x-should-retry']) {
      expect(head.toLowerCase()).toContain(`${name}: ${fresh.headers.get(name)?.toLowerCase()}`);
    }
    expect((await gateway.get('/api/keys', account.key)).data).toEqual(before);
    expect(await usageOf()).toEqual([]);
  });
});

describe('a key that was rotated while the body came', () => {
  test('does not rotate itself again: the owner’s new key lives', async () => {
    const call = await park(`/api/keys/${account.keyId}/rotate`, account.key, '{"grace_seconds":0}');
    const rotated: Answer = await (await send('POST', `/api/keys/${account.keyId}/rotate`, account.key, {})).json();
    expect((await call.finish()).status).toBe(401);
    expect([await statusOf(account.key), await statusOf(rotated.api_key)]).toEqual([401, 200]);
  });

  test('acts in its grace', async () => {
    const call = await park('/api/keys', account.key, '{"name":"made"}');
    await send('POST', `/api/keys/${account.keyId}/rotate`, account.key, { grace_seconds: 60 });
    expect((await call.finish()).status).toBe(201);
  });
});

test('a key that was revoked elsewhere stops within a second', async () => {
  const { id, key } = await createKey(gateway, account.key);
  const call = await park('/v1/chat/completions', key, MODEL_CALL);
  const { store } = gateway.gateway;
  await store.commit('revokeKey', { accountId: account.accountId, keyId: id, at: clock.now() });
  await clock.advance(1_000);
  expect((await call.finish()).status).toBe(401);
});

test('a key that has expired meanwhile is refused', async () => {
  const expires_at = new Date(clock.now() + 10_000).toISOString();
  const { key } = await createKey(gateway, account.key, { expires_at });
  const call = await park('/v1/chat/completions', key, MODEL_CALL);
  clock.step(10_000);
  expect((await call.finish()).status).toBe(401);
});

test('a key that may not manage any more makes no key', async () => {
  const { id, key } = await createKey(gateway, account.key, { manage: true });
  const call = await park('/api/keys', key, '{"manage":true}');
  await change(id, { manage: false });
  const { status, error } = await call.finish();
  expect([status, error.code]).toEqual([403, 'key_not_permitted']);
});

describe('a key that was restricted meanwhile', () => {
  let made: CreatedKey;
  beforeEach(async () => {
    made = await createKey(gateway, account.key);
  });

  test('has its new budget', async () => {
    const call = await park('/v1/chat/completions', made.key, MODEL_CALL);
    await change(made.id, { daily_budget_ntd: 0 });
    const { status, error } = await call.finish();
    expect([status, error.code]).toEqual([402, 'key_budget_exceeded']);
    expect(await usageOf()).toEqual([]);
  });

  test.each(['/v1/chat/completions', '/v1/messages/count_tokens'])('has its new allow-list on %s', async (path) => {
    const call = await park(path, made.key, MODEL_CALL);
    await change(made.id, { models: ['auto:free'] });
    const { status, error } = await call.finish();
    expect([status, error.code]).toEqual([403, 'model_not_allowed']);
    expect(await usageOf()).toEqual([]);
  });

  test('and set free again is served as it is now', async () => {
    await change(made.id, { models: ['auto:free'], daily_budget_ntd: 0 });
    const call = await park('/v1/chat/completions', made.key, MODEL_CALL);
    await change(made.id, { models: null, daily_budget_ntd: null });
    expect((await call.finish()).status).toBe(200);
  });
});

test('of rotations that a key asks for itself at once, one is done and the others are refused', async () => {
  for (let round = 0; round < 5; round++) {
    const { key, keyId } = await gateway.register();
    const calls = await Promise.all(
      Array.from({ length: 4 }, () => send('POST', `/api/keys/${keyId}/rotate`, key, {})),
    );
    expect(calls.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
    const answers: Answer[] = await Promise.all(calls.map((call) => call.json()));
    const texts = answers.flatMap(({ api_key }) => api_key ?? []);
    expect(await Promise.all(texts.map(statusOf))).toEqual([200]);
  }
});

test('a bad key that is found late counts against its address', async () => {
  const { id, key } = await createKey(gateway, account.key);
  const calls = [
    await park('/v1/chat/completions', key, MODEL_CALL),
    await park('/v1/chat/completions', key, MODEL_CALL),
  ];
  await gateway.apply((doc) => ({ ...doc, guards: { ...doc.guards, bad_keys_per_minute: 1 } }));
  await send('DELETE', `/api/keys/${id}`, account.key);
  const told: number[] = [];
  for (const call of calls) told.push((await call.finish()).status);
  expect(told).toEqual([401, 429]);
});
