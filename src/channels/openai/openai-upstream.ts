// An upstream that speaks the OpenAI format over HTTP.

import type { Endpoint } from '../../kit/endpoints.ts';
import type { Quirks } from '../../kit/quirks.ts';
import { addressBelow } from '../address-below.ts';
import { type Fetch, hiddenOf, type Upstream } from '../upstream.ts';
import { upstreamHeaders } from '../upstream-headers.ts';

export interface OpenaiSettings {
  baseUrl: string;
  /** The secret itself, already resolved; some upstreams need none. */
  apiKey: string | undefined;
  gatewayId: string;
  quirks: Quirks;
}

const PATHS: Partial<Record<Endpoint, string>> = {
  chat: '/chat/completions',
  responses: '/responses',
  embeddings: '/embeddings',
  images: '/images/generations',
};

export function createOpenaiUpstream({ baseUrl, apiKey, quirks, gatewayId }: OpenaiSettings, fetch: Fetch): Upstream {
  const address = addressBelow(baseUrl);
  const credentials = {
    bearer: (key: string) => ({ authorization: `Bearer ${key}` }),
    'api-key': (key: string) => ({ 'api-key': key }),
  }[quirks.auth];
  return {
    hidden: hiddenOf(baseUrl, apiKey),
    send: (request) =>
      fetch(address(PATHS[request.endpoint] ?? ''), {
        method: 'POST',
        headers: {
          ...upstreamHeaders(request, gatewayId),
          ...(apiKey ? credentials(apiKey) : {}),
        },
        body: request.body,
        signal: request.signal,
        redirect: 'manual',
      }),
  };
}
