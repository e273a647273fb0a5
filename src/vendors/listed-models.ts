// Models of further vendors, whose prices the form for a new channel fills in: US$ per 1M tokens and limits. `sources` were
// read on READ_ON. A limit that no source gives is left out.

import type { KnownModel } from './known-models.ts';

const DEEPSEEK_PRICES = 'https://api-docs.deepseek.com/quick_start/pricing';
const GROQ_MODELS_PAGE = 'https://console.groq.com/docs/models';

/** At peak hours, on working days in China; otherwise half of it. */
const DEEPSEEK = { contextTokens: 1_000_000, maxOutputTokens: 384_000, sources: [DEEPSEEK_PRICES] };

export const DEEPSEEK_MODELS: readonly KnownModel[] = [
  {
    ...DEEPSEEK,
    id: 'deepseek-flash',
    name: 'DeepSeek V4.1 Flash',
    usd: { input: 0.3, cached_input: 0.006, output: 1.2 },
  },
  {
    ...DEEPSEEK,
    id: 'deepseek-v4-pro',
    name: 'DeepSeek V4 Pro',
    usd: { input: 1.32, cached_input: 0.044, output: 3.96 },
  },
];

export const XAI_MODELS: readonly KnownModel[] = [
  {
    id: 'grok-4.3',
    name: 'Grok 4.3',
    contextTokens: 1_000_000,
    usd: {
      input: 1.25,
      cached_input: 0.2,
      output: 2.5,
      tiers: [{ above_input_tokens: 200_000, input: 2.5, cached_input: 0.4, output: 5 }],
    },
    sources: ['https://docs.x.ai/developers/models', 'https://docs.apiyi.com/models/grok-4-3.md'],
  },
];

export const KIMI_MODELS: readonly KnownModel[] = [
  {
    id: 'kimi-k3',
    name: 'Kimi K3',
    contextTokens: 1_048_576,
    maxOutputTokens: 131_072,
    usd: { input: 3, cached_input: 0.3, output: 15 },
    sources: ['https://platform.kimi.ai/docs/pricing/chat-k3', 'https://docs.apiyi.com/en/models/kimi-k3.md'],
  },
];

export const GLM_MODELS: readonly KnownModel[] = [
  {
    id: 'glm-5.3',
    name: 'GLM 5.3',
    contextTokens: 1_048_576,
    maxOutputTokens: 131_072,
    usd: { input: 1.4, cached_input: 0.26, output: 4.4 },
    sources: ['https://docs.z.ai/guides/overview/pricing', 'https://openrouter.ai/~z-ai/glm-latest'],
  },
];

export const MINIMAX_MODELS: readonly KnownModel[] = [
  {
    id: 'minimax-m3',
    name: 'MiniMax M3',
    upstreamModel: 'MiniMax-M3',
    contextTokens: 1_000_000,
    usd: {
      input: 0.3,
      cached_input: 0.06,
      output: 1.2,
      tiers: [{ above_input_tokens: 512_000, input: 0.6, cached_input: 0.12, output: 2.4 }],
    },
    sources: [
      'https://platform.minimax.io/docs/guides/pricing-paygo',
      'https://docs.apiyi.com/en/models/minimax-m3.md',
    ],
  },
];

const GPT_OSS = { contextTokens: 131_072, maxOutputTokens: 65_536, sources: [GROQ_MODELS_PAGE] };

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
];
