// Somebody keeps a wallet locked: who needs it waits for it apart, and is refused at last; nobody else notices.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { type Account, admitted, admitting, createAccount, paid, renewLease, settling } from './suite/samples.ts';

let server: TestDatabases;
let database: TestDatabase;
let store: Store;
let locked: Account;
let others: Account[];
beforeAll(async () => {
  server = await sharePostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await server.createDatabase();
  store = await openPostgresStore({ url: database.url, clock: systemClock });
  await renewLease(store);
  locked = await createAccount(store);
  others = await Promise.all(Array.from({ length: 6 }, () => createAccount(store)));
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

async function lock({ accountId }: Account): Promise<void> {
  await database.sql('BEGIN');
  await database.sql('SELECT 1 FROM wallets WHERE account_id = $1 FOR UPDATE', accountId);
}
const WAITING = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
const untilWaiting = () =>
  eventually('somebody to wait', async () => {
    // A transaction sees the same activity as long as it lasts.
    await database.sql('SELECT pg_stat_clear_snapshot()');
    return (await database.sql(WAITING)).length > 0;
  });
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    ({ code }) => code,
  );
const serveOthers = () => Promise.all(others.map((account) => codeOf(admitting(store, paid(account)))));
const ALL_SERVED = ['ok', 'ok', 'ok', 'ok', 'ok', 'ok'];

/** Asks until `waiting` has an answer, and says what the others got meanwhile. */
async function servedWhile(waiting: Promise<unknown>): Promise<Set<string>> {
  let isOver = false;
  const over = waiting.finally(() => {
    isOver = true;
  });
  const answers = new Set<string>();
  while (!isOver) for (const answer of await serveOthers()) answers.add(answer);
  await over;
  return answers;
}

test('only who needs it is refused, also of one batch, and takes no lane from the others', async () => {
  const input = paid(locked);
  await admitted(store, input);
  const settle = () => store.commit('settle', settling(input, 700n));
  await lock(locked);
  // All of one turn: they share a batch, in which the locked ones stand in the middle.
  const before = serveOthers();
  const refused = Array.from({ length: 20 }, () => codeOf(admitting(store, paid(locked))));
  const unsettled = settle().catch((error) => error);
  const after = serveOthers();
  expect(await before).toEqual(ALL_SERVED);
  expect(await after).toEqual(ALL_SERVED);
  expect(await servedWhile(Promise.all([...refused, unsettled]))).toEqual(new Set(['ok']));
  expect(new Set(await Promise.all(refused))).toEqual(new Set(['unavailable']));
  expect(await unsettled).toMatchObject({
    code: 'unavailable',
    details: { internal: 'store: settle: canceling statement due to lock timeout (55P03)' },
  });
  await database.sql('COMMIT');
  expect(await settle()).toMatchObject({ state: 'closed', charged: 700n });
  expect(await store.read.wallet(locked.accountId)).toMatchObject({ held: 0n, inFlight: 0 });
  expect(await store.read.audit({})).toMatchObject({ differences: [] });
});

test('a settlement waits for it without holding up others, and is charged once', async () => {
  const input = paid(locked);
  await admitted(store, input);
  await lock(locked);
  const settled = store.commit('settle', settling(input, 700n));
  await untilWaiting();
  expect(await serveOthers()).toEqual(ALL_SERVED);
  await database.sql('COMMIT');
  expect(await settled).toMatchObject({ state: 'closed', charged: 700n });
  expect(await store.read.audit({})).toMatchObject({ differences: [] });
});

test('a store that is closed meanwhile answers first', async () => {
  const node = await openPostgresStore({ url: database.url, clock: systemClock });
  await lock(locked);
  const opened = codeOf(admitting(node, paid(locked)));
  await untilWaiting();
  const closed = node.close();
  await database.sql('COMMIT');
  await closed;
  expect(await Promise.race([opened, 'not yet'])).toBe('ok');
});

test('a table that is locked is waited for by everybody', async () => {
  await database.sql('BEGIN');
  await database.sql('LOCK TABLE wallets');
  const served = serveOthers();
  await untilWaiting();
  await database.sql('COMMIT');
  expect(await served).toEqual(ALL_SERVED);
});

test('a node that falls silent inside its transaction loses its locks before anybody is refused', async () => {
  const proxy = await startTcpProxy(server.port);
  const url = database.url.replace(`:${server.port}/`, `:${proxy.port}/`);
  const node = await openPostgresStore({ url, clock: systemClock, writers: 1 });
  const next = proxy.commits() + 1;
  proxy.cut((commit) => (commit === next ? 'silence' : undefined));
  const silent = admitting(node, paid(locked));
  await eventually('it to be silent', () => proxy.cuts() === 1);
  const same = admitting(store, paid(locked));
  expect(await servedWhile(same)).toEqual(new Set(['ok']));
  expect(await same).toMatchObject({ ok: true });
  // What it had begun never happened, and is done again.
  expect(await silent).toMatchObject({ ok: true });
  expect(await store.read.openHolds(locked.accountId)).toHaveLength(2);
  expect(await store.read.audit({})).toMatchObject({ differences: [] });
  await node.close();
  await proxy.close();
});
