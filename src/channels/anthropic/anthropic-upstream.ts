// An upstream that speaks the Anthropic format over HTTP. Of the client's headers only the version and the betas it asks
// for travel on, because its own SDK negotiates with them, and the trace that its call belongs to. Betas are Anthropic's:
// another vendor's endpoint of its format is not told of them.

import { addressBelow } from '../address-below.ts';
import { LOOP_HEADER, withHop } from '../loop-guard.ts';
import { traceHeaders } from '../trace-headers.ts';
import type { Fetch, Upstream } from '../upstream.ts';

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
  const { host, hostname } = new URL(baseUrl);
  const address = addressBelow(baseUrl, '/v1')('/v1/messages');
  return {
    hidden: [host, hostname, ...(apiKey ? [apiKey] : [])],
    send: ({ body, stream, headers, signal }) =>
      fetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: stream ? 'text/event-stream' : 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'ai-gateway-service',
          [LOOP_HEADER]: withHop(headers[LOOP_HEADER], gatewayId),
          ...traceHeaders(headers),
          'anthropic-version': DEFAULT_VERSION,
          ...Object.fromEntries(Object.entries(headers).filter(([name]) => passedOn.includes(name))),
          ...(apiKey ? { 'x-api-key': apiKey } : {}),
        },
        body,
        signal,
        redirect: 'manual',
      }),
  };
}
