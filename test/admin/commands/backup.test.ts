// backup while the server serves under load, restore while it is stopped; and every file that is not a good copy refused.

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { HOUR_MS } from '../../../src/kit/clock.ts';
import { restoreDatabase } from '../../../src/store/sqlite/backup.ts';
import type { Answer } from '../../support/answer.ts';
import { appliedLine } from '../../support/applied-line.ts';
import { eventually } from '../../support/eventually.ts';
import { plainDocument } from '../../support/plain-document.ts';
import { untilHeard } from '../../support/race.ts';
import { createWorkplace, type RunningServer, type Workplace } from '../../support/start-process.ts';
import { testDocument } from '../../support/test-document.ts';
import { withTables } from '../../support/with-tables.ts';
import { writeSql } from '../../support/write-sql.ts';

const place = createWorkplace();
const copy = place.path('copy.sqlite');
const database = `${place.dataDir}/gateway.sqlite`;
let server: RunningServer;
let before: Answer;
let after: Answer;
let stopped = 0;

const register = async (): Promise<Answer> =>
  (await fetch(`${server.url}/api/agent/register`, { method: 'POST' })).json();
const chat = (key: string) =>
  untilHeard(() =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'demo-small', max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] }),
    }),
  );
const me = async (running: RunningServer, key: string): Promise<Response> =>
  fetch(`${running.url}/api/me`, { headers: { authorization: `Bearer ${key}` } });
const clean = async (env: Record<string, string> = {}) =>
  (await place.gateway(['ledger', 'audit'], env)).exitCode === 0;

/** Registrations and paid calls, four at a time, until they are told to stop. */
function load(): { answered(): number; stop(): Promise<void> } {
  let isRunning = true;
  let answered = 0;
  const worker = async () => {
    while (isRunning) {
      const { api_key } = await register();
      const response = await chat(api_key);
      await response.text();
      if (response.status === 200) answered++;
    }
  };
  const workers = Promise.all(Array.from({ length: 4 }, worker));
  return {
    answered: () => answered,
    async stop() {
      isRunning = false;
      await workers;
    },
  };
}

/** Ends the server that runs now, if it has not been ended before. */
async function stop(): Promise<void> {
  if (stopped === server.pid) return;
  stopped = server.pid;
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
}

/** What the log of actions has of one kind. */
const linesOf = (action: string) =>
  withTables(database, (db) =>
    db.query('SELECT actor, action, subject, detail FROM audit_log WHERE action = ?').all(action),
  );

beforeAll(async () => {
  place.write('gateway.yaml', {
    ...testDocument('http://127.0.0.1:9/v1'),
    limits: { register_per_ip: 100_000, register_per_day: 100_000 },
  });
  server = await place.serve();
  before = await register();
  expect((await chat(before.api_key)).status).toBe(200);
});
afterAll(() => place.remove());

describe('backup', () => {
  test('copies a consistent state while calls are served, and reminds of the pepper', async () => {
    const running = load();
    await eventually('load', () => running.answered() > 8);
    const atStart = running.answered();
    const { exitCode, stdout, stderr } = await place.gateway(['backup', copy]);
    after = await register();
    await running.stop();
    expect(running.answered()).toBeGreaterThan(atStart);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('pepper');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(await clean()).toBe(true);
    expect(linesOf('backup')).toEqual([
      { actor: 'cli', action: 'backup', subject: 'database', detail: JSON.stringify({ file: copy }) },
    ]);
  });

  test('overwrites nothing', async () => {
    const bytes = readFileSync(copy);
    const { exitCode, stderr } = await place.gateway(['backup', copy]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('exists already');
    expect(readFileSync(copy).equals(bytes)).toBe(true);
    const nowhere = place.path('no/such/folder/copy.sqlite');
    expect((await place.gateway(['backup', nowhere])).exitCode).toBe(1);
    expect(existsSync(nowhere)).toBe(false);
    // What was refused is no action.
    expect(linesOf('backup')).toHaveLength(1);
  });

  test('a database that takes no line keeps no copy from being made, and the operator hears of it', async () => {
    const full = createWorkplace();
    try {
      const at = `${full.dataDir}/gateway.sqlite`;
      expect((await full.gateway(['config', 'apply', full.write('a.yaml', plainDocument())])).exitCode).toBe(0);
      const db = new Database(at);
      db.run(`CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'full'); END`);
      db.close();
      const target = full.path('full.sqlite');
      const { exitCode, stderr } = await full.gateway(['backup', target]);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringContaining(`copied to ${target}, but`),
      });
      expect(existsSync(target)).toBe(true);
    } finally {
      await full.remove();
    }
  });
});

