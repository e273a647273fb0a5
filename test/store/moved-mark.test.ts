// A database that was moved or upgraded while a server had it open: from then on that server commits nothing.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { markMoved, unmarkMoved } from '../../src/store/sqlite/moved-mark.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

/** As another process, such as the command that moves it. */
function beside(act: (db: ReturnType<typeof openDatabase>) => void): void {
  const db = openDatabase(join(gateway.dataDir, 'gateway.sqlite'));
  act(db);
  db.close();
}

test('a server that was there before the mark commits nothing after it', async () => {
  expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
  beside((db) => markMoved(db, 'db.example/gateway', Date.now()));
  expect((await gateway.call('/api/agent/register', { body: {} })).status).toBe(503);
  expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(503);
  beside((db) => expect(unmarkMoved(db)).toBe(true));
  expect((await gateway.call('/api/agent/register', { body: {} })).status).toBe(201);
});

test('a server that was there before an upgrade commits nothing after it', async () => {
  beside((db) => db.run("INSERT INTO schema_migrations (version, name, hash) VALUES (9999, 'later', 'hash')"));
  expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(503);
  beside((db) => db.run('DELETE FROM schema_migrations WHERE version = 9999'));
  expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
});
