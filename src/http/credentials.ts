// Where a request may have its key. If there are two, the one in our format is used. A key in the query is read for Gemini
// clients alone; the query of a request is never logged or repeated. No cookie is a key of the API.

import { isOwnKey } from '../kit/own-key.ts';
import { requestUrl } from '../kit/request-url.ts';
import type { Exchange } from './exchange.ts';

const BEARER = /^Bearer\s+\S+\s*$/i;

export function keyOf({ request, envelope }: Pick<Exchange, 'request' | 'envelope'>): string | undefined {
  const { headers } = request;
  const bearer = readBearer(headers.get('authorization'));
  if (bearer !== undefined && isOwnKey(bearer)) return bearer;
  const apiKey = headers.get('x-api-key')?.trim() || undefined;
  if (apiKey !== undefined && isOwnKey(apiKey)) return apiKey;
  return (envelope === 'google' ? googleKey(request) : undefined) ?? bearer ?? apiKey ?? socketKey(headers);
}

const KEY_PROTOCOL = 'openai-insecure-api-key.';
/** Offered beside it by browsers, which cannot set headers: a browser takes only a protocol that the server confirms. */
const PROTOCOL = 'responses';

/** A WebSocket of a browser has its key among the protocols that it offers. */
function socketKey(headers: Headers): string | undefined {
  return protocolsIn(headers)
    .find((protocol) => protocol.startsWith(KEY_PROTOCOL))
    ?.slice(KEY_PROTOCOL.length);
}

/** The protocol to confirm, which is never the one with the key. */
export function offeredProtocol(headers: Headers): string | undefined {
  return protocolsIn(headers).find((protocol) => protocol === PROTOCOL);
}

function protocolsIn(headers: Headers): string[] {
  return (headers.get('sec-websocket-protocol') ?? '').split(',').map((protocol) => protocol.trim());
}

function googleKey(request: Request): string | undefined {
  return request.headers.get('x-goog-api-key')?.trim() || requestUrl(request).searchParams.get('key') || undefined;
}

function readBearer(authorization: string | null): string | undefined {
  if (authorization === null || !BEARER.test(authorization)) return undefined;
  return authorization.slice('Bearer '.length).trim();
}
