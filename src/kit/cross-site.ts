// Whether a request was sent by a page of another site. Browsers mark what pages send; programs send neither header.

export function isCrossSite(headers: Headers, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  if (origin === null) return false;
  const host = headers.get('host') ?? '';
  return ![new URL(publicUrl).origin, `http://${host}`, `https://${host}`].includes(origin);
}
