// Models of further vendors that make their own, whose prices the form for a new channel fills in: US$ per 1M tokens and
// limits. `sources` were read on SOURCES_DATE. A limit that no source gives is left out.

import { type KnownModel, LITELLM, modelsDev, tiered, type UsdPrices } from './known-models.ts';

/** `usd`: at peak hours, on working days in China; otherwise half of it. */
function deepseek(id: string, name: string, usd: UsdPrices): KnownModel {
  const sources = ['https://api-docs.deepseek.com/quick_start/pricing'];
  return { id, name, contextTokens: 1_000_000, maxOutputTokens: 384_000, usd, sources };
}

export const DEEPSEEK_MODELS: readonly KnownModel[] = [
  deepseek('deepseek-flash', 'DeepSeek V4.1 Flash', { input: 0.3, cached_input: 0.006, output: 1.2 }),
  deepseek('deepseek-v4-pro', 'DeepSeek V4 Pro', { input: 1.32, cached_input: 0.044, output: 3.96 }),
];

export const XAI_MODELS: readonly KnownModel[] = [
  {
    id: 'grok-4.7',
    name: 'Grok 4.7',
    contextTokens: 500_000,
    usd: tiered({ input: 2, cached_input: 0.5, output: 6 }, 200_000, 2),
    // The vendor gives the prices; the price of cached input and the tier are from the other page.
    sources: ['https://docs.x.ai/developers/grok-4-7', modelsDev('providers/xai/models/grok-4.7')],
  },
  {
    id: 'grok-4.3',
    name: 'Grok 4.3',
    isSecondHand: true,
    contextTokens: 1_000_000,
    usd: tiered({ input: 1.25, cached_input: 0.2, output: 2.5 }, 200_000, 2),
    sources: ['https://docs.x.ai/developers/models', 'https://docs.apiyi.com/models/grok-4-3.md'],
  },
];

export const KIMI_MODELS: readonly KnownModel[] = [
  {
    id: 'kimi-k3.1-pro',
    name: 'Kimi K3.1 Pro',
    isSecondHand: true,
    contextTokens: 1_048_576,
    maxOutputTokens: 131_072,
    usd: { input: 2, cached_input: 0.2, cache_write_5m: 2, cache_write_1h: 4, output: 10 },
    sources: [
      'https://platform.kimi.ai/docs/pricing/chat',
      'https://docs.apiyi.com/en/api-capabilities/kimi-k3-1/overview',
      'https://vercel.com/ai-gateway/models/kimi-k3.1-pro',
      'https://docs.venice.ai/models/kimi-k3-1-pro',
    ],
  },
  {
    id: 'kimi-k3',
    name: 'Kimi K3',
    isSecondHand: true,
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
    isSecondHand: true,
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
    isSecondHand: true,
    contextTokens: 1_000_000,
    maxOutputTokens: 128_000,
    usd: tiered({ input: 0.3, cached_input: 0.06, output: 1.2 }, 512_000, 2),
    sources: [
      'https://platform.minimax.io/docs/guides/pricing-paygo',
      'https://docs.apiyi.com/en/models/minimax-m3.md',
      LITELLM,
    ],
  },
];

