// Commands on a disk without room: they say so, and what was committed before is told all the same.

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { cpSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replyTo } from '../../../src/store/sqlite/messages.ts';
import { plainDocument } from '../../support/plain-document.ts';
import { createWorkplace, type Workplace } from '../../support/start-process.ts';

const CLI = join(import.meta.dir, '..', '..', '..', 'src', 'cli.ts');
const ISSUE = ['cards', 'issue', '--amount', '1', '--count', '1000', '--json'];

let place: Workplace;
beforeEach(async () => {
  place = createWorkplace();
  await place.gateway(['config', 'apply', place.write('a.yaml', plainDocument())]);
});
afterEach(() => place.remove());

/** A file that must not grow beyond it is a disk without room; the signal would kill, the error does not. */
function runWithin(kib: number, args: readonly string[]) {
  const small = `trap '' XFSZ; ulimit -f ${kib}; exec "$0" --no-env-file "$@"`;
  const { exitCode, stdout, stderr } = Bun.spawnSync(['bash', '-c', small, process.execPath, CLI, ...args], {
    cwd: place.folder,
    env: { PATH: process.env.PATH ?? '', DATA_DIR: place.dataDir },
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

async function cards(): Promise<unknown[]> {
  return JSON.parse((await place.gateway(['cards', 'list', '--json'])).stdout);
}

test('what cannot be written is refused with the reason', async () => {
  expect(runWithin(100, ISSUE)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: '{"error":"the database cannot be used: disk I/O error"}\n',
  });
  expect(await cards()).toEqual([]);
});

test('codes of cards that were committed are shown, although the disk ends with them', async () => {
  const copy = place.path('copy');
  cpSync(place.dataDir, copy, { recursive: true });
  await place.gateway(ISSUE, { DATA_DIR: copy });
  const { size } = statSync(join(copy, 'gateway.sqlite'));
  const { exitCode, stdout, stderr } = runWithin(Math.floor(size / 1024) - 8, ISSUE);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toHaveLength(1000);
  expect(await cards()).toHaveLength(1000);
});

test('what SQLite says of a full or read-only disk is for the operator; of a statement it is not', () => {
  const db = new Database(place.path('full.sqlite'), { create: true });
  db.run('PRAGMA max_page_count = 2');
  db.run('CREATE TABLE full (content TEXT)');
  const told = (use: () => unknown) => replyTo(1, () => ({ id: 1, ok: true, value: use() }));
  const fill = () => db.run('INSERT INTO full VALUES (?)', ['x'.repeat(50_000)]);
  expect(told(fill)).toEqual({ id: 1, ok: false, message: 'database or disk is full', refused: true });
  db.run('PRAGMA query_only = ON');
  expect(told(fill)).toMatchObject({ message: 'attempt to write a readonly database', refused: true });
  expect(told(() => db.run('INSERT INTO nowhere VALUES (1)'))).toMatchObject({ refused: false });
  db.close();
});
