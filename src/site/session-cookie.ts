// The cookie of a session. On https it is bound to this host and sent over TLS alone; on a plain loopback address, where
// browsers would not keep such a cookie, it has a plain name.

import { SESSION_MOST_MS } from '../store/session-rules.ts';
import { readCookie } from './language.ts';

const LIFETIME_S = SESSION_MOST_MS / 1000;

export function readSessionCookie(headers: Headers, publicUrl: string): string | undefined {
  return readCookie(headers, cookieName(publicUrl));
}

export function hasSessionCookie(headers: Headers, publicUrl: string): boolean {
  return (readSessionCookie(headers, publicUrl) ?? '') !== '';
}

/** An empty value ends it. */
export function sessionCookie(value: string, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const lifetime = value === '' ? 0 : LIFETIME_S;
  return `${cookieName(publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${lifetime}${secure}`;
}

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-session' : 'session';
}
