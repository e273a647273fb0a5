// Liveness, readiness, and the root that some clients knock at first.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test.each([
  ['GET', '/healthz'],
  ['HEAD', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/'],
  ['HEAD', '/'],
])('%s %s is 200 without a key', async (method, path) => {
  const response = await gateway.call(path, { method });
  expect(response.status).toBe(200);
  if (method === 'HEAD') expect(await response.text()).toBe('');
});

test('they say what they are asked', async () => {
  expect(await (await gateway.call('/healthz')).json()).toEqual({ status: 'ok' });
  expect(await (await gateway.call('/readyz')).json()).toEqual({ ready: true });
});
