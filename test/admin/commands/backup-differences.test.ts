// A database with a wrong wallet: backup says so at once, restore asks for a word, and freezes what is wrong.

import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount } from '../../support/gateway.ts';
import { createWorkplace, logged, type RunningServer, type Workplace } from '../../support/start-process.ts';
import { writeSql } from '../../support/write-sql.ts';

const ACCEPT = '--accept-differences';
const place = createWorkplace();
const database = `${place.dataDir}/gateway.sqlite`;
const copy = place.path('copy.sqlite');
let wrong: TestAccount;
let right: TestAccount;
let difference: Answer;

beforeAll(async () => {
  const gateway = await startTestGateway({ dataDir: place.dataDir });
  wrong = await gateway.register();
  right = await gateway.register();
  await gateway.stop();
  writeSql(database, 'UPDATE wallets SET balance_nano = balance_nano + 1 WHERE account_id = ?', wrong.accountId);
  difference = { what: 'balance', subject: wrong.accountId, expected: '1000000000', found: '1000000001' };
});
afterAll(() => place.remove());

/** The newest first. */
function actionsOf(file: string): string[] {
  const db = new Database(file, { readonly: true });
  try {
    const rows = db.query<{ action: string }, []>('SELECT action FROM audit_log ORDER BY action_id DESC').all();
    return rows.map(({ action }) => action);
  } finally {
    db.close();
  }
}

