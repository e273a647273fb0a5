// What a call of an account describes is what it checks: each field of its query and body is refused by its name, in words
// of its own.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { z } from 'zod';
import type { HttpRoute } from '../../src/http/operation.ts';
import { ROUTES } from '../../src/http/route-table.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let key: string;
let keyId: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  ({ key, keyId } = await gateway.register());
});
afterAll(() => gateway.stop());

const fieldsOf = (pick: (route: HttpRoute) => z.ZodType | undefined) =>
  ROUTES.filter(({ path }) => path.startsWith('/api/')).flatMap((route) => {
    const shape = pick(route);
    const fields = shape instanceof z.ZodObject ? Object.keys(shape.shape) : [];
    return fields.map((field) => [route.name, field, route] as const);
  });

/** What is wrong is in the list. */
const LISTS = ['models', 'types'];

const pathOf = ({ path }: HttpRoute) => path.replace(':id', keyId);

async function expectRefused(response: Response, field: string): Promise<void> {
  const { error } = await response.json();
  expect(error).toMatchObject({ code: 'invalid_request', param: field });
  expect(error.message).toMatch(/\w{3}.*\.$/);
  expect(error.message).not.toBe(`${field} is not valid.`);
}

test.each(fieldsOf(({ query }) => query))('%s refuses %s with a control character', async (_, field, route) => {
  const response = await gateway.call(`${pathOf(route)}?${field}=%00`, { key });
  expect(response.status).toBe(400);
  await expectRefused(response, field);
});

test.each(fieldsOf(({ body }) => body))('%s refuses %s that is a list in a list', async (_, field, route) => {
  const response = await gateway.call(pathOf(route), { key, method: route.method, body: { [field]: [[]] } });
  expect(response.status).toBe(400);
  await expectRefused(response, LISTS.includes(field) ? `${field}[0]` : field);
});

test('there are such fields', () => {
  expect(fieldsOf(({ query }) => query).length).toBeGreaterThan(8);
  expect(fieldsOf(({ body }) => body).length).toBeGreaterThan(8);
});
