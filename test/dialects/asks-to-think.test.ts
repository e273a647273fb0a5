// A request that asks for thinking is told in the words of every format; what it decides is tried in test/relay/resume.test.ts.

import { expect, test } from 'bun:test';
import { asksToThink } from '../../src/dialects/asks-to-think.ts';
import { readReasoningWish } from '../../src/dialects/openai-chat/client/read-settings.ts';

test.each([
  { reasoning_effort: 'low' },
  { reasoning: { effort: 'high' } },
  { reasoning: { enabled: true } },
  { reasoning: { max_tokens: 2_000 } },
  { thinking: { type: 'enabled', budget_tokens: 2_000 } },
  { thinking: { type: 'adaptive' } },
])('%j asks for it, in a chat too', (body) => {
  expect(asksToThink(body)).toBe(true);
  expect(readReasoningWish(body)?.isOff).toBe(false);
});

test.each([
  { reasoning_effort: 'none' },
  { reasoning: { effort: 'none' } },
  { reasoning: { enabled: false } },
  { reasoning: { enabled: false, effort: 'high', max_tokens: 2_000 } },
  { thinking: { type: 'disabled' } },
])('%j asks for none, in a chat too', (body) => {
  expect(asksToThink(body)).toBe(false);
  expect(readReasoningWish(body)?.isOff).toBe(true);
});

test.each([{}, { reasoning: { summary: 'auto' } }, { reasoning: null, thinking: null }])(
  '%j leaves it open',
  (body) => {
    expect(asksToThink(body)).toBe(false);
  },
);
