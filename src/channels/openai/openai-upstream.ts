// An upstream with the OpenAI format over HTTP.

import type { UpstreamEndpoint } from '../../vendors/endpoints.ts';
import type { Quirks } from '../../vendors/quirks.ts';
import {
  addressBelow,
  type Fetch,
  type HttpSettings,
  hiddenOf,
  post,
  readRequest,
  type Upstream,
  upstreamHeaders,
} from '../upstream.ts';

const PATHS: Partial<Record<UpstreamEndpoint | 'models', string>> = {
  models: '/models',
  chat: '/chat/completions',
  responses: '/responses',
  compact: '/responses/compact',
  embeddings: '/embeddings',
  images: '/images/generations',
  image_edits: '/images/edits',
  image_variations: '/images/variations',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  audio_translation: '/audio/translations',
  rerank: '/rerank',
  moderation: '/moderations',
};

export function createOpenaiUpstream(
  { baseUrl, apiKey, quirks, gatewayId }: HttpSettings & { quirks: Quirks },
  fetch: Fetch,
): Upstream {
  const below = addressBelow(baseUrl);
  const root = below('');
  const atHost = (path: string) => new URL(path, root).href;
  const addresses = new Map(Object.entries(PATHS).map(([endpoint, path]) => [endpoint, below(path)]));
  for (const [endpoint, path] of Object.entries(quirks.hostPaths)) addresses.set(endpoint, atHost(path));
  const credentials = apiKey ? credentialsOf(apiKey, quirks) : {};
  const read = (url: string, signal: AbortSignal) => fetch(url, readRequest(signal, gatewayId, credentials));
  return {
    hidden: hiddenOf(baseUrl, apiKey),
    send: (request) =>
      post(fetch, addresses.get(request.endpoint) ?? root, upstreamHeaders(request, gatewayId, credentials), request),
    listModels: (signal) => read(addresses.get('models') ?? root, signal),
    readAt: (path, signal) => read(atHost(path), signal),
  };
}

function credentialsOf(apiKey: string, { auth }: Quirks): Record<string, string> {
  return auth === 'bearer' ? { authorization: `Bearer ${apiKey}` } : { 'api-key': apiKey };
}
