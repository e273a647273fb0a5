// The kind of a vendor's model: by its name, else by the vendor's list.

import type { ModelKind } from './endpoints.ts';

/** Null: a model that no endpoint of the gateway serves. */
type FoundKind = ModelKind | null;

/** The first that matches counts, so narrow names come before wide ones. */
const BY_NAME: readonly [name: RegExp, kind: FoundKind][] = [
  [/realtime|veo|sora|video|lyria|\bocr\b/i, null],
  [/moderation/i, 'moderation'],
  [/rerank/i, 'rerank'],
  [/embed|\bbge\b/i, 'embeddings'],
  [/whisper|transcri|\basr\b/i, 'transcription'],
  [/\btts\b|speech/i, 'speech'],
  [/dall-e|image|stable-diffusion/i, 'images'],
  [/audio/i, null],
];

/** Fields of vendors' lists, with what their values mean: a text, or a list of which one counts. */
const BY_FIELD: readonly { read(entry: ListEntry): unknown; kinds: Readonly<Record<string, FoundKind>> }[] = [
  // Together.
  {
    read: ({ type }) => type,
    kinds: {
      ...{ chat: 'chat', language: 'chat', code: 'chat', embedding: 'embeddings', moderation: 'moderation' },
      ...{ rerank: 'rerank', image: 'images', transcribe: 'transcription', audio: 'speech', video: null },
    },
  },
  // Google.
  {
    read: ({ supportedGenerationMethods }) => supportedGenerationMethods,
    kinds: { generateContent: 'chat', embedContent: 'embeddings', predict: null, predictLongRunning: null },
  },
  // Cohere.
  { read: ({ endpoints }) => endpoints, kinds: { chat: 'chat', embed: 'embeddings', rerank: 'rerank' } },
  // OpenRouter.
  {
    read: ({ architecture }) => (architecture as ListEntry | undefined)?.output_modalities,
    kinds: { text: 'chat', embeddings: 'embeddings', image: 'images', audio: null, video: null },
  },
];

type ListEntry = Readonly<Record<string, unknown>>;

/** A chat model, if neither its name nor the list says otherwise. */
export function kindOfModel(name: string, entry: ListEntry = {}): FoundKind {
  const named = BY_NAME.find(([pattern]) => pattern.test(name));
  if (named) return named[1];
  for (const { read, kinds } of BY_FIELD) {
    const said = [read(entry)].flat();
    const meant = Object.entries(kinds).find(([value]) => said.includes(value));
    if (meant) return meant[1];
  }
  return 'chat';
}
