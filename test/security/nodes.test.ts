// Two gateways on one database: a key that is revoked or changed on one is so on the other within a second (S35); and a
// question that takes too long is given up, while others go on (S40).

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passAnswered } from '../support/pass-time.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { startSecure } from './start-secure.ts';

let server: TestDatabases;
let database: TestDatabase;
let near: TestGateway;
/** Its time stands still unless the test moves it. */
let far: TestGateway;
let clock: ManualClock;
let account: TestAccount;
beforeAll(async () => {
  server = await sharePostgres();
  database = await server.createDatabase();
  const env = { DATABASE_URL: database.url, SECRETS_PEPPER: 'a pepper for both nodes' };
  near = await startSecure({ env });
  clock = createManualClock(Date.now());
  far = await startSecure({ env, clock });
  account = await near.register();
});
afterAll(async () => {
  await near.stop();
  await far.stop();
  await server.stop();
});

describe('S35 on another node', () => {
  const changes: [what: string, change: (id: string) => Promise<Response>][] = [
    ['revoked', (id) => near.call(`/api/keys/${id}`, { key: account.key, method: 'DELETE' })],
    ['rotated', (id) => near.call(`/api/keys/${id}/rotate`, { key: account.key, method: 'POST', body: {} })],
  ];
  test.each(changes)('S35 a key that was %s stops within a second', async (_, change) => {
    const { id, key } = await createKey(near, account.key);
    const works = async () => (await far.call('/v1/models', { key })).status;
    await passAnswered(far, clock, 1_000);
    // Twice: then its row is in memory.
    expect([await works(), await works()]).toEqual([200, 200]);
    expect((await change(id)).status).toBe(200);
    expect((await near.call('/v1/models', { key })).status).toBe(401);
    await passAnswered(far, clock, 1_000);
    expect(await works()).toBe(401);
  });

  test('S35 a key that was restricted is so within a second', async () => {
    const { id, key } = await createKey(near, account.key);
    const body = { model: 'demo-small', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 };
    const works = async () => (await far.call('/v1/chat/completions', { key, body })).status;
    await passAnswered(far, clock, 1_000);
    expect([await works(), await works()]).toEqual([200, 200]);
    await near.call(`/api/keys/${id}`, { key: account.key, method: 'PATCH', body: { models: ['auto:free'] } });
    await passAnswered(far, clock, 1_000);
    expect(await works()).toBe(403);
  });
});

describe('S40 a question that takes too long', () => {
  test('S40 is given up, and nobody else waits for it', async () => {
    await database.sql('BEGIN');
    await database.sql('LOCK TABLE usage_records IN ACCESS EXCLUSIVE MODE');
    try {
      let isAnswered = false;
      const asked = near.call('/api/usage?model=demo-small', { key: account.key }).then((response) => {
        isAnswered = true;
        return response;
      });
      let others = 0;
      for (let n = 0; n < 20 && !isAnswered; n++) {
        expect((await near.call('/api/me', { key: account.key })).status).toBe(200);
        if (!isAnswered) others++;
      }
      expect(others).toBeGreaterThan(0);
      // The lock is still there: without an end of its own this would never be answered.
      expect((await asked).status).toBe(503);
    } finally {
      await database.sql('ROLLBACK');
    }
    expect((await near.call('/api/usage', { key: account.key })).status).toBe(200);
  });
});
