// The whole gateway on PostgreSQL: the same service, and what clients see when the database goes away.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readSettings } from '../../../src/server/settings/settings.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { startPostgres, type TestDatabase, type TestPostgres } from '../../support/postgres.ts';
import type { ScriptedUpstream } from '../../support/upstream.ts';

const PEPPER = 'a pepper for every node';
/** Below every wait for a database: the shortest one is for a statement, 2 s. */
const AT_ONCE_MS = 1_000;
/** Far above what it takes, which is less than a second on an idle machine. */
const RECOVERS_MS = 15_000;

/** Processes are started, on a machine that may be busy. */
setDefaultTimeout(120_000);

let server: TestPostgres;
let database: TestDatabase;
let nodes: TestGateway[];
let upstream: ScriptedUpstream;
let account: TestAccount;
beforeAll(async () => {
  server = await startPostgres();
  database = await server.createDatabase();
  const env = { DATABASE_URL: database.url, SECRETS_PEPPER: PEPPER };
  nodes = [await startTestGateway({ env }), await startTestGateway({ env })];
  // Both follow the newest revision: the second node's.
  upstream = node(1).upstream;
  account = await node(0).register();
});
afterAll(async () => {
  for (const one of nodes) await one.stop();
  await server.stop();
});

function node(number: number): TestGateway {
  const found = nodes[number];
  if (!found) throw new Error(`there is no node ${number}`);
  return found;
}

describe('settings', () => {
  const read = (environment: Record<string, string>) => () => readSettings(environment);

  test('a DATABASE_URL needs a pepper that all nodes share', () => {
    expect(read({ DATABASE_URL: database.url })).toThrow('SECRETS_PEPPER is required with DATABASE_URL');
    expect(read({ DATABASE_URL: database.url, SECRETS_PEPPER: PEPPER })().databaseUrl).toBe(database.url);
  });

  test.each(['mysql://localhost/x', 'localhost:5432', 'postgres:/x'])('%s is no database we know', (text) => {
    expect(read({ DATABASE_URL: text, SECRETS_PEPPER: PEPPER })).toThrow('DATABASE_URL must be a URL that begins with');
  });
});

test('a key made on one node works on the other, which charges the same wallet', async () => {
  upstream.next(chatAnswer());
  const response = await node(1).chat(account.key, { model: 'up-paid' });
  expect(response.status).toBe(200);
  const cost = Number(response.headers.get('x-svc-cost-ntd'));
  expect(cost).toBeGreaterThan(0);
  const me = await node(0).get('/api/me', account.key);
  expect(me.balance_ntd).toBeCloseTo(1 - cost, 9);
  const { data } = await node(0).get('/api/usage', account.key);
  expect(data).toMatchObject([{ status: 'ok', cost_ntd: cost }]);
});

test('a key revoked on one node stops on the other', async () => {
  const other = await node(0).register();
  expect((await node(1).get('/api/me', other.key)).account_id).toBe(other.accountId);
  await node(0).gateway.store.commit('revokeKey', {
    accountId: other.accountId,
    keyId: other.keyId,
    at: Date.now(),
    evenIfLast: true,
  });
  await eventually('the key stops', async () => (await node(1).call('/api/me', { key: other.key })).status === 401);
});

test('without its database: 503 at once for what needs it, the catalog as ever, and back by itself', async () => {
  await server.crash();
  const paidCall = async () => {
    const since = performance.now();
    const response = await node(0).chat(account.key, { model: 'up-paid' });
    const ms = performance.now() - since;
    await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), ms };
  };
  await eventually('refused', async () => (await paidCall()).status === 503);
  const times: number[] = [];
  for (let n = 0; n < 11; n++) {
    const { status, retryAfter, ms } = await paidCall();
    expect(status).toBe(503);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    times.push(ms);
    await Bun.sleep(30);
  }
  // The quickest: a busy machine may hold up any call, and makes none quicker.
  expect(Math.min(...times)).toBeLessThan(AT_ONCE_MS);
  expect((await node(0).call('/api/public/catalog')).status).toBe(200);
  expect((await node(0).call('/healthz')).status).toBe(200);
  // Nobody has asked this node for its price history yet.
  const pricing = await node(0).call('/pricing');
  expect(pricing.status).toBe(200);
  expect(await pricing.text()).toContain('up-paid');
  expect(upstream.requests).toHaveLength(1);

  await server.start();
  const since = performance.now();
  upstream.otherwise(chatAnswer());
  await eventually('served again', async () => (await paidCall()).status === 200);
  expect(performance.now() - since).toBeLessThan(RECOVERS_MS);
  expect(await node(0).gateway.store.read.audit({})).toMatchObject({ differences: [] });
});
