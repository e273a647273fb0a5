// Idempotency-Key on register, redeem, key creation and rotation: the same call twice is one effect and one answer.

import { afterEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard, unissuedCode } from '../support/issue-cards.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';

const DAY_MS = 86_400_000;
const IDEMPOTENCY_KEY = 'fake-idempotency-key-0001';
let gateway: TestGateway;
afterEach(() => gateway.stop());

const post = (
  path: string,
  body: unknown,
  idempotencyKey: string,
  key?: string,
  headers: Record<string, string> = {},
) => gateway.call(path, { key, body, headers: { 'idempotency-key': idempotencyKey, ...headers } });
const register = (body: unknown, idempotencyKey: string, headers?: Record<string, string>) =>
  post('/api/agent/register', body, idempotencyKey, undefined, headers);
const isHit = (response: Response) => response.headers.get('idempotency-hit') === 'true';
const count = (table: string) => Number(gateway.sql<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n);

describe('register', () => {
  test('the same key and body give the same account and key, and take no second slot', async () => {
    gateway = await startTestGateway({ limits: { register_per_ip: 3, register_per_day: 200 } });
    const first = await register({ agent: 'a' }, IDEMPOTENCY_KEY);
    expect(first.status).toBe(201);
    expect(isHit(first)).toBe(false);
    const answer: Answer = await first.json();
    for (let i = 0; i < 5; i++) {
      const again = await register({ agent: 'a' }, IDEMPOTENCY_KEY);
      expect(again.status).toBe(201);
      expect(isHit(again)).toBe(true);
      expect(await again.json()).toEqual(answer);
    }
    expect(count('accounts')).toBe(1);
    expect((await gateway.get('/api/me', answer.api_key)).account_id).toBe(answer.account_id);
    // Three slots an address: one is taken, two are left.
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await gateway.call('/api/agent/register', { body: {} })).status);
    expect(statuses).toEqual([201, 201, 429]);
    // And a repeated call is answered even when the address has no slot any more.
    expect(isHit(await register({ agent: 'a' }, IDEMPOTENCY_KEY))).toBe(true);
    expect(gateway.audit()).toEqual([]);
  });

  test('tells the limits of the first call, whatever they are by now', async () => {
    gateway = await startTestGateway();
    const first: Answer = await (await register({}, IDEMPOTENCY_KEY)).json();
    await gateway.apply((standard) => ({ ...standard, limits: { free_per_minute: 3 } }));
    expect(await (await register({}, IDEMPOTENCY_KEY)).json()).toEqual(first);
    const other: Answer = await (await register({}, `${IDEMPOTENCY_KEY} 2`)).json();
    expect(other.limits.free_per_minute).toBe(3);
  });

  test('no body is the same as an empty object, to the byte', async () => {
    gateway = await startTestGateway();
    const first: Answer = await (await register('', IDEMPOTENCY_KEY)).json();
    expect(await (await register('{}', IDEMPOTENCY_KEY)).json()).toEqual(first);
    expect((await register('{ }', IDEMPOTENCY_KEY)).status).toBe(422);
    const made: Answer[] = [];
    for (const body of ['', '{}']) made.push(await (await post('/api/keys', body, 'k', first.api_key)).json());
    expect(made[0]?.api_key).toBeString();
    expect(made[1]).toEqual(made[0]);
  });

  test('the same key with another body is 422, and makes nothing', async () => {
    gateway = await startTestGateway();
    await register({ agent: 'a' }, IDEMPOTENCY_KEY);
    const reused = await register({ agent: 'b' }, IDEMPOTENCY_KEY);
    expect(reused.status).toBe(422);
    expect(await reused.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } });
    expect(count('accounts')).toBe(1);
  });

  test.each([
    ['empty', ''],
    ['19 characters', 'x'.repeat(19)],
    ['256 characters', 'x'.repeat(256)],
  ])('a key of %s is 400, and makes nothing', async (_, key) => {
    gateway = await startTestGateway();
    const response = await register({}, key);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param: 'Idempotency-Key' } });
    expect(count('accounts')).toBe(0);
  });

  test('a key of exactly 20 characters is taken', async () => {
    gateway = await startTestGateway();
    expect((await register({}, 'x'.repeat(20))).status).toBe(201);
    expect(isHit(await register({}, 'x'.repeat(20)))).toBe(true);
  });

  test('belongs to the address: the same key from another one gives another account', async () => {
    gateway = await startTestGateway({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const one: Answer = await (await register({}, IDEMPOTENCY_KEY, { 'x-forwarded-for': '203.0.113.1' })).json();
    const other = await register({}, IDEMPOTENCY_KEY, { 'x-forwarded-for': '203.0.113.2' });
    expect(isHit(other)).toBe(false);
    const stranger: Answer = await other.json();
    expect(stranger.account_id).not.toBe(one.account_id);
    expect(stranger.api_key).not.toBe(one.api_key);
  });

  test('fifty at once are one account with one key', async () => {
    gateway = await startTestGateway({ limits: { register_per_ip: 3, register_per_day: 200 } });
    const responses = await Promise.all(Array.from({ length: 50 }, () => register({}, IDEMPOTENCY_KEY)));
    expect(responses.every(({ status }) => status === 201)).toBe(true);
    expect(responses.filter(isHit)).toHaveLength(49);
    const answers: Answer[] = await Promise.all(responses.map((response) => response.json()));
    expect(new Set(answers.map(({ api_key, account_id }) => `${api_key} ${account_id}`)).size).toBe(1);
    for (const table of ['accounts', 'keys', 'entries']) expect(count(table), table).toBe(1);
  });

  test('a refused call is not remembered: it works once there is a slot', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock, limits: { register_per_ip: 1, register_per_day: 200 } });
    await gateway.call('/api/agent/register', { body: {} });
    expect((await register({}, IDEMPOTENCY_KEY)).status).toBe(429);
    await passTime(gateway, clock, DAY_MS);
    expect((await register({}, IDEMPOTENCY_KEY)).status).toBe(201);
  });

  test('after 24 hours it is a new call with a new account, and not before', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const first: Answer = await (await register({}, IDEMPOTENCY_KEY)).json();
    await passTime(gateway, clock, DAY_MS - 1);
    expect(await (await register({}, IDEMPOTENCY_KEY)).json()).toEqual(first);
    await clock.advance(1);
    const later = await register({}, IDEMPOTENCY_KEY);
    expect(isHit(later)).toBe(false);
    const second: Answer = await later.json();
    expect(second.account_id).not.toBe(first.account_id);
    expect(second.api_key).not.toBe(first.api_key);
    expect((await gateway.call('/api/me', { key: first.api_key })).status).toBe(200);
    expect((await gateway.call('/api/me', { key: second.api_key })).status).toBe(200);
  });
});

