// Where a key may stand in a request. If two are there, the one that looks like ours is meant.

import { isOwnKey } from '../kit/own-key.ts';

const BEARER = /^Bearer\s+(\S+)\s*$/i;

export function keyFromHeaders(headers: Headers): string | undefined {
  const bearer = BEARER.exec(headers.get('authorization') ?? '')?.[1];
  const apiKey = headers.get('x-api-key')?.trim() || undefined;
  const isMeant = apiKey !== undefined && isOwnKey(apiKey) && !isOwnKey(bearer ?? '');
  return isMeant ? apiKey : (bearer ?? apiKey);
}
