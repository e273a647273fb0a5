// move refuses what it cannot move whole, says what to do, and leaves nothing behind; with differences it asks for a word.

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { systemClock } from '../../../src/kit/clock.ts';
import { moveDatabase } from '../../../src/store/move/move-database.ts';
import { openTarget } from '../../../src/store/move/open-target.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/index.ts';
import { markMoved, unmarkMoved } from '../../../src/store/sqlite/moved-mark.ts';
import { openDatabase } from '../../../src/store/sqlite/open-database.ts';
import type { Answer } from '../../support/answer.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestGateway, type TestAccount } from '../../support/gateway.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../../support/postgres.ts';
import { createWorkplace, type Ended } from '../../support/start-process.ts';
import { writeSql } from '../../support/write-sql.ts';

/** Processes are started, on a machine that may be busy. */
setDefaultTimeout(120_000);

const ACCEPT = '--accept-differences';
const place = createWorkplace();
const file = `${place.dataDir}/gateway.sqlite`;
let postgres: TestDatabases;
let database: TestDatabase;
let account: TestAccount;

beforeAll(async () => {
  postgres = await sharePostgres();
  const gateway = await startTestGateway({ dataDir: place.dataDir });
  account = await gateway.register();
  await (await gateway.chat(account.key, { model: 'demo-small' })).text();
  await gateway.stop();
});
afterAll(async () => {
  await place.remove();
  await postgres.stop();
});
beforeEach(async () => {
  database = await postgres.createDatabase({ empty: true });
});

const move = (...more: string[]) => place.gateway(['move', '--to', database.url, ...more]);

/** One line on stderr that says so, and no password in it. */
function expectRefused({ exitCode, stdout, stderr }: Ended, ...said: string[]): void {
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).not.toContain('password@');
  for (const words of said) expect(stderr).toContain(words);
}

async function tablesThere(): Promise<string[]> {
  const sql = `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`;
  return (await database.sql<{ name: string }>(sql)).map(({ name }) => name);
}

async function expectEmpty(): Promise<void> {
  for (const name of await tablesThere()) {
    if (['schema_migrations', 'versions'].includes(name)) continue;
    expect([name, await database.sql(`SELECT 1 FROM ${name}`)]).toEqual([name, []]);
  }
}

const expectUnmarked = async () =>
  expect(await place.gateway(['ledger', 'audit'])).toMatchObject({ exitCode: 0, stderr: '' });

