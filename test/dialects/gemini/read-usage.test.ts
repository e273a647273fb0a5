// Gemini's figures as disjoint buckets: what is inside what differs from figure to figure.

import { expect, test } from 'bun:test';
import { readUsage } from '../../../src/dialects/gemini/read-answer.ts';
import { NO_BUCKETS } from '../../../src/store/rows.ts';

test('thoughts are beside the answer, cached tokens inside the prompt, tool results beside it', () => {
  const usage = {
    promptTokenCount: 1_000,
    toolUsePromptTokenCount: 50,
    cachedContentTokenCount: 800,
    candidatesTokenCount: 30,
    thoughtsTokenCount: 70,
    totalTokenCount: 1_150,
  };
  expect(readUsage(usage, true)).toEqual({
    buckets: { ...NO_BUCKETS, input: 250, cachedInput: 800, output: 100 },
    reasoning: 70,
  });
});

test('cached tokens may be among the tool results, too', () => {
  const usage = {
    promptTokenCount: 10,
    toolUsePromptTokenCount: 5,
    cachedContentTokenCount: 12,
    candidatesTokenCount: 1,
  };
  expect(readUsage(usage, true)).toMatchObject({ buckets: { input: 3, cachedInput: 12, output: 1 } });
});

test('an answer that was not counted is what the total leaves', () => {
  const usage = { promptTokenCount: 10, toolUsePromptTokenCount: 7, thoughtsTokenCount: 5, totalTokenCount: 47 };
  expect(readUsage(usage, true)).toMatchObject({ buckets: { input: 17, output: 30 }, reasoning: 5 });
});

test('where nothing was said, no count of it is missing: thoughts are all there was', () => {
  const usage = { promptTokenCount: 10, thoughtsTokenCount: 5 };
  expect(readUsage(usage, true)).toMatchObject({ buckets: { input: 10, output: 5 }, lacksOutput: true });
  const whole = readUsage(usage, false);
  expect(whole).toMatchObject({ buckets: { input: 10, output: 5 }, reasoning: 5 });
  expect(whole).not.toHaveProperty('lacksOutput');
});

test.each([
  ['absent', undefined],
  ['absent', null],
  ['absent', {}],
  ['invalid', 'many'],
  ['invalid', { promptTokenCount: -1 }],
  ['invalid', { promptTokenCount: 10, candidatesTokenCount: 1.5 }],
  ['invalid', { promptTokenCount: 10, candidatesTokenCount: 1, cachedContentTokenCount: 11 }],
  [
    'invalid',
    { promptTokenCount: 10, toolUsePromptTokenCount: 5, candidatesTokenCount: 1, cachedContentTokenCount: 16 },
  ],
  ['invalid', { promptTokenCount: 10, candidatesTokenCount: 1, thoughtsTokenCount: '3' }],
] as const)('%s: %j', (report, usage) => {
  expect(readUsage(usage, true)).toBe(report);
});
