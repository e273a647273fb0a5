// The kind of a model by its name, and by what vendors' lists say of it.

import { expect, test } from 'bun:test';
import { kindOfModel } from '../../src/vendors/model-kinds.ts';

test.each([
  ['gpt-6.1-terra', 'chat'],
  ['claude-sonnet-5-5', 'chat'],
  ['whisper-1', 'transcription'],
  ['gpt-4o-mini-transcribe', 'transcription'],
  ['gpt-4o-mini-tts', 'speech'],
  ['tts-1-hd', 'speech'],
  ['gpt-audio', null],
  ['gpt-realtime', null],
  ['text-embedding-3-small', 'embeddings'],
  ['BAAI/bge-m3', 'embeddings'],
  ['BAAI/bge-reranker-v2-m3', 'rerank'],
  ['rerank-v4.0-pro', 'rerank'],
  ['omni-moderation-latest', 'moderation'],
  ['gpt-image-2', 'images'],
  ['imagen-4.0-generate-001', 'images'],
  ['dall-e-3', 'images'],
  ['veo-3.1', null],
  ['sora-2', null],
  ['mistral-ocr-latest', null],
] as const)('%s: %s', (name, kind) => {
  expect(kindOfModel(name)).toBe(kind);
});

test.each([
  ['Together', { type: 'image' }, 'images'],
  ['Together', { type: 'language' }, 'chat'],
  ['Google', { supportedGenerationMethods: ['embedContent', 'countTokens'] }, 'embeddings'],
  ['Google', { supportedGenerationMethods: ['countTokens', 'generateContent'] }, 'chat'],
  ['Google', { supportedGenerationMethods: ['predictLongRunning'] }, null],
  ['Cohere', { endpoints: ['rerank'] }, 'rerank'],
  ['OpenRouter', { architecture: { output_modalities: ['image'] } }, 'images'],
  ['OpenRouter', { architecture: { output_modalities: ['image', 'text'] } }, 'chat'],
  ['a list that says nothing known', { type: 'model', architecture: null, endpoints: {} }, 'chat'],
] as const)('%s says %j: %s', (_, entry, kind) => {
  expect(kindOfModel('some-model', entry)).toBe(kind);
});