export const MISTRAL_MODELS: readonly KnownModel[] = [
  {
    // The list price; the public preview costs half of it.
    id: 'mistral-large-4',
    name: 'Mistral Large 4',
    isSecondHand: true,
    contextTokens: 524_288,
    maxOutputTokens: 262_144,
    usd: { input: 1.36, cached_input: 0.14, output: 4.18 },
    sources: [
      'https://docs.mistral.ai/models/mistral-large-4-0',
      modelsDev('providers/mistral/models/mistral-large-4'),
      'https://vercel.com/ai-gateway/models/mistral-large-4',
    ],
  },
  {
    id: 'mistral-medium-3.5',
    name: 'Mistral Medium 3.5',
    upstreamModel: 'mistral-medium-2604',
    isSecondHand: true,
    contextTokens: 262_144,
    usd: { input: 1.5, output: 7.5 },
    sources: [
      'https://docs.mistral.ai/models/mistral-medium-3-5-26-04',
      modelsDev('providers/mistral/models/mistral-medium-3-5'),
      modelsDev('models/mistral/mistral-medium-2604'),
    ],
  },
  {
    id: 'mistral-large-3',
    name: 'Mistral Large 3',
    upstreamModel: 'mistral-large-2512',
    isSecondHand: true,
    contextTokens: 262_144,
    usd: { input: 0.5, output: 1.5 },
    sources: ['https://docs.mistral.ai/inference/pricing', modelsDev('providers/mistral/models/mistral-large-2512')],
  },
  {
    id: 'mistral-embed',
    name: 'Mistral Embed',
    kind: 'embeddings',
    isSecondHand: true,
    contextTokens: 8_000,
    usd: { input: 0.1 },
    sources: [
      'https://docs.mistral.ai/models/mistral-embed-23-12',
      modelsDev('providers/mistral/models/mistral-embed-2312'),
    ],
  },
];

/** International prices: those of regions in China differ. */
export const QWEN_MODELS: readonly KnownModel[] = [
  {
    id: 'qwen3.8-max',
    name: 'Qwen3.8 Max',
    isSecondHand: true,
    contextTokens: 991_000,
    maxOutputTokens: 128_000,
    usd: { input: 2, output: 6 },
    sources: [
      'https://docs.apiyi.com/en/news/qwen-3-8-max-launch.md',
      'https://vercel.com/ai-gateway/models/qwen3.8-max-0902',
    ],
  },
  {
    id: 'qwen3.7-plus',
    name: 'Qwen3.7 Plus',
    isSecondHand: true,
    contextTokens: 1_000_000,
    usd: {
      input: 0.4,
      cached_input: 0.08,
      output: 1.6,
      tiers: [{ above_input_tokens: 256_000, input: 1.2, cached_input: 0.24, output: 4.8 }],
    },
    sources: [
      modelsDev('providers/alibaba/models/qwen3.7-plus'),
      'https://github.com/togethercomputer/skills/blob/main/skills/together-ai/references/chat-completions/models.md',
    ],
  },
];

// Models for rerank and embeddings. Cohere's own page gave no price of a search in October 2026.
const COHERE_PRICES = 'https://cohere.com/pricing';
const COHERE_REPORT = 'https://developer.puter.com/tutorials/cohere-api-pricing/';

const COHERE_RERANK = { kind: 'rerank', isSecondHand: true, sources: [COHERE_PRICES, COHERE_REPORT] } as const;

export const COHERE_MODELS: readonly KnownModel[] = [
  { ...COHERE_RERANK, id: 'rerank-v4.0-pro', name: 'Cohere Rerank 4 Pro', usd: { search: 2.5 } },
  { ...COHERE_RERANK, id: 'rerank-v4.0-fast', name: 'Cohere Rerank 4 Fast', usd: { search: 2 } },
  {
    ...COHERE_RERANK,
    id: 'rerank-v3.5',
    name: 'Cohere Rerank 3.5',
    usd: { search: 2 },
    sources: [
      COHERE_PRICES,
      'https://docs.memberjunction.org/api/classes/_memberjunction_search-engine.CohereReRanker.html',
    ],
  },
  {
    // Images as input cost more; the endpoint takes only text.
    id: 'embed-v4.0',
    name: 'Cohere Embed 4',
    kind: 'embeddings',
    usd: { input: 0.12 },
    isSecondHand: true,
    sources: [COHERE_PRICES, COHERE_REPORT],
  },
];

export const JINA_MODELS: readonly KnownModel[] = [
  {
    id: 'jina-reranker-v2-base-multilingual',
    name: 'Jina Reranker v2',
    kind: 'rerank',
    contextTokens: 1_024,
    usd: { input: 0.018 },
    isSecondHand: true,
    sources: ['https://jina.ai/models/jina-reranker-v2-base-multilingual', LITELLM],
  },
];
