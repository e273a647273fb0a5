// The most output of OpenAI models by their names at an upstream: a hold covers no less than a model can write.

import { expect, test } from 'bun:test';
import { OPENAI_MODELS } from '../../src/vendors/known-models.ts';
import { outputLimitOf } from '../../src/vendors/openai.ts';

test.each([
  ['gpt-5.4-mini-2026-03-17', 128_000],
  ['openai/gpt-5.5-pro', 128_000],
  ['gpt-5-pro', 272_000],
  ['gpt-5.2-chat-latest', 16_384],
  ['o4-mini-2025-04-16', 100_000],
  ['o1-mini', 65_536],
  ['ft:gpt-4.1-mini-2025-04-14:acme::abc', 32_768],
  ['gpt-7', undefined],
  ['gpt-50', undefined],
  ['gpt-oss-120b', undefined],
  ['chat-latest', undefined],
  ['my-deployment', undefined],
])('%s: %p', (model, limit) => {
  expect(outputLimitOf(model)).toBe(limit);
});

test('a model of the default document has the limit that is listed there', () => {
  for (const { id, upstreamModel = id, maxOutputTokens } of OPENAI_MODELS) {
    if (maxOutputTokens !== undefined) expect(outputLimitOf(upstreamModel), id).toBe(maxOutputTokens);
  }
});
