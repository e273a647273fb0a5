// GET /api/usage?format=csv where there is much of it: sent as the client takes it, and never ended as if it were whole.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { type SlowClient, startSlowClient } from '../support/slow-client.ts';
import { openPosted } from '../support/with-tables.ts';

const SEVERAL_PAGES = 3_500;
/** More than the sockets between hold. */
const TOO_MUCH = 60_000;
/** All accounts together, by 4 MiB for each. */
const MAX_FILES = 10;
const ROOM_MIB = 40;
/** How a body in chunks ends. */
const END = '\r\n0\r\n\r\n';
let gateway: TestGateway;
let account: TestAccount;

async function start(): Promise<void> {
  gateway = await startTestGateway({
    document: (standard) => ({ ...standard, guards: { ...standard.guards, body_megabytes_in_flight: ROOM_MIB } }),
  });
  account = await gateway.register();
}

const idOf = (index: number) => `req_${String(index).padStart(6, '0')}`;

/** One record of a call, and older ones like it. */
async function fill(records: number): Promise<void> {
  await gateway.chat(account.key, { model: 'demo-small', max_tokens: 4 });
  const columns = gateway.sql<{ name: string }>('PRAGMA table_info(usage_records)').map(({ name }) => name);
  const values = columns.map((name) => {
    if (name === 'request_id') return "printf('req_%06d', i)";
    return name === 'at' ? 'at - i' : name;
  });
  gateway.sql(
    `INSERT INTO usage_records (${columns.join(', ')})
    WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
    SELECT ${values.join(', ')} FROM usage_records, numbers`,
    records - 1,
  );
}

const ask = (): SlowClient => startSlowClient({ port: gateway.port, path: '/api/usage?format=csv', key: account.key });
function renameTable(from: string, to: string): void {
  const db = openPosted(gateway.databaseFile);
  db.run(`ALTER TABLE ${from} RENAME TO ${to}`);
  db.close();
}

describe('more than the sockets between hold', () => {
  beforeAll(async () => {
    await start();
    await fill(TOO_MUCH);
  });
  afterAll(() => gateway.stop());

  test('is read as the client takes it, and broken off where it cannot be read on', async () => {
    const client = ask();
    await client.begun;
    client.pause();
    renameTable('usage_records', 'elsewhere');
    client.resume();
    await client.closed;
    expect(client.text()).not.toContain(idOf(TOO_MUCH - 1));
    expect(client.text()).not.toEndWith(END);
    expect(gateway.log.lines().filter(({ event }) => event === 'usage_file_failed')).toMatchObject([
      { account_id: account.accountId, detail: expect.stringContaining('store') },
    ]);
    renameTable('elsewhere', 'usage_records');
  });

  test('those that are not taken fill no more than the room there is', async () => {
    const open: SlowClient[] = [];
    const refused = await eventually('a refusal', async () => {
      const client = ask();
      open.push(client);
      await client.begun;
      client.pause();
      return client.text().startsWith('HTTP/1.1 503') ? open.length - 1 : undefined;
    });
    expect(refused).toBe(MAX_FILES);
    expect((await gateway.call('/api/me', { key: account.key })).status).toBe(200);
    for (const client of open) client.hangUp();
    await eventually('room again', async () => {
      const { body, status } = await gateway.call('/api/usage?format=csv', { key: account.key });
      await body?.cancel();
      return status === 200;
    });
  });
});

describe('on a new gateway', () => {
  beforeEach(start);
  afterEach(() => gateway.stop());

  test('has them all in their order, also for several at a time', async () => {
    await fill(SEVERAL_PAGES);
    const read = async () => (await gateway.call('/api/usage?format=csv', { key: account.key })).text();
    const [file = '', ...others] = await Promise.all([read(), read(), read()]);
    const lines = file.split('\r\n');
    expect(lines).toHaveLength(1 + SEVERAL_PAGES + 1);
    expect(lines.slice(2, -1).map((line) => line.slice(0, line.indexOf(',')))).toEqual(
      Array.from({ length: SEVERAL_PAGES - 1 }, (_, index) => idOf(index + 1)),
    );
    expect(others.every((other) => other === file)).toBe(true);
  });

  test('who asks only for its head takes no room', async () => {
    await fill(SEVERAL_PAGES);
    const status = async (method: string) => {
      const { body, status } = await gateway.call('/api/usage?format=csv', { key: account.key, method });
      await body?.cancel();
      return status;
    };
    for (let asked = 0; asked <= MAX_FILES; asked++) expect(await status('HEAD')).toBe(200);
    expect(await status('GET')).toBe(200);
  });

  test('a drain does not wait for a client that does not read', async () => {
    await fill(TOO_MUCH);
    const client = ask();
    await client.begun;
    client.pause();
    await gateway.gateway.drain();
    client.resume();
    await client.closed;
    expect(client.text()).not.toEndWith(END);
  });
});
