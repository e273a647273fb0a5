// A thinking budget under a clamp: lowered in proportion to the output, so that an answer has room, never below 1024 tokens,
// and told.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { type TestDocument, upModel } from '../support/test-document.ts';

const OUTPUT_PRICE = 100_000n;
const MODEL_MOST = 8_000;
let gateway: TestGateway;
let account: TestAccount;
/** What the input of these calls holds. */
let base: bigint;

const withThinker = (standard: TestDocument): TestDocument => ({
  ...standard,
  models: [
    ...standard.models,
    upModel('thinker', { max_output_tokens: MODEL_MOST, price: { input: 10, output: 100 } }),
  ],
});

beforeAll(async () => {
  gateway = await startTestGateway({ document: withThinker });
  account = await gateway.register();
  gateway.upstream.otherwise(chatAnswer());
  await gateway.chat(account.key, { model: 'thinker', max_tokens: 20 });
  const [row] = gateway.sql<{ held_nano: bigint }>('SELECT held_nano FROM usage_records');
  base = (row?.held_nano ?? 0n) - 20n * OUTPUT_PRICE;
});
beforeEach(() => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
});
afterAll(() => gateway.stop());

const thinking = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens, display: 'summarized' });

/** One call with a key whose money pays for exactly so many output tokens. */
async function call(affordable: number, body: Record<string, unknown>, headers: Record<string, string> = {}) {
  const money = base + BigInt(affordable) * OUTPUT_PRICE;
  const { key } = await createKey(gateway, account.key, { daily_budget_ntd: Number(money) / 1e9 });
  const response = await gateway.chat(key, { model: 'thinker', ...body }, { headers });
  const sent: Answer = gateway.upstream.requests.at(-1)?.json;
  return { response, sent, header: (name: string) => response.headers.get(name) };
}

describe('a clamp', () => {
  test.each([
    ['below the budget', 2_500, 4_000, 2_000],
    ['equal to the budget', 4_000, 4_000, 3_200],
    ['whose part would be less than 1024', 1_500, 2_000, 1_024],
    ['that leaves 1024 for thinking', 1_025, 4_000, 1_024],
    ['of a budget that left no room for an answer itself', 2_500, 5_000, 2_499],
    ['at the least, to a budget of 1024', 1_025, 1_024, undefined],
  ])('%s: %d tokens for a budget of %d', async (_, affordable, budget, lowered) => {
    const { response, sent, header } = await call(affordable, { max_tokens: 5_000, thinking: thinking(budget) });
    expect(response.status).toBe(200);
    expect(header('x-svc-max-tokens')).toBe(String(affordable));
    expect(header('x-svc-dropped')).toBe(lowered === undefined ? null : 'thinking.budget_tokens');
    expect(sent.max_tokens).toBe(affordable);
    expect(sent.thinking).toEqual(thinking(lowered ?? budget));
    expect(sent.thinking.budget_tokens).toBeLessThan(sent.max_tokens);
  });

  test('of a call without max_tokens lowers the budget too', async () => {
    const { response, sent, header } = await call(4_000, { thinking: thinking(6_000) });
    expect(response.status).toBe(200);
    expect(header('x-svc-max-tokens')).toBe('4000');
    expect(header('x-svc-dropped')).toBe('thinking.budget_tokens');
    expect(sent.thinking.budget_tokens).toBe(3_000);
    expect(sent.max_completion_tokens ?? sent.max_tokens).toBe(4_000);
  });

  test('to the model’s own most lowers the budget likewise', async () => {
    const { response, sent, header } = await call(9_000, { max_tokens: 20_000, thinking: thinking(10_000) });
    expect(response.status).toBe(200);
    expect(sent.max_tokens).toBe(MODEL_MOST);
    expect(sent.thinking.budget_tokens).toBe(MODEL_MOST / 2);
    expect(header('x-svc-dropped')).toBe('thinking.budget_tokens');
  });

  test('above the budget leaves it alone', async () => {
    const { response, sent, header } = await call(1_500, { max_tokens: 5_000, thinking: thinking(1_499) });
    expect(response.status).toBe(200);
    expect(header('x-svc-max-tokens')).toBe('1500');
    expect(header('x-svc-dropped')).toBeNull();
    expect(sent.thinking).toEqual(thinking(1_499));
  });

  test.each([[2_000], [1_024]])(
    'that leaves less than 1024 for a budget of %d is 402, and nothing goes upstream',
    async (budget) => {
      const { response } = await call(1_024, { max_tokens: 5_000, thinking: thinking(budget) });
      expect(response.status).toBe(402);
      expect(((await response.json()) as Answer).error).toMatchObject({
        code: 'key_budget_exceeded',
        needed_nano: (base + 1_025n * OUTPUT_PRICE).toString(),
        available_nano: (base + 1_024n * OUTPUT_PRICE).toString(),
        affordable_max_tokens: 1_024,
      });
      expect(gateway.upstream.requests).toHaveLength(0);
    },
  );

  test('by the wallet works as the clamp by a budget', async () => {
    const poor = await gateway.register();
    const price = 1_000_000n;
    await gateway.apply((standard) => ({
      ...standard,
      models: [
        ...standard.models,
        upModel('thinker', { max_output_tokens: MODEL_MOST, price: { input: 10, output: 1_000 } }),
      ],
    }));
    try {
      const refused = await gateway.chat(poor.key, { model: 'thinker', max_tokens: 5_000, thinking: thinking(2_000) });
      expect(refused.status).toBe(402);
      expect(((await refused.json()) as Answer).error).toMatchObject({
        code: 'insufficient_balance',
        needed_nano: (base + 1_025n * price).toString(),
        affordable_max_tokens: Number((1_000_000_000n - base) / price),
      });
    } finally {
      await gateway.apply(withThinker);
    }
  });
});

