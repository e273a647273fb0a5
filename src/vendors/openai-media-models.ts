// OpenAI's models for embeddings, images, audio and moderation: prices in US$ and limits. `sources` were read on SOURCES_DATE.

import { type KnownModel, LITELLM } from './known-models.ts';

const MODELS = 'https://developers.openai.com/api/docs/models';
const PRICES = 'https://developers.openai.com/api/docs/pricing';

const EMBEDDINGS = {
  kind: 'embeddings',
  contextTokens: 8_192,
  sources: [`${MODELS}/text-embedding-3-large`, 'https://openrouter.ai/models/openai/text-embedding-3-large'],
} as const;
/** Text costs less than images as input, and than images as output. */
const IMAGES = { kind: 'images', isSecondHand: true, sources: [PRICES, LITELLM] } as const;
function transcriber(id: string, name: string, input: number, output: number, page: string): KnownModel {
  const limits = { contextTokens: 16_000, maxOutputTokens: 2_000 };
  return { id, name, kind: 'transcription', ...limits, usd: { input, output }, sources: [`${MODELS}/${page}`] };
}

export const OPENAI_MEDIA_MODELS: readonly KnownModel[] = [
  { ...EMBEDDINGS, id: 'text-embedding-3-small', name: 'Text Embedding 3 Small', usd: { input: 0.02 } },
  { ...EMBEDDINGS, id: 'text-embedding-3-large', name: 'Text Embedding 3 Large', usd: { input: 0.13 } },
  { ...IMAGES, id: 'gpt-image-2', name: 'GPT Image 2', usd: { input: 8, output: 30 } },
  { ...IMAGES, id: 'gpt-image-1.5', name: 'GPT Image 1.5', usd: { input: 8, output: 32 } },
  {
    id: 'gpt-4o-mini-tts',
    name: 'GPT-4o mini TTS',
    kind: 'speech',
    usd: { input: 0.6, output: 12 },
    isSecondHand: true,
    sources: [PRICES],
  },
  { id: 'tts-1', name: 'TTS-1', kind: 'speech', usd: { character: 15 }, sources: [`${MODELS}/tts-1`] },
  { id: 'tts-1-hd', name: 'TTS-1 HD', kind: 'speech', usd: { character: 30 }, sources: [`${MODELS}/tts-1`] },
  transcriber('gpt-4o-transcribe', 'GPT-4o Transcribe', 2.5, 10, 'gpt-4o-transcribe'),
  transcriber('gpt-4o-mini-transcribe', 'GPT-4o mini Transcribe', 1.25, 5, 'compare?model=gpt-4o-mini-transcribe'),
  {
    // US$0.006 for a minute.
    id: 'whisper-1',
    name: 'Whisper',
    kind: 'transcription',
    usd: { second: 0.0001 },
    sources: [`${MODELS}/whisper-1`],
  },
  {
    id: 'omni-moderation-latest',
    name: 'Omni Moderation',
    kind: 'moderation',
    contextTokens: 32_768,
    usd: 'free',
    isSecondHand: true,
    sources: [`${MODELS}/omni-moderation-latest`, LITELLM],
  },
];
