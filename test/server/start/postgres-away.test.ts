// A gateway that is started while its PostgreSQL is away: its port is open all the same, what needs no database is
// served, and when the database comes, so does everything else.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { MIGRATION_LOCK } from '../../../src/store/postgres/migrate.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { startPostgres, type TestDatabase, type TestPostgres } from '../../support/postgres.ts';
import { createWorkplace, logged, type RunningServer, type Workplace } from '../../support/start-process.ts';

const SECRETS_PEPPER = 'a pepper for every node';
/** Below every wait for a database: the shortest one is for a statement, 2 s. */
const AT_ONCE_MS = 1_000;
const START_MS = 90_000;
/** Far above what it takes, which is less than a second on an idle machine. */
const RECOVERS_MS = 15_000;

/** Processes are started, on a machine that may be busy. */
setDefaultTimeout(120_000);
const SHOWN = [
  '/healthz',
  '/api/public/catalog',
  '/api/public/status',
  '/openapi.json',
  '/',
  '/pricing',
  '/status',
  '/security',
  '/docs',
  '/docs/billing',
  '/llms.txt',
];

let server: TestPostgres;
let database: TestDatabase;
beforeAll(async () => {
  server = await startPostgres();
  database = await server.createDatabase();
});
afterAll(() => server.stop());

describe('a gateway that waits', () => {
  let gateway: TestGateway;
  let account: TestAccount;
  beforeAll(async () => {
    const env = { DATABASE_URL: database.url, SECRETS_PEPPER };
    const before = await startTestGateway({ env });
    account = await before.register();
    await before.stop();
    await server.crash();
    gateway = await startTestGateway({ env });
  });
  afterAll(() => gateway.stop());
  const eventsOf = (name: string) => gateway.log.lines().filter(({ event }) => event === name);

  test('says once that it waits, and why', async () => {
    await eventually('it says so', () => eventsOf('store_awaited').length > 0);
    await Bun.sleep(1_000);
    const [line, ...more] = eventsOf('store_awaited');
    expect(line).toMatchObject({ level: 'warn', detail: expect.stringContaining('cannot connect') });
    expect(more).toEqual([]);
    expect(JSON.stringify(line)).not.toContain('password');
    expect(eventsOf('serving')).toEqual([]);
  });

  test.each(SHOWN)('shows %s', async (path) => {
    for (const accept of ['text/html', '*/*']) {
      expect((await gateway.call(path, { headers: { accept } })).status).toBe(200);
    }
  });

  test('shows the models and prices of the document it would start with', async () => {
    const { data } = await (await gateway.call('/api/public/catalog')).json();
    expect(data.map(({ id }: { id: string }) => id)).toContain('up-paid');
    expect(await (await gateway.call('/pricing')).text()).toContain('up-paid');
  });

  test('is alive, but not ready', async () => {
    const response = await gateway.call('/readyz');
    expect([response.status, await response.json()]).toEqual([503, { ready: false }]);
  });

  test('refuses everything else at once, in the words of who asks', async () => {
    const { key } = account;
    const calls = () => [
      gateway.chat(key, { model: 'up-paid' }),
      gateway.call('/api/me', { key }),
      gateway.call('/v1/models', { key }),
      gateway.call('/api/redeem', { key, body: { code: 'ABCD-EFGH-JKLM-NPQR-STUV' } }),
      gateway.call('/api/agent/register', { body: {} }),
    ];
    const times: number[] = [];
    for (let n = 0; n < 5; n++) {
      const since = performance.now();
      for (const response of await Promise.all(calls())) {
        expect(response.status).toBe(503);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect((await response.json()).error.code).toBe('unavailable');
      }
      times.push(performance.now() - since);
    }
    // The quickest: a busy machine may hold up any call, and makes none quicker.
    expect(Math.min(...times)).toBeLessThan(AT_ONCE_MS);
    const body = { model: 'up-paid', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
    const anthropic = await gateway.call('/v1/messages', { key, body });
    expect(anthropic.status).toBe(529);
    expect(await anthropic.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    expect(gateway.upstream.requests).toEqual([]);
  });

  test('serves as soon as the database answers, on the same port', async () => {
    const statuses = new Set<number>();
    let isOn = true;
    const watching = (async () => {
      for (; isOn; await Bun.sleep(10)) statuses.add((await gateway.call('/healthz')).status);
    })();
    await server.start();
    const since = performance.now();
    expect(await gateway.gateway.served).toBe(true);
    gateway.upstream.next(chatAnswer());
    const response = await gateway.chat(account.key, { model: 'up-paid' });
    expect(performance.now() - since).toBeLessThan(RECOVERS_MS);
    isOn = false;
    await watching;
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('x-svc-cost-ntd'))).toBeGreaterThan(0);
    expect([...statuses]).toEqual([200]);
    expect((await gateway.call('/readyz')).status).toBe(200);
    const { revision } = await (await gateway.call('/api/public/catalog')).json();
    expect(revision).toBeGreaterThan(0);
    expect(eventsOf('store_reached')).toHaveLength(1);
    expect(eventsOf('serving')).toMatchObject([{ revision }]);
    expect(await gateway.gateway.store.read.audit({})).toMatchObject({ differences: [] });
  });
});

