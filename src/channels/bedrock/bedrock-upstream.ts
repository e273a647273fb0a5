// Amazon Bedrock. Claude models are invoked by their ids or inference profiles, with the model in the URL and streams in
// binary frames; other models through the platform's endpoint in the OpenAI format.

import { addressBelow } from '../address-below.ts';
import { type Fetch, hiddenOf, type Upstream, type UpstreamRequest } from '../upstream.ts';
import { noModelList, upstreamHeaders } from '../upstream-headers.ts';
import { asEventStream, asRefusal } from './as-event-stream.ts';
import { createSigner, readAwsCredentials, secretsOf } from './sign-request.ts';

interface BedrockSettings {
  baseUrl: string;
  /** The region for which requests are signed. */
  region: string;
  /** The resolved secret. */
  apiKey: string | undefined;
  gatewayId: string;
  now: () => number;
}

const FRAMES = 'application/vnd.amazon.eventstream';

export function createBedrockUpstream(settings: BedrockSettings, fetch: Fetch): Upstream {
  const { baseUrl, region, apiKey, gatewayId, now } = settings;
  const below = addressBelow(baseUrl);
  const credentials = apiKey === undefined ? undefined : readAwsCredentials(apiKey);
  const sign = createSigner(credentials, { region, now });

  async function post(url: string, headers: Record<string, string>, { body, signal }: UpstreamRequest) {
    return fetch(url, {
      method: 'POST',
      headers: await sign({ url, headers, body }),
      body,
      signal,
      redirect: 'manual',
    });
  }

  async function invoke(request: UpstreamRequest): Promise<Response> {
    const { model, stream } = request;
    const method = stream ? 'invoke-with-response-stream' : 'invoke';
    const headers = upstreamHeaders(request, gatewayId, {});
    if (stream) headers.accept = FRAMES;
    const response = await post(below(`/model/${encodeURIComponent(model)}/${method}`), headers, request);
    if (response.status !== 200) return asRefusal(response);
    return stream ? asEventStream(response) : response;
  }

  return {
    hidden: [...hiddenOf(baseUrl, undefined), ...(credentials ? secretsOf(credentials) : [])],
    listModels: async () => noModelList('Bedrock'),
    send: (request) =>
      request.endpoint === 'messages'
        ? invoke(request)
        : post(below('/openai/v1/chat/completions'), upstreamHeaders(request, gatewayId, {}), request),
  };
}
