// A quote of one node holds on another one: nothing of it is stored, and both find the quoted price in their database.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { sharePostgres, type TestDatabases } from '../support/postgres.ts';
import { type TestDocument, UP_PRICES } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
const BODY = { model: 'up-paid', max_tokens: 100, messages: [{ role: 'user', content: 'Hello there.' }] };
let server: TestDatabases;
let one: TestGateway;
let other: TestGateway;

beforeAll(async () => {
  server = await sharePostgres();
  const { url } = await server.createDatabase();
  const env = { DATABASE_URL: url, SECRETS_PEPPER: 'a pepper for quotes only' };
  one = await startTestGateway({ env });
  other = await startTestGateway({ env });
});
afterAll(async () => {
  await other.stop();
  await one.stop();
  await server.stop();
});

const dearer = (doc: TestDocument): TestDocument => ({
  ...doc,
  models: doc.models.map((model) => (model.id === 'up-paid' ? { ...model, price: { input: 20, output: 80 } } : model)),
});
const revisionOf = async (gateway: TestGateway): Promise<number> =>
  ((await (await gateway.call('/api/public/catalog')).json()) as Answer).revision;

test('quoted on one node, called on another, after the price list has changed', async () => {
  const { key } = await one.register();
  await eventually('the same catalog', async () => (await revisionOf(one)) === (await revisionOf(other)));
  const quoted = await one.call('/api/quote', { key, body: { endpoint: CHAT, body: BODY } });
  const quote: Answer = await quoted.json();
  expect(quote).toMatchObject({ model: 'up-paid', refusal: null });
  expect(await one.get('/api/me', key)).toMatchObject({ held_nano: '0', balance_nano: '1000000000' });
  await other.apply(dearer);
  other.upstream.otherwise(chatAnswer());
  const call = (headers: Record<string, string>) => other.call(CHAT, { key, body: BODY, headers });

  const response = await call({ 'x-svc-quote': quote.quote_id });
  expect(response.status).toBe(200);
  const receipt = await one.get(`/api/receipts/${response.headers.get('x-request-id')}`, key);
  const cost = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
  expect(receipt.cost_nano).toBe(cost.toString());
  expect(cost).toBeLessThanOrEqual(BigInt(quote.max_cost_nano));
  const sum = receipt.lines.reduce((total: bigint, line: Answer) => total + BigInt(line.amount_nano), 0n);
  expect(sum).toBe(cost);

  const plain = await call({});
  expect(plain.headers.get('x-svc-cost-ntd')).toBe('0.00078');

  // The account's own calls had seven tokens of output each.
  const again: Answer = await (await other.call('/api/quote', { key, body: { endpoint: CHAT, body: BODY } })).json();
  expect(again.likely_cost_nano).toBe((BigInt(again.input_tokens.estimate) * 20_000n + 7n * 80_000n).toString());
});

test('a refusal is the one of the call', async () => {
  const { key } = await one.register();
  const body = { ...BODY, model: 'up-free' };
  for (let n = 0; n < 6; n++) await (await other.call(CHAT, { key, body })).text();
  const { refusal }: Answer = await (await one.call('/api/quote', { key, body: { endpoint: CHAT, body } })).json();
  expect(refusal).toMatchObject({ code: 'free_minute_limit', limit: 6, used: 6, resets_at: expect.any(String) });
});
