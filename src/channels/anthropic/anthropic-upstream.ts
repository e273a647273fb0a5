// An upstream with the Anthropic format over HTTP. Of the client's headers it forwards the version and the betas, which
// the client's SDK negotiates with, and the trace. Betas are Anthropic's: other vendors do not get them.

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

const DEFAULT_VERSION = '2023-06-01';

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
