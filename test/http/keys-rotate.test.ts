// Rotation: a new text for the same key. The old one dies at once, or when its grace ends.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';

let gateway: TestGateway;
let clock: ManualClock;
let account: TestAccount;

beforeAll(async () => {
  clock = createManualClock();
  gateway = await startTestGateway({ clock });
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const rotate = (id: string, body: unknown = {}, key = account.key) =>
  gateway.call(`/api/keys/${id}/rotate`, { method: 'POST', key, body });
const statusOf = async (key: string) => (await gateway.call('/api/me', { key })).status;

test('the old key dies at once, the new one has its id, name and restrictions', async () => {
  const fields = { name: 'ci', models: ['up-paid'], daily_budget_ntd: 3 };
  const { id, key } = await createKey(gateway, account.key, fields);
  expect(await statusOf(key)).toBe(200);
  const response = await rotate(id);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const answer: Answer = await response.json();
  expect(await statusOf(key)).toBe(401);
  expect(answer.api_key).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/);
  expect(answer.api_key).not.toBe(key);
  expect(answer).toMatchObject({ id, ...fields, last4: answer.api_key.slice(-4), manage: false });
  expect((await gateway.get('/api/me', answer.api_key)).key.id).toBe(id);
});

test('an empty body means no grace', async () => {
  const { id, key } = await createKey(gateway, account.key);
  expect((await gateway.call(`/api/keys/${id}/rotate`, { method: 'POST', key: account.key })).status).toBe(200);
  expect(await statusOf(key)).toBe(401);
});

test.each([1, 86_400])('with grace_seconds %d both work until it ends, and only the new one after', async (seconds) => {
  const { id, key } = await createKey(gateway, account.key);
  const { api_key }: Answer = await (await rotate(id, { grace_seconds: seconds })).json();
  expect([await statusOf(key), await statusOf(api_key)]).toEqual([200, 200]);
  clock.step(seconds * 1_000 - 1);
  expect([await statusOf(key), await statusOf(api_key)]).toEqual([200, 200]);
  clock.step(1);
  expect([await statusOf(key), await statusOf(api_key)]).toEqual([401, 200]);
});

test('a second rotation ends the grace of the first: at most two texts live', async () => {
  const { id, key } = await createKey(gateway, account.key);
  const second: Answer = await (await rotate(id, { grace_seconds: 600 })).json();
  const third: Answer = await (await rotate(id, { grace_seconds: 600 })).json();
  expect(await Promise.all([key, second.api_key, third.api_key].map(statusOf))).toEqual([401, 200, 200]);
  const fourth: Answer = await (await rotate(id)).json();
  expect(await Promise.all([second.api_key, third.api_key, fourth.api_key].map(statusOf))).toEqual([401, 401, 200]);
});

test('a key deleted in its grace is dead under both texts', async () => {
  const { id, key } = await createKey(gateway, account.key);
  const { api_key }: Answer = await (await rotate(id, { grace_seconds: 600 })).json();
  expect((await gateway.call(`/api/keys/${id}`, { method: 'DELETE', key: account.key })).status).toBe(200);
  expect([await statusOf(key), await statusOf(api_key)]).toEqual([401, 401]);
});

test('the last managing key may rotate itself', async () => {
  const other = await gateway.register();
  const { api_key }: Answer = await (await rotate(other.keyId, {}, other.key)).json();
  expect(await statusOf(other.key)).toBe(401);
  expect((await gateway.get('/api/me', api_key)).key).toMatchObject({ id: other.keyId, manage: true });
  expect((await gateway.call('/api/keys', { key: api_key })).status).toBe(200);
});

test.each([
  '{"grace_seconds":-1}',
  '{"grace_seconds":86401}',
  '{"grace_seconds":0.5}',
  '{"grace_seconds":1e400}',
  '{"grace_seconds":"60"}',
  '{"grace_seconds":true}',
  '{"grace_seconds":[60]}',
])('%s is 400, and the key stays as it was', async (body) => {
  const { id, key } = await createKey(gateway, account.key);
  const response = await rotate(id, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param: 'grace_seconds' } });
  expect(await statusOf(key)).toBe(200);
});

test('a misspelt grace is 400, and the key stays as it was', async () => {
  const { id, key } = await createKey(gateway, account.key);
  const response = await rotate(id, { grace_second: 60 });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param: 'grace_second' } });
  expect(await statusOf(key)).toBe(200);
});

test('fifty rotations at once leave one working key', async () => {
  const { id, key } = await createKey(gateway, account.key);
  const responses = await Promise.all(Array.from({ length: 50 }, () => rotate(id)));
  const keys = await Promise.all(responses.map(async (response) => ((await response.json()) as Answer).api_key));
  expect(new Set(keys).size).toBe(50);
  const statuses = await Promise.all([key, ...keys].map(statusOf));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});
