// Vendors that the form for a new channel offers: address, format and quirks. `source` is the vendor's page with the address;
// all were read on SOURCES_DATE. Endpoints that are not documented there are left out: the operator can add them.

import type { ChannelKind, Endpoint } from './endpoints.ts';
import { FIREWORKS_MODELS, GROQ_MODELS, TOGETHER_MODELS } from './hosted-models.ts';
import { ANTHROPIC_MODELS, GEMINI_MODELS, type KnownModel, OPENAI_MODELS } from './known-models.ts';
import {
  COHERE_MODELS,
  DEEPSEEK_MODELS,
  GLM_MODELS,
  JINA_MODELS,
  KIMI_MODELS,
  MINIMAX_MODELS,
  MISTRAL_MODELS,
  QWEN_MODELS,
  XAI_MODELS,
} from './listed-models.ts';
import { OPENAI_MEDIA_MODELS } from './openai-media-models.ts';
import { BEDROCK_MODELS, OPENROUTER_MODELS, VERTEX_MODELS } from './platform-models.ts';
import type { QuirksName } from './quirks.ts';

export interface VendorPreset {
  /** Also the suggested name of the channel. */
  id: string;
  name: string;
  kind: Exclude<ChannelKind, 'demo'>;
  /** Undefined if it differs from customer to customer. */
  baseUrl?: string;
  /** An example of the address. */
  addressExample?: string;
  /** All endpoints of the kind, if left out. */
  endpoints?: readonly Exclude<Endpoint, 'gemini'>[];
  quirks?: QuirksName;
  /** The operator runs this server: it needs no key, and its models cost nothing. */
  isOwnServer?: true;
  /** Models with known prices. */
  models?: readonly KnownModel[];
  source?: string;
}

function openaiFormat(id: string, name: string, baseUrl: string, endpoints: NonNullable<VendorPreset['endpoints']>) {
  return { id, name, kind: 'openai', baseUrl, endpoints } as const;
}

export const OPENAI: VendorPreset = {
  id: 'openai',
  name: 'OpenAI',
  kind: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  endpoints: [
    ...(['chat', 'responses', 'embeddings', 'images', 'image_edits', 'image_variations'] as const),
    ...(['speech', 'transcription', 'audio_translation', 'moderation'] as const),
  ],
  quirks: 'openai',
  models: [...OPENAI_MODELS, ...OPENAI_MEDIA_MODELS],
  source: 'https://developers.openai.com/api/reference/overview',
};

export const ANTHROPIC: VendorPreset = {
  id: 'anthropic',
  name: 'Anthropic',
  kind: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  models: ANTHROPIC_MODELS,
  source: 'https://platform.claude.com/docs/en/api/overview',
};

export const GEMINI: VendorPreset = {
  id: 'gemini',
  name: 'Google Gemini',
  kind: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  models: GEMINI_MODELS,
  source: 'https://ai.google.dev/api',
};

export const OPENROUTER: VendorPreset = {
  ...openaiFormat('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', ['chat']),
  quirks: 'openrouter',
  models: OPENROUTER_MODELS,
  source: 'https://openrouter.ai/docs/api-reference/overview',
};

export const OLLAMA: VendorPreset = {
  ...openaiFormat('ollama', 'Ollama', 'http://127.0.0.1:11434/v1', ['chat', 'embeddings']),
  quirks: 'ollama',
  isOwnServer: true,
  source: 'https://docs.ollama.com/api/openai-compatibility',
};

/** Any other upstream; the operator chooses the format. */
export const OTHER: VendorPreset = { id: 'other', name: '', kind: 'openai', addressExample: 'https://host/v1' };

