// POST /v1/messages/count_tokens: free, quick, no upstream, no limit.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { spendAll } from '../support/spend-all.ts';
import { upModel } from '../support/test-document.ts';

const PATH = '/v1/messages/count_tokens';
const HELLO = { model: 'up-paid', messages: [{ role: 'user', content: 'Hello there.' }] };

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [...standard.models, upModel('up-even', { price: { input: 1_000, output: 1_000 } })],
    }),
  });
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

const count = async (body: unknown, query = '') => {
  const response = await gateway.call(PATH + query, { key, body });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as { input_tokens: number };
  expect(Object.keys(answer)).toEqual(['input_tokens']);
  return answer.input_tokens;
};

test('needs no max_tokens, takes the query of real clients, and says the same each time', async () => {
  const first = await count(HELLO, '?beta=true');
  expect(first).toBeGreaterThan(0);
  expect(await count({ ...HELLO, max_tokens: 5 })).toBe(first);
});

test('counts the system, the tools and every turn', async () => {
  const bare = await count(HELLO);
  const system = await count({ ...HELLO, system: 'You are a careful gardener.' });
  const tools = await count({
    ...HELLO,
    tools: [{ name: 'dig', description: 'Digs.', input_schema: { type: 'object' } }],
  });
  const longer = await count({
    ...HELLO,
    messages: [...HELLO.messages, { role: 'assistant', content: 'Good morning.' }],
  });
  for (const more of [system, tools, longer]) expect(more).toBeGreaterThan(bare);
});

test.each([
  ['English prose', 'The quick brown fox jumps over the lazy dog, and then it rests in the warm sun for a while. '],
  ['Traditional Chinese', '今天天氣很好，我們一起去陽明山看花，晚上再回台北吃飯。'],
  ['code', 'export function add(a: number, b: number): number {\n  return a + b;\n}\n'],
])('comes within a third of a tokenizer on %s', async (_, text) => {
  const whole = text.repeat(50);
  const counted = await count({ ...HELLO, messages: [{ role: 'user', content: whole }] });
  expect(counted / countTokens(whole)).toBeWithin(2 / 3, 3 / 2);
});

describe('takes nothing', () => {
  test('works at NT$0, and asks no upstream', async () => {
    const poor = await gateway.register();
    await spendAll(gateway, poor.key, 'up-even');
    const before = gateway.upstream.requests.length;
    const response = await gateway.call(PATH, { key: poor.key, body: HELLO });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe('gateway');
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0');
    expect(response.headers.get('x-svc-balance-ntd')).toBe('0');
    expect(gateway.upstream.requests).toHaveLength(before);
    expect((await gateway.get('/api/usage', poor.key)).data).toHaveLength(1);
  });

  test('more often than any limit', async () => {
    const { key: own } = await gateway.register();
    const body = { ...HELLO, model: 'auto:free' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.call(PATH, { key: own, body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await gateway.get('/api/me', own)).free.minute.used).toBe(0);
  });
});

test.each([
  ['no key', undefined, HELLO, 401, 'authentication_error'],
  ['no such model', 'own', { ...HELLO, model: 'nowhere' }, 404, 'not_found_error'],
  ['no messages', 'own', { model: 'up-paid' }, 400, 'invalid_request_error'],
  ['a thread', 'own', { ...HELLO, thread: { type: 'create' } }, 400, 'invalid_request_error'],
] as const)('%s: told in the Anthropic envelope', async (_, who, body, status, type) => {
  const response = await gateway.call(PATH, { key: who && key, body });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ type: 'error', error: { type } });
});
