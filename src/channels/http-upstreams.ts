// Upstreams of the three formats over HTTP.

import type { UpstreamEndpoint } from '../vendors/endpoints.ts';
import type { Quirks } from '../vendors/quirks.ts';
import { asEventStream } from './gemini-event-stream.ts';
import {
  addressBelow,
  type Fetch,
  type HttpSettings,
  hiddenOf,
  post,
  readRequest,
  type Upstream,
  upstreamHeaders,
} from './upstream.ts';

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

const DEFAULT_VERSION = '2023-06-01';

/**
 * Of the client's headers it forwards the version and the betas, which the client's SDK negotiates with, and the trace.
 * Betas are Anthropic's: other vendors do not get them.
 */
export function createAnthropicUpstream(
  { baseUrl, apiKey, gatewayId, takesBetas }: HttpSettings & { takesBetas: boolean },
  fetch: Fetch,
): Upstream {
  const passedOn = ['anthropic-version', ...(takesBetas ? ['anthropic-beta'] : [])];
  const below = addressBelow(baseUrl, '/v1');
  const address = below('/v1/messages');
  const credentials = apiKey ? { 'x-api-key': apiKey } : {};
  return {
    hidden: hiddenOf(baseUrl, apiKey),
    send(request) {
      const sent = upstreamHeaders(request, gatewayId, credentials);
      sent['anthropic-version'] = DEFAULT_VERSION;
      for (const name of passedOn) {
        const value = request.headers[name];
        if (value !== undefined) sent[name] = value;
      }
      return post(fetch, address, sent, request);
    },
    listModels(signal) {
      const headers = { ...credentials, 'anthropic-version': DEFAULT_VERSION };
      return fetch(below('/v1/models?limit=1000'), readRequest(signal, gatewayId, headers));
    },
  };
}

/** Google's own format: the URL contains the model and whether to stream. */
export function createGeminiUpstream({ baseUrl, apiKey, gatewayId }: HttpSettings, fetch: Fetch): Upstream {
  const below = addressBelow(baseUrl);
  const credentials = apiKey ? { 'x-goog-api-key': apiKey } : {};
  return {
    hidden: hiddenOf(baseUrl, apiKey),
    send(request) {
      const { model, stream } = request;
      const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const headers = upstreamHeaders(request, gatewayId, credentials);
      const sent = post(fetch, below(`/${modelPath(model)}:${method}`), headers, request);
      return stream ? sent.then(asEventStream) : sent;
    },
    listModels: (signal) => fetch(below('/models?pageSize=1000'), readRequest(signal, gatewayId, credentials)),
  };
}

/** Google has other collections than `models`, such as `tunedModels/mine`. No name can change the rest of the path. */
function modelPath(model: string): string {
  const [, collection = 'models', name = ''] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(model) ?? [];
  return `${collection}/${encodeURIComponent(name)}`;
}