describe('redeem', () => {
  test('repeats the answer of the first call, credit and all, but credits once', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    const { code, serial } = await issueCard(gateway);
    const first: Answer = await (await post('/api/redeem', { code }, 'r1', key)).json();
    expect(first).toMatchObject({ card_serial: serial, balance_ntd: 101, already_redeemed: false });
    const more = await issueCard(gateway);
    await gateway.call('/api/redeem', { key, body: { code: more.code } });

    const again = await post('/api/redeem', { code }, 'r1', key);
    expect(again.status).toBe(200);
    expect(isHit(again)).toBe(true);
    expect(await again.json()).toEqual(first);
    expect((await gateway.get('/api/me', key)).balance_ntd).toBe(201);
    expect(gateway.audit()).toEqual([]);
  });

  test('with another card under the same key is 422, and leaves that card alone', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    const [one, other] = [await issueCard(gateway), await issueCard(gateway)];
    await post('/api/redeem', { code: one.code }, 'r1', key);
    const reused = await post('/api/redeem', { code: other.code }, 'r1', key);
    expect(reused.status).toBe(422);
    expect(gateway.sql('SELECT state FROM cards WHERE hash = ?', other.hash)).toEqual([{ state: 'issued' }]);
  });

  test('holds for a card that was redeemed before, too', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    const [one, other] = [await issueCard(gateway), await issueCard(gateway)];
    await gateway.call('/api/redeem', { key, body: { code: one.code } });
    const first: Answer = await (await post('/api/redeem', { code: one.code }, 'r1', key)).json();
    expect(first).toMatchObject({ balance_ntd: 101, already_redeemed: true });
    expect((await post('/api/redeem', { code: other.code }, 'r1', key)).status).toBe(422);
    await gateway.call('/api/redeem', { key, body: { code: other.code } });
    const again = await post('/api/redeem', { code: one.code }, 'r1', key);
    expect(isHit(again)).toBe(true);
    expect(await again.json()).toEqual(first);
  });

  test('holds for a card that was refused: one guess, however often it is repeated', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    const guess = { code: unissuedCode() };
    const first = await post('/api/redeem', guess, 'r1', key);
    expect(first.status).toBe(404);
    expect(isHit(first)).toBe(false);
    for (let i = 0; i < 6; i++) {
      const again = await post('/api/redeem', guess, 'r1', key);
      expect(again.status).toBe(404);
      expect(isHit(again)).toBe(true);
      expect(await again.json()).toMatchObject({ error: { code: 'card_not_redeemable' } });
    }
    expect((await post('/api/redeem', { code: unissuedCode() }, 'r1', key)).status).toBe(422);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await post('/api/redeem', { code: unissuedCode() }, `g${i}`, key)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 429]);
    // And a repeated one is answered even when no guess is left.
    expect(isHit(await post('/api/redeem', guess, 'r1', key))).toBe(true);
  });

  test('belongs to the account', async () => {
    gateway = await startTestGateway();
    const [one, other] = [await gateway.register(), await gateway.register()];
    const { code } = await issueCard(gateway);
    expect((await post('/api/redeem', { code }, 'r1', one.key)).status).toBe(200);
    expect((await post('/api/redeem', { code }, 'r1', other.key)).status).toBe(404);
  });

  test('fifty at once are one credit and one answer', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    const { code } = await issueCard(gateway);
    const responses = await Promise.all(Array.from({ length: 50 }, () => post('/api/redeem', { code }, 'r1', key)));
    const answers = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(answers).size).toBe(1);
    expect(responses.filter(isHit)).toHaveLength(49);
    expect((await gateway.get('/api/me', key)).balance_ntd).toBe(101);
  });

  test('after 24 hours it is a new call, which finds the card redeemed', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const { key } = await gateway.register();
    const { code } = await issueCard(gateway);
    await post('/api/redeem', { code }, 'r1', key);
    await passTime(gateway, clock, DAY_MS);
    const later = await post('/api/redeem', { code }, 'r1', key);
    expect(isHit(later)).toBe(false);
    expect(await later.json()).toMatchObject({ already_redeemed: true, balance_ntd: 101 });
  });
});

