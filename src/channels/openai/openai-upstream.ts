// An upstream with the OpenAI format over HTTP.

import type { UpstreamEndpoint } from '../../vendors/endpoints.ts';
import type { Quirks } from '../../vendors/quirks.ts';
import { addressBelow } from '../address-below.ts';
import { type Fetch, hiddenOf, type Upstream } from '../upstream.ts';
import { listRequest, upstreamHeaders } from '../upstream-headers.ts';

interface OpenaiSettings {
  baseUrl: string;
  /** The resolved secret; some upstreams need none. */
  apiKey: string | undefined;
  gatewayId: string;
  quirks: Quirks;
}

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

export function createOpenaiUpstream({ baseUrl, apiKey, quirks, gatewayId }: OpenaiSettings, fetch: Fetch): Upstream {
  const below = addressBelow(baseUrl);
  const root = below('');
  const { hostPaths } = quirks;
  const atHost = (path: string) => new URL(path, root).href;
  const addresses = new Map(Object.entries(PATHS).map(([endpoint, path]) => [endpoint, below(path)]));
  for (const [endpoint, path] of Object.entries(hostPaths)) addresses.set(endpoint, atHost(path));
  const credentials = apiKey ? credentialsOf(apiKey, quirks) : {};
  return {
    hidden: hiddenOf(baseUrl, apiKey),
    send: (request) =>
      fetch(addresses.get(request.endpoint) ?? root, {
        method: 'POST',
        headers: upstreamHeaders(request, gatewayId, credentials),
        body: request.form?.bytes ?? request.body,
        signal: request.signal,
        redirect: 'manual',
      }),
    listModels: (signal) => fetch(addresses.get('models') ?? root, listRequest(signal, gatewayId, credentials)),
    readAt: (path, signal) => fetch(atHost(path), listRequest(signal, gatewayId, credentials)),
  };
}

function credentialsOf(apiKey: string, { auth }: Quirks): Record<string, string> {
  return auth === 'bearer' ? { authorization: `Bearer ${apiKey}` } : { 'api-key': apiKey };
}
