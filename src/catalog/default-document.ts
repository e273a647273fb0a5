// The catalog without a file: the demo channel with auto:free and a small paid demo model, and a channel with
// well-known models for each provider whose variable is set. Prices are US list prices at 32.5 NT$/US$.

import type { KnownModel, UsdPrices } from '../vendors/known-models.ts';
import * as presets from '../vendors/presets.ts';
import { presetChannel, type VendorPreset } from '../vendors/presets.ts';
import { FREE_MODEL } from './document.ts';
import { priceDecimals } from './price-shape.ts';

export const NTD_PER_USD = 32.5;
/** Parts of a step that count when a price is rounded up: less is an error of floats. */
const PRECISION = 1_000;

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

const OPENAI = provider('OPENAI_API_KEY', presets.OPENAI);
const ANTHROPIC = provider('ANTHROPIC_API_KEY', presets.ANTHROPIC);
const GEMINI = provider('GEMINI_API_KEY', presets.GEMINI);
const OPENROUTER = provider('OPENROUTER_API_KEY', presets.OPENROUTER);

function provider(variable: string, preset: VendorPreset): ProviderPreset {
  return {
    variable,
    channels: [presetChannel(preset, { apiKey: `env:${variable}` })],
    models: (preset.models ?? []).flatMap((model) => pricedModel(preset.id, model)),
  };
}

const OLLAMA_MODEL = 'llama3.2';

function ollama(baseUrl: string): ProviderPreset {
  return {
    variable: 'OLLAMA_BASE_URL',
    channels: [presetChannel(presets.OLLAMA, { baseUrl: `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1` })],
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
const DEMO_FEATURES = ['tools', 'structured_output'];

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
        description: {
          en: 'The free model of this server. Without a provider it is a demo: it answers with built-in text and calls no model.',
          'zh-TW': '本站的免費模型。尚未連接供應商時為示範模型：以內建文字回答，不會呼叫真正的模型。',
        },
        features: DEMO_FEATURES,
        context_tokens: 128_000,
        max_output_tokens: 4_096,
        price: 'free',
        routes: [DEMO_ROUTE],
      },
      {
        id: 'demo-small',
        name: 'Demo small',
        description: {
          en: 'A paid demo that shows how billing works: it answers with built-in text and is charged like a real model.',
          'zh-TW': '用來展示計費方式的付費示範模型：以內建文字回答，扣款方式與真正的模型相同。',
        },
        features: DEMO_FEATURES,
        context_tokens: 128_000,
        max_output_tokens: 4_096,
        price: { input: 8.125, cached_input: 0.813, output: 65 },
        routes: [DEMO_ROUTE],
      },
      ...withoutDoubles(providers.flatMap((preset) => preset.models)),
    ],
  };
}

/** A model that several providers sell is served by the first. */
function withoutDoubles(models: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return models.filter(({ id }, index) => models.findIndex((model) => model.id === id) === index);
}

/** None for a model that the vendor does not charge: free calls would use up the limits of the operator's account there. */
function pricedModel(channel: string, model: KnownModel): Record<string, unknown>[] {
  const { id, name, upstreamModel = id, kind, contextTokens, maxOutputTokens, usd, retiresAt, replacedBy } = model;
  if (usd === 'free') return [];
  const { tiers, changes, ...prices } = usd;
  const written = {
    id,
    name,
    ...(kind && { kinds: [kind] }),
    ...(contextTokens !== undefined && { context_tokens: contextTokens }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    price: {
      ...inNtd(prices),
      ...(tiers && { tiers: tiers.map(({ above_input_tokens, ...list }) => ({ above_input_tokens, ...inNtd(list) })) }),
      ...(changes && { changes: changes.map(({ effective_at, ...list }) => ({ effective_at, ...inNtd(list) })) }),
    },
    routes: [{ channel, model: upstreamModel }],
    ...(retiresAt && { retires_at: retiresAt }),
    ...(replacedBy && { replaced_by: replacedBy }),
  };
  return [written];
}

/** Rounded up to the decimals that each price can have. */
function inNtd(prices: UsdPrices): Record<string, number> {
  return Object.fromEntries(Object.entries(prices).map(([name, usd]) => [name, roundUp(name, usd * NTD_PER_USD)]));
}

function roundUp(name: string, ntd: number): number {
  const steps = 10 ** priceDecimals(name);
  return Math.ceil(Math.round(ntd * steps * PRECISION) / PRECISION) / steps;
}
