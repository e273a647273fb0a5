// Cookies: as a request carries them, and the one of a session of the site. On https that one is bound to this host and sent
// over TLS alone; on a plain loopback address, where browsers would not keep such a cookie, it has a plain name.

import { SESSION_MOST_MS } from '../store/session-rules.ts';

export function readCookie(headers: Headers, name: string): string | undefined {
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const [key, ...value] = pair.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}

interface CookieOptions {
  /** An empty value ends it. */
  lifetimeS: number;
  sameSite: 'Lax' | 'Strict';
  /** The address that it is for. */
  url: string;
  /** Only this page and those below it get it. */
  path?: string;
}

/** For the server alone: no script reads it. */
export function secretCookie(name: string, value: string, options: CookieOptions): string {
  const { lifetimeS, sameSite, url, path = '/' } = options;
  const lifetime = value === '' ? 0 : lifetimeS;
  const secure = isSecure(url) ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${sameSite}; Max-Age=${lifetime}${secure}`;
}

export function readSessionCookie(headers: Headers, publicUrl: string): string | undefined {
  return readCookie(headers, sessionName(publicUrl));
}

export function hasSessionCookie(headers: Headers, publicUrl: string): boolean {
  return (readSessionCookie(headers, publicUrl) ?? '') !== '';
}

/** An empty value ends it. */
export function sessionCookie(value: string, publicUrl: string): string {
  const options = { lifetimeS: SESSION_MOST_MS / 1000, sameSite: 'Lax', url: publicUrl } as const;
  return secretCookie(sessionName(publicUrl), value, options);
}

function sessionName(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-session' : 'session';
}

function isSecure(url: string): boolean {
  return url.startsWith('https:');
}
