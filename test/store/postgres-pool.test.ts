// Questions that share a few connections: each has its own time, and nobody pays for another's. What takes long waits for a
// lock that the test has.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { MINUTE_MS } from '../../src/kit/clock.ts';
import { createConnect } from '../../src/store/postgres/connect.ts';
import { createPool, type Pool, type PoolOptions } from '../../src/store/postgres/pool.ts';
import { prepareReads } from '../../src/store/postgres/prepare-reads.ts';
import { eventually } from '../support/eventually.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

/** On a clock of the test's: for the server it is more than any test takes. */
const STATEMENT_MS = 60_000;
const GRACE_MS = 500;
const LONG_MS = 600_000;
const AUDIT_TIME = { statementMs: LONG_MS, wholeMs: 2.5 * LONG_MS };

let postgres: TestDatabases;
let database: TestDatabase;
let clock: ManualClock;
let pool: Pool;
let away: string | undefined;
beforeAll(async () => {
  postgres = await sharePostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await postgres.createDatabase();
  clock = createManualClock();
  away = undefined;
  pool = poolOf({ connections: 2 });
  for (const lock of [1, 2, 3]) await database.sql('SELECT pg_advisory_lock($1::bigint)', lock);
});
afterEach(async () => {
  await pool.close();
  await database.drop();
});

function poolOf(options: Pick<PoolOptions, 'connections'> & Partial<PoolOptions>): Pool {
  const settings = { application_name: 'pool', default_transaction_read_only: 'on' };
  const connect = createConnect(database.url, clock);
  return createPool({ clock, connect, settings, statementMs: STATEMENT_MS, away: () => away, ...options });
}

/** In place of the pool with one user for each connection. */
async function share(options: Pick<PoolOptions, 'connections'> & Partial<PoolOptions>): Promise<void> {
  await pool.close();
  pool = poolOf({ callersEach: 64, ...options });
}

const waitFor = (lock: number) => ({ sql: 'SELECT pg_advisory_lock($1::bigint)::text', values: [lock] });
const release = (lock: number) => database.sql('SELECT pg_advisory_unlock($1::bigint)', lock);
const outcomeOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'answered',
    ({ code, details }) => `${code}: ${details.internal}`,
  );
const askFor = (lock: number) => outcomeOf(pool.ask(waitFor(lock)));
const auditFor = (...locks: number[]) => outcomeOf(pool.askTogether(locks.map(waitFor), AUDIT_TIME));
/** The locks for which somebody waits on the server. */
const untilAsked = (...locks: number[]) =>
  eventually(`${locks} are asked for`, async () => {
    const rows = await database.sql<{ lock: bigint }>(
      `SELECT objid::bigint AS lock FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
       WHERE locktype = 'advisory' AND NOT granted AND datname = current_database() ORDER BY lock`,
    );
    return Bun.deepEquals(
      rows.map(({ lock }) => Number(lock)),
      locks,
    );
  });

test('the time of a question begins when it is sent, not while it waits for a connection', async () => {
  const audit = auditFor(1);
  const first = askFor(2);
  await untilAsked(1, 2);
  const second = askFor(3);
  await clock.advance(STATEMENT_MS);
  await release(2);
  expect(await first).toBe('answered');
  await untilAsked(1, 3);
  await clock.advance(STATEMENT_MS);
  await release(3);
  expect(await second).toBe('answered');
  await release(1);
  expect(await audit).toBe('answered');
});

test('one without an answer loses its own connection alone', async () => {
  const audit = auditFor(1);
  const silent = askFor(2);
  await untilAsked(1, 2);
  await clock.advance(STATEMENT_MS + GRACE_MS);
  expect(await silent).toBe('unavailable: store: no answer in 60500 ms');
  expect(await outcomeOf(pool.ask({ sql: 'SELECT 1' }))).toBe('answered');
  await release(1);
  expect(await audit).toBe('answered');
});

test('each question of an audit has the full time', async () => {
  const audit = auditFor(1, 2);
  await untilAsked(1);
  await clock.advance(LONG_MS);
  await release(1);
  await untilAsked(2);
  await clock.advance(LONG_MS);
  await release(2);
  expect(await audit).toBe('answered');
});

test('all questions of an audit together have their time, too', async () => {
  const audit = auditFor(1, 2, 3);
  for (const lock of [1, 2]) {
    await untilAsked(lock);
    await clock.advance(LONG_MS);
    await release(lock);
  }
  await untilAsked(3);
  await clock.advance(0.5 * LONG_MS + GRACE_MS);
  expect(await audit).toBe('unavailable: store: no answer in 1500500 ms');
});

