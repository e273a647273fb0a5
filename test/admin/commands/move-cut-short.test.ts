// move is killed at its steps, or loses its connection at the last one: there is never more than one database that is
// served, what is in PostgreSQL is everything or nothing, and the next command is told.

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startTestGateway } from '../../support/gateway.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../../support/postgres.ts';
import { createWorkplace } from '../../support/start-process.ts';
import { type CutAt, startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** Processes are started, on a machine that may be busy. */
setDefaultTimeout(120_000);

const place = createWorkplace();
let postgres: TestDatabases;
let database: TestDatabase;
let proxy: TcpProxy;
/** How many tables are copied, after each of which it can be killed. */
let tables: number;

beforeAll(async () => {
  postgres = await sharePostgres();
  proxy = await startTcpProxy(postgres.port);
  const gateway = await startTestGateway({ dataDir: place.dataDir });
  await gateway.register();
  await gateway.stop();
  database = await postgres.createDatabase();
  const { stdout } = await place.gateway(['move', '--to', database.url, '--json']);
  tables = Object.keys(JSON.parse(stdout).rows).length;
  await undo();
});
afterAll(async () => {
  await place.remove();
  await proxy.close();
  await postgres.stop();
});
beforeEach(async () => {
  database = await postgres.createDatabase();
});

const move = (env = {}) => place.gateway(['move', '--to', database.url], env);
const undo = () => place.gateway(['move', 'undo']);
const accounts = async () => (await database.sql('SELECT 1 FROM accounts')).length;
const isServed = async () => (await place.gateway(['ledger', 'audit'])).exitCode === 0;

describe('killed', () => {
  test.each([
    ['after the first table', () => 1],
    ['in the middle of them', () => tables >> 1],
    ['after the last one', () => tables],
    ['when everything is compared', () => tables + 1],
  ])('%s: nothing is there, and the same command does it', async (_, step) => {
    expect((await move({ TORTURE_KILL: `inside-move:${step()}` })).exitCode).toBe(137);
    expect(await accounts()).toBe(0);
    expect(await isServed()).toBe(true);
    expect(await move()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await accounts()).toBe(1);
    await undo();
  });

  test('after the mark and before PostgreSQL has it: neither is served, and the way out is told', async () => {
    expect((await move({ TORTURE_KILL: `inside-move:${tables + 2}` })).exitCode).toBe(137);
    expect(await accounts()).toBe(0);
    const { exitCode, stderr } = await place.failToServe();
    expect(exitCode).toBe(1);
    expect(stderr).toContain('If the move was interrupted and the new database is empty');
    expect(await undo()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await isServed()).toBe(true);
    expect(await move()).toMatchObject({ exitCode: 0, stderr: '' });
    await undo();
  });

  test('when it is done: everything is there, and the embedded database is refused', async () => {
    expect((await move({ TORTURE_KILL: `inside-move:${tables + 3}` })).exitCode).toBe(137);
    expect(await accounts()).toBe(1);
    expect(await isServed()).toBe(false);
    await undo();
  });
});

describe('a connection that is lost at the last COMMIT', () => {
  /** The migrations have one before it. */
  const LAST = 2;
  const throughProxy = async (cut: CutAt, admitted = Number.POSITIVE_INFINITY) => {
    const url = new URL(database.url);
    url.port = String(proxy.port);
    const before = proxy.commits();
    proxy.cut((commit) => (commit - before === LAST ? cut : undefined));
    proxy.admit(admitted);
    return place.gateway(['move', '--to', url.href]);
  };

  test('before PostgreSQL heard of it: nothing is there, and the embedded database serves on', async () => {
    const { exitCode, stderr } = await throughProxy('before COMMIT');
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith('nothing was moved: ');
    expect(await accounts()).toBe(0);
    expect(await isServed()).toBe(true);
  });

  test('after it was done: it is looked up, and everything is there', async () => {
    expect(await throughProxy('after COMMIT')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await accounts()).toBe(1);
    expect(await isServed()).toBe(false);
    expect(await undo()).toMatchObject({ exitCode: 0 });
  });

  test('and does not come back: neither is served until somebody has looked', async () => {
    const { exitCode, stderr } = await throughProxy('after COMMIT', 1);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('was lost at the last step: look whether');
    expect(await isServed()).toBe(false);
    expect(await undo()).toMatchObject({ exitCode: 0 });
  });
});

test('what was not moved cannot be taken back', async () => {
  expect(await undo()).toEqual({ exitCode: 1, stdout: '', stderr: 'this database is not marked as moved\n' });
});
