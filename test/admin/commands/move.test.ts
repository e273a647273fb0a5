// move: a database with history goes into PostgreSQL, and whoever used it notices nothing.

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { systemClock } from '../../../src/kit/clock.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { createSiteClient } from '../../site/site-client.ts';
import { addKey, paidBy } from '../../store/suite/key-tree.ts';
import { admitted, NODE, renewLease, settling } from '../../store/suite/samples.ts';
import { delivery, webhookOf } from '../../store/suite/webhooks.ts';
import type { Answer } from '../../support/answer.ts';
import { closeCall, loss } from '../../support/close-call.ts';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../../support/postgres.ts';
import { createWorkplace, type Ended, logged, type RunningServer } from '../../support/start-process.ts';
import { type ScriptedUpstream, startUpstream } from '../../support/upstream.ts';
import {
  catalogOf,
  doorsOf,
  type History,
  LOGIN_NAME,
  lookAround,
  makeHistory,
  ONCE,
  PASSWORD,
} from './moved-history.ts';

/** Processes are started, on a machine that may be busy. */
setDefaultTimeout(120_000);

const place = createWorkplace();
const file = `${place.dataDir}/gateway.sqlite`;
let upstream: ScriptedUpstream;
let postgres: TestDatabases;
let database: TestDatabase;
let history: History;
let before: Record<string, unknown>;
let server: RunningServer;
let moved: Ended;
/** Its call was under way when the server was killed. */
let cutOff: { key: string; accountId: string };
let there: Record<string, string>;

beforeAll(async () => {
  upstream = await startUpstream();
  postgres = await sharePostgres();
  database = await postgres.createDatabase({ empty: true });
  place.write('gateway.yaml', catalogOf(upstream));
  server = await place.serve();
  history = await makeHistory(place, server, upstream);
  const registered = (await doorsOf(server, place).call('/api/agent/register', { body: {} })).body;
  cutOff = { key: registered.api_key, accountId: registered.account_id };
  server.signal('SIGTERM');
  await server.ended;
  await loseSomething();
  server = await place.serve();
  before = await lookAround(place, server, history);
  await killMidCall();
  there = { DATABASE_URL: database.url, SECRETS_PEPPER: readFileSync(`${place.dataDir}/pepper`, 'utf8').trim() };
  moved = await place.gateway(['move', '--to', 'env:TARGET', '--json'], { TARGET: database.url });
  if (moved.exitCode !== 0) throw new Error(moved.stderr);
});
afterAll(async () => {
  await place.remove();
  await upstream.close();
  await postgres.stop();
});

/** Booked, and charged beyond the guard; a session; and a delivered event. */
async function loseSomething(): Promise<void> {
  const store = await openSqliteStore({ file, clock: systemClock });
  const [accountId = ''] = history.accounts;
  const [key] = await store.read.keysOf(accountId);
  const account = { accountId, keyId: key?.keyId ?? '' };
  const items = [loss(), loss({ reason: 'hedge', channel: null, amount: 1n, charge: 0n })];
  for (const guard of [null, 0n]) {
    await closeCall(store, account, { rule: 'empty_answer', losses: { items, guard } });
  }
  await useSession(store, accountId);
  await deliver(store, accountId);
  await store.close();
}

/** To a webhook that has nothing more to send. */
async function deliver(store: Store, accountId: string): Promise<void> {
  const at = Date.now();
  const { newestEvent } = await store.read.pulse();
  const webhook = webhookOf(accountId, { cursor: newestEvent - 1, types: ['card.redeemed'] });
  const { webhookId } = webhook;
  expect(await store.commit('createWebhook', { webhook, at })).toMatchObject({ ok: true });
  const move = { from: newestEvent - 1, to: newestEvent, replays: 0 };
  const deliveries = [delivery(webhookId, newestEvent, { lastAt: at })];
  await store.commit('recordDeliveries', { webhookId, deliveries, url: webhook.url, move, isGone: false, at });
}

/** Of a key below another, which has a session budget. */
async function useSession(store: Store, accountId: string): Promise<void> {
  const at = Date.now();
  await renewLease(store, NODE, at + 1);
  const top = await addKey(store, accountId, { limits: { sessionBudget: 9_007_199_254_740_993n, inFlight: 3 } });
  const input = await paidBy(store, await addKey(store, accountId, {}, top.keyId), { session: 's', at });
  await admitted(store, input);
  await store.commit('settle', settling(input, 5n, { at }));
}

/** Its hold is in the journal then, and nowhere else. */
async function killMidCall(): Promise<void> {
  upstream.reset();
  upstream.otherwise({ cut: { after: 'head', by: 'stall' } });
  const body = { model: 'up-paid', messages: [{ role: 'user', content: 'Hi' }] };
  const call = doorsOf(server, place).call('/v1/chat/completions', { key: cutOff.key, body });
  await upstream.request(0);
  server.signal('SIGKILL');
  await Promise.allSettled([server.ended, call]);
  const db = new Database(file);
  // As if its 15 seconds were over now; at the time of the call it still held.
  db.run('UPDATE leases SET expires_at = ?', [Date.now()]);
  db.close();
}

