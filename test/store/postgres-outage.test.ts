// The database goes away and comes back: refused at once while it is gone, nothing lost, no restart needed.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres, type TestDatabase, type TestPostgres } from '../support/postgres.ts';
import { type Account, admitting, createAccount, paid, renewLease, settling, T0, UNLIMITED } from './suite/samples.ts';

/** The machine may be busy with other things. */
const PATIENCE_MS = 60_000;
setDefaultTimeout(120_000);
/** Far above what it takes, which is some hundred milliseconds on an idle machine. */
const RECOVERS_MS = 15_000;
const CHARGE = {
  free: false,
  hold: { base: 1_000n, unit: 10n, wanted: 100, least: 16 },
  limits: { perMinute: UNLIMITED, inFlight: UNLIMITED },
} as const;

let server: TestPostgres;
let database: TestDatabase;
let store: Store;
let account: Account;
beforeAll(async () => {
  server = await startPostgres();
  database = await server.createDatabase();
  store = await openPostgresStore({ url: database.url, clock: systemClock });
  await renewLease(store);
  account = await createAccount(store, 1_000_000_000n);
});
afterAll(async () => {
  server.resume();
  await store.close();
  await server.stop();
});

interface Answered {
  code: string;
  why?: string;
}

const answerOf = (call: Promise<unknown>): Promise<Answered> =>
  call.then(
    () => ({ code: 'ok' }),
    ({ code, details }) => ({ code, why: details.internal }),
  );
const admission = () => answerOf(store.commit('admit', paid(account, { charge: CHARGE })));
const lookUp = () => answerOf(store.read.keyByHash('some hash'));

/** Whether it is refused without a wait for anything: no timer and no answer of anybody comes before the next turn. */
async function isRefusedAtOnce(answer: Promise<Answered>): Promise<boolean> {
  const nextTurn = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  return (await Promise.race([answer, nextTurn]))?.code === 'unavailable';
}

/** Until the store knows; `look` sees what those get who asked before. */
function untilKnownAway(look: (answer: Answered) => void = () => {}): Promise<boolean> {
  const ask = async () => {
    const answer = admission();
    if (await isRefusedAtOnce(answer)) return true;
    look(await answer);
    return false;
  };
  return eventually('it is known to be away', ask, PATIENCE_MS);
}

async function expectRefusedAtOnce(): Promise<void> {
  for (let n = 0; n < 20; n++) {
    expect(await isRefusedAtOnce(admission())).toBe(true);
    expect(await isRefusedAtOnce(lookUp())).toBe(true);
    await Bun.sleep(20);
  }
}

/** Runs pairs until told to stop. Whatever is admitted is settled, however long it takes. */
function startLoad(width: number) {
  let isOn = true;
  const facts = { settled: 0, charged: 0n, refused: 0 };
  const done = Promise.all(
    Array.from({ length: width }, async () => {
      while (isOn) {
        const input = paid(account, { charge: CHARGE });
        const opened = await admitting(store, input).catch(() => undefined);
        if (!opened?.ok) {
          facts.refused++;
          await Bun.sleep(20);
          continue;
        }
        for (;;) {
          const closed = await store.commit('settle', settling(input, 7n)).catch(() => undefined);
          if (!closed) await Bun.sleep(50);
          else {
            expect(closed).toMatchObject({ state: 'closed', charged: 7n });
            facts.settled++;
            facts.charged += 7n;
            break;
          }
        }
      }
    }),
  );
  return {
    facts,
    async stop() {
      isOn = false;
      await done;
    },
  };
}

async function expectSound(before: bigint, charged: bigint): Promise<void> {
  // The connections that read come back by themselves too, each in its own time.
  const wallet = await eventually('holds nobody can close are taken back', async () => {
    const found = await store.read.wallet(account.accountId).catch(() => undefined);
    return found?.inFlight === 0 && found;
  });
  expect(wallet).toMatchObject({ balance: before - charged, held: 0n });
  const audit = await eventually('an audit', () => store.read.audit({}).catch(() => undefined));
  expect(audit).toMatchObject({ differences: [] });
  expect(await database.sql("SELECT status FROM usage_records WHERE status <> 'ok'")).toEqual([]);
}

describe('a server that crashes under load', () => {
  test('refuses at once, recovers by itself, and every acknowledged settlement is there', async () => {
    const before = (await store.read.wallet(account.accountId))?.balance ?? 0n;
    const load = startLoad(16);
    await eventually('load', () => load.facts.settled > 100);
    await server.crash();
    await untilKnownAway();
    await expectRefusedAtOnce();
    const settledBefore = load.facts.settled;
    await server.start();
    const since = performance.now();
    await eventually('it settles again', () => load.facts.settled > settledBefore);
    expect(performance.now() - since).toBeLessThan(RECOVERS_MS);
    await load.stop();
    await expectSound(before, load.facts.charged);
  });

  test('again, three times in a row', async () => {
    const before = (await store.read.wallet(account.accountId))?.balance ?? 0n;
    const load = startLoad(16);
    for (let n = 0; n < 3; n++) {
      const settledBefore = load.facts.settled;
      await eventually('it settles', () => load.facts.settled > settledBefore + 50, PATIENCE_MS);
      await server.crash();
      await server.start();
    }
    const settledBefore = load.facts.settled;
    await eventually('it settles after the last', () => load.facts.settled > settledBefore, PATIENCE_MS);
    await load.stop();
    await expectSound(before, load.facts.charged);
  });
});

