// An upstream with the Anthropic format over HTTP. Of the client's headers it forwards the version and the betas, which
// the client's SDK negotiates with, and the trace. Betas are Anthropic's: other vendors do not get them.

import { addressBelow } from '../address-below.ts';
import { type Fetch, hiddenOf, type Upstream, type UpstreamRequest } from '../upstream.ts';
import { listRequest, upstreamHeaders } from '../upstream-headers.ts';

interface AnthropicSettings {
  baseUrl: string;
  apiKey: string | undefined;
  gatewayId: string;
  takesBetas: boolean;
}

const DEFAULT_VERSION = '2023-06-01';

export function createAnthropicUpstream(settings: AnthropicSettings, fetch: Fetch): Upstream {
  const { baseUrl, apiKey, gatewayId, takesBetas } = settings;
  const passedOn = ['anthropic-version', ...(takesBetas ? ['anthropic-beta'] : [])];
  const below = addressBelow(baseUrl, '/v1');
  const address = below('/v1/messages');
  const credentials = apiKey ? { 'x-api-key': apiKey } : {};

  function headersOf(request: UpstreamRequest): Record<string, string> {
    const sent = upstreamHeaders(request, gatewayId, credentials);
    sent['anthropic-version'] = DEFAULT_VERSION;
    for (const name of passedOn) {
      const value = request.headers[name];
      if (value !== undefined) sent[name] = value;
    }
    return sent;
  }

  return {
    hidden: hiddenOf(baseUrl, apiKey),
    send: (request) =>
      fetch(address, {
        method: 'POST',
        headers: headersOf(request),
        body: request.body,
        signal: request.signal,
        redirect: 'manual',
      }),
    listModels(signal) {
      const headers = { ...credentials, 'anthropic-version': DEFAULT_VERSION };
      return fetch(below('/v1/models?limit=1000'), listRequest(signal, gatewayId, headers));
    },
  };
}
