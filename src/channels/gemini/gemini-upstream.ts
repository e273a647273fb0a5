// An upstream with Google's own format over HTTP: the URL contains the model and whether to stream.

import { addressBelow } from '../address-below.ts';
import { type Fetch, hiddenOf, type Upstream } from '../upstream.ts';
import { listRequest, upstreamHeaders } from '../upstream-headers.ts';
import { asEventStream } from './as-event-stream.ts';

interface GeminiSettings {
  baseUrl: string;
  /** The resolved secret. */
  apiKey: string | undefined;
  gatewayId: string;
}

export function createGeminiUpstream({ baseUrl, apiKey, gatewayId }: GeminiSettings, fetch: Fetch): Upstream {
  const address = addressBelow(baseUrl);
  const credentials = apiKey ? { 'x-goog-api-key': apiKey } : {};
  return {
    hidden: hiddenOf(baseUrl, apiKey),
    send(request) {
      const { model, body, stream, signal } = request;
      const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const sent = fetch(address(`/${modelPath(model)}:${method}`), {
        method: 'POST',
        headers: upstreamHeaders(request, gatewayId, credentials),
        body,
        signal,
        redirect: 'manual',
      });
      return stream ? sent.then(asEventStream) : sent;
    },
    listModels: (signal) => fetch(address('/models?pageSize=1000'), listRequest(signal, gatewayId, credentials)),
  };
}

/** Google has other collections than `models`, such as `tunedModels/mine`. No name can change the rest of the path. */
function modelPath(model: string): string {
  const [, collection = 'models', name = ''] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(model) ?? [];
  return `${collection}/${encodeURIComponent(name)}`;
}
