// A database that was moved to PostgreSQL and is kept as it was: backup copies it and says so; restore does not take its mark away.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { markMoved } from '../../../src/store/sqlite/moved-mark.ts';
import { openDatabase } from '../../../src/store/sqlite/open-database.ts';
import { startTestGateway } from '../../support/gateway.ts';
import { createWorkplace } from '../../support/start-process.ts';

const PLACE = 'db.example/gateway';
const place = createWorkplace();
const database = `${place.dataDir}/gateway.sqlite`;
const older = place.path('older.sqlite');

beforeAll(async () => {
  const gateway = await startTestGateway({ dataDir: place.dataDir });
  await gateway.register();
  await gateway.stop();
  expect((await place.gateway(['backup', older])).stdout).not.toContain('PostgreSQL');
  const db = openDatabase(database);
  markMoved(db, PLACE, Date.now());
  db.close();
});
afterAll(() => place.remove());

test('backup copies it, and tells people and programs where the accounts are', async () => {
  const { exitCode, stdout, stderr } = await place.gateway(['backup', place.path('a.sqlite')]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain(`This database was moved to PostgreSQL (${PLACE}, `);
  const told = await place.gateway(['backup', place.path('b.sqlite'), '--json']);
  expect(JSON.parse(told.stdout)).toMatchObject({ audited: true, moved_to: expect.stringContaining(PLACE) });
});

test('restore refuses to take its place until the move is undone', async () => {
  const bytes = readFileSync(database);
  const { exitCode, stdout, stderr } = await place.gateway(['restore', older]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^this database was moved to PostgreSQL [^\n]+"move undo"\n$/);
  expect(readFileSync(database).equals(bytes)).toBe(true);
  expect((await place.gateway(['move', 'undo'])).exitCode).toBe(0);
  expect(await place.gateway(['restore', older])).toMatchObject({ exitCode: 0, stderr: '' });
});
