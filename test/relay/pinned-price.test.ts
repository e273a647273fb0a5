// A request is charged at the price that admitted it, whatever is applied while it runs.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { type TestDocument, UP_PRICES } from '../support/test-document.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const dearer = (doc: TestDocument): TestDocument => ({
  ...doc,
  models: doc.models.map((model) => (model.id === 'up-paid' ? { ...model, price: { input: 20, output: 80 } } : model)),
});

test('the running request has the old price and revision, the next one the new', async () => {
  const { key } = await gateway.register();
  const gate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] }, chatAnswer());
  const running = gateway.chat(key, { model: 'up-paid' });
  await gateway.upstream.request(0);
  await gateway.apply(dearer);
  const catalog: Answer = await (await gateway.call('/api/public/catalog')).json();
  expect(catalog.revision).toBe(2);
  gate.open();
  expect((await running).status).toBe(200);
  expect((await gateway.chat(key, { model: 'up-paid' })).status).toBe(200);

  const { data } = await gateway.get('/api/usage', key);
  const [after, before] = data;
  expect(before).toMatchObject({ revision: 1, cost_nano: (11n * UP_PRICES.input + 7n * UP_PRICES.output).toString() });
  expect(after).toMatchObject({ revision: 2, cost_nano: (11n * 20_000n + 7n * 80_000n).toString() });
});

test('a document that is refused leaves the last good one in force', async () => {
  await gateway.apply((doc) => ({ ...doc, models: doc.models.map((model) => ({ ...model, price: { input: -1 } })) }));
  const catalog: Answer = await (await gateway.call('/api/public/catalog')).json();
  expect(catalog.revision).toBe(2);
  expect(gateway.log.alarms('config_rejected')).toHaveLength(1);
});
