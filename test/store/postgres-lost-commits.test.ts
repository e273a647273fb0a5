// The connection is lost while a COMMIT is under way: nothing is lost, nothing is done twice, and nobody is told a lie.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { createRefusalLog } from '../../src/limits/refusal-log.ts';
import { storeRefusals } from '../../src/server/jobs/store-counts.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { type CutAt, startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import {
  admitting,
  createAccount,
  issueCards,
  paid,
  redeeming,
  registration,
  renewLease,
  sampleKey,
  settling,
  T0,
} from './suite/samples.ts';

const CUTS: CutAt[] = ['before COMMIT', 'during COMMIT', 'after COMMIT'];
const CALLS = 120;

let server: TestDatabases;
let database: TestDatabase;
let proxy: TcpProxy;
let store: Store;
beforeAll(async () => {
  server = await sharePostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await server.createDatabase();
  proxy = await startTcpProxy(server.port);
  const url = database.url.replace(`:${server.port}/`, `:${proxy.port}/`);
  store = await openPostgresStore({ url, clock: systemClock });
  await renewLease(store);
});
afterEach(async () => {
  await store.close();
  await proxy.close();
  await database.drop();
});

/** Cuts the next COMMIT only. */
function cutNext(at: CutAt): void {
  const next = proxy.commits() + 1;
  proxy.cut((commit) => (commit === next ? at : undefined));
}

test.each(CUTS)('%s: a settlement is charged once, and not called late', async (cut) => {
  const account = await createAccount(store, 10_000n);
  const input = paid(account);
  await store.commit('admit', input);
  cutNext(cut);
  expect(await store.commit('settle', settling(input, 700n))).toEqual({
    state: 'closed',
    charged: 700n,
    writtenOff: 0n,
    balance: 9_300n,
  });
  expect(await store.read.wallet(account.accountId)).toMatchObject({ balance: 9_300n, held: 0n });
  expect(await store.read.audit({})).toMatchObject({ differences: [], entries: 2 });
  expect(proxy.cuts()).toBe(1);
});

test.each(CUTS)('%s: a request is admitted once', async (cut) => {
  const account = await createAccount(store, 10_000n);
  cutNext(cut);
  expect(await store.commit('admit', paid(account))).toMatchObject({ ok: true, held: 2_000n });
  expect(await store.read.wallet(account.accountId)).toMatchObject({ held: 2_000n, inFlight: 1 });
  expect(await store.read.openHolds(account.accountId)).toHaveLength(1);
  expect(proxy.cuts()).toBe(1);
});

test.each(CUTS)('%s: registration, redeem, key and credit happen once', async (cut) => {
  const input = registration({ trial: 5n });
  const { accountId } = input;
  cutNext(cut);
  expect(await store.commit('register', input)).toMatchObject({ ok: true, accountId });
  const [card] = (await issueCards(store, 1, { amount: 70n })).cards;
  cutNext(cut);
  expect(await store.commit('redeem', redeeming(accountId, card?.hash ?? ''))).toMatchObject({
    ok: true,
    balance: 75n,
    alreadyRedeemed: false,
  });
  cutNext(cut);
  const key = sampleKey(accountId, { manage: false });
  expect(await store.commit('createKey', { key, at: T0 })).toMatchObject({ ok: true });
  cutNext(cut);
  const credit = { accountId, amount: 25n, reference: 'once', reason: 'test', at: T0 };
  expect(await store.commit('credit', credit)).toEqual({ ok: true, balance: 100n });
  expect(await store.read.keysOf(accountId)).toHaveLength(2);
  expect(await store.read.audit({})).toMatchObject({ differences: [], entries: 3 });
  expect(proxy.cuts()).toBe(4);
});

