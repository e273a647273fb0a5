// An upstream that speaks the Anthropic format over HTTP. Of the client's headers only the version and the betas it asks
// for travel on, because its own SDK negotiates with them, and the trace that its call belongs to. Betas are Anthropic's:
// another vendor's endpoint of its format is not told of them.

import { addressBelow } from '../address-below.ts';
import { type Fetch, hiddenOf, type Upstream, type UpstreamRequest } from '../upstream.ts';
import { upstreamHeaders } from '../upstream-headers.ts';

export interface AnthropicSettings {
  baseUrl: string;
  apiKey: string | undefined;
  gatewayId: string;
  takesBetas: boolean;
}

const DEFAULT_VERSION = '2023-06-01';

export function createAnthropicUpstream(settings: AnthropicSettings, fetch: Fetch): Upstream {
  const { baseUrl, apiKey, gatewayId, takesBetas } = settings;
  const passedOn = ['anthropic-version', ...(takesBetas ? ['anthropic-beta'] : [])];
  const address = addressBelow(baseUrl, '/v1')('/v1/messages');
  const credentials = apiKey ? { 'x-api-key': apiKey } : {};

  function headersOf(request: UpstreamRequest): Record<string, string> {
    const told = upstreamHeaders(request, gatewayId, credentials);
    told['anthropic-version'] = DEFAULT_VERSION;
    for (const name of passedOn) {
      const value = request.headers[name];
      if (value !== undefined) told[name] = value;
    }
    return told;
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
  };
}
