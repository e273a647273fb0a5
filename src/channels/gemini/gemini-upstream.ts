// An upstream with Google's own format over HTTP: the URL contains the model and whether to stream.

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
import { asEventStream } from './as-event-stream.ts';

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
