// Where a key may stand in a request. If two are there, the one that looks like ours is meant.

const OURS = 'sk-svc-';
const BEARER = /^Bearer\s+(\S+)\s*$/i;

export function keyFromHeaders(headers: Headers): string | undefined {
  const bearer = BEARER.exec(headers.get('authorization') ?? '')?.[1];
  const apiKey = headers.get('x-api-key')?.trim() || undefined;
  return apiKey?.startsWith(OURS) && !bearer?.startsWith(OURS) ? apiKey : (bearer ?? apiKey);
}