test('it tells what it has moved, and the next step without any secret', async () => {
  expect(moved.stderr).toBe('');
  const told: Answer = JSON.parse(moved.stdout);
  const { host, pathname } = new URL(database.url);
  expect(told).toMatchObject({ moved_to: host + pathname, differences: [], frozen: [], wallets: 3 });
  expect(told.rows).toMatchObject({ accounts: 3, revisions: 3, holds: 1, logins: 1, login_names: 1, cards: 5 });
  expect(told.next).toBe(
    `DATABASE_URL='${database.url.replace(':password@', ':***@')}' SECRETS_PEPPER="$(cat '${place.dataDir}/pepper')" npm start`,
  );
  expect(moved.stdout).not.toContain(there.SECRETS_PEPPER ?? '');
});

test('every table has some rows, and as many in both databases', async () => {
  const db = new Database(file, { readonly: true });
  const counts: Answer = JSON.parse(moved.stdout).rows;
  for (const [name, count] of Object.entries(counts)) {
    const [found] = await database.sql<{ n: bigint }>(`SELECT count(*) AS n FROM ${name}`);
    // The move itself is one more line of the log there, and one more setting here.
    expect([name, Number(found?.n)]).toEqual([name, Number(count) + (name === 'audit_log' ? 1 : 0)]);
    const own = db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${name}`).get();
    expect([name, own?.n]).toEqual([name, Number(count) + (name === 'settings' ? 1 : 0)]);
    expect([name, Number(count) > 0]).toEqual([name, true]);
  }
  expect(db.query('SELECT 1 FROM journal').get()).toBeNull();
  db.close();
  expect(await database.sql('SELECT 1 FROM leases')).toEqual([]);
  expect(await database.sql('SELECT 1 FROM writers')).toEqual([]);
});

test('the embedded database is refused from then on, by the server and by commands', async () => {
  const { exitCode, stderr } = await place.failToServe();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^cannot start: this database was moved to PostgreSQL \([^\n]+\n$/);
  expect(stderr).not.toContain('password');
  for (const args of [
    ['cards', 'issue', '--amount', '1', '--count', '1'],
    ['ledger', 'audit'],
    ['move', '--to', database.url],
  ]) {
    const refused = await place.gateway(args);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('move undo');
  }
});

test('another pepper is refused there, too', async () => {
  const { exitCode, stderr } = await place.failToServe({ ...there, SECRETS_PEPPER: 'another pepper of the test' });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('the pepper of SECRETS_PEPPER is not the one');
});

test('the audit there is clean', async () => {
  expect(await place.gateway(['ledger', 'audit'], there)).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a gateway there shows everybody the same as before', async () => {
  server = await place.serve(there);
  const after = await lookAround(place, server, history);
  const actions = (after['/actions'] as Answer).body.data;
  // The audits of this test and the move are newer.
  const own = actions.filter(({ action }: Answer) => !['ledger.audit', 'database.move'].includes(action));
  (after['/actions'] as Answer).body.data = own;
  expect(after).toEqual(before);
  expect(actions.find(({ action }: Answer) => action === 'database.move')).toMatchObject({ actor: 'cli' });
  expect(before.session).toBe(200);
});

test('what was held when the server was killed is released, and nothing is charged', async () => {
  expect(logged(server, 'holds_swept')).toMatchObject([{ count: 1 }]);
  const { call } = doorsOf(server, place);
  const { body } = await call('/api/me', { key: cutOff.key });
  expect(body).toMatchObject({ account_id: cutOff.accountId, balance_nano: '1000000000', held_nano: '0' });
  expect((await call('/api/usage', { key: cutOff.key })).body.data).toMatchObject([{ status: 'gateway_died' }]);
});

test('name and password open the account, and the Idempotency-Key of a card is remembered', async () => {
  const browser = createSiteClient(server);
  expect((await browser.post('/account/sign-in', { name: LOGIN_NAME, password: PASSWORD })).status).toBe(303);
  expect((await browser.get('/account/usage')).status).toBe(200);
  const { call } = doorsOf(server, place);
  const again = { key: history.keys.managing, body: { code: history.unredeemed }, once: ONCE };
  expect((await call('/api/redeem', again)).status).toBe(422);
});

test('it goes on: calls are served and paid, a card is redeemed, and what is counted gets new numbers', async () => {
  const { call, admin } = doorsOf(server, place);
  const { keys, unredeemed } = history;
  const last = async (table: string, column: string) =>
    Number((await database.sql<{ n: bigint }>(`SELECT max(${column}) AS n FROM ${table}`))[0]?.n);
  const entry = await last('entries', 'entry_id');
  upstream.otherwise(chatAnswer());
  const chat = (key: string, model: string) =>
    call('/v1/chat/completions', { key, body: { model, messages: [{ role: 'user', content: 'Hi' }] } });
  await eventually('the paid model is served', async () => (await chat(keys.managing, 'up-paid')).status === 200);
  expect((await chat(keys.beforeRotation, 'demo-small')).status).toBe(200);
  expect((await chat(keys.limited, 'up-paid')).status).toBe(403);
  expect((await chat(keys.frozen, 'demo-small')).status).toBe(503);
  expect((await chat(keys.revoked, 'demo-small')).status).toBe(401);
  expect((await call('/api/redeem', { key: keys.managing, body: { code: unredeemed } })).status).toBe(200);
  expect(await last('entries', 'entry_id')).toBe(entry + 3);
  const edits = [{ model: 'demo-small', sale: { output: 67 } }];
  expect((await admin('PATCH', '/prices', { edits, base_revision: 3 })).status).toBe(200);
  expect(await last('revisions', 'revision')).toBe(4);
  expect(await place.gateway(['ledger', 'audit'], there)).toMatchObject({ exitCode: 0, stderr: '' });
});
