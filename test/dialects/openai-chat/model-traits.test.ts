// The word for how much to think that a model is given, by its name and by the word that was asked for.

import { expect, test } from 'bun:test';
import { writeConversation } from '../../../src/dialects/openai-chat/upstream/write-conversation.ts';
import { conversationOf, targetOf } from './sides.ts';

const FIELDS = { model: 'u', maxOutputTokens: 100, thinkingBudget: undefined, limitField: 'max_tokens' } as const;
const ASKED = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function given(model: string, effort: string): unknown {
  const wish = effort === 'none' ? { isOff: true, effort: undefined } : { isOff: false, effort };
  const reasoning = { name: 'thinking', budget: undefined, ...wish };
  const { body, dropped } = writeConversation(conversationOf({ reasoning }), targetOf('openai', { model }));
  expect(dropped).toEqual([]);
  return JSON.parse(body(FIELDS, { stream: false })).reasoning_effort;
}

test.each([
  ['o4-mini', 'low low low medium high high high'],
  ['openai/gpt-oss-120b', 'low low low medium high high high'],
  ['gpt-5-mini-2025-08-07', 'minimal minimal low medium high high high'],
  ['gpt-5-codex', 'low low low medium high high high'],
  ['gpt-5-pro', 'high high high high high high high'],
  ['gpt-5.1', 'none low low medium high high high'],
  ['gpt-5.1-codex-mini', 'low low low medium high high high'],
  ['gpt-5.1-codex-max', 'low low low medium high xhigh xhigh'],
  ['gpt-5.1-chat-latest', 'medium medium medium medium medium medium medium'],
  ['gpt-5.2-2025-12-11', 'none low low medium high xhigh xhigh'],
  ['gpt-5.3-codex', 'low low low medium high xhigh xhigh'],
  ['gpt-5.4-pro', 'medium medium medium medium high xhigh xhigh'],
  ['gpt-5.5', 'none low low medium high xhigh xhigh'],
  ['gpt-5.6-terra', 'none low low medium high xhigh max'],
  ['gpt-6-luna', 'none low low medium high xhigh max'],
  ['gpt-6.1-sol', 'low low low medium high xhigh max'],
  ['somebody-else', 'none minimal low medium high xhigh max'],
])('%s is given, from no thinking to max: %s', (model, words) => {
  expect(ASKED.map((effort) => given(model, effort)).join(' ')).toBe(words);
});

test('a word that nobody knows passes: the upstream tells what it takes', () => {
  expect(given('gpt-5', 'a lot')).toBe('a lot');
});
