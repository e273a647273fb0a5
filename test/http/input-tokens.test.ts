// POST /v1/responses/input_tokens: the same count as a call without a report is billed by, for nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { responseAnswer } from '../support/openai-responses.ts';
import { spendAll } from '../support/spend-all.ts';
import { upModel } from '../support/test-document.ts';

const PATH = '/v1/responses/input_tokens';
const HELLO = { model: 'up-paid', input: 'Hello there.' };

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
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

async function count(body: Record<string, unknown>): Promise<number> {
  const response = await gateway.call(PATH, { key, body });
  expect(response.status).toBe(200);
  const answer: Answer = await response.json();
  expect(answer).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
  return answer.input_tokens;
}

test('is the count that a call is billed by if its upstream reports none', async () => {
  const body = {
    ...HELLO,
    instructions: 'You are a careful gardener.',
    tools: [{ type: 'function', name: 'dig', description: 'Digs.', parameters: { type: 'object' } }],
  };
  gateway.upstream.next(responseAnswer({ usage: null }));
  const posted = await gateway.call('/v1/responses', { key, body });
  await posted.text();
  const { input_tokens } = await gateway.get(`/api/receipts/${posted.headers.get('x-request-id')}`, key);
  expect(await count(body)).toBe(input_tokens);
});

test('counts instructions, tools and every item, and takes the fields of a call', async () => {
  const bare = await count(HELLO);
  const items = [{ role: 'user', content: 'Hello there.' }];
  const more = [
    { instructions: 'You are a careful gardener.' },
    { tools: [{ type: 'function', name: 'dig', parameters: {} }] },
    { input: [...items, { role: 'assistant', content: 'Good morning.' }, ...items] },
  ];
  for (const fields of more) expect(await count({ ...HELLO, ...fields })).toBeGreaterThan(bare);
  expect(await count({ ...HELLO, stream: true, max_output_tokens: 5, previous_response_id: null })).toBe(bare);
  expect(await count({ model: 'up-paid', input: null, instructions: 'Be brief.' })).toBeGreaterThan(0);
  expect(await count({ model: 'up-paid' })).toBeGreaterThan(0);
});

test('counts a summary as what it says, not as the text that seals it', async () => {
  const summary = 'The lighthouse is white. '.repeat(400);
  gateway.upstream.next(responseAnswer({ pieces: [summary] }));
  const input = [{ role: 'user', content: 'Look at the lighthouse.' }];
  const posted = await gateway.call('/v1/responses/compact', { key, body: { model: 'up-paid', input } });
  const { output }: Answer = await posted.json();
  const plain = await count({ model: 'up-paid', input: [...input, { role: 'user', content: summary }] });
  expect((await count({ model: 'up-paid', input: output })) / plain).toBeWithin(0.9, 1.1);
});

describe('takes nothing', () => {
  test('works at NT$0, and asks no upstream', async () => {
    const poor = await gateway.register();
    await spendAll(gateway, poor.key, 'up-even');
    const before = gateway.upstream.requests.length;
    const response = await gateway.call(PATH, { key: poor.key, body: HELLO });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0');
    expect(gateway.upstream.requests).toHaveLength(before);
    expect((await gateway.get('/api/usage', poor.key)).data).toHaveLength(1);
  });
});

test.each([
  ['no key', undefined, HELLO, 401, 'invalid_api_key', null],
  ['no such model', 'own', { ...HELLO, model: 'nowhere' }, 404, 'model_not_found', 'model'],
  ['no model', 'own', { input: 'Hi' }, 400, 'invalid_request', 'model'],
  ['an input of another kind', 'own', { ...HELLO, input: 5 }, 400, 'invalid_request', 'input'],
  ['a stored response', 'own', { ...HELLO, previous_response_id: 'r' }, 400, 'invalid_request', 'previous_response_id'],
  ['a stored conversation', 'own', { ...HELLO, conversation: 'c' }, 400, 'invalid_request', 'conversation'],
] as const)('%s is refused as OpenAI does', async (_, who, body, status, code, param) => {
  const response = await gateway.call(PATH, { key: who && key, body });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code, param } });
});
