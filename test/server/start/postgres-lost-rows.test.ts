// A database that comes back without the last that it was told, as a standby may: a key that went with it is unknown.

import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { startPostgres, type TestDatabase, type TestPostgres } from '../../support/postgres.ts';

setDefaultTimeout(120_000);

let server: TestPostgres;
let database: TestDatabase;
let gateway: TestGateway;
let lost: TestAccount;
let kept: TestAccount;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await server.createDatabase();
  gateway = await startTestGateway({ env: { DATABASE_URL: database.url, SECRETS_PEPPER: 'a pepper for every node' } });
  lost = await gateway.register();
  kept = await gateway.register();
  expect([await me(lost), await me(kept)]).toEqual([200, 200]);
});
afterEach(() => gateway.stop());

const me = async ({ key }: TestAccount) => (await gateway.call('/api/me', { key })).status;

/** Nothing counts that, as nothing counts what a failover loses. */
async function lose(): Promise<void> {
  for (const table of ['entries', 'keys', 'wallets', 'accounts']) {
    await database.plant(`DELETE FROM ${table} WHERE account_id = '${lost.accountId}'`);
  }
}

test('a call with it is told so, and so is everything after it', async () => {
  await lose();
  const answer = await gateway.chat(lost.key, { model: 'auto:free' });
  expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }]);
  expect([await me(lost), await me(kept)]).toEqual([401, 200]);
});

test('without a call, as soon as the database is back', async () => {
  await lose();
  await server.crash();
  await eventually('it is away', async () => (await me(kept)) === 503);
  await server.start();
  await eventually('it is back', async () => (await me(kept)) === 200);
  await eventually('the lost key is unknown', async () => (await me(lost)) === 401);
  expect(await me(kept)).toBe(200);
});