describe('key creation', () => {
  test('repeats the same key, which works, and makes one', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    const first: Answer = await (await post('/api/keys', { name: 'ci' }, 'k1', key)).json();
    const again = await post('/api/keys', { name: 'ci' }, 'k1', key);
    expect(again.status).toBe(201);
    expect(isHit(again)).toBe(true);
    expect(await again.json()).toEqual(first);
    expect((await gateway.call('/api/me', { key: first.api_key })).status).toBe(200);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
  });

  test('of a deleted key that an earlier version remembered by its id alone is 404', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    const { id }: Answer = await (await post('/api/keys', { name: 'ci' }, 'k1', key)).json();
    gateway.sql('UPDATE replays SET result = ?', JSON.stringify(id));
    expect((await post('/api/keys', { name: 'ci' }, 'k1', key)).status).toBe(201);
    await gateway.call(`/api/keys/${id}`, { method: 'DELETE', key });
    const again = await post('/api/keys', { name: 'ci' }, 'k1', key);
    expect(again.status).toBe(404);
    const { error }: Answer = await again.json();
    expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('another Idempotency-Key') });
  });

  test('with another body is 422', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    await post('/api/keys', { name: 'ci' }, 'k1', key);
    const reused = await post('/api/keys', { name: 'ci', manage: true }, 'k1', key);
    expect(reused.status).toBe(422);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
  });

  test('fifty at once are one key; after 24 hours it is another', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ clock });
    const { key } = await gateway.register();
    const create = () => post('/api/keys', {}, 'k1', key);
    const responses = await Promise.all(Array.from({ length: 50 }, create));
    const keys = await Promise.all(responses.map(async (response) => ((await response.json()) as Answer).api_key));
    expect(new Set(keys).size).toBe(1);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
    await passTime(gateway, clock, DAY_MS);
    const later: Answer = await (await create()).json();
    expect(later.api_key).not.toBe(keys[0]);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(3);
  });

  describe('is told as it was made, whatever became of it:', () => {
    async function createTwice(body: unknown, between: (key: string, made: Answer) => Promise<unknown>) {
      const { key } = await gateway.register();
      const first: Answer = await (await post('/api/keys', body, 'k1', key)).json();
      await between(key, first);
      const again = await post('/api/keys', body, 'k1', key);
      expect(again.status).toBe(201);
      expect(isHit(again)).toBe(true);
      expect(await again.json()).toEqual(first);
      return key;
    }

    test('it has expired', async () => {
      const clock = createManualClock();
      gateway = await startTestGateway({ clock });
      const body = { name: 'x', daily_budget_ntd: 0.5, expires_at: new Date(clock.now() + 1_500).toISOString() };
      const key = await createTwice(body, () => clock.advance(1_500));
      const fresh = await post('/api/keys', body, 'k2', key);
      expect(fresh.status).toBe(400);
      expect(await fresh.json()).toMatchObject({ error: { code: 'invalid_request', param: 'expires_at' } });
      expect((await post('/api/keys', { ...body, name: 'y' }, 'k1', key)).status).toBe(422);
      expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
    });

    test('its model has left the catalog', async () => {
      gateway = await startTestGateway();
      const models = ['demo-small', 'auto:free'];
      const key = await createTwice({ models }, () =>
        gateway.apply((standard) => ({ ...standard, models: standard.models.filter(({ id }) => id !== 'demo-small') })),
      );
      const fresh = await post('/api/keys', { models }, 'k2', key);
      expect(fresh.status).toBe(400);
      expect(await fresh.json()).toMatchObject({ error: { code: 'invalid_request', param: 'models[0]' } });
    });

    test('it was changed, rotated and deleted', async () => {
      gateway = await startTestGateway();
      await createTwice({ name: 'first' }, async (key, { id }) => {
        const changes = { name: 'second', daily_budget_ntd: 1 };
        expect((await gateway.call(`/api/keys/${id}`, { method: 'PATCH', key, body: changes })).status).toBe(200);
        expect((await gateway.call(`/api/keys/${id}/rotate`, { key, body: {} })).status).toBe(200);
        expect((await gateway.call(`/api/keys/${id}`, { method: 'DELETE', key })).status).toBe(200);
      });
    });
  });

  test('shares nothing with the keys of redeem and register', async () => {
    gateway = await startTestGateway();
    const registered: Answer = await (await register({}, IDEMPOTENCY_KEY)).json();
    const { code } = await issueCard(gateway);
    const redeemed = await post('/api/redeem', { code }, IDEMPOTENCY_KEY, registered.api_key);
    expect(redeemed.status).toBe(200);
    const created = await post('/api/keys', {}, IDEMPOTENCY_KEY, registered.api_key);
    expect(created.status).toBe(201);
    expect(isHit(created)).toBe(false);
  });
});

