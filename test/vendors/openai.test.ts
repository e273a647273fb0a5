// The word for how much to think that a model is given, by its name and by the word that was asked for.

import { expect, test } from 'bun:test';
import { openaiChatUpstream } from '../../src/dialects/openai-chat/upstream/adapter.ts';
import { limitFieldOf } from '../../src/vendors/openai.ts';
import { type QuirksName, quirksOf } from '../../src/vendors/quirks.ts';
import { conversationOf, targetOf } from '../dialects/openai-chat/adapters.ts';

const { writeConversation } = openaiChatUpstream;

const FIELDS = { model: 'u', maxOutputTokens: 100, thinkingBudget: undefined, limitField: 'max_tokens' } as const;
const ASKED = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function written(model: string, effort: string, quirks: QuirksName) {
  const wish = effort === 'none' ? { isOff: true, effort: undefined } : { isOff: false, effort };
  const reasoning = { name: 'thinking', budget: undefined, ...wish };
  const { body, dropped } = writeConversation(conversationOf({ reasoning }), targetOf(quirks, { model }));
  return { dropped, word: JSON.parse(body(FIELDS, { stream: false })).reasoning_effort };
}

function given(model: string, effort: string, quirks: QuirksName = 'openai'): unknown {
  const { dropped, word } = written(model, effort, quirks);
  expect(dropped).toEqual([]);
  return word;
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
  ['grok-3-mini-fast', 'low low low high high high high'],
  ['grok-4.3', 'none low low medium high high high'],
  ['x-ai/grok-4.5', 'low low low medium high high high'],
  ['grok-4.6', 'low low low medium high xhigh xhigh'],
  ['grok-4.20-multi-agent-0309', 'low low low medium high xhigh xhigh'],
  ['grok-5', 'none minimal low medium high xhigh max'],
  ['kimi-k3', 'low low low high high high max'],
  ['global.openai.gpt-6-sol', 'none low low medium high xhigh max'],
  ['openai.gpt-oss-120b-1:0', 'low low low medium high high high'],
  ['moonshotai.kimi-k3', 'low low low high high high max'],
  ['qwen/qwen3-32b', 'none minimal low medium high xhigh max'],
  ['somebody-else', 'none minimal low medium high xhigh max'],
])('%s is given, from no thinking to max: %s', (model, words) => {
  expect(ASKED.map((effort) => given(model, effort)).join(' ')).toBe(words);
});

test.each<[QuirksName, string, string]>([
  ['groq', 'qwen/qwen3.6-27b', 'none default default default default default default'],
  ['groq', 'openai/gpt-oss-120b', 'low low low medium high high high'],
  ['moonshot', 'kimi-k2.5', 'minimal minimal low medium high high high'],
  ['moonshot', 'kimi-k3', 'low low low high high high max'],
])('%s has words of its own for %s: %s', (quirks, model, words) => {
  expect(ASKED.map((effort) => given(model, effort, quirks)).join(' ')).toBe(words);
});

test.each([
  ...['grok-4', 'grok-4-0709', 'grok-4-latest', 'grok-4-fast-reasoning', 'grok-4-1-fast-reasoning'],
  ...['grok-4.20-0309-reasoning', 'grok-code-fast-1'],
])('%s decides how much it thinks: it gets no effort, and each is reported', (model) => {
  for (const effort of ASKED) expect(written(model, effort, 'xai')).toEqual({ dropped: ['thinking'], word: undefined });
});

test.each([...['grok-3', 'grok-2-1212', 'grok-4-fast-non-reasoning', 'grok-4.20-0309-non-reasoning']])(
  '%s never thinks: only not to think is no loss',
  (model) => {
    expect(written(model, 'none', 'xai')).toEqual({ dropped: [], word: undefined });
    expect(written(model, 'medium', 'xai')).toEqual({ dropped: ['thinking'], word: undefined });
  },
);

test('a model of Bedrock gets its output limit under the name that its family takes', () => {
  const fieldOf = (model: string) => limitFieldOf(quirksOf(undefined), model);
  expect(fieldOf('global.openai.gpt-6-sol')).toBe('max_completion_tokens');
  expect(fieldOf('openai.gpt-oss-120b-1:0')).toBe('max_tokens');
});

test('an unknown effort passes: the upstream decides', () => {
  expect(given('gpt-5', 'a lot')).toBe('a lot');
});
