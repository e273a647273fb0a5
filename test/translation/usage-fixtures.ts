// What upstreams report of tokens, each in its own way of counting, and what it means.

import type { UpstreamName } from './sides.ts';

export interface Tokens {
  input: number;
  cached: number;
  write5m: number;
  write1h: number;
  /** Reasoning included. */
  output: number;
  reasoning: number;
}

export interface UsageFixture {
  name: string;
  upstream: UpstreamName;
  quirks?: string;
  /** As the upstream reports it; `null`: not at all. */
  usage: Readonly<Record<string, unknown>> | null;
  /** `estimated`: it cannot be believed, and is counted here. */
  means: Tokens | 'estimated';
  /** The same beside an answer without output; `means` if left out. */
  meansAlone?: Tokens;
  /** What of the input counts as it is told, though the output is counted here. */
  input?: Pick<Tokens, 'input' | 'cached'>;
  /** Thoughts that were told and not shown: they count beside the words that are counted here. */
  thoughts?: number;
}

const NONE: Tokens = { input: 0, cached: 0, write5m: 0, write1h: 0, output: 0, reasoning: 0 };

export const USAGE_FIXTURES: readonly UsageFixture[] = [
  {
    name: 'plain',
    upstream: 'openai',
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    means: { ...NONE, input: 11, output: 7 },
  },
  {
    name: 'cached, written to the cache, reasoning inside',
    upstream: 'openai',
    usage: {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 30 },
    },
    means: { ...NONE, input: 10, cached: 80, write5m: 10, output: 50, reasoning: 30 },
  },
  {
    name: 'details that are null',
    upstream: 'openai',
    usage: {
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    },
    means: { ...NONE, input: 11, output: 7 },
  },
  {
    name: 'reasoning counted apart, by xAI',
    upstream: 'openai',
    usage: {
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 60,
      completion_tokens_details: { reasoning_tokens: 31 },
    },
    means: { ...NONE, input: 20, output: 40, reasoning: 31 },
  },
  {
    name: 'hits and misses of the cache, by DeepSeek',
    upstream: 'openai',
    usage: {
      prompt_tokens: 100,
      completion_tokens: 7,
      total_tokens: 107,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
    },
    means: { ...NONE, input: 36, cached: 64, output: 7 },
  },
  {
    name: 'zero',
    upstream: 'openai',
    usage: { prompt_tokens: 0, completion_tokens: 0 },
    means: 'estimated',
    meansAlone: NONE,
  },
  { name: 'missing', upstream: 'openai', usage: null, means: 'estimated' },
  {
    name: 'no completion and no total',
    upstream: 'openai',
    usage: { prompt_tokens: 111, prompt_tokens_details: { cached_tokens: 80 } },
    means: 'estimated',
    input: { input: 31, cached: 80 },
  },
  {
    name: 'no completion but its thoughts',
    upstream: 'openai',
    usage: { prompt_tokens: 31, completion_tokens_details: { reasoning_tokens: 200 } },
    means: 'estimated',
    input: { input: 31, cached: 0 },
    thoughts: 200,
  },
  {
    name: 'no completion, and a total that leaves none',
    upstream: 'openai',
    usage: { prompt_tokens: 11, completion_tokens: null, total_tokens: 10 },
    means: 'estimated',
    input: { input: 11, cached: 0 },
  },
  {
    name: 'a completion that only the total tells',
    upstream: 'openai',
    usage: { prompt_tokens: 11, completion_tokens: null, total_tokens: 18 },
    means: { ...NONE, input: 11, output: 7 },
  },
  {
    name: 'a completion that only the total tells, by xAI',
    upstream: 'openai',
    usage: { prompt_tokens: 20, total_tokens: 60, completion_tokens_details: { reasoning_tokens: 31 } },
    means: { ...NONE, input: 20, output: 40, reasoning: 31 },
  },
  {
    name: 'more cached than there was',
    upstream: 'openai',
    usage: { prompt_tokens: 10, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 11 } },
    means: 'estimated',
  },
  { name: 'negative', upstream: 'openai', usage: { prompt_tokens: -1, completion_tokens: 7 }, means: 'estimated' },
  { name: 'text', upstream: 'openai', usage: { prompt_tokens: '11', completion_tokens: 7 }, means: 'estimated' },
  {
    name: 'plain',
    upstream: 'anthropic',
    usage: { input_tokens: 11, output_tokens: 7 },
    means: { ...NONE, input: 11, output: 7 },
  },
  {
    name: 'read from the cache, written for five minutes and for an hour, thinking inside',
    upstream: 'anthropic',
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 80,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 30 },
    },
    means: { input: 10, cached: 80, write5m: 60, write1h: 40, output: 50, reasoning: 30 },
  },
  {
    name: 'figures that are null',
    upstream: 'anthropic',
    usage: { input_tokens: 11, cache_read_input_tokens: null, cache_creation_input_tokens: null, output_tokens: 7 },
    means: { ...NONE, input: 11, output: 7 },
  },
  {
    name: 'zero',
    upstream: 'anthropic',
    usage: { input_tokens: 0, output_tokens: 0 },
    means: 'estimated',
    meansAlone: NONE,
  },
  { name: 'missing', upstream: 'anthropic', usage: null, means: 'estimated' },
  {
    name: 'input alone',
    upstream: 'anthropic',
    usage: { input_tokens: 31, cache_read_input_tokens: 80 },
    means: 'estimated',
    input: { input: 31, cached: 80 },
  },
  { name: 'a fraction', upstream: 'anthropic', usage: { input_tokens: 1.5, output_tokens: 7 }, means: 'estimated' },
  {
    name: 'plain',
    upstream: 'gemini',
    usage: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    means: { ...NONE, input: 11, output: 7 },
  },
  {
    name: 'thoughts beside, cached inside, results of tools beside',
    upstream: 'gemini',
    usage: {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 20,
      cachedContentTokenCount: 80,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 33,
      totalTokenCount: 160,
    },
    means: { ...NONE, input: 40, cached: 80, output: 40, reasoning: 33 },
  },
  {
    name: 'zero',
    upstream: 'gemini',
    usage: { promptTokenCount: 0, cachedContentTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    means: 'estimated',
    meansAlone: NONE,
  },
  {
    name: 'a prompt, and zero for the words',
    upstream: 'gemini',
    usage: { promptTokenCount: 11, candidatesTokenCount: 0, totalTokenCount: 11 },
    means: { ...NONE, input: 11 },
  },
  { name: 'missing', upstream: 'gemini', usage: null, means: 'estimated' },
  {
    name: 'negative',
    upstream: 'gemini',
    usage: { promptTokenCount: 11, candidatesTokenCount: -7 },
    means: 'estimated',
  },
  {
    name: 'cached, written to the cache, reasoning inside',
    upstream: 'openai-responses',
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 80, cache_write_tokens: 10 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 30 },
      total_tokens: 150,
    },
    means: { ...NONE, input: 10, cached: 80, write5m: 10, output: 50, reasoning: 30 },
  },
  {
    name: 'zero',
    upstream: 'openai-responses',
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    means: 'estimated',
    meansAlone: NONE,
  },
  {
    name: 'reasoning beside the output, by the total',
    upstream: 'openai-responses',
    usage: { input_tokens: 20, output_tokens: 9, output_tokens_details: { reasoning_tokens: 31 }, total_tokens: 60 },
    means: { ...NONE, input: 20, output: 40, reasoning: 31 },
  },
  {
    name: 'input alone',
    upstream: 'openai-responses',
    usage: { input_tokens: 111, input_tokens_details: { cached_tokens: 80 } },
    means: 'estimated',
    input: { input: 31, cached: 80 },
  },
  {
    name: 'input and thoughts alone',
    upstream: 'openai-responses',
    usage: { input_tokens: 31, output_tokens_details: { reasoning_tokens: 200 } },
    means: 'estimated',
    input: { input: 31, cached: 0 },
    thoughts: 200,
  },
  { name: 'missing', upstream: 'openai-responses', usage: null, means: 'estimated' },
  {
    name: 'more cached and written than there was',
    upstream: 'openai-responses',
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 6, cache_write_tokens: 6 },
      output_tokens: 7,
      total_tokens: 17,
    },
    means: 'estimated',
  },
  {
    name: 'more reasoning than there was',
    upstream: 'openai-responses',
    usage: { input_tokens: 11, output_tokens: 7, output_tokens_details: { reasoning_tokens: 8 }, total_tokens: 18 },
    means: 'estimated',
  },
];

/** Zeros are left out there: only beside words it is a count that is missing. */
export const GEMINI_INPUT_ALONE: readonly UsageFixture[] = [
  {
    name: 'input alone',
    upstream: 'gemini',
    usage: { promptTokenCount: 111, cachedContentTokenCount: 80 },
    means: 'estimated',
    input: { input: 31, cached: 80 },
  },
  {
    name: 'input and thoughts alone',
    upstream: 'gemini',
    usage: { promptTokenCount: 31, thoughtsTokenCount: 200 },
    means: 'estimated',
    input: { input: 31, cached: 0 },
    thoughts: 200,
  },
];