export const VENDOR_PRESETS: readonly VendorPreset[] = [
  OPENAI,
  ANTHROPIC,
  GEMINI,
  {
    ...openaiFormat(
      'gemini-openai',
      'Google Gemini (OpenAI format)',
      'https://generativelanguage.googleapis.com/v1beta/openai',
      ['chat', 'embeddings'],
    ),
    models: GEMINI_MODELS,
    source: 'https://ai.google.dev/gemini-api/docs/openai',
  },
  {
    ...openaiFormat('xai', 'xAI', 'https://api.x.ai/v1', ['chat', 'responses']),
    quirks: 'xai',
    models: XAI_MODELS,
    source: 'https://docs.x.ai/api/integrations',
  },
  {
    ...openaiFormat('deepseek', 'DeepSeek', 'https://api.deepseek.com', ['chat']),
    quirks: 'deepseek',
    models: DEEPSEEK_MODELS,
    source: 'https://api-docs.deepseek.com/',
  },
  {
    ...openaiFormat('mistral', 'Mistral', 'https://api.mistral.ai/v1', ['chat', 'embeddings']),
    quirks: 'mistral',
    models: MISTRAL_MODELS,
    source: 'https://docs.mistral.ai/api',
  },
  {
    id: 'qwen',
    name: 'Qwen (Alibaba Cloud)',
    kind: 'openai',
    addressExample: 'https://WORKSPACE-ID.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1',
    endpoints: ['chat', 'embeddings'],
    models: QWEN_MODELS,
    source: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
  },
  {
    ...openaiFormat('kimi', 'Kimi (Moonshot AI)', 'https://api.moonshot.ai/v1', ['chat']),
    quirks: 'moonshot',
    models: KIMI_MODELS,
    source: 'https://platform.kimi.ai/docs/overview',
  },
  {
    ...openaiFormat('glm', 'GLM (Z.ai)', 'https://api.z.ai/api/paas/v4', ['chat']),
    quirks: 'glm',
    models: GLM_MODELS,
    source: 'https://docs.z.ai/guides/overview/quick-start',
  },
  {
    ...openaiFormat('minimax', 'MiniMax', 'https://api.minimax.io/v1', ['chat']),
    models: MINIMAX_MODELS,
    source: 'https://platform.minimax.io/docs/api-reference/models/openai/list-models',
  },
  {
    ...openaiFormat('groq', 'Groq', 'https://api.groq.com/openai/v1', ['chat', 'transcription', 'audio_translation']),
    quirks: 'groq',
    models: GROQ_MODELS,
    source: 'https://console.groq.com/docs/openai',
  },
  {
    ...openaiFormat('together', 'Together AI', 'https://api.together.ai/v1', ['chat']),
    models: TOGETHER_MODELS,
    source: 'https://docs.together.ai/docs/inference/openai-compatibility',
  },
  {
    ...openaiFormat('fireworks', 'Fireworks AI', 'https://api.fireworks.ai/inference/v1', ['chat']),
    models: FIREWORKS_MODELS,
    source: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
  },
  OPENROUTER,
  {
    ...openaiFormat('cohere', 'Cohere', 'https://api.cohere.ai/compatibility/v1', ['embeddings', 'rerank']),
    quirks: 'cohere',
    models: COHERE_MODELS,
    source: 'https://docs.cohere.com/docs/compatibility-api',
  },
  {
    ...openaiFormat('jina', 'Jina AI', 'https://api.jina.ai/v1', ['embeddings', 'rerank']),
    models: JINA_MODELS,
    source: 'https://jina.ai/reranker/',
  },
  OLLAMA,
  {
    ...openaiFormat('vllm', 'vLLM', 'http://127.0.0.1:8000/v1', ['chat', 'embeddings']),
    quirks: 'vllm',
    isOwnServer: true,
    source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server/',
  },
  {
    id: 'bedrock',
    name: 'AWS Bedrock',
    kind: 'bedrock',
    addressExample: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    models: BEDROCK_MODELS,
    source: 'https://docs.aws.amazon.com/general/latest/gr/bedrock.html',
  },
  {
    id: 'vertex',
    name: 'Google Vertex AI',
    kind: 'vertex',
    addressExample: 'https://aiplatform.googleapis.com/v1/projects/PROJECT/locations/global',
    models: VERTEX_MODELS,
    source: 'https://cloud.google.com/vertex-ai/docs/reference/rest',
  },
  {
    id: 'azure',
    name: 'Azure AI Foundry',
    kind: 'azure',
    addressExample: 'https://RESOURCE.services.ai.azure.com',
    source: 'https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle',
  },
];

export function findPreset(id: string): VendorPreset | undefined {
  return [...VENDOR_PRESETS, OTHER].find((preset) => preset.id === id);
}

interface ChannelOptions {
  name?: string;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
}

/** The channel as the document has it. */
export function presetChannel(preset: VendorPreset, options: ChannelOptions = {}): Record<string, unknown> {
  const { id, kind, endpoints, quirks } = preset;
  const { name = id, baseUrl = preset.baseUrl, apiKey } = options;
  return {
    name,
    kind,
    base_url: baseUrl,
    ...(endpoints && { endpoints: [...endpoints] }),
    ...(apiKey !== undefined && { api_key: apiKey }),
    ...(quirks && { quirks }),
  };
}