test('the short pass of an audit is given up after minutes, where a full one goes on', async () => {
  await pool.close();
  pool = poolOf({ connections: 3 });
  await database.sql('BEGIN');
  await database.sql('LOCK TABLE entries IN ACCESS EXCLUSIVE MODE');
  const { audit } = prepareReads({ pool, pulsePool: pool, slowPool: pool });
  const full = outcomeOf(audit({}));
  const short = outcomeOf(audit({ since: { touchedAt: 0, entryId: 0 } }));
  await eventually('both wait', async () => {
    const waiting = await database.sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'entries'::regclass`);
    return waiting.length === 2;
  });
  await clock.advance(5 * MINUTE_MS + GRACE_MS);
  expect(await short).toBe('unavailable: store: no answer in 300500 ms');
  await database.sql('COMMIT');
  expect(await full).toBe('answered');
});

test('audits leave a connection to the others, and wait for each other', async () => {
  const audits = [auditFor(1), auditFor(2)];
  await untilAsked(1);
  expect(await outcomeOf(pool.ask({ sql: 'SELECT 1' }))).toBe('answered');
  await release(1);
  await untilAsked(2);
  await release(2);
  expect(await Promise.all(audits)).toEqual(['answered', 'answered']);
});

test('one for whom no connection becomes free is refused, and disturbs nobody', async () => {
  const audit = auditFor(1);
  const first = askFor(2);
  await untilAsked(1, 2);
  const second = askFor(3);
  const third = askFor(3);
  await clock.advance(STATEMENT_MS);
  await release(2);
  expect(await first).toBe('answered');
  await untilAsked(1, 3);
  await clock.advance(GRACE_MS);
  expect(await third).toBe('unavailable: store: no connection was free in 60500 ms');
  await release(3);
  expect(await second).toBe('answered');
  await release(1);
  expect(await audit).toBe('answered');
});

test('when the database goes away, who waits is refused at once, too', async () => {
  const outcomes = [auditFor(1), askFor(2)];
  await untilAsked(1, 2);
  outcomes.push(askFor(3));
  away = 'the database does not answer';
  pool.reset();
  const [audit, asked, waited] = await Promise.all(outcomes);
  expect([audit, asked]).toEqual(Array(2).fill(expect.stringMatching(/^unavailable: store: .*CLOSED/)));
  expect(waited).toBe('unavailable: store: the database does not answer');
  expect(await askFor(3)).toBe('unavailable: store: the database does not answer');
  away = undefined;
  expect(await outcomeOf(pool.ask({ sql: 'SELECT 1' }))).toBe('answered');
});

test('where quick questions share connections, all of them are on their way at once', async () => {
  const { port } = new URL(database.url);
  const proxy = await startTcpProxy(Number(port));
  await share({ connections: 2, connect: createConnect(database.url.replace(port, String(proxy.port)), clock) });
  const look = (name: string) => pool.ask({ sql: 'SELECT $1::text AS name', values: [name] });
  await Promise.all([look('first'), look('second')]);
  const names = Array.from({ length: 100 }, (_, index) => `question ${100 + index}.`);
  proxy.holdAnswersUntil(names);
  const answers = await Promise.all(names.map(look));
  expect(answers.map(([row]) => row?.name)).toEqual(names);
  await proxy.close();
});

test('on a shared connection the time of a question begins when the one before it is answered', async () => {
  await share({ connections: 1 });
  const [first, second] = [askFor(1), askFor(2)];
  await untilAsked(1);
  await clock.advance(STATEMENT_MS);
  await release(1);
  expect(await first).toBe('answered');
  await untilAsked(2);
  await clock.advance(STATEMENT_MS);
  await release(2);
  expect(await second).toBe('answered');
});

test('one without an answer on a shared connection is refused alone: who stands behind it is asked once more', async () => {
  await share({ connections: 1 });
  const silent = askFor(1);
  await untilAsked(1);
  const behind = [1, 2, 3].map(() => outcomeOf(pool.ask({ sql: 'SELECT 1' })));
  await clock.advance(STATEMENT_MS + GRACE_MS);
  expect(await silent).toBe('unavailable: store: no answer in 60500 ms');
  expect(await Promise.all(behind)).toEqual(['answered', 'answered', 'answered']);
});

test('a line that goes on is not given up, and nobody stands in it for ever', async () => {
  await share({ connections: 1 });
  const [first, second, third] = [askFor(1), askFor(2), askFor(3)];
  await untilAsked(1);
  await clock.advance(STATEMENT_MS);
  await release(1);
  await untilAsked(2);
  await clock.advance(STATEMENT_MS);
  await release(2);
  await untilAsked(3);
  expect(await Promise.all([first, second])).toEqual(['answered', 'answered']);
  const behind = outcomeOf(pool.ask({ sql: 'SELECT 1' }));
  await clock.advance(2 * GRACE_MS);
  expect(await third).toBe('unavailable: store: no answer in 121000 ms');
  await release(3);
  expect(await behind).toBe('answered');
});
