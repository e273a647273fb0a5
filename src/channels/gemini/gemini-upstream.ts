// An upstream that speaks Google's own format over HTTP: the model is part of the address, and so is whether the answer is
// streamed.

import { addressBelow } from '../address-below.ts';
import { type Fetch, hiddenOf, type Upstream } from '../upstream.ts';
import { upstreamHeaders } from '../upstream-headers.ts';
import { asEventStream } from './as-event-stream.ts';

export interface GeminiSettings {
  baseUrl: string;
  /** The secret itself, already resolved. */
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
  };
}

/** The vendor also has collections beside `models`, such as `tunedModels/mine`. No name can leave its place in the path. */
function modelPath(model: string): string {
  const [, collection = 'models', name = ''] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(model) ?? [];
  return `${collection}/${encodeURIComponent(name)}`;
}
