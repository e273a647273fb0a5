// A PostgreSQL that keeps silent about a commit for longer than a client would be kept waiting: what an operator asked for
// is then done once, and never called refused while it may still be done.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import type { Answer } from '../../support/answer.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../../support/postgres.ts';
import { createWorkplace, type Ended } from '../../support/start-process.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

/** The silence is real, and processes are started on a machine that may be busy. */
setDefaultTimeout(120_000);

const SECRETS_PEPPER = 'a pepper for every node';
const place = createWorkplace();
let postgres: TestDatabases;
let database: TestDatabase;
let account: Answer;

beforeAll(async () => {
  postgres = await sharePostgres();
  database = await postgres.createDatabase();
  const server = await place.serve({ DATABASE_URL: database.url, SECRETS_PEPPER });
  account = await (await fetch(`${server.url}/api/agent/register`, { method: 'POST' })).json();
  server.signal('SIGTERM');
  await server.ended;
});
afterAll(async () => {
  await place.remove();
  await postgres.stop();
});

/** Twice: the second time the server does the last COMMIT, and nobody hears of it on that connection. */
async function runThroughSilence(wordsOf: (run: number) => string[]): Promise<Ended> {
  const proxy = await startTcpProxy(postgres.port);
  try {
    const DATABASE_URL = database.url.replace(/:\d+\//, `:${proxy.port}/`);
    const run = (n: number) => place.gateway(wordsOf(n), { DATABASE_URL, SECRETS_PEPPER });
    expect((await run(1)).exitCode).toBe(0);
    const last = 2 * proxy.commits();
    proxy.cut((commit) => (commit === last ? 'silence after COMMIT' : undefined));
    const ended = await run(2);
    expect(proxy.cuts()).toBe(1);
    return ended;
  } finally {
    await proxy.close();
  }
}

test('a credit and a batch of cards are done once, and say so', async () => {
  const csv = (run: number) => place.path(`cards-${run}.csv`);
  const [credit, issue] = await Promise.all([
    runThroughSilence(() => ['accounts', 'credit', account.account_id, '--amount', '5', '--reason', 'a gift']),
    runThroughSilence((run) => ['cards', 'issue', '--amount', '50', '--count', '3', '--csv', csv(run)]),
  ]);
  expect(credit).toEqual({ exitCode: 0, stdout: 'credited NT$5; the balance is NT$11\n', stderr: '' });
  expect(await database.sql("SELECT 1 FROM entries WHERE kind = 'credit'")).toHaveLength(2);
  // Without the user and the password of its URL.
  const where = expect.stringMatching(/^issued in the database at [\w.]+:\d+\/\w+\n$/);
  expect(issue).toMatchObject({ exitCode: 0, stderr: where });
  expect(existsSync(csv(2))).toBe(true);
  expect(readFileSync(csv(2), 'utf8').trim().split('\n')).toHaveLength(4);
  expect(await database.sql('SELECT 1 FROM cards')).toHaveLength(6);
});
