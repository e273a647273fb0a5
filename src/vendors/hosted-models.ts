// Open models at vendors that host them, whose prices the form for a new channel fills in: US$ per 1M tokens and limits.
// `sources` were read on SOURCES_DATE. A limit that no source gives is left out.

import type { KnownModel } from './known-models.ts';
import { modelsDev } from './price-reports.ts';

const GROQ_MODELS_PAGE = 'https://console.groq.com/docs/models';
const GPT_OSS = { contextTokens: 131_072, maxOutputTokens: 65_536, sources: [GROQ_MODELS_PAGE] };

/** The vendor bills at least ten seconds of each request. */
const whisper = (id: string) => ({
  id,
  kind: 'transcription' as const,
  isSecondHand: true as const,
  sources: ['https://console.groq.com/docs/speech-to-text', `https://openrouter.ai/openai/${id}`],
});

export const GROQ_MODELS: readonly KnownModel[] = [
  {
    ...GPT_OSS,
    id: 'gpt-oss-120b',
    name: 'GPT-OSS 120B',
    upstreamModel: 'openai/gpt-oss-120b',
    usd: { input: 0.15, output: 0.6 },
  },
  {
    ...GPT_OSS,
    id: 'gpt-oss-20b',
    name: 'GPT-OSS 20B',
    upstreamModel: 'openai/gpt-oss-20b',
    usd: { input: 0.075, output: 0.3 },
  },
  {
    ...whisper('whisper-large-v3'),
    name: 'Whisper Large V3',
    // US$0.111 for an hour.
    usd: { second: 0.000_030_834 },
  },
  {
    ...whisper('whisper-large-v3-turbo'),
    name: 'Whisper Large V3 Turbo',
    // US$0.04 for an hour.
    usd: { second: 0.000_011_112 },
  },
];

/** The vendor's own list, of 2026-10-07. */
const TOGETHER = {
  sources: [
    'https://docs.together.ai/docs/serverless/models',
    'https://github.com/togethercomputer/skills/blob/main/skills/together-ai/references/chat-completions/models.md',
  ],
};

export const TOGETHER_MODELS: readonly KnownModel[] = [
  {
    ...TOGETHER,
    id: 'kimi-k3',
    name: 'Kimi K3',
    upstreamModel: 'moonshotai/Kimi-K3',
    contextTokens: 1_048_576,
    usd: { input: 3, output: 15 },
  },
  {
    ...TOGETHER,
    id: 'glm-5.3',
    name: 'GLM 5.3',
    upstreamModel: 'zai-org/GLM-5.3',
    contextTokens: 1_048_575,
    usd: { input: 1.4, output: 4.4 },
  },
  {
    ...TOGETHER,
    id: 'glm-5.3-flash',
    name: 'GLM 5.3 Flash',
    upstreamModel: 'zai-org/GLM-5.3-Flash',
    contextTokens: 1_048_575,
    usd: { input: 0.15, output: 0.5 },
  },
  {
    ...TOGETHER,
    id: 'deepseek-v4-pro',
    name: 'DeepSeek V4 Pro',
    upstreamModel: 'deepseek-ai/DeepSeek-V4-Pro-0813',
    contextTokens: 1_048_576,
    usd: { input: 1.32, output: 3.96 },
  },
  {
    ...TOGETHER,
    id: 'deepseek-v4.1-flash',
    name: 'DeepSeek V4.1 Flash',
    upstreamModel: 'deepseek-ai/DeepSeek-V4.1-Flash',
    contextTokens: 1_000_000,
    usd: { input: 0.3, output: 1.2 },
  },
  {
    ...TOGETHER,
    id: 'minimax-m3',
    name: 'MiniMax M3',
    upstreamModel: 'MiniMaxAI/MiniMax-M3',
    contextTokens: 524_288,
    usd: { input: 0.3, output: 1.2 },
  },
  {
    ...TOGETHER,
    id: 'gpt-oss-120b',
    name: 'GPT-OSS 120B',
    upstreamModel: 'openai/gpt-oss-120b',
    contextTokens: 131_072,
    usd: { input: 0.15, output: 0.6 },
  },
  {
    ...TOGETHER,
    id: 'llama-3.3-70b',
    name: 'Llama 3.3 70B Turbo',
    upstreamModel: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    contextTokens: 131_072,
    usd: { input: 1.04, output: 1.04 },
  },
];

const fireworks = (model: string) => ({
  upstreamModel: `accounts/fireworks/models/${model}`,
  isSecondHand: true as const,
  sources: [
    'https://docs.fireworks.ai/serverless/pricing',
    modelsDev(`providers/fireworks-ai/models/accounts/fireworks/models/${model}`),
  ],
});

export const FIREWORKS_MODELS: readonly KnownModel[] = [
  {
    ...fireworks('glm-5p3'),
    id: 'glm-5.3',
    name: 'GLM 5.3',
    contextTokens: 1_048_573,
    maxOutputTokens: 262_144,
    usd: { input: 1.4, cached_input: 0.26, output: 4.4 },
  },
  {
    ...fireworks('glm-5p3-flash'),
    id: 'glm-5.3-flash',
    name: 'GLM 5.3 Flash',
    contextTokens: 1_048_573,
    maxOutputTokens: 131_072,
    usd: { input: 0.15, cached_input: 0.03, output: 0.5 },
  },
  {
    ...fireworks('deepseek-v4-pro-0813'),
    id: 'deepseek-v4-pro',
    name: 'DeepSeek V4 Pro',
    contextTokens: 1_048_576,
    usd: { input: 1.32, cached_input: 0.044, output: 3.96 },
  },
  {
    ...fireworks('gpt-oss-120b'),
    id: 'gpt-oss-120b',
    name: 'GPT-OSS 120B',
    contextTokens: 131_072,
    maxOutputTokens: 32_768,
    usd: { input: 0.15, cached_input: 0.01, output: 0.6 },
  },
];
