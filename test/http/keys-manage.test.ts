// Who may manage keys: managing keys of the same account, of which one always remains.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** Every call on keys that names one, or none. */
const routesFor = (id: string): [method: string, path: string, body?: unknown][] => [
  ['GET', '/api/keys'],
  ['POST', '/api/keys', {}],
  ['PATCH', `/api/keys/${id}`, { name: 'changed', daily_budget_ntd: null }],
  ['POST', `/api/keys/${id}/rotate`, {}],
  ['DELETE', `/api/keys/${id}`],
];
const send = (key: string, [method, path, body]: [string, string, unknown?]) =>
  gateway.call(path, { method, key, body });
const rows = (accountId: string) => gateway.sql('SELECT * FROM keys WHERE account_id = ? ORDER BY key_id', accountId);
const managing = (accountId: string) =>
  gateway.sql('SELECT key_id FROM keys WHERE account_id = ? AND manage = 1 AND revoked_at IS NULL', accountId);

describe('a key that does not manage', () => {
  const kinds: [string, Record<string, unknown>][] = [
    ['made without a word', {}],
    ['made with manage: false', { manage: false }],
    ['with an allow-list', { models: ['up-paid'] }],
    ['with a budget', { daily_budget_ntd: 1 }],
    ['with an expiry', { expires_at: new Date(Date.now() + 3_600_000).toISOString() }],
  ];
  test.each(kinds)('%s gets 403 on every route of keys, its own included, and changes nothing', async (_, fields) => {
    const account = await gateway.register();
    const own = await createKey(gateway, account.key, fields);
    const before = rows(account.accountId);
    for (const id of [own.id, account.keyId, 'key_unknown']) {
      for (const route of routesFor(id)) {
        const response = await send(own.key, route);
        expect(response.status, route.join(' ')).toBe(403);
        expect(await response.json()).toMatchObject({
          error: {
            code: 'key_not_permitted',
            type: 'permission_error',
            // A key with delegate can do all but rotate.
            message: expect.stringMatching(
              route.some((part) => `${part}`.endsWith('/rotate')) ? /Use a managing key for/ : /or one with delegate/,
            ),
          },
        });
      }
    }
    expect(rows(account.accountId)).toEqual(before);
  });

  test('cannot raise its own budget by any field', async () => {
    const account = await gateway.register();
    const own = await createKey(gateway, account.key, { daily_budget_ntd: 0.5 });
    const body = { daily_budget_ntd: 500, daily_budget_nano: '500000000000', manage: true };
    expect((await send(own.key, ['PATCH', `/api/keys/${own.id}`, body])).status).toBe(403);
    expect((await gateway.get('/api/me', own.key)).key.daily_budget_ntd).toBe(0.5);
  });
});

describe('another account', () => {
  test('finds none of one’s keys: every id and every route is 404, as if it were unknown', async () => {
    const accounts = [await gateway.register(), await gateway.register()] as const;
    const ids = await Promise.all(
      accounts.map(async ({ key, keyId }) => [keyId, (await createKey(gateway, key, { manage: true })).id]),
    );
    const before = accounts.map(({ accountId }) => rows(accountId));
    const attempts: [TestAccount, string[]][] = [
      [accounts[0], ids[1] ?? []],
      [accounts[1], ids[0] ?? []],
    ];
    for (const [intruder, foreign] of attempts) {
      expect(foreign).toHaveLength(2);
      for (const id of [...foreign, 'key_unknown', "' OR 1=1 --", '%2e%2e', '__proto__']) {
        for (const route of routesFor(encodeURIComponent(id)).slice(2)) {
          const response = await send(intruder.key, route);
          expect(response.status, route.join(' ')).toBe(404);
          expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
        }
      }
      const listed = await (await send(intruder.key, ['GET', '/api/keys'])).text();
      for (const id of foreign) expect(listed).not.toContain(id);
    }
    expect(accounts.map(({ accountId }) => rows(accountId))).toEqual(before);
  });
});

describe('the last managing key', () => {
  test('cannot be deleted, nor made to stop managing', async () => {
    const account = await gateway.register();
    await createKey(gateway, account.key);
    for (const route of [
      ['DELETE', `/api/keys/${account.keyId}`],
      ['PATCH', `/api/keys/${account.keyId}`, { manage: false }],
      ['PATCH', `/api/keys/${account.keyId}`, { manage: false, daily_budget_ntd: 1 }],
    ] as [string, string, unknown?][]) {
      const response = await send(account.key, route);
      expect(response.status).toBe(409);
      expect(response.headers.get('x-should-retry')).toBe('false');
      const { error } = (await response.json()) as Answer;
      expect(error.code).toBe('last_key');
      expect(error.message).not.toContain('delete');
    }
    expect(managing(account.accountId)).toEqual([{ key_id: account.keyId }]);
  });

  test('may go when another one manages, which is then the last', async () => {
    const account = await gateway.register();
    const heir = await createKey(gateway, account.key, { manage: true });
    expect((await send(account.key, ['DELETE', `/api/keys/${account.keyId}`])).status).toBe(200);
    expect((await gateway.call('/api/me', { key: account.key })).status).toBe(401);
    expect((await send(heir.key, ['DELETE', `/api/keys/${heir.id}`])).status).toBe(409);
  });

  test('survives a race: of managing keys that are all deleted at once, one remains', async () => {
    for (let round = 0; round < 10; round++) {
      const account = await gateway.register();
      const other = await createKey(gateway, account.key, { manage: true });
      const third = await createKey(gateway, account.key, { manage: true });
      const responses = await Promise.all([
        send(account.key, ['DELETE', `/api/keys/${account.keyId}`]),
        send(other.key, ['PATCH', `/api/keys/${other.id}`, { manage: false }]),
        send(account.key, ['DELETE', `/api/keys/${third.id}`]),
        send(third.key, ['DELETE', `/api/keys/${other.id}`]),
      ]);
      expect(managing(account.accountId).length, String(round)).toBeGreaterThanOrEqual(1);
      const statuses = responses.map(({ status }) => status);
      for (const status of statuses) expect([200, 401, 403, 404, 409]).toContain(status);
      // Whoever is first is not refused.
      expect(statuses).toContain(200);
    }
  });

  test('of two that delete themselves at once, one is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const account = await gateway.register();
      const other = await createKey(gateway, account.key, { manage: true });
      const responses = await Promise.all([
        send(account.key, ['DELETE', `/api/keys/${account.keyId}`]),
        send(other.key, ['DELETE', `/api/keys/${other.id}`]),
      ]);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      // The slower one was already without a key when it arrived, or is told that it is the last.
      expect(responses.filter(({ status }) => status === 409 || status === 401)).toHaveLength(1);
      expect(managing(account.accountId)).toHaveLength(1);
    }
  });
});