describe('backup', () => {
  test('keeps the copy, tells every difference, and ends with 1', async () => {
    const { exitCode, stdout, stderr } = await place.gateway(['backup', copy]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(`copied to ${copy}, but`);
    expect(stderr).toMatch(new RegExp(`^balance +${wrong.accountId} +1000000000 +1000000001$`, 'm'));
    for (const said of [ACCEPT, 'pepper']) expect(stderr).toContain(said);
    expect(readdirSync(place.folder).filter((name) => name.startsWith('copy.'))).toEqual(['copy.sqlite']);
  });

  test('tells programs the same', async () => {
    const file = place.path('again.sqlite');
    const { exitCode, stderr } = await place.gateway(['backup', file, '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ file, differences: [difference] });
    expect(existsSync(file)).toBe(true);
  });

  test('tells them also where the action log cannot be written', async () => {
    const db = new Database(database);
    try {
      db.run(`CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'full'); END`);
      const file = place.path('unlogged.sqlite');
      const { exitCode, stderr } = await place.gateway(['backup', file]);
      expect(exitCode).toBe(1);
      for (const said of [wrong.accountId, 'could not be written: check the disk', 'pepper'])
        expect(stderr).toContain(said);
      db.run('DROP TRIGGER full');
      // As a move of a large database does for all of its time.
      db.run('BEGIN IMMEDIATE');
      const busy = await place.gateway(['backup', place.path('busy.sqlite'), '--json']);
      expect(busy.exitCode).toBe(1);
      const told: Answer = JSON.parse(busy.stderr);
      expect(told.error).toContain(`could not be written: ${database} is busy`);
      expect(told).toMatchObject({ file: place.path('busy.sqlite'), differences: [difference] });
    } finally {
      db.close();
    }
  });

  test('of another version is not audited, and says so', async () => {
    const older = createWorkplace();
    try {
      const file = `${older.dataDir}/gateway.sqlite`;
      expect((await older.gateway(['restore', copy, ACCEPT])).exitCode).toBe(0);
      writeSql(file, 'DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)');
      const { exitCode, stdout } = await older.gateway(['backup', older.path('older.sqlite')]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('not audited');
      expect(actionsOf(file)).toEqual(['backup', 'accounts.freeze', 'restore', 'config.apply']);
      // As the first versions were, which had none.
      const db = new Database(file);
      db.run('DROP TABLE audit_log');
      db.close();
      expect((await older.gateway(['backup', older.path('first.sqlite')])).exitCode).toBe(0);
    } finally {
      await older.remove();
    }
  });
});

describe('restore', () => {
  let elsewhere: Workplace;
  beforeEach(() => {
    elsewhere = createWorkplace();
  });
  afterEach(() => elsewhere.remove());
  const rows = <Row>(sql: string): Row[] => {
    const db = new Database(`${elsewhere.dataDir}/gateway.sqlite`, { readonly: true });
    try {
      return db.query<Row, []>(sql).all();
    } finally {
      db.close();
    }
  };
  const serve = () => elsewhere.serve({ SECRETS_PEPPER: readFileSync(`${place.dataDir}/pepper`, 'utf8').trim() });
  const status = async ({ url }: RunningServer, { key }: TestAccount) => {
    const body = JSON.stringify({ model: 'demo-small', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] });
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status;
  };
  /** Who is turned away because the gateway is busy comes again. */
  const isServed = (server: RunningServer, account: TestAccount) =>
    eventually('it is served', async () => (await status(server, account)) === 200);
  /** The copy with the wrong balance put right. */
  const rightCopy = () => {
    const other = elsewhere.path('other.sqlite');
    const db = new Database(copy);
    db.run('VACUUM INTO ?', [other]);
    db.close();
    writeSql(other, 'UPDATE wallets SET balance_nano = balance_nano - 1 WHERE account_id = ?', wrong.accountId);
    return other;
  };

  test('refuses it with the differences, and leaves nothing behind', async () => {
    const { exitCode, stdout, stderr } = await elsewhere.gateway(['restore', copy]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toStartWith('the copy does not pass the ledger audit:\nwhat ');
    for (const said of [wrong.accountId, ACCEPT]) expect(stderr).toContain(said);
    expect(readdirSync(elsewhere.dataDir)).toEqual([]);
    const bytes = readFileSync(database);
    const told = await place.gateway(['restore', copy, '--json']);
    expect(readFileSync(database).equals(bytes)).toBe(true);
    expect(JSON.parse(told.stderr)).toMatchObject({ differences: [difference] });
  });

  test(`takes it with ${ACCEPT}: the wrong account is frozen, the others work`, async () => {
    const { exitCode, stdout, stderr } = await elsewhere.gateway(['restore', copy, ACCEPT]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`frozen: ${wrong.accountId}\n`);
    expect(stdout).toMatch(/^balance /m);
    expect(rows('SELECT account_id FROM wallets WHERE frozen = 1')).toEqual([{ account_id: wrong.accountId }]);
    expect(rows(`SELECT action, subject, detail FROM audit_log WHERE actor = 'cli'`)).toEqual([
      { action: 'restore', subject: 'database', detail: JSON.stringify({ file: copy, differences: 1 }) },
      { action: 'accounts.freeze', subject: wrong.accountId, detail: expect.any(String) },
    ]);
    const server = await serve();
    expect(await status(server, wrong)).toBe(503);
    await isServed(server, right);
  });

  test('with calls under way when it was copied, one of them on a wallet that does not hold it: the server starts', async () => {
    const other = rightCopy();
    for (const { accountId, keyId } of [wrong, right]) {
      writeSql(
        other,
        `INSERT INTO holds VALUES ('req_${accountId}', ?, ?, 'node_gone', 5, 0, 'demo-small', '/v1/chat/completions', 0, 1, 1, 0, NULL)`,
        accountId,
        keyId,
      );
    }
    writeSql(other, 'UPDATE wallets SET held_nano = 5, in_flight = 1 WHERE account_id = ?', right.accountId);
    const { exitCode, stdout } = await elsewhere.gateway(['restore', other, ACCEPT, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).frozen).toEqual([wrong.accountId]);
    const server = await serve();
    expect(logged(server, 'holds_swept')).toMatchObject([{ count: 1 }]);
    expect(logged(server, 'sweep_failed')).toMatchObject([
      { level: 'error', account_id: wrong.accountId, request_id: `req_${wrong.accountId}` },
    ]);
    expect(await status(server, wrong)).toBe(503);
    await isServed(server, right);
  });

  test('freezes nobody for a difference that is no wallet’s, and tells it', async () => {
    const other = rightCopy();
    writeSql(
      other,
      `INSERT INTO usage_days (account_id, day, key_id, model, channel, status, requests, input_tokens, cached_input_tokens,
         cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, images, cost_nano)
       VALUES ('${right.accountId}', 1, 'k', 'm', '', 'ok', 1, 0, 0, 0, 0, 0, 0, 0, 0)`,
    );
    expect((await elsewhere.gateway(['restore', other])).exitCode).toBe(1);
    const { exitCode, stdout } = await elsewhere.gateway(['restore', other, ACCEPT, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ differences: [{ what: 'usage_day' }], frozen: [] });
    expect(rows('SELECT 1 FROM wallets WHERE frozen = 1')).toEqual([]);
  });

  test('takes the word without a value, and no other', async () => {
    for (const word of [`${ACCEPT}=yes`, '--accept']) {
      expect((await elsewhere.gateway(['restore', copy, word])).exitCode).toBe(2);
    }
  });
});
