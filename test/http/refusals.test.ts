// A refused request can be found by the id that the customer quotes: through real calls, the store and the operator's API.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminApi, adminApiOf } from '../support/admin-api.ts';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';

const SECRET = 'the-customers-own-words';

let gateway: TestGateway;
let api: AdminApi;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({ limits: { free_per_minute: 1 } });
  api = adminApiOf(gateway);
  account = await gateway.register();
});
afterAll(() => gateway.stop());

async function refusedId(response: Response): Promise<string> {
  await response.text();
  expect(response.status).toBeGreaterThanOrEqual(400);
  return response.headers.get('x-request-id') ?? '';
}

async function find(requestId: string): Promise<Answer> {
  return eventually(`${requestId} among the refused requests`, async () => {
    const { body } = await api('GET', `/refusals?request_id=${requestId}`);
    return body.data[0] as Answer | undefined;
  });
}

test('refused calls are found by their ids, with account, key, model, code and figures, and nothing that was sent', async () => {
  const { key, accountId, keyId } = account;
  await (await gateway.chat(key, { model: 'auto:free' })).text();
  const messages = [{ role: 'user', content: SECRET }];
  const limited = await refusedId(
    await gateway.chat(key, { model: 'claude-auto', messages }, { headers: { 'x-svc-no-wait': '1' } }),
  );
  const unknown = await refusedId(await gateway.chat(key, { model: SECRET, messages }));
  const unpaid = await refusedId(
    await gateway.chat(key, { model: 'up-paid', messages: [{ role: 'user', content: SECRET.repeat(20_000) }] }),
  );
  const missing = await refusedId(await gateway.call(`/api/keys/${SECRET}`, { key, method: 'DELETE' }));
  const [wrongKey, noRoute] = await Promise.all([
    gateway.call('/v1/models', { key: 'sk-svc-wrong' }).then(refusedId),
    gateway.call(`/v1/${SECRET}`).then(refusedId),
  ]);

  const own = { account_id: accountId, key_id: keyId };
  const chat = { endpoint: 'POST /v1/chat/completions' };
  expect(await find(limited)).toMatchObject({
    ...{ request_id: limited, ...own, ...chat, model: 'auto:free', status: 429, code: 'free_minute_limit' },
    figures: { limit: 1, used: 1 },
  });
  expect(await find(unknown)).toMatchObject({ ...own, ...chat, model: null, status: 404, code: 'model_not_found' });
  const { figures, ...paid } = await find(unpaid);
  expect(paid).toMatchObject({ ...own, ...chat, model: 'up-paid', status: 402, code: 'insufficient_balance' });
  expect(figures.needed_ntd).toBeGreaterThan(figures.available_ntd);
  expect(await find(missing)).toMatchObject({ ...own, endpoint: 'DELETE /api/keys/:id', code: 'not_found' });
  const nobody = { account_id: null, key_id: null };
  expect(await find(wrongKey)).toMatchObject({ ...nobody, endpoint: 'GET /v1/models', status: 401 });
  expect(await find(noRoute)).toMatchObject({ ...nobody, endpoint: '', code: 'route_not_found' });

  const { body } = await api('GET', `/refusals?account=${accountId}`);
  expect(body.data.map((one: Answer) => one.request_id)).toEqual([missing, unpaid, unknown, limited]);
  const counted = body.counts.map((one: Answer) => [one.code, one.refused, one.key_id]).sort();
  expect(counted).toEqual(
    ['free_minute_limit', 'insufficient_balance', 'model_not_found', 'not_found'].map((code) => [code, 1, keyId]),
  );
  const { body: unknownOnes } = await api('GET', '/refusals');
  expect(unknownOnes.counts.map((one: Answer) => one.code).sort()).toEqual(['invalid_api_key', 'route_not_found']);
  expect(Bun.inspect(gateway.sql('SELECT * FROM refused_requests'))).not.toContain(SECRET);
  expect(Bun.inspect(gateway.sql('SELECT * FROM refusal_days'))).not.toContain(SECRET);
});

test('a 401 that a customer quotes is found after scanners have tried more unknown paths than are kept', async () => {
  const quoted = await refusedId(await gateway.call('/v1/models', { key: 'sk-svc-wrong' }));
  let last = '';
  for (let n = 0; n < 1_100; n++) last = await refusedId(await gateway.call(`/wp-admin/${n}.php`));
  await find(last);
  expect(await find(quoted)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  const { body } = await api('GET', '/refusals');
  const of = (code: string) => body.data.filter((one: Answer) => one.code === code).length;
  expect([of('route_not_found'), of('invalid_api_key') > 0]).toEqual([250, true]);
  const counted = body.counts.find((one: Answer) => one.code === 'route_not_found');
  expect(counted.refused).toBeGreaterThanOrEqual(1_100);
});

test('an admitted call that fails is no refusal', async () => {
  const { key, accountId } = await gateway.register();
  gateway.upstream.next({
    status: 400,
    body: [JSON.stringify({ error: { message: 'no', type: 'invalid_request_error' } })],
  });
  const failed = await refusedId(await gateway.chat(key, { model: 'up-paid' }));
  const refused = await refusedId(await gateway.chat(key, { model: 'none' }));
  await find(refused);
  const { body } = await api('GET', `/refusals?account=${accountId}`);
  expect(body.data.map((one: Answer) => one.request_id)).toEqual([refused]);
  expect((await api('GET', `/accounts/${accountId}/requests/${failed}`)).status).toBe(200);
});

test('a clean stop stores what was refused before it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-refusals-'));
  try {
    const first = await startTestGateway({ dataDir });
    const refused = await refusedId(await first.call('/v1/models', { key: 'sk-svc-wrong' }));
    await first.stop();
    const second = await startTestGateway({ dataDir });
    const { body } = await adminApiOf(second)('GET', `/refusals?request_id=${refused}`);
    await second.stop();
    expect(body.data).toMatchObject([{ request_id: refused, code: 'invalid_api_key' }]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