describe('rotation', () => {
  const rotate = (id: string, body: unknown, idempotencyKey: string, key: string) =>
    post(`/api/keys/${id}/rotate`, body, idempotencyKey, key);
  const statusOf = async (key: string) => (await gateway.call('/api/me', { key })).status;

  test('repeats the same text, which works, and rotates once', async () => {
    gateway = await startTestGateway();
    const { key, keyId } = await gateway.register();
    const body = { grace_seconds: 600 };
    const responses = await Promise.all(Array.from({ length: 20 }, () => rotate(keyId, body, 'k1', key)));
    const answers: Answer[] = await Promise.all(responses.map((response) => response.json()));
    const [first] = answers;
    expect(answers).toEqual(answers.map(() => first));
    expect(responses.filter(isHit)).toHaveLength(19);
    expect([await statusOf(key), await statusOf(first?.api_key)]).toEqual([200, 200]);
    expect((await rotate(keyId, { grace_seconds: 0 }, 'k1', key)).status).toBe(422);
    expect(await statusOf(key)).toBe(200);
  });

  test('belongs to the key that is rotated', async () => {
    gateway = await startTestGateway();
    const { key } = await gateway.register();
    const made: Answer[] = await Promise.all(
      [1, 2].map(async () => (await gateway.call('/api/keys', { key, body: {} })).json()),
    );
    const rotated = await Promise.all(made.map(({ id }) => rotate(id, {}, 'k1', key)));
    expect(rotated.map(isHit)).toEqual([false, false]);
    const texts = await Promise.all(rotated.map(async (response) => ((await response.json()) as Answer).api_key));
    expect(new Set(texts).size).toBe(2);
    expect((await rotate('key_unknown', {}, 'k1', key)).status).toBe(404);
  });
});

test('the data folder holds no key, card code or idempotency key in clear', async () => {
  gateway = await startTestGateway();
  const registered: Answer = await (await register({}, IDEMPOTENCY_KEY)).json();
  const { code } = await issueCard(gateway);
  await post('/api/redeem', { code }, 'fake-redeem-idempotency', registered.api_key);
  const created: Answer = await (await post('/api/keys', {}, 'fake-keys-idempotency', registered.api_key)).json();
  const rotated: Answer = await (
    await gateway.call(`/api/keys/${created.id}/rotate`, { key: registered.api_key, body: { grace_seconds: 60 } })
  ).json();
  await gateway.chat(rotated.api_key, { model: 'demo-small' });

  // The journal's file first: what is moved out of it meanwhile is seen in the other.
  const files = readdirSync(gateway.dataDir).filter((name) => name.startsWith('gateway.sqlite'));
  files.sort().reverse();
  expect(files).toContain('gateway.sqlite-wal');
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(gateway.dataDir, name)))).toString('latin1');
  // The search finds what is there.
  expect(bytes).toContain(registered.account_id);
  const secrets = [registered.api_key, created.api_key, rotated.api_key].flatMap((key) => [key, key.slice(7, 50)]);
  secrets.push(
    code,
    code.slice(3).replaceAll('-', ''),
    IDEMPOTENCY_KEY,
    'fake-redeem-idempotency',
    'fake-keys-idempotency',
  );
  for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
});
