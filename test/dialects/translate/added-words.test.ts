// Some upstreams are told more than the client said, so that they take its history. What is held for a request must cover
// that, too: the shortest histories with the most such words are the hardest.

import { expect, test } from 'bun:test';
import { anthropicMessages } from '../../../src/dialects/anthropic-messages/dialect.ts';
import { carry } from '../../../src/dialects/carry.ts';
import { openaiResponses } from '../../../src/dialects/openai-responses/dialect.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import { countTokens } from '../../../src/kit/tokens.ts';
import { type QuirksName, quirksOf } from '../../../src/vendors/quirks.ts';
import type { Answer } from '../../support/answer.ts';

const SENDER = { requestId: 'req_1', createdAt: 1, hashUser: (id: string) => id, isFree: false };
const FIELDS = { model: 'u', maxOutputTokens: 9, thinkingBudget: undefined, limitField: 'max_tokens' } as const;
/** What upstreams count around a message, or a call. */
const FRAME = 8;

const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
const DIALECTS = {
  messages: {
    dialect: anthropicMessages,
    body: {
      max_tokens: 9,
      messages: ids.flatMap((id) => [
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 't', input: {} }] },
        { role: 'user', content: 'y' },
      ]),
    },
  },
  responses: {
    dialect: openaiResponses,
    body: {
      input: ids.flatMap((id) => [
        { type: 'function_call', call_id: id, name: 't', arguments: '' },
        { role: 'user', content: 'y' },
      ]),
    },
  },
};

function mostTokens({
  content,
  reasoning_content: thoughts,
  tool_call_id: id,
  tool_calls: calls = [],
}: Answer): number {
  const words = [content, thoughts, id].map((text) => countTokens(text ?? '').upper);
  const called = calls.map((call: Answer) => {
    return FRAME + countTokens(`${call.id}${call.function.name}${call.function.arguments}`).upper;
  });
  return [FRAME, ...words, ...called].reduce((sum, tokens) => sum + tokens, 0);
}

test.each<[keyof typeof DIALECTS, QuirksName]>([
  ['messages', 'mistral'],
  ['messages', 'deepseek'],
  ['responses', 'mistral'],
  ['responses', 'moonshot'],
])('from %s to %s', (client, name) => {
  const { dialect, body } = DIALECTS[client];
  const request = dialect.request.read(readJsonObject(JSON.stringify({ model: 'm', ...body })));
  const to = { channel: { quirks: quirksOf(name) }, endpoints: ['chat'] as const, model: 'u', prefill: false };
  const { messages } = JSON.parse(String(carry(dialect, request, to, SENDER).writeRequest(FIELDS)));
  expect(messages.length).toBeGreaterThan(ids.length * 2);
  const sent = messages.reduce((sum: number, message: Answer) => sum + mostTokens(message), 0);
  expect(sent).toBeLessThanOrEqual(request.input.upper);
});