const nowhere = async () => `postgres://postgres:password@127.0.0.1:${await freePort()}/gateway`;

test('an alarm is raised when it has waited for as long as a lease lasts', async () => {
  const clock = createManualClock();
  const gateway = await startTestGateway({ clock, env: { DATABASE_URL: await nowhere(), SECRETS_PEPPER } });
  await clock.advance(14_999);
  expect(gateway.log.alarms('store_failed')).toEqual([]);
  await clock.advance(60_000);
  expect(gateway.log.alarms('store_failed')).toMatchObject([{ detail: expect.stringContaining('cannot connect') }]);
  await gateway.stop();
  expect(await gateway.gateway.served).toBe(false);
});

describe('its process', () => {
  let place: Workplace;
  beforeEach(() => {
    place = createWorkplace();
  });
  afterEach(() => place.remove());

  const envOf = (url: string) => ({ DATABASE_URL: url, SECRETS_PEPPER });
  const waits = (waiting: RunningServer) =>
    eventually('it waits', () => logged(waiting, 'store_awaited').length > 0, START_MS);

  test('ends with code 0 on a signal, and waits no longer for the database', async () => {
    const waiting = await place.begin(envOf(await nowhere()));
    await waits(waiting);
    expect((await fetch(`${waiting.url}/healthz`)).status).toBe(200);
    waiting.signal('SIGTERM');
    expect(await waiting.ended).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('does so, too, while another node upgrades the database', async () => {
    const upgraded = await server.createDatabase({ empty: true });
    await upgraded.sql('SELECT pg_advisory_lock($1::bigint)', MIGRATION_LOCK);
    const waiting = await place.begin(envOf(upgraded.url));
    const isInLine = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'ai-gateway migration'
      AND datname = current_database() AND wait_event = 'advisory'`;
    await eventually('it waits', async () => (await upgraded.sql(isInLine)).length > 0, START_MS);
    waiting.signal('SIGTERM');
    expect(await waiting.ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(logged(waiting, 'stopped')).toHaveLength(1);
    await upgraded.sql('SELECT pg_advisory_unlock($1::bigint)', MIGRATION_LOCK);
    expect(await upgraded.sql(`SELECT to_regclass('accounts') AS made`)).toEqual([{ made: null }]);
    await upgraded.drop();
  });

  test('does not wait for what does not pass', async () => {
    const wrong = database.url.replace(':password@', ':wrong@');
    const { exitCode, stdout, stderr } = await place.failToServe(envOf(wrong));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^cannot start: cannot use the database at [^\n]+ password authentication failed [^\n]+\n$/);
    expect(logged({ stdout: () => stdout }, 'store_awaited')).toEqual([]);
  });

  test('ends with a clear line if the database that comes cannot be used', async () => {
    const newer = await server.createDatabase();
    await newer.sql(`INSERT INTO schema_migrations (version, name, hash) VALUES (9999, 'later', 'hash')`);
    await server.crash();
    const waiting = await place.begin(envOf(newer.url));
    await waits(waiting);
    await server.start();
    const { exitCode, stderr } = await waiting.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^cannot start: the database is from a newer version [^\n]+\n$/);
  });

  test('of several the first one waits for all', async () => {
    await server.crash();
    const waiting = await place.begin({ ...envOf(database.url), PROCESSES: '2' });
    await waits(waiting);
    expect((await fetch(`${waiting.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${waiting.url}/readyz`)).status).toBe(503);
    await server.start();
    await eventually('both serve', () => logged(waiting, 'serving').length === 2, START_MS);
    expect(logged(waiting, 'store_awaited')).toHaveLength(1);
    waiting.signal('SIGTERM');
    expect((await waiting.ended).exitCode).toBe(0);
  });

  test('of several ends at once with code 0 on a signal, too', async () => {
    const waiting = await place.begin({ ...envOf(await nowhere()), PROCESSES: '2' });
    await waits(waiting);
    waiting.signal('SIGTERM');
    expect(await waiting.ended).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
