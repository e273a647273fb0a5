// Whether a page of another site sent the request. Browsers mark requests of pages; programs send neither header. With
// DNS rebinding another page appears as the same site, so the Host must be ours, too.

import { isLoopback } from './loopback.ts';

export function isCrossSite(headers: Headers, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  if (site === null && origin === null) return false;
  const host = headers.get('host') ?? '';
  const own = new URL(publicUrl);
  // A proxy may add the scheme's default port.
  const called = URL.parse(`${own.protocol}//${host}`)?.host;
  if (called !== own.host && !isLoopback(host.replace(/:\d+$/, ''))) return true;
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  return ![own.origin, `http://${host}`, `https://${host}`].includes(origin ?? '');
}
