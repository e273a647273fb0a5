// Where a request may have its key. If there are two, the one in our format is used.

import { isOwnKey } from '../kit/own-key.ts';

const BEARER = /^Bearer\s+\S+\s*$/i;

export function keyFromHeaders(headers: Headers): string | undefined {
  const bearer = readBearer(headers.get('authorization'));
  if (bearer !== undefined && isOwnKey(bearer)) return bearer;
  const apiKey = headers.get('x-api-key')?.trim() || undefined;
  return apiKey !== undefined && isOwnKey(apiKey) ? apiKey : (bearer ?? apiKey);
}

function readBearer(authorization: string | null): string | undefined {
  if (authorization === null || !BEARER.test(authorization)) return undefined;
  return authorization.slice('Bearer '.length).trim();
}
