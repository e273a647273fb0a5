// GET /api/receipts/{id}: the record, every bucket at the price that was in force, every attempt; for its account alone.

import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { CHARGE_RULES } from '../../src/store/rows.ts';
import type { Answer } from '../support/answer.ts';
import { closeCall, loss } from '../support/close-call.ts';
import { createGate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, type Usage } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { openaiChannel, type TestDocument, UP_PRICES, upModel, upstreamUrl } from '../support/test-document.ts';

let gateway: TestGateway;
let account: TestAccount;

/** One more channel at the same upstream, so that a request can fail on the first and be served by the second. */
const withSecond = (standard: TestDocument): TestDocument => {
  const url = upstreamUrl(standard);
  const routes = ['up', 'up-second'].map((channel, index) => ({
    channel,
    model: 'scripted-2026-01',
    priority: index + 1,
  }));
  return {
    ...standard,
    channels: [...standard.channels, openaiChannel('up-second', url)],
    models: [...standard.models, upModel('up-two', { price: { input: 10, output: 40 }, routes })],
  };
};
const dearer = (standard: TestDocument): TestDocument => {
  const document = withSecond(standard);
  const models = document.models.filter(({ id }) => id !== 'demo-small');
  return {
    ...document,
    models: models.map((model) => (model.id === 'up-paid' ? { ...model, price: { input: 99, output: 999 } } : model)),
  };
};

beforeAll(async () => {
  gateway = await startTestGateway({ document: withSecond });
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** One call; its receipt. */
async function receiptOf(body: Record<string, unknown>, ...scripts: Script[]): Promise<Answer> {
  gateway.upstream.next(...scripts);
  const response = await gateway.chat(account.key, { max_tokens: 100, ...body });
  await response.text();
  return receipt(response.headers.get('x-request-id') ?? '');
}
async function receipt(id: string): Promise<Answer> {
  const response = await gateway.call(`/api/receipts/${id}`, { key: account.key });
  expect(response.status).toBe(200);
  return response.json();
}
const sumOf = ({ lines }: Answer): bigint =>
  lines.reduce((sum: bigint, line: Answer) => sum + BigInt(line.amount_nano), 0n);
const USAGE: Usage = {
  prompt_tokens: 1_000,
  completion_tokens: 90,
  prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 40 },
};
const LONG = { messages: [{ role: 'user', content: 'x'.repeat(4_000) }] };
const line = (bucket: string, quantity: number, unit: bigint) => ({
  bucket,
  quantity,
  unit_price_nano: unit.toString(),
  amount_nano: (BigInt(quantity) * unit).toString(),
});

describe('lines', () => {
  test.each([
    ['whole', chatAnswer({ usage: USAGE }), {}],
    ['streamed', chatStream({ usage: USAGE }), { stream: true }],
  ])('of a %s answer price each bucket apart and sum to the cost', async (_, script, body) => {
    const told = await receiptOf({ model: 'up-paid', ...LONG, ...body }, script);
    expect(told.lines).toEqual([
      line('input', 200, UP_PRICES.input),
      line('cached_input', 700, UP_PRICES.cached),
      line('cache_write_5m', 100, UP_PRICES.write),
      line('output', 90, UP_PRICES.output),
    ]);
    expect(sumOf(told)).toBe(BigInt(told.cost_nano));
    expect(sumOf(told)).toBe(1_000_000_000n - BigInt((await gateway.get('/api/me', account.key)).balance_nano));
  });

  test('carry the whole record that /api/usage shows', async () => {
    const { lines, attempts, rule, explanation, price_tier, service_tier, tool_calls, ...told } = await receiptOf(
      { model: 'up-paid', ...LONG },
      chatAnswer({ usage: USAGE }),
    );
    const { data } = await gateway.get('/api/usage', account.key);
    const { refunded_ntd, refunded_nano, ...record } = told;
    expect([refunded_ntd, refunded_nano]).toEqual([0, '0']);
    expect(data).toEqual([record]);
    expect(lines.length + attempts.length).toBe(5);
  });

  test('say what the house wrote off above the hold, and still sum to what was charged', async () => {
    const usage = { prompt_tokens: 10_000_000, completion_tokens: 100 };
    const told = await receiptOf({ model: 'up-paid' }, chatAnswer({ usage }));
    const [row] = gateway.sql<{ held_nano: bigint }>(
      'SELECT held_nano FROM usage_records WHERE request_id = ?',
      told.request_id,
    );
    const full = 10_000_000n * UP_PRICES.input + 100n * UP_PRICES.output;
    expect(told.cost_nano).toBe(row?.held_nano.toString());
    expect(told.lines.at(-1)).toMatchObject({
      bucket: 'written_off',
      quantity: 1,
      amount_nano: (BigInt(told.cost_nano) - full).toString(),
    });
    expect(sumOf(told)).toBe(BigInt(told.cost_nano));
    expect(
      gateway.sql(`SELECT amount_nano FROM entries WHERE kind = 'write_off' AND reference = ?`, told.request_id),
    ).toEqual([{ amount_nano: full - BigInt(told.cost_nano) }]);
  });

  test('of a free answer cost nothing, each', async () => {
    const told = await receiptOf({ model: 'up-free' }, chatAnswer());
    expect(told.cost_nano).toBe('0');
    expect(told.lines).toEqual([line('input', 11, 0n), line('output', 7, 0n)]);
  });
});

describe('the rule that decided the cost', () => {
  const close = (fields: Parameters<typeof closeCall>[2]) => closeCall(gateway.gateway.store, account, fields);

  test('is there with a sentence that has the amounts', async () => {
    const { requestId } = await close({ held: 500_000_000n, cost: 123_000_000n, rule: 'hung_up' });
    expect(await receipt(requestId)).toMatchObject({
      rule: 'hung_up',
      explanation:
        'The client closed the connection during the answer. Input, reasoning and the output delivered until then are charged: NT$0.123.',
    });
  });

  test.each(CHARGE_RULES)('%s has one', async (rule) => {
    const { requestId } = await close({ cost: 1n, rule });
    const told = await receipt(requestId);
    expect(told.rule).toBe(rule);
    expect(told.explanation).toMatch(/^[A-Z].*\.$/);
  });

  test('is the guard of losses, and what it charges is a line of its own', async () => {
    const losses = { items: [loss()], guard: 0n };
    const { requestId } = await close({ rule: 'empty_answer', losses });
    const told = await receipt(requestId);
    expect(told).toMatchObject({ rule: 'loss_guard', cost_nano: '400000000' });
    expect(told.explanation).toBe(
      'This account has used up its requests without a charge for today. What exceeds them is charged as reported, up to the NT$0.5 that was reserved: NT$0.4.',
    );
    expect(told.lines).toEqual([line('loss_guard', 1, 400_000_000n)]);
    expect(sumOf(told)).toBe(BigInt(told.cost_nano));
  });

  test('is unknown for a record from before there were rules', async () => {
    const { requestId } = await close({ cost: 5n });
    expect(await receipt(requestId)).toMatchObject({ rule: null, explanation: null });
  });
});

describe('attempts', () => {
  test('are all listed, with the one that served last', async () => {
    const told = await receiptOf({ model: 'up-two' }, { status: 404, body: ['{}'] }, chatAnswer());
    expect(told).toMatchObject({ status: 'ok', channel: 'up-second' });
    expect(told.attempts).toEqual([
      { channel: 'up', outcome: 'route_missing', ms: expect.any(Number) },
      { channel: 'up-second', outcome: 'ok', ms: expect.any(Number) },
    ]);
    expect(sumOf(told)).toBe(BigInt(told.cost_nano));
  });

  test('of a request that nobody served are listed too, with nothing to pay', async () => {
    gateway.upstream.otherwise({ status: 500, body: ['{}'] });
    const told = await receiptOf({ model: 'up-paid' });
    expect(told).toMatchObject({ status: 'upstream_failed', channel: null, cost_nano: '0', lines: [] });
    expect(told.attempts.length).toBeGreaterThan(0);
    for (const attempt of told.attempts) expect(attempt).toMatchObject({ channel: 'up', outcome: 'upstream_error' });
  });
});

test('another account’s receipt, an unknown one and an injection are all the same 404', async () => {
  const { request_id } = await receiptOf({ model: 'up-paid' }, chatAnswer());
  const stranger = await gateway.register();
  const bodies: string[] = [];
  for (const id of [request_id, 'req_unknown', "x' OR '1'='1", '__proto__']) {
    const response = await gateway.call(`/api/receipts/${encodeURIComponent(id)}`, { key: stranger.key });
    expect(response.status).toBe(404);
    bodies.push((await response.text()).replaceAll(response.headers.get('x-request-id') ?? '', ''));
  }
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] ?? '').error.code).toBe('not_found');
  expect((await gateway.call(`/api/receipts/${request_id}`)).status).toBe(401);
  expect((await receipt(request_id)).request_id).toBe(request_id);
});

