// The operator's API as a whole: every route needs the token, refuses in one envelope, and is described.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ADMIN_OPERATIONS } from '../../../src/admin/port/route-table.ts';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import type { Answer } from '../../support/answer.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { operatorOf } from '../../support/operator.ts';

let gateway: TestGateway;
let api: AdminApi;
beforeAll(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
});
afterAll(() => gateway.stop());

/** With something in every place that is no id of anything. */
const pathOf = ({ path }: { path: string }) => path.replaceAll(/:\w+/g, 'none');
const below = (path: string) => path.slice('/api/admin'.length);

/** All of them at once: who has no token waits for the answer. */
test('no route is on the public port, and none does anything without the token', async () => {
  const before = gateway.sql('SELECT count(*) AS n FROM audit_log');
  const asked = ADMIN_OPERATIONS.map(async ({ method, path }) => {
    const route = `${method} ${path}`;
    const isBare = method === 'GET' || method === 'DELETE';
    const init = isBare ? { method } : { method, body: '{}' };
    expect((await gateway.call(pathOf({ path }), init)).status, route).toBe(404);
    const response = await fetch(gateway.gateway.adminUrl + pathOf({ path }), init);
    expect([401, 429], route).toContain(response.status);
  });
  await Promise.all(asked);
  expect(asked.length).toBeGreaterThan(20);
  expect(gateway.sql('SELECT count(*) AS n FROM audit_log')).toEqual(before);
});

test('a wrong token is slowed down', async () => {
  const own = await startTestGateway();
  try {
    const since = performance.now();
    const headers = { authorization: 'Bearer wrong' };
    const response = await fetch(`${own.gateway.adminUrl}/api/admin/channels`, { headers });
    expect(response.status).toBe(401);
    expect(performance.now() - since).toBeGreaterThan(900);
    const { error }: Answer = await response.json();
    expect(error).toMatchObject({ type: 'authentication_error', param: null, code: 'invalid_admin_token' });
  } finally {
    await own.stop();
  }
});

test.each(ADMIN_OPERATIONS.filter(({ body }) => body).map(({ method, path }) => [method, path] as const))(
  '%s %s refuses what is no JSON, and what it does not know, in the envelope',
  async (method, path) => {
    for (const body of ['{', '[]', '"text"', { no_such_field: 1 }]) {
      const answer = await api(method, below(pathOf({ path })), body);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({
        type: 'invalid_request_error',
        code: 'invalid_request',
        message: expect.any(String),
        request_id: expect.stringMatching(/^req_/),
      });
      expect(answer.body.error).toHaveProperty('param');
    }
  },
);

test.each(
  ADMIN_OPERATIONS.filter(({ path, body }) => path.includes(':') && !body).map((one) => [one.method, one.path]),
)('%s %s of nothing is 404', async (method, path) => {
  const { status, body } = await api(String(method), below(pathOf({ path: String(path) })));
  expect(status).toBe(404);
  expect(body.error).toMatchObject({ type: 'not_found_error', code: 'not_found' });
});

test('a body that is too large is refused', async () => {
  const { status, body } = await api('POST', '/document/check', { yaml: 'x'.repeat(9 * 1024 * 1024) });
  expect([status, body.error.code]).toEqual([413, 'request_too_large']);
});

test('openapi.json is valid and tells every route', async () => {
  const response = await operatorOf(gateway).call('/openapi.json');
  const document: Answer = await response.json();
  expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  const told = Object.entries<Answer>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = ADMIN_OPERATIONS.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(told.toSorted()).toEqual(routes.toSorted());
  expect(new Set(ADMIN_OPERATIONS.map(({ id }) => id)).size).toBe(ADMIN_OPERATIONS.length);
});
