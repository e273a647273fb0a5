// An upstream that speaks the OpenAI format over HTTP. Headers are built here from nothing: no header of the client
// travels on.

import { LOOP_HEADER, withHop } from '../loop-guard.ts';
import type { Fetch, Upstream, UpstreamEndpoint } from '../upstream.ts';

export interface OpenaiSettings {
  baseUrl: string;
  /** The secret itself, already resolved; some upstreams need none. */
  apiKey: string | undefined;
  gatewayId: string;
  quirks: string | undefined;
}

const PATHS: Record<UpstreamEndpoint, string> = {
  chat: '/chat/completions',
  messages: '/messages',
  embeddings: '/embeddings',
  images: '/images/generations',
};
const NAMES_COMPLETION_TOKENS = new Set(['openai', 'azure']);

export function createOpenaiUpstream({ baseUrl, apiKey, quirks, gatewayId }: OpenaiSettings, fetch: Fetch): Upstream {
  const { host, hostname } = new URL(baseUrl);
  return {
    hidden: [host, hostname, ...(apiKey ? [apiKey] : [])],
    limitField: quirks && NAMES_COMPLETION_TOKENS.has(quirks) ? 'max_completion_tokens' : 'max_tokens',
    send: ({ endpoint, body, stream, headers, signal }) =>
      fetch(baseUrl + PATHS[endpoint], {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: stream ? 'text/event-stream' : 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'ai-gateway-service',
          [LOOP_HEADER]: withHop(headers[LOOP_HEADER], gatewayId),
          ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        },
        body,
        signal,
        redirect: 'manual',
      }),
  };
}
