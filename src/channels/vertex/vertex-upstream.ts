// Google Vertex AI: Claude in the Anthropic format, Gemini in Google's, other models in the OpenAI format. The base URL
// ends in the project and the location.

import type { Clock } from '../../kit/clock.ts';
import { googleTokenRequest, readServiceAccount } from '../access-tokens/google-token.ts';
import { withAccessTokens } from '../access-tokens/with-access-tokens.ts';
import { addressBelow } from '../address-below.ts';
import { asEventStream } from '../gemini/as-event-stream.ts';
import { type Fetch, hiddenOf, type Upstream, type UpstreamRequest } from '../upstream.ts';
import { noModelList, upstreamHeaders } from '../upstream-headers.ts';

interface VertexSettings {
  baseUrl: string;
  /** The resolved secret: a service account as JSON, or an access token. */
  apiKey: string | undefined;
  gatewayId: string;
  clock: Clock;
}

export function createVertexUpstream({ baseUrl, apiKey, gatewayId, clock }: VertexSettings, fetch: Fetch): Upstream {
  const below = addressBelow(baseUrl);
  const account = apiKey === undefined ? undefined : readServiceAccount(apiKey);
  const sent = account ? withAccessTokens({ clock, fetch, request: (now) => googleTokenRequest(account, now) }) : fetch;
  const credentials: Record<string, string> =
    account || apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return {
    hidden: [
      ...hiddenOf(baseUrl, account ? undefined : apiKey),
      ...(account ? [account.privateKey, account.clientEmail] : []),
    ],
    listModels: async () => noModelList('Vertex AI'),
    async send(request) {
      const { body, stream, signal } = request;
      const response = await sent(below(pathOf(request)), {
        method: 'POST',
        headers: upstreamHeaders(request, gatewayId, credentials),
        body,
        signal,
        redirect: 'manual',
      });
      return stream && request.endpoint === 'gemini' ? asEventStream(response) : response;
    },
  };
}

function pathOf({ endpoint, model, stream }: UpstreamRequest): string {
  const name = encodeURIComponent(model);
  switch (endpoint) {
    case 'messages':
      return `/publishers/anthropic/models/${name}:${stream ? 'streamRawPredict' : 'rawPredict'}`;
    case 'gemini':
      return `/publishers/google/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
    default:
      return '/endpoints/openapi/chat/completions';
  }
}
