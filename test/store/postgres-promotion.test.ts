// A primary with a synchronous standby: what is acknowledged is on both, whatever fails. The standby takes over, and the
// server that was the primary before is not used again.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { SQL } from 'bun';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres, type TestPostgres, type TestStandby } from '../support/postgres.ts';
import { type Account, createAccount, paid, renewLease, settling } from './suite/samples.ts';

setDefaultTimeout(180_000);

const LANES = 2;
/** Less than an idle connection would be left alone. */
const NONE_KEPT_MS = 15_000;
/** Longer than every limit of a commit: 6 s for the batch, then 2 s for the lock of whoever asks what became of it. */
const BEYOND_LIMITS_MS = 9_000;

let first: TestPostgres;
let second: TestStandby;
let name: string;
let store: Store;
let account: Account;

const urlOf = (...hosts: { port: number }[]) =>
  `postgres://postgres:password@${hosts.map(({ port }) => `127.0.0.1:${port}`).join()}/${name}`;

beforeAll(async () => {
  first = await startPostgres();
  second = await first.addStandby();
  const database = await first.createDatabase();
  name = new URL(database.url).pathname.slice(1);
  store = await openPostgresStore({ url: urlOf(first, second), clock: systemClock });
  await renewLease(store);
  account = await createAccount(store, 10_000n);
});
afterAll(async () => {
  first.resume();
  second.resume();
  await store.close();
  await first.stop();
});

const isUnavailable = (error: unknown) => (error as { code?: string }).code === 'unavailable';

/** Waits until it is admitted: refused calls have done nothing. */
function admittedSoon(): Promise<ReturnType<typeof paid>> {
  return eventually('a call is admitted', async () => {
    const input = paid(account);
    const result = await store.commit('admit', input).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
    });
    return result?.ok && input;
  });
}

async function countOn(server: { port: number }): Promise<{ accounts: number; settled: number }> {
  const client = new SQL(urlOf(server), { max: 1, database: name });
  try {
    const [row] = await client.unsafe(
      'SELECT (SELECT count(*)::int FROM accounts) AS accounts, (SELECT count(*)::int FROM usage_records) AS settled',
    );
    return row;
  } finally {
    await client.close();
  }
}

async function sessionsOn(server: TestPostgres, waitEvent: string, who = 'ai-gateway%'): Promise<number> {
  const sessions = `SELECT 1 FROM pg_stat_activity
    WHERE application_name LIKE '${who}' AND datname = '${name}' AND wait_event ${waitEvent}`;
  return (await server.run(sessions)).length;
}

test('nothing is acknowledged while the standby does not have it', async () => {
  const input = await admittedSoon();
  second.pause();
  let isSettled = false;
  const settled = store.commit('settle', settling(input, 700n)).finally(() => {
    isSettled = true;
  });
  await Bun.sleep(BEYOND_LIMITS_MS);
  expect(isSettled).toBe(false);
  second.resume();
  expect(await settled).toMatchObject({ state: 'closed', charged: 700n, balance: 9_300n });
});

test('the primary freezes with a settlement on its way: it is charged once, on the promoted standby', async () => {
  // Every lane gets a connection.
  const isConnected = async () => (await sessionsOn(first, "= 'ClientRead'", 'ai-gateway commits')) === LANES;
  await eventually('every lane is connected', async () => {
    await Promise.all([createAccount(store), Bun.sleep(1).then(() => createAccount(store))]);
    return isConnected();
  });
  const input = await admittedSoon();
  second.pause();
  const settled = store.commit('settle', settling(input, 300n));
  // The primary has it, and waits for the standby.
  await eventually('the commit waits', async () => (await sessionsOn(first, "= 'SyncRep'")) > 0);
  first.pause();
  second.resume();
  await second.promote();
  expect(await settled).toMatchObject({ state: 'closed', charged: 300n, balance: 9_000n });
  await store.commit('settle', settling(await admittedSoon(), 100n));
  expect(await store.read.wallet(account.accountId)).toMatchObject({ balance: 8_900n, held: 0n, inFlight: 0 });
  expect(await store.read.audit({})).toMatchObject({ differences: [] });
});

test('a server that was the primary before and comes back is not used: by nodes that run, nor by one that starts', async () => {
  first.resume();
  const before = await countOn(first);
  // The one that waits for the standby does not notice that its client has left.
  const connected = () => sessionsOn(first, "IS DISTINCT FROM 'SyncRep'");
  await eventually('no connection is kept', async () => (await connected()) === 0, NONE_KEPT_MS);
  const started = await openPostgresStore({ url: urlOf(first, second), clock: systemClock });
  await createAccount(started);
  await started.close();
  // The node that runs gets no answers any more, and must choose again.
  second.pause();
  await eventually('it is known to be away', async () => {
    return store.commit('admit', paid(account)).then(() => false, isUnavailable);
  });
  const lookUp = () => store.read.wallet(account.accountId).then(() => 'answered', isUnavailable);
  for (let n = 0; n < 20; n++) {
    expect(await lookUp()).toBe(true);
    await Bun.sleep(50);
  }
  second.resume();
  await store.commit('settle', settling(await admittedSoon(), 100n));
  expect(await store.read.wallet(account.accountId)).toMatchObject({ balance: 8_800n });
  expect(await store.read.audit({})).toMatchObject({ differences: [] });
  expect(await countOn(first)).toEqual(before);
});

test('a node that finds no primary waits, and says what it found', async () => {
  const said: string[] = [];
  const ending = new AbortController();
  const hosts = [{ port: 1 }, { port: 2 }];
  const wait = { onAway: (why: string) => void said.push(why), signal: ending.signal };
  const opening = openPostgresStore({ url: urlOf(...hosts), clock: systemClock, wait }).catch((error) => error);
  await eventually('it says so', () => said.length > 0);
  ending.abort();
  expect(String(await opening)).toMatch(/no primary among the servers \(127\.0\.0\.1:1: .*; 127\.0\.0\.1:2: .*\)/);
});
