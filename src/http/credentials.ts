// Where a request may have its key. If there are two, the one in our format is used. A key in the query is read for Gemini
// clients alone; the query of a request is never logged or repeated.

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
  return (envelope === 'google' ? googleKey(request) : undefined) ?? bearer ?? apiKey;
}

function googleKey(request: Request): string | undefined {
  return request.headers.get('x-goog-api-key')?.trim() || requestUrl(request).searchParams.get('key') || undefined;
}

function readBearer(authorization: string | null): string | undefined {
  if (authorization === null || !BEARER.test(authorization)) return undefined;
  return authorization.slice('Bearer '.length).trim();
}
