// A program that makes a key for each agent and deletes it leaves many deleted keys behind. They stay for usage records, and
// slow nothing down.

import { expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import { startTestGateway } from '../support/gateway.ts';
import { listedIds } from '../support/key-tree.ts';
import { writeSql } from '../support/write-sql.ts';

const DELETED = 50_000;
/** Work in proportion to the square of the keys takes many times as long. */
const PATIENCE_MS = 5_000;

const COPIES = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${DELETED})
  INSERT INTO keys (key_id, account_id, hash, last4, manage, created_at, revoked_at, parent_id, depth, limits)
  SELECT key_id || '-' || n, account_id, hash || '-' || n, last4, 0, created_at, created_at, parent_id, depth, limits
  FROM keys, numbers WHERE key_id = ?`;

test('keys are made, used and deleted as fast with many deleted ones', async () => {
  const gateway = await startTestGateway();
  const account = await gateway.register();
  const team = await createKey(gateway, account.key, { delegate: true, budgets: { total_ntd: 0.5 } });
  const first = await createKey(gateway, team.key, { budgets: { total_ntd: 0.1 } });
  writeSql(gateway.databaseFile, COPIES, first.id);

  const startedAt = performance.now();
  const agent = await createKey(gateway, team.key, { budgets: { total_ntd: 0.1 } });
  expect((await gateway.get('/api/me', agent.key)).key.id).toBe(agent.id);
  expect(await listedIds(gateway, team.key)).toEqual([team.id, first.id, agent.id]);
  const deleted = await gateway.call(`/api/keys/${agent.id}`, { key: team.key, method: 'DELETE' });
  expect(deleted.status).toBe(200);
  expect((await gateway.call('/api/me', { key: agent.key })).status).toBe(401);
  expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS);
  await gateway.stop();
}, 120_000);
