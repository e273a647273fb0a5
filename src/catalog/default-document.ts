// The catalog without a file: the demo channel with auto:free and a small paid demo model, and a channel with
// well-known models for each provider whose variable is set. Prices are US list prices at 32.5 NT$/US$.

import {
  ANTHROPIC_MODELS,
  GEMINI_MODELS,
  type KnownModel,
  OPENAI_MODELS,
  OPENROUTER_MODELS,
  type UsdPrices,
} from '../vendors/known-models.ts';
import { FREE_MODEL } from './document.ts';

const NTD_PER_USD = 32.5;

export interface ProviderSettings {
  openaiApiKey: boolean;
  anthropicApiKey: boolean;
  geminiApiKey: boolean;
  openrouterApiKey: boolean;
  ollamaBaseUrl: string | undefined;
}

interface ProviderPreset {
  /** The environment variable with the key. */
  variable: string;
  channels: Record<string, unknown>[];
  models: Record<string, unknown>[];
}

const OPENAI: ProviderPreset = {
  variable: 'OPENAI_API_KEY',
  channels: [
    {
      name: 'openai',
      kind: 'openai',
      base_url: 'https://api.openai.com/v1',
      api_key: 'env:OPENAI_API_KEY',
      quirks: 'openai',
    },
  ],
  models: OPENAI_MODELS.map((model) => chatModel('openai', model)),
};

const ANTHROPIC: ProviderPreset = {
  variable: 'ANTHROPIC_API_KEY',
  channels: [
    {
      name: 'anthropic',
      kind: 'anthropic',
      base_url: 'https://api.anthropic.com',
      api_key: 'env:ANTHROPIC_API_KEY',
    },
  ],
  models: ANTHROPIC_MODELS.map((model) => chatModel('anthropic', model)),
};

const GEMINI: ProviderPreset = {
  variable: 'GEMINI_API_KEY',
  channels: [
    {
      name: 'gemini',
      kind: 'gemini',
      base_url: 'https://generativelanguage.googleapis.com/v1beta',
      api_key: 'env:GEMINI_API_KEY',
    },
  ],
  models: GEMINI_MODELS.map((model) => chatModel('gemini', model)),
};

const OPENROUTER: ProviderPreset = {
  variable: 'OPENROUTER_API_KEY',
  channels: [
    {
      name: 'openrouter',
      kind: 'openai',
      base_url: 'https://openrouter.ai/api/v1',
      endpoints: ['chat'],
      api_key: 'env:OPENROUTER_API_KEY',
      quirks: 'openrouter',
    },
  ],
  models: OPENROUTER_MODELS.map((model) => chatModel('openrouter', model)),
};

const OLLAMA_MODEL = 'llama3.2';

function ollama(baseUrl: string): ProviderPreset {
  return {
    variable: 'OLLAMA_BASE_URL',
    channels: [
      {
        name: 'ollama',
        kind: 'openai',
        base_url: `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`,
        endpoints: ['chat', 'embeddings'],
        quirks: 'ollama',
      },
    ],
    models: [
      {
        id: OLLAMA_MODEL,
        name: 'Llama 3.2 (Ollama)',
        context_tokens: 128_000,
        max_output_tokens: 4_096,
        price: 'free',
        routes: [{ channel: 'ollama', model: OLLAMA_MODEL }],
      },
    ],
  };
}

const DEMO_ROUTE = { channel: 'demo', model: 'demo' };

function providersOf(settings: ProviderSettings): ProviderPreset[] {
  return [
    settings.openaiApiKey && OPENAI,
    settings.anthropicApiKey && ANTHROPIC,
    settings.geminiApiKey && GEMINI,
    settings.openrouterApiKey && OPENROUTER,
    settings.ollamaBaseUrl && ollama(settings.ollamaBaseUrl),
  ].filter((preset): preset is ProviderPreset => Boolean(preset));
}

/** Variables that are set but used by no channel. */
export function unusedProviders(
  settings: ProviderSettings,
  channels: readonly { apiKey: string | undefined; baseUrl: string }[],
): string[] {
  const isUsed = ({ api_key: key, base_url: url }: Record<string, unknown>) =>
    channels.some(({ apiKey, baseUrl }) => (key === undefined ? baseUrl === url : apiKey === key));
  return providersOf(settings).flatMap((preset) => (preset.channels.some(isUsed) ? [] : [preset.variable]));
}

export function defaultDocument(settings: ProviderSettings): Record<string, unknown> {
  const providers = providersOf(settings);
  return {
    channels: [{ name: 'demo', kind: 'demo' }, ...providers.flatMap((preset) => preset.channels)],
    models: [
      {
        id: FREE_MODEL,
        name: 'Auto (free, demo)',
        context_tokens: 128_000,
        max_output_tokens: 4_096,
        price: 'free',
        routes: [DEMO_ROUTE],
      },
      {
        id: 'demo-small',
        name: 'Demo small',
        context_tokens: 128_000,
        max_output_tokens: 4_096,
        price: { input: 8.125, cached_input: 0.813, output: 65 },
        routes: [DEMO_ROUTE],
      },
      ...providers.flatMap((preset) => preset.models),
    ],
  };
}

function chatModel(channel: string, model: KnownModel): Record<string, unknown> {
  const { id, name, upstreamModel = id, contextTokens, maxOutputTokens, usd, retiresAt, replacedBy } = model;
  const { tiers, changes, ...prices } = usd;
  return {
    id,
    name,
    context_tokens: contextTokens,
    max_output_tokens: maxOutputTokens,
    price: {
      ...inNtd(prices),
      ...(tiers && { tiers: tiers.map(({ above_input_tokens, ...list }) => ({ above_input_tokens, ...inNtd(list) })) }),
      ...(changes && { changes: changes.map(({ effective_at, ...list }) => ({ effective_at, ...inNtd(list) })) }),
    },
    routes: [{ channel, model: upstreamModel }],
    ...(retiresAt && { retires_at: retiresAt }),
    ...(replacedBy && { replaced_by: replacedBy }),
  };
}

/** Rounded up to the three decimals that a price can have. */
function inNtd(prices: UsdPrices): Record<string, number> {
  const thousandths = (usd: number) => Math.ceil(Math.round(usd * NTD_PER_USD * 1_000_000) / 1_000);
  return Object.fromEntries(Object.entries(prices).map(([name, usd]) => [name, thousandths(usd) / 1_000]));
}