describe('restore', () => {
  test('is refused while the server runs, and the server goes on', async () => {
    const { exitCode, stdout, stderr } = await place.gateway(['restore', copy]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('a server is running');
    expect((await me(server, after.api_key)).status).toBe(200);
  });

  test('is refused while the server runs also if its lease looks over, and nothing of the server is lost', async () => {
    const restored = () => appliedLine(Date.now());
    expect(() => restoreDatabase(copy, database, Date.now() + HOUR_MS, { restored, frozen: undefined })).toThrow(
      /is in use: a server or another command has it open; stop it, then restore again$/,
    );
    expect(existsSync(`${database}.restoring`)).toBe(false);
    const { account_id } = await register();
    await stop();
    const isThere = (db: Database) => db.query('SELECT 1 FROM accounts WHERE account_id = ?').get(account_id) !== null;
    expect(withTables(database, isThere)).toBe(true);
  });

  const spoilt: [what: string, spoil: (file: string) => void, told: string][] = [
    ['cut in half', (file) => truncateSync(file, Math.floor(statSync(copy).size / 2)), 'damaged'],
    ['overwritten in its pages', (file) => overwrite(file), 'damaged'],
    ['of other bytes', (file) => writeFileSync(file, 'no database at all'.repeat(1_000)), 'not a database'],
    ['empty', (file) => writeFileSync(file, ''), 'not a database'],
    ['of another program', (file) => foreign(file), 'not a database'],
    [
      'of a newer version',
      (file) => writeSql(file, `INSERT INTO schema_migrations (version, name, hash) VALUES (999, 'later', 'x')`),
      'newer',
    ],
  ];
  test.each(spoilt)('of a copy that is %s is refused, and what was there stays', async (_, spoil, told) => {
    await stop();
    const bad = place.path('bad.sqlite');
    copyFileSync(copy, bad);
    spoil(bad);
    const bytes = readFileSync(database);
    const { exitCode, stdout, stderr } = await place.gateway(['restore', bad]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(told);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(database).equals(bytes)).toBe(true);
    expect(existsSync(`${database}.restoring`)).toBe(false);
  });

  test('of a file that is not there is refused', async () => {
    const { exitCode, stderr } = await place.gateway(['restore', place.path('nothing.sqlite')]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('there is no file');
  });

  test('of a folder or of the database itself is refused', async () => {
    await stop();
    const bytes = readFileSync(database);
    for (const [file, told] of [
      [place.dataDir, 'there is no file'],
      ['/dev/null', 'there is no file'],
      [database, 'is the database itself'],
    ] as const) {
      const { exitCode, stderr } = await place.gateway(['restore', file]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(told);
    }
    expect(readFileSync(database).equals(bytes)).toBe(true);
  });

  test('of a plain copy of the files of a killed server has its last commits, too', async () => {
    const killed = createWorkplace();
    const elsewhere = createWorkplace();
    try {
      const running = await killed.serve();
      const registered = await fetch(`${running.url}/api/agent/register`, { method: 'POST' });
      const { api_key }: Answer = await registered.json();
      running.signal('SIGKILL');
      await running.ended;
      const plain = killed.path('plain.sqlite');
      for (const end of ['', '-wal']) copyFileSync(`${killed.dataDir}/gateway.sqlite${end}`, plain + end);
      expect(await elsewhere.gateway(['restore', plain])).toMatchObject({ exitCode: 0, stderr: '' });
      const SECRETS_PEPPER = readFileSync(`${killed.dataDir}/pepper`, 'utf8').trim();
      const there = await elsewhere.serve({ SECRETS_PEPPER });
      expect((await me(there, api_key)).status).toBe(200);
      expect(existsSync(`${elsewhere.dataDir}/gateway.sqlite.restoring-wal`)).toBe(false);
    } finally {
      await killed.remove();
      await elsewhere.remove();
    }
  });

  test('puts the state of the copy back: it passes the audit, old keys work, later ones are unknown', async () => {
    await stop();
    const isBefore = linesOf('restore');
    expect(await place.gateway(['restore', copy])).toMatchObject({ exitCode: 0, stderr: '' });
    expect([isBefore, linesOf('restore')]).toEqual([
      [],
      [{ actor: 'cli', action: 'restore', subject: 'database', detail: JSON.stringify({ file: copy }) }],
    ]);
    expect(await clean()).toBe(true);
    server = await place.serve();
    const restored: Answer = await (await me(server, before.api_key)).json();
    expect(restored.account_id).toBe(before.account_id);
    expect(restored.held_nano).toBe('0');
    expect((await me(server, after.api_key)).status).toBe(401);
    expect((await chat(before.api_key)).status).toBe(200);
    expect((await register()).api_key).toBeString();
    expect(await clean()).toBe(true);
  });

  test('can be repeated at once: the lease of the server that made the copy does not count', async () => {
    await stop();
    const fresh = place.path('fresh.sqlite');
    copyFileSync(copy, fresh);
    writeSql(fresh, `UPDATE leases SET expires_at = ${Date.now() + HOUR_MS}`);
    for (let time = 0; time < 2; time++) expect((await place.gateway(['restore', fresh])).exitCode).toBe(0);
    server = await place.serve();
    expect((await me(server, before.api_key)).status).toBe(200);
  });

  /** Killed at the first to the last of its steps, until it gets through. */
  async function killedAtEachStep(target: Workplace, check: () => Promise<void>): Promise<number> {
    const ended = target.path('ended.sqlite');
    copyFileSync(copy, ended);
    // As if it had just been taken.
    writeSql(ended, `UPDATE leases SET expires_at = ${Date.now() + HOUR_MS}`);
    for (let step = 1; ; step++) {
      const { exitCode } = await target.gateway(['restore', ended], { TORTURE_KILL: `inside-restore:${step}` });
      if (exitCode === 0) return step - 1;
      expect(exitCode).toBe(137);
      await check();
    }
  }

  test('that is killed leaves the old database or the new one, and never the commits of one beside the other', async () => {
    const target = createWorkplace();
    const at = `${target.dataDir}/gateway.sqlite`;
    const seenAt = target.path('seen.sqlite');
    try {
      const running = await target.serve({ SECRETS_PEPPER: readFileSync(`${place.dataDir}/pepper`, 'utf8').trim() });
      const response = await fetch(`${running.url}/api/agent/register`, { method: 'POST' });
      const { account_id }: Answer = await response.json();
      running.signal('SIGKILL');
      await running.ended;
      keepBeside(at, 'UPDATE leases SET expires_at = 0');
      // In a copy: whoever opens the database folds the last commits into it.
      const isThere = (id: string) => {
        copyWhole(at, seenAt);
        const db = new Database(seenAt, { readwrite: true });
        try {
          expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
          return db.query('SELECT 1 FROM accounts WHERE account_id = ?').get(id) !== null;
        } finally {
          db.close();
        }
      };
      const seen: string[] = [];
      const steps = await killedAtEachStep(target, async () => {
        seen.push([account_id, before.account_id].map((id) => (isThere(id) ? 'there' : 'gone')).join(' '));
      });
      expect(steps).toBe(6);
      expect(seen).toEqual([...Array.from({ length: 5 }, () => 'there gone'), 'gone there']);
      expect([isThere(account_id), isThere(before.account_id)]).toEqual([false, true]);
    } finally {
      await target.remove();
    }
  });

  test('that is killed before there was any database: the server says so and makes no empty one', async () => {
    const target = createWorkplace();
    try {
      await killedAtEachStep(target, async () => {
        if (existsSync(`${target.dataDir}/gateway.sqlite`)) return;
        const { exitCode, stderr } = await target.failToServe();
        expect(exitCode).toBe(1);
        expect(stderr).toMatch(/^cannot start: a restore was cut short [^\n]+gateway\.sqlite\.restoring [^\n]+\n$/);
      });
      expect(existsSync(`${target.dataDir}/gateway.sqlite`)).toBe(true);
    } finally {
      await target.remove();
    }
  });

  test('on a new machine needs the pepper: with it the keys work, without it the server says what is missing', async () => {
    const elsewhere = createWorkplace();
    try {
      expect((await elsewhere.gateway(['restore', copy])).exitCode).toBe(0);
      const refused = await elsewhere.failToServe();
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain('pepper');
      const SECRETS_PEPPER = readFileSync(`${place.dataDir}/pepper`, 'utf8').trim();
      const there = await elsewhere.serve({ SECRETS_PEPPER });
      expect((await me(there, before.api_key)).status).toBe(200);
      expect((await elsewhere.gateway(['ledger', 'audit'], { SECRETS_PEPPER })).exitCode).toBe(0);
    } finally {
      await elsewhere.remove();
    }
  });
});

test.each([[['backup']], [['backup', 'a', 'b']], [['restore']]])('%j is wrong usage: exit 2', async (args) => {
  expect((await place.gateway(args)).exitCode).toBe(2);
});

/** With what SQLite keeps beside it, and with nothing that stood beside the copy before. */
function copyWhole(from: string, to: string): void {
  for (const end of ['', '-wal', '-journal']) {
    rmSync(to + end, { force: true });
    if (existsSync(from + end)) copyFileSync(from + end, to + end);
  }
}

/** The last commits stay beside the file only as long as somebody has it open, or if that one was killed. */
function keepBeside(file: string, statement: string): void {
  const keeper = new Database(file);
  keeper.query('SELECT count(*) FROM leases').get();
  writeSql(file, statement);
  const killed = `${file}.killed`;
  copyWhole(file, killed);
  keeper.close();
  copyWhole(killed, file);
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
}

function overwrite(file: string): void {
  const bytes = readFileSync(file);
  for (let at = 4_096 * 3; at < bytes.length; at += 4_096) bytes.fill(0xa5, at, at + 64);
  writeFileSync(file, bytes);
}

function foreign(file: string): void {
  writeFileSync(file, '');
  const db = new Database(file);
  db.run('CREATE TABLE recipes (name TEXT)');
  db.run(`INSERT INTO recipes VALUES ('soup')`);
  db.close();
}
