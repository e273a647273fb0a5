// Amazon Bedrock. Claude models are invoked by their ids or inference profiles, with the model in the URL and streams in
// binary frames; other models through the platform's endpoint in the OpenAI format. The credentials are an API key as a bearer
// token, or a pair of access keys, with which each request is signed (Signature Version 4).

import { AwsV4Signer } from 'aws4fetch';
import { asEventStream, asRefusal } from './bedrock-event-stream.ts';
import {
  addressBelow,
  type Fetch,
  type HttpSettings,
  hiddenOf,
  noModelList,
  post,
  type Upstream,
  type UpstreamRequest,
  upstreamHeaders,
} from './upstream.ts';

type AwsCredentials =
  | { apiKey: string }
  | { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined };

interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

interface SignedScope {
  region: string;
  service?: string;
  now(): number;
}

const FRAMES = 'application/vnd.amazon.eventstream';
/** `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, and a session token after another colon. Anything else is an API key. */
const ACCESS_KEYS = /^(A[A-Z0-9]{15,127}):([^:\s]+)(?::([^:\s]+))?$/;
const SERVICE = 'bedrock';

export function createBedrockUpstream(
  { baseUrl, apiKey, gatewayId, region, now }: HttpSettings & Pick<SignedScope, 'region' | 'now'>,
  fetch: Fetch,
): Upstream {
  const below = addressBelow(baseUrl);
  const credentials = apiKey === undefined ? undefined : readAwsCredentials(apiKey);
  const sign = createSigner(credentials, { region, now });

  async function postSigned(path: string, request: UpstreamRequest, accepted?: string): Promise<Response> {
    const url = below(path);
    const headers = upstreamHeaders(request, gatewayId, {});
    if (accepted !== undefined) headers.accept = accepted;
    return post(fetch, url, await sign({ url, headers, body: request.body }), request);
  }

  async function invoke(request: UpstreamRequest): Promise<Response> {
    const { model, stream } = request;
    const method = stream ? 'invoke-with-response-stream' : 'invoke';
    const response = await postSigned(
      `/model/${encodeURIComponent(model)}/${method}`,
      request,
      stream ? FRAMES : undefined,
    );
    if (response.status !== 200) return asRefusal(response);
    return stream ? asEventStream(response) : response;
  }

  return {
    hidden: [...hiddenOf(baseUrl, undefined), ...(credentials ? secretsOf(credentials) : [])],
    listModels: async () => noModelList('Bedrock'),
    send: (request) =>
      request.endpoint === 'messages' ? invoke(request) : postSigned('/openai/v1/chat/completions', request),
  };
}

export function readAwsCredentials(secret: string): AwsCredentials {
  const [, accessKeyId, secretAccessKey, sessionToken] = ACCESS_KEYS.exec(secret) ?? [];
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : { apiKey: secret };
}

/** The parts of the credentials that must not appear in a message. */
export function secretsOf(credentials: AwsCredentials): string[] {
  return Object.values(credentials).filter((value) => value !== undefined);
}

/** A function that adds what proves who sends a request. Derived keys are kept: they change once a day. */
export function createSigner(credentials: AwsCredentials | undefined, { region, service = SERVICE, now }: SignedScope) {
  const cache = new Map<string, ArrayBuffer>();
  let day = '';
  return async ({ url, headers, body }: SignedRequest): Promise<Record<string, string>> => {
    if (!credentials) return headers;
    if ('apiKey' in credentials) return { ...headers, authorization: `Bearer ${credentials.apiKey}` };
    // 20150830T123600Z
    const datetime = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, '');
    if (!datetime.startsWith(day)) cache.clear();
    day = datetime.slice(0, 8);
    const { sessionToken, ...keys } = credentials;
    const session = sessionToken === undefined ? {} : { sessionToken };
    const signer = new AwsV4Signer({
      method: 'POST',
      url,
      headers,
      body,
      ...keys,
      ...session,
      service,
      region,
      datetime,
      cache,
    });
    const { headers: signed } = await signer.sign();
    // It is that of the address.
    signed.delete('host');
    return Object.fromEntries(signed);
  };
}