test.each(['up-paid', 'up-free'])(
  'of a request to %s that still runs: come again, for its account alone',
  async (model) => {
    const gate = createGate();
    const script = chatAnswer();
    gateway.upstream.next({ ...script, body: [gate.opened, ...(script.body ?? [])] });
    const asked = gateway.upstream.requests.length;
    const running = gateway.chat(account.key, { model, max_tokens: 100 });
    await gateway.upstream.request(asked);
    const [hold] = gateway.sql<{ request_id: string }>(
      'SELECT request_id FROM holds WHERE account_id = ?',
      account.accountId,
    );
    const path = `/api/receipts/${hold?.request_id}`;
    const early = await gateway.call(path, { key: account.key });
    expect(early.status).toBe(404);
    const { error }: Answer = await early.json();
    expect(error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('still running'),
    });
    const stranger = await gateway.call(path, { key: (await gateway.register()).key });
    expect(stranger.headers.get('retry-after')).toBeNull();
    gate.open();
    await (await running).text();
    expect((await receipt(hold?.request_id ?? '')).request_id).toBe(hold?.request_id);
  },
);

// Last in the file: it changes the catalog for good.
test('a new revision changes nothing on an old receipt, even if the model is gone', async () => {
  const paid = await receiptOf({ model: 'up-paid', ...LONG }, chatAnswer({ usage: USAGE }));
  const demo = await receiptOf({ model: 'demo-small' });
  const readings = spyOn(gateway.gateway.store.read, 'revision');
  expect(await receipt(paid.request_id)).toEqual(paid);
  expect(readings).not.toHaveBeenCalled();
  await gateway.apply(dearer);
  expect((await gateway.chat(account.key, { model: 'demo-small' })).status).toBe(404);
  readings.mockClear();
  expect(await receipt(paid.request_id)).toEqual(paid);
  expect(await receipt(demo.request_id)).toEqual(demo);
  expect(readings.mock.calls).toEqual([[paid.revision]]);
  readings.mockRestore();
  expect(demo.lines.length).toBeGreaterThan(0);
  expect(sumOf(demo)).toBe(BigInt(demo.cost_nano));

  const later = await receiptOf({ model: 'up-paid' }, chatAnswer());
  expect(later.revision).toBe(paid.revision + 1);
  expect(later.lines).toEqual([line('input', 11, 99_000n), line('output', 7, 999_000n)]);
});