describe('for a strict client', () => {
  const strictly = (affordable: number, body: Record<string, unknown>) =>
    call(affordable, body, { 'x-svc-strict': '1' });

  test('a budget that the money does not leave whole is 402, and nothing goes upstream', async () => {
    const { response } = await strictly(2_000, { max_tokens: 5_000, thinking: thinking(2_000) });
    expect(response.status).toBe(402);
    expect(((await response.json()) as Answer).error).toMatchObject({
      code: 'key_budget_exceeded',
      needed_nano: (base + 2_001n * OUTPUT_PRICE).toString(),
      affordable_max_tokens: 2_000,
    });
    expect(gateway.upstream.requests).toHaveLength(0);
  });

  test('the output is lowered as far as the budget stays whole', async () => {
    const { response, sent, header } = await strictly(2_001, { max_tokens: 5_000, thinking: thinking(2_000) });
    expect(response.status).toBe(200);
    expect([header('x-svc-max-tokens'), header('x-svc-dropped')]).toEqual(['2001', null]);
    expect(sent).toMatchObject({ max_tokens: 2_001, thinking: thinking(2_000) });
  });

  test.each([[{}], [{ max_tokens: 20_000 }]])('a budget that does not fit the model is 400: %p', async (bound) => {
    const { response } = await strictly(9_000, { ...bound, thinking: thinking(MODEL_MOST) });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as Answer;
    expect(error).toMatchObject({ code: 'invalid_request', param: 'thinking.budget_tokens' });
    expect(gateway.upstream.requests).toHaveLength(0);
  });

  test('a budget that is not below the client’s own bound is 400', async () => {
    const { response } = await strictly(3_000, { max_tokens: 1_500, thinking: thinking(1_500) });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error).toMatchObject({ code: 'invalid_request' });
    expect(gateway.upstream.requests).toHaveLength(0);
  });
});

describe('without a clamp', () => {
  test.each([1_500, 2_000, 1_000_000])('a budget of %d stays below the client’s own bound, too', async (budget) => {
    const { response, sent, header } = await call(3_000, { max_tokens: 1_500, thinking: thinking(budget) });
    expect(response.status).toBe(200);
    expect(sent).toMatchObject({ max_tokens: 1_500, thinking: thinking(1_499) });
    expect(header('x-svc-dropped')).toBe('thinking.budget_tokens');
  });

  test('a budget below the client’s own bound goes as it came', async () => {
    const { response, sent, header } = await call(3_000, { max_tokens: 1_500, thinking: thinking(1_499) });
    expect(response.status).toBe(200);
    expect(sent).toMatchObject({ max_tokens: 1_500, thinking: thinking(1_499) });
    expect(header('x-svc-dropped')).toBeNull();
  });

  test('thinking that has no budget changes nothing', async () => {
    const { response, sent } = await call(16, { max_tokens: 5_000, thinking: { type: 'disabled' } });
    expect(response.status).toBe(200);
    expect(sent).toMatchObject({ max_tokens: 16, thinking: { type: 'disabled' } });
  });
});

test.each([
  '{"budget_tokens":0}',
  '{"budget_tokens":-5}',
  '{"budget_tokens":1.5}',
  '{"budget_tokens":"2000"}',
  '{"budget_tokens":1e400}',
  '"on"',
  '[]',
])('thinking: %s is 400', async (value) => {
  const body = `{"model":"thinker","messages":[{"role":"user","content":"Hi"}],"thinking":${value}}`;
  const response = await gateway.call('/v1/chat/completions', { key: account.key, body });
  expect(response.status).toBe(400);
  expect(((await response.json()) as Answer).error.code).toBe('invalid_request');
});
