// A database that was moved while somebody had it open: from the mark on it takes nothing more, whoever asks.

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
