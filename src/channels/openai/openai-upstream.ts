// An upstream that speaks the OpenAI format over HTTP. Headers are built here from nothing: of the client's
// only the trace that its call belongs to travels on.

import type { Endpoint } from '../../kit/endpoints.ts';
import type { Quirks } from '../../kit/quirks.ts';
import { addressBelow } from '../address-below.ts';
import { LOOP_HEADER, withHop } from '../loop-guard.ts';
import { traceHeaders } from '../trace-headers.ts';
import type { Fetch, Upstream } from '../upstream.ts';

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
  const { host, hostname } = new URL(baseUrl);
  const address = addressBelow(baseUrl);
  const credentials = {
    bearer: (key: string) => ({ authorization: `Bearer ${key}` }),
    'api-key': (key: string) => ({ 'api-key': key }),
  }[quirks.auth];
  return {
    hidden: [host, hostname, ...(apiKey ? [apiKey] : [])],
    send: ({ endpoint, body, stream, headers, signal }) =>
      fetch(address(PATHS[endpoint] ?? ''), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: stream ? 'text/event-stream' : 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'ai-gateway-service',
          [LOOP_HEADER]: withHop(headers[LOOP_HEADER], gatewayId),
          ...traceHeaders(headers),
          ...(apiKey ? credentials(apiKey) : {}),
        },
        body,
        signal,
        redirect: 'manual',
      }),
  };
}
