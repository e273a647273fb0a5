// Log probabilities make a whole answer so large that the gateway could not read it. Such a request is refused before anything
// is held or sent.

import { beforeEach, expect, test } from 'bun:test';
import { useAllFormats } from '../support/all-formats.ts';
import type { Answer } from '../support/answer.ts';
import { messageAnswer } from '../support/anthropic-messages.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';

const setting = useAllFormats({
  '': { max_output_tokens: 128_000, context_tokens: 200_000, price: { input: 0.001, output: 0.001 } },
});

beforeEach(() => setting.upstream.otherwise(chatAnswer()));

const ask = (fields: object) => setting.gateway.chat(setting.key, { model: 'chat', ...fields });

test.each([
  { logprobs: true, top_logprobs: 20, max_tokens: 30_000 },
  { logprobs: true, top_logprobs: 20, max_tokens: 300, n: 100 },
  { logprobs: true, top_logprobs: 20, max_tokens: 300, best_of: 100 },
  { logprobs: true, max_tokens: 20_000, n: 30 },
  { top_logprobs: 5_000, max_tokens: 1_000 },
  { logprobs: true, top_logprobs: 20, n: 8 },
])('%j is refused', async (fields) => {
  const response = await ask(fields);
  const { error } = (await response.json()) as Answer;
  expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', 'logprobs']);
  expect(error.message).toContain('Request fewer choices, tokens or top_logprobs');
  expect(error.message).toContain('5,000,000');
  expect(setting.upstream.requests).toEqual([]);
});

test.each([-1, '20', 1.5])('top_logprobs of %j is refused', async (top_logprobs) => {
  const response = await ask({ logprobs: true, top_logprobs, max_tokens: 10 });
  const { error } = (await response.json()) as Answer;
  expect([response.status, error.param]).toEqual([400, 'top_logprobs']);
});

test.each([
  { logprobs: true, top_logprobs: 20, max_tokens: 29_000 },
  { logprobs: true, max_tokens: 128_000, n: 4 },
  { logprobs: false, top_logprobs: 0, max_tokens: 128_000, n: 100 },
  { max_tokens: 128_000, n: 100 },
])('%j goes out as it is', async (fields) => {
  const response = await ask(fields);
  expect(response.status).toBe(200);
  expect(setting.upstream.requests[0]?.json).toMatchObject(fields);
});

test('a client that named no bound gets one that can be read', async () => {
  const response = await ask({ logprobs: true, top_logprobs: 20 });
  expect(response.status).toBe(200);
  const { max_tokens } = setting.upstream.requests[0]?.json ?? {};
  expect(max_tokens).toBeGreaterThan(29_000);
  expect(max_tokens * 169).toBeLessThan(5_000_000);
});

test('a stream is not limited', async () => {
  setting.upstream.otherwise(chatStream());
  const fields = { logprobs: true, top_logprobs: 20, max_tokens: 128_000, n: 2, stream: true };
  const response = await ask(fields);
  await response.text();
  expect(response.status).toBe(200);
  expect(setting.upstream.requests[0]?.json).toMatchObject(fields);
});

test('a translation carries none of them, so it is not limited', async () => {
  setting.upstream.otherwise(messageAnswer());
  const response = await ask({ model: 'messages', logprobs: true, top_logprobs: 20, max_tokens: 128_000 });
  expect([response.status, response.headers.get('x-svc-dropped')]).toEqual([200, 'logprobs,top_logprobs']);
  expect(setting.upstream.requests[0]?.json.max_tokens).toBe(128_000);
});
