// Google Vertex AI: Claude in the Anthropic format, Gemini in Google's, other models in the OpenAI format. The base URL
// ends in the project and the location. With an access token, or with those that Google gives for the key of a service account
// by a signed statement (RFC 7523).

import { createPrivateKey, sign } from 'node:crypto';
import type { Clock } from '../kit/clock.ts';
import { isObject, tryParseJson } from '../kit/json/json.ts';
import { withAccessTokens } from './access-tokens.ts';
import { asEventStream } from './gemini-event-stream.ts';
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

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const LIFE_S = 3_600;
const ALGORITHM = 'RSA-SHA256';

/** `apiKey`: a service account as JSON, or an access token. */
export function createVertexUpstream(
  { baseUrl, apiKey, gatewayId, clock }: HttpSettings & { clock: Clock },
  fetch: Fetch,
): Upstream {
  const below = addressBelow(baseUrl);
  const account = apiKey === undefined ? undefined : readServiceAccount(apiKey);
  const key = account ? undefined : apiKey;
  const sent = account ? withAccessTokens({ clock, fetch, request: (now) => googleTokenRequest(account, now) }) : fetch;
  const credentials: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return {
    hidden: [...hiddenOf(baseUrl, key), ...(account ? [account.privateKey, account.clientEmail] : [])],
    listModels: async () => noModelList('Vertex AI'),
    async send(request) {
      const headers = upstreamHeaders(request, gatewayId, credentials);
      const response = await post(sent, below(pathOf(request)), headers, request);
      return request.stream && request.endpoint === 'gemini' ? asEventStream(response) : response;
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

/** The JSON that Google gives for a service account; undefined if the text is something else. */
export function readServiceAccount(text: string) {
  const json = tryParseJson(text);
  if (!isObject(json)) return undefined;
  const { client_email: clientEmail, private_key: privateKey, private_key_id: id, token_uri: tokenUrl } = json;
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string') return undefined;
  return {
    clientEmail,
    privateKey,
    privateKeyId: typeof id === 'string' ? id : undefined,
    tokenUrl: typeof tokenUrl === 'string' ? tokenUrl : TOKEN_URL,
  };
}

type ServiceAccount = NonNullable<ReturnType<typeof readServiceAccount>>;

export function googleTokenRequest({ clientEmail, privateKey, privateKeyId, tokenUrl }: ServiceAccount, now: number) {
  const issuedAt = Math.floor(now / 1_000);
  // An id that is not known is left out.
  const head = { alg: 'RS256', typ: 'JWT', kid: privateKeyId };
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUrl, iat: issuedAt, exp: issuedAt + LIFE_S };
  return {
    url: tokenUrl,
    form: { grant_type: GRANT, assertion: signJwt(`${coded(head)}.${coded(claims)}`, privateKey) },
  };
}

/**
 * Signs the two parts of a JWT, as base64url with a dot between them, by RS256 (RFC 7515): the whole token. Throws if the key
 * cannot be read. `crypto.subtle` is not used for it: such a key leaves an error there, at which an unrelated hash then fails.
 */
export function signJwt(parts: string, privateKey: string): string {
  const der = Buffer.from(privateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const type = privateKey.includes('BEGIN RSA') ? 'pkcs1' : 'pkcs8';
  const key = createPrivateKey({ key: der, format: 'der', type });
  return `${parts}.${sign(ALGORITHM, Buffer.from(parts), key).toString('base64url')}`;
}

function coded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
