// Where a key may stand in a request. If two are there, the one that looks like ours is meant.

const OURS = 'sk-svc-';

export function keyFromHeaders(headers: Headers): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.get('authorization') ?? '')?.[1];
  const apiKey = headers.get('x-api-key')?.trim();
  const candidates = [bearer, apiKey].filter((candidate) => candidate !== undefined && candidate !== '');
  return candidates.find((candidate) => candidate?.startsWith(OURS)) ?? candidates[0];
}