describe('the embedded database', () => {
  test('is refused while a server runs on it, which goes on', async () => {
    const server = await place.serve();
    expectRefused(await move(), 'a server is running on this database');
    const me = await fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${account.key}` } });
    expect(me.status).toBe(200);
    server.signal('SIGTERM');
    await server.ended;
    expect(await tablesThere()).toEqual([]);
  });

  test('is what is moved: a DATABASE_URL beside it is a mistake', async () => {
    const env = { DATABASE_URL: database.url, SECRETS_PEPPER: 'a pepper of the test' };
    for (const args of [
      ['move', '--to', database.url],
      ['move', 'undo'],
    ]) {
      expectRefused(await place.gateway(args, env), 'DATABASE_URL is set');
    }
    expect(await tablesThere()).toEqual([]);
  });

  test('is refused with another pepper than its own', async () => {
    const refused = await place.gateway(['move', '--to', database.url], {
      SECRETS_PEPPER: 'another pepper of the test',
    });
    expectRefused(refused, 'the pepper of SECRETS_PEPPER is not the one');
    expect(await tablesThere()).toEqual([]);
  });

  test('of an older version is upgraded first', async () => {
    const older = createWorkplace();
    try {
      mkdirSync(older.dataDir);
      const db = openDatabase(`${older.dataDir}/gateway.sqlite`);
      migrate(db, { migrations: MIGRATIONS.slice(0, -2) });
      db.run(`INSERT INTO accounts VALUES ('acc_old', 1)`);
      db.run(`INSERT INTO wallets (account_id, balance_nano, held_nano, in_flight, free_in_flight, frozen, touched_at)
        VALUES ('acc_old', 0, 0, 0, 0, 0, 1)`);
      db.close();
      const env = { SECRETS_PEPPER: 'a pepper of the test' };
      const { exitCode, stdout, stderr } = await older.gateway(['move', '--to', database.url], env);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain('SECRETS_PEPPER="$SECRETS_PEPPER" npm start');
      expect(await database.sql('SELECT account_id, frozen FROM wallets')).toEqual([
        { account_id: 'acc_old', frozen: false },
      ]);
    } finally {
      await older.remove();
    }
  });
});

test('of two moves the second is refused in words, also where it began before the first had ended', async () => {
  const target = await openTarget(database.url, systemClock);
  const db = openDatabase(file);
  try {
    markMoved(db, 'db.example/gateway', Date.now());
    const log = { at: Date.now(), actor: 'cli', action: 'database.move', subject: target.place, detail: {} };
    await expect(moveDatabase(file, target, log)).rejects.toThrow(
      'this database was moved to PostgreSQL (db.example/gateway',
    );
  } finally {
    await target.close();
    unmarkMoved(db);
    db.close();
  }
  await expectEmpty();
  await expectUnmarked();
});

describe('a PostgreSQL', () => {
  const to = (url: string) => place.gateway(['move', '--to', url]);

  test('that cannot be reached, does not know us or has no such database is told', async () => {
    const nobody = new URL(database.url);
    nobody.port = String(await freePort());
    expectRefused(await to(nobody.href), 'cannot use the database at', 'ERR_POSTGRES_CONNECTION_REFUSED');
    const missing = new URL(database.url);
    missing.pathname = '/no_such_database';
    expectRefused(await to(missing.href), 'cannot use the database at', 'does not exist');
    const wrong = new URL(database.url);
    wrong.password = 'wrong';
    expectRefused(await to(wrong.href), 'cannot use the database at', 'authentication failed');
    await expectUnmarked();
  });

  test('with tables of something else is refused, and gets none of ours', async () => {
    await database.sql('CREATE TABLE recipes (name text)');
    expectRefused(await move(), 'has tables of something else (recipes)', 'make a new database');
    expect(await tablesThere()).toEqual(['recipes']);
  });

  test('with a table of something else beside ours is refused, and nothing is moved', async () => {
    database = await postgres.createDatabase();
    await database.sql('CREATE TABLE recipes (name text)');
    expectRefused(await move(), 'the embedded database has nothing for the table recipes of PostgreSQL');
    await expectEmpty();
  });

  test('on which a gateway has begun is refused', async () => {
    const env = { DATABASE_URL: database.url, SECRETS_PEPPER: 'a pepper of the test' };
    expect((await place.gateway(['ledger', 'audit'], env)).exitCode).toBe(0);
    expectRefused(await move(), 'is not empty (audit_log, settings)', 'make a new database');
  });

  test('of a newer version is refused', async () => {
    database = await postgres.createDatabase();
    await database.sql(`INSERT INTO schema_migrations (version, name, hash) VALUES (999, 'later', 'x')`);
    expectRefused(await move(), 'is from a newer version');
  });

  test('in which nothing stands but the empty schema is taken', async () => {
    database = await postgres.createDatabase();
    expect(await move()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await place.gateway(['move', 'undo'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

test('the next step that is printed works in a shell, whatever the data folder is called', async () => {
  const DATA_DIR = place.path(`our "own" data's $HOME`);
  cpSync(place.dataDir, DATA_DIR, { recursive: true });
  const { stdout } = await place.gateway(['move', '--to', database.url, '--json'], { DATA_DIR });
  const next: string = JSON.parse(stdout).next;
  expect(next).toEndWith(' npm start');
  const asked = Bun.spawn(['sh', '-c', next.replace('npm start', 'printenv SECRETS_PEPPER DATABASE_URL')]);
  const url = database.url.replace(':password@', ':***@');
  expect(await new Response(asked.stdout).text()).toBe(
    `${readFileSync(`${DATA_DIR}/pepper`, 'utf8').trim()}\n${url}\n`,
  );
});

test('a row that PostgreSQL does not take: nothing is moved, and the embedded database serves on', async () => {
  // In the middle: other tables were copied before. PostgreSQL knows no such character.
  writeSql(file, `INSERT INTO replays VALUES ('r', 'a' || char(0) || 'b', 's', 'x', 9999999999999)`);
  expectRefused(await move(), 'nothing was moved: the table replays is refused: ');
  await expectEmpty();
  const server = await place.serve();
  server.signal('SIGTERM');
  await server.ended;
  writeSql(file, `DELETE FROM replays WHERE replay_id = 'r'`);
  expect(await move()).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await place.gateway(['move', 'undo'])).toMatchObject({ exitCode: 0, stderr: '' });
});

test('odd texts and the largest numbers arrive as they are, many rows of them', async () => {
  const odd = [
    '',
    ' ',
    'NULL',
    'null',
    '{}',
    '{"a",b}',
    '"',
    '\\',
    '\\N',
    'a\nb\r\tc\u0007\u007f',
    'é e\u0301',
    '價格 🙂',
    "'--",
  ];
  const largest = 2n ** 63n - 1n;
  for (const [index, text] of odd.entries()) {
    writeSql(file, 'INSERT INTO replays VALUES (?, ?, ?, ?, ?)', `odd${index}`, text, text, text, largest);
  }
  writeSql(
    file,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO replays SELECT 'many' || i, printf('%.*c', 1000, 'x'), i, 'x', ${2n ** 53n} + i FROM n`,
  );
  expect(await move()).toMatchObject({ exitCode: 0, stderr: '' });
  const rows = await database.sql<Answer>(`SELECT * FROM replays WHERE replay_id LIKE 'odd%'`);
  const found = new Map(rows.map((row) => [row.replay_id, [row.body_hash, row.salt, row.result, row.expires_at]]));
  for (const [index, text] of odd.entries()) expect(found.get(`odd${index}`)).toEqual([text, text, text, largest]);
  expect(
    await database.sql(
      `SELECT count(*) AS rows, sum(expires_at - ${2n ** 53n})::bigint AS sum FROM replays WHERE salt <> body_hash`,
    ),
  ).toEqual([{ rows: 2500n, sum: (2500n * 2501n) / 2n }]);
  expect(await place.gateway(['move', 'undo'])).toMatchObject({ exitCode: 0, stderr: '' });
  writeSql(file, 'DELETE FROM replays');
});

describe('differences', () => {
  const balance = (change: string) =>
    writeSql(file, `UPDATE wallets SET balance_nano = balance_nano ${change} WHERE account_id = ?`, account.accountId);
  beforeAll(() => balance('+ 1'));
  afterAll(() => balance('- 1'));

  test('are told, and nothing is moved', async () => {
    const { exitCode, stdout, stderr } = await move();
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toStartWith('the embedded database does not pass the ledger audit:\nwhat ');
    for (const said of [account.accountId, ACCEPT]) expect(stderr).toContain(said);
    expect(JSON.parse((await move('--json')).stderr)).toMatchObject({ differences: [{ what: 'balance' }] });
    expect(await tablesThere()).toEqual([]);
  });

  test(`are taken along with ${ACCEPT}: the wrong account is frozen`, async () => {
    const { exitCode, stdout, stderr } = await move(ACCEPT, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const told: Answer = JSON.parse(stdout);
    expect(told).toMatchObject({ differences: [{ what: 'balance' }], frozen: [account.accountId] });
    expect(await database.sql('SELECT account_id FROM wallets WHERE frozen')).toEqual([
      { account_id: account.accountId },
    ]);
    expect(await database.sql(`SELECT actor, subject FROM audit_log WHERE action = 'accounts.freeze'`)).toEqual([
      { actor: 'cli', subject: account.accountId },
    ]);
    expect(await place.gateway(['move', 'undo'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('that were frozen before a move that fails are named', async () => {
    writeSql(file, `INSERT INTO replays VALUES ('r', 'a' || char(0) || 'b', 's', 'x', 9999999999999)`);
    const { exitCode, stderr } = await move(ACCEPT);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith('nothing was moved: the table replays is refused: ');
    expect(stderr).toContain(`still frozen in the embedded database: ${account.accountId} `);
    expect(JSON.parse((await move(ACCEPT, '--json')).stderr)).toMatchObject({ frozen: [account.accountId] });
    await expectEmpty();
    writeSql(file, `DELETE FROM replays WHERE replay_id = 'r'`);
  });
});
