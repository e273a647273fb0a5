// Open models at vendors that host them, whose prices the form for a new channel fills in: US$ per 1M tokens and limits.
// `sources` were read on SOURCES_DATE. A limit that no source gives is left out.

import { type KnownModel, modelsDev, type UsdPrices } from './known-models.ts';

function groq(id: string, name: string, usd: UsdPrices): KnownModel {
  const limits = { contextTokens: 131_072, maxOutputTokens: 65_536 };
  return { id, name, upstreamModel: `openai/${id}`, ...limits, usd, sources: ['https://console.groq.com/docs/models'] };
}

/** The vendor bills at least ten seconds of each request. */
function whisper(id: string, name: string, second: number): KnownModel {
  const sources = ['https://console.groq.com/docs/speech-to-text', `https://openrouter.ai/openai/${id}`];
  return { id, name, kind: 'transcription', usd: { second }, isSecondHand: true, sources };
}

export const GROQ_MODELS: readonly KnownModel[] = [
  groq('gpt-oss-120b', 'GPT-OSS 120B', { input: 0.15, output: 0.6 }),
  groq('gpt-oss-20b', 'GPT-OSS 20B', { input: 0.075, output: 0.3 }),
  // US$0.111 and US$0.04 for an hour.
  whisper('whisper-large-v3', 'Whisper Large V3', 0.000_030_834),
  whisper('whisper-large-v3-turbo', 'Whisper Large V3 Turbo', 0.000_011_112),
];

/** The vendor's own list, of 2026-10-07. */
const TOGETHER_SOURCES = [
  'https://docs.together.ai/docs/serverless/models',
  'https://github.com/togethercomputer/skills/blob/main/skills/together-ai/references/chat-completions/models.md',
];

function together(upstreamModel: string, id: string, name: string, contextTokens: number, usd: UsdPrices): KnownModel {
  return { id, name, upstreamModel, contextTokens, usd, sources: TOGETHER_SOURCES };
}

export const TOGETHER_MODELS: readonly KnownModel[] = [
  together('moonshotai/Kimi-K3', 'kimi-k3', 'Kimi K3', 1_048_576, { input: 3, output: 15 }),
  together('zai-org/GLM-5.3', 'glm-5.3', 'GLM 5.3', 1_048_575, { input: 1.4, output: 4.4 }),
  together('zai-org/GLM-5.3-Flash', 'glm-5.3-flash', 'GLM 5.3 Flash', 1_048_575, { input: 0.15, output: 0.5 }),
  together('deepseek-ai/DeepSeek-V4-Pro-0813', 'deepseek-v4-pro', 'DeepSeek V4 Pro', 1_048_576, {
    input: 1.32,
    output: 3.96,
  }),
  together('deepseek-ai/DeepSeek-V4.1-Flash', 'deepseek-v4.1-flash', 'DeepSeek V4.1 Flash', 1_000_000, {
    input: 0.3,
    output: 1.2,
  }),
  together('MiniMaxAI/MiniMax-M3', 'minimax-m3', 'MiniMax M3', 524_288, { input: 0.3, output: 1.2 }),
  together('openai/gpt-oss-120b', 'gpt-oss-120b', 'GPT-OSS 120B', 131_072, { input: 0.15, output: 0.6 }),
  together('meta-llama/Llama-3.3-70B-Instruct-Turbo', 'llama-3.3-70b', 'Llama 3.3 70B Turbo', 131_072, {
    input: 1.04,
    output: 1.04,
  }),
];

function fireworks(model: string, id: string, name: string, usd: UsdPrices): KnownModel {
  const upstreamModel = `accounts/fireworks/models/${model}`;
  const source = modelsDev(`providers/fireworks-ai/models/${upstreamModel}`);
  const sources = ['https://docs.fireworks.ai/serverless/pricing', source];
  return { id, name, upstreamModel, usd, isSecondHand: true, sources };
}

export const FIREWORKS_MODELS: readonly KnownModel[] = [
  {
    ...fireworks('glm-5p3', 'glm-5.3', 'GLM 5.3', { input: 1.4, cached_input: 0.26, output: 4.4 }),
    contextTokens: 1_048_573,
    maxOutputTokens: 262_144,
  },
  {
    ...fireworks('glm-5p3-flash', 'glm-5.3-flash', 'GLM 5.3 Flash', { input: 0.15, cached_input: 0.03, output: 0.5 }),
    contextTokens: 1_048_573,
    maxOutputTokens: 131_072,
  },
  {
    ...fireworks('deepseek-v4-pro-0813', 'deepseek-v4-pro', 'DeepSeek V4 Pro', {
      input: 1.32,
      cached_input: 0.044,
      output: 3.96,
    }),
    contextTokens: 1_048_576,
  },
  {
    ...fireworks('gpt-oss-120b', 'gpt-oss-120b', 'GPT-OSS 120B', { input: 0.15, cached_input: 0.01, output: 0.6 }),
    contextTokens: 131_072,
    maxOutputTokens: 32_768,
  },
];
