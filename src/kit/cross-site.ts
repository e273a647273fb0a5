// Whether a request was sent by a page of another site. Browsers mark what pages send; programs send neither header. A page
// whose own name was made to lead to us calls itself the same site: so the name by which we were called must be ours, too.

import { isLoopback } from './loopback.ts';

export function isCrossSite(headers: Headers, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  if (site === null && origin === null) return false;
  const host = headers.get('host') ?? '';
  const own = new URL(publicUrl);
  // A proxy may name the port that its scheme has anyway.
  const called = URL.parse(`${own.protocol}//${host}`)?.host;
  if (called !== own.host && !isLoopback(host.replace(/:\d+$/, ''))) return true;
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  return ![own.origin, `http://${host}`, `https://${host}`].includes(origin ?? '');
}