describe('a server that stops answering under load (SIGSTOP)', () => {
  test('is noticed, refuses at once, and recovers by itself', async () => {
    const before = (await store.read.wallet(account.accountId))?.balance ?? 0n;
    const load = startLoad(16);
    await eventually('load', () => load.facts.settled > 100);
    server.pause();
    // Even before that nobody waits longer for a place in a batch than they may.
    await untilKnownAway(({ why = '' }) => expect(why).not.toMatch(/no answer in (?!5000 ms)/));
    await expectRefusedAtOnce();
    const settledBefore = load.facts.settled;
    server.resume();
    const resumed = performance.now();
    await eventually('it admits and settles again', () => load.facts.settled > settledBefore + 20);
    expect(performance.now() - resumed).toBeLessThan(RECOVERS_MS);
    await load.stop();
    await expectSound(before, load.facts.charged);
  });
});

test('connections that an operator ends are opened again, without a word to anybody', async () => {
  const before = (await store.read.wallet(account.accountId))?.balance ?? 0n;
  const width = 16;
  const load = startLoad(width);
  for (let n = 0; n < 10; n++) {
    await database.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ai-gateway commits'`,
    );
    // What was under way is done before the next end: on a slow machine the same batch would be met twice.
    const { settled } = load.facts;
    await eventually('it goes on', () => load.facts.settled > settled + 2 * width);
  }
  await load.stop();
  expect(load.facts.refused).toBe(0);
  await expectSound(before, load.facts.charged);
});

test('a commit that waits for a lock beyond its limit is refused, and nothing of it stays', async () => {
  await database.sql('BEGIN');
  await database.sql(`SELECT 1 FROM wallets WHERE account_id = '${account.accountId}' FOR UPDATE`);
  // The lock is still there: without a limit this would never be answered.
  expect(await admission()).toMatchObject({ code: 'unavailable' });
  await database.sql('ROLLBACK');
  expect(await store.read.wallet(account.accountId)).toMatchObject({ held: 0n, inFlight: 0 });
});

test('whoever is refused hears why the database cannot be used', async () => {
  const guarded = await server.createDatabase();
  const role = 'rotated';
  await guarded.sql(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'password'`);
  const url = guarded.url.replace('postgres:password@', `${role}:password@`);
  const node = await openPostgresStore({ url, clock: systemClock });
  await guarded.sql(`ALTER ROLE ${role} PASSWORD 'other'`);
  const end = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1';
  const why = `store: the database does not answer: password authentication failed for user "${role}" (28P01)`;
  const asking = [() => renewLease(node), () => node.read.pulse()];
  for (const ask of asking) {
    await eventually('it says why', async () => {
      // Again and again: one of them may just have been let in.
      await guarded.sql(end, role);
      return (await answerOf(ask())).why === why;
    });
  }
  await guarded.sql(`ALTER ROLE ${role} PASSWORD 'password'`);
  await eventually('it is back', async () => (await answerOf(renewLease(node))).code === 'ok');
  await node.close();
  await guarded.drop();
  await database.sql(`DROP ROLE ${role}`);
});

test('a server that takes no writes is asked again and again, and no connection stays behind', async () => {
  const standby = await server.createDatabase();
  const name = new URL(standby.url).pathname.slice(1);
  const node = await openPostgresStore({ url: standby.url, clock: systemClock });
  await standby.sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  for (let n = 0; n < 5; n++) {
    const refused = await createAccount(node).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unavailable', details: { internal: expect.stringContaining('read-only') } });
  }
  await eventually('every connection is closed', async () => {
    const sessions = `SELECT pid FROM pg_stat_activity
      WHERE application_name = 'ai-gateway commits' AND datname = current_database()`;
    return (await standby.sql(sessions)).length === 0;
  });
  const alarm = () => answerOf(node.recordAlarm({ name: 'settle_retrying', fields: {} }, T0));
  // Its connection is kept, and was opened while nothing could be written.
  expect(await alarm()).toMatchObject({ code: 'unavailable', why: expect.stringContaining('read-only') });
  await standby.sql(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await createAccount(node);
  expect(await alarm()).toEqual({ code: 'ok' });
  expect(await standby.sql('SELECT name FROM alarms')).toEqual([{ name: 'settle_retrying' }]);
  await node.close();
  await standby.drop();
});