test('a server that is still at it, and fails, is waited for', async () => {
  const account = await createAccount(store, 10_000n);
  const [before, input] = [paid(account), paid(account)];
  for (const one of [before, input]) await store.commit('admit', one);
  await store.commit('settle', settling(before, 0n));
  // Somebody else has written the same record and not yet decided to keep it: so the batch stays open on the server.
  const blocker = database.sql(
    `BEGIN; INSERT INTO usage_records
       SELECT (jsonb_populate_record(known, '{"request_id": "${input.requestId}"}')).* FROM usage_records AS known;
     SELECT pg_sleep(1.2); ROLLBACK`,
  );
  await server.untilAsleep();
  cutNext('during COMMIT');
  expect(await store.commit('settle', settling(input, 700n))).toMatchObject({ state: 'closed', balance: 9_300n });
  await blocker;
  expect(proxy.cuts()).toBe(1);
  expect(await store.read.audit({})).toMatchObject({ differences: [], entries: 2 });
});

test('a server that is still at it, and succeeds, is waited for', async () => {
  const account = await createAccount(store, 10_000n);
  const input = paid(account);
  await store.commit('admit', input);
  // The COMMIT itself takes a while.
  await database.sql(
    `CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NEW; END';
     CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON usage_records DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION take_time()`,
  );
  cutNext('client gone');
  // Who does not wait would hear of the batch before, and find the hold gone when the settlement is run again.
  expect(await store.commit('settle', settling(input, 700n))).toMatchObject({ state: 'closed', balance: 9_300n });
  expect(proxy.cuts()).toBe(1);
  expect(await store.read.audit({})).toMatchObject({ differences: [], entries: 2 });
});

test('a wire that is cut at every third COMMIT, under load: every answer is true', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => createAccount(store, 1_000_000n)));
  proxy.cut((commit) => (commit % 3 === 0 ? CUTS[(commit / 3) % 3] : undefined));
  const charged = new Map(accounts.map(({ accountId }) => [accountId, 0n]));
  const call = async (n: number) => {
    const account = accounts[n % accounts.length] ?? { accountId: '', keyId: '' };
    const input = paid(account);
    expect(await admitting(store, input)).toMatchObject({ ok: true });
    const closed = await store.commit('settle', settling(input, BigInt(n)));
    expect(closed).toMatchObject({ state: 'closed', charged: BigInt(n) });
    charged.set(account.accountId, (charged.get(account.accountId) ?? 0n) + BigInt(n));
  };
  await Promise.all(
    Array.from({ length: CALLS }, async (_, n) => {
      await Bun.sleep(n * 10);
      await call(n);
    }),
  );
  // On a slow machine they share few COMMITs: then some more, of which each has its own.
  let calls = CALLS;
  while (proxy.cuts() <= 5) await call(calls++);
  proxy.cut(() => undefined);
  for (const { accountId } of accounts) {
    const balance = 1_000_000n - (charged.get(accountId) ?? 0n);
    expect(await store.read.wallet(accountId)).toMatchObject({ balance, held: 0n, inFlight: 0 });
  }
  expect(await store.read.audit({})).toMatchObject({ differences: [] });
  const { totals } = await store.read.usagePage({ accountId: accounts[0]?.accountId ?? '', limit: 1 });
  expect(totals.requests).toBe(Math.ceil(calls / accounts.length));
});

test.each([...CUTS, 'client gone' as const])('%s: refused requests are counted once', async (cut) => {
  const refusals = createRefusalLog(systemClock, 'node');
  const warned: string[] = [];
  const job = storeRefusals(store, systemClock, (_, event) => void warned.push(event), refusals);
  job.stop();
  const record = (requestId: string) =>
    refusals.record({
      ...{ requestId, accountId: 'acc', keyId: 'key', endpoint: 'GET /v1/models', model: null },
      ...{ status: 429, code: 'rate_limited', figures: {} },
    });
  const stored = async () => ({
    counts: (await store.read.refusalCounts('acc', 0)).map(({ refused }) => refused),
    requests: (await store.read.refusedRequests({ accountId: 'acc' })).length,
  });
  record('req_1');
  cutNext(cut);
  await job.flush();
  expect(proxy.cuts()).toBe(1);
  expect(warned).toEqual(['refusals_not_stored']);
  record('req_2');
  await job.flush();
  expect(await stored()).toEqual({ counts: [2], requests: 2 });
  record('req_3');
  await job.flush();
  expect(await stored()).toEqual({ counts: [3], requests: 3 });
  expect(warned).toHaveLength(1);
});
