// Control characters in ids, filters and texts: what PostgreSQL cannot even be asked for is not there, or is refused by
// its field, and never a failure of the store.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { adminApiOf } from '../../support/admin-api.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { sharePostgres, type TestDatabases } from '../../support/postgres.ts';
import { clientOf } from '../console/operator-client.ts';

let server: TestDatabases;
let gateway: TestGateway;
beforeAll(async () => {
  server = await sharePostgres();
  const { url } = await server.createDatabase();
  gateway = await startTestGateway({ env: { DATABASE_URL: url, SECRETS_PEPPER: 'a pepper for this test' } });
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

test.each([
  ['GET', '/accounts/%00', undefined],
  ['POST', '/accounts/a%00b/credit', { amount_ntd: 1, reason: 'r' }],
  ['POST', '/accounts/%00/freeze', { reason: 'r' }],
  ['POST', '/accounts/%00/keys', {}],
  ['DELETE', '/keys/%00', undefined],
  ['DELETE', '/incidents/%00', undefined],
  ['GET', '/batches/%1b', undefined],
  ['POST', '/channels/%00/disable', {}],
])('%s %s is not found', async (method, path, body: object | undefined) => {
  const answer = await adminApiOf(gateway)(method, path, body);
  expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
});

test.each([
  ['GET', '/cards?serial=%00', 'serial', undefined],
  ['GET', '/cards?batch_id=%00', 'batch_id', undefined],
  ['GET', '/actions?subject=%00', 'subject', undefined],
  ['GET', '/accounts?q=%00', 'q', undefined],
  ['POST', '/cards/void', 'serials.1', { serials: ['SN1', '\u0000'] }],
  ['POST', '/cards/void', 'serials.0', { serials: ['\ud800'] }],
  ['POST', '/ledger/reconcile', 'channel', { channel: '\u0000', csv: 'a,b\n1,2' }],
  ['PUT', '/document', 'yaml', { yaml: 'channels: []\u0000', base_revision: 1 }],
])('%s %s is refused by its field %s', async (method, path, param, body: object | undefined) => {
  const answer = await adminApiOf(gateway)(method, path, body);
  expect([answer.status, answer.body.error.param]).toEqual([400, param]);
});

test('the console has no page for them', async () => {
  const client = await clientOf(gateway);
  for (const path of ['/accounts/%00', '/cards/batches/%00', '/accounts/%00/freeze']) {
    expect([path, (await client.get(path)).status]).toEqual([path, 404]);
  }
  for (const path of ['/cards?serial=%00', '/actions?subject=%00', '/accounts?q=%00']) {
    expect([path, (await client.get(path)).status]).toEqual([path, 400]);
  }
  expect((await client.post('/cards/void', { batch: '\u0000' })).status).toBe(400);
  expect((await client.post('/alarms/first', {})).status).toBe(404);
  expect((await client.get('/actions?before=1e300')).status).toBe(200);
});
