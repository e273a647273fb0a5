// Cookies: as a request carries them, the one of a session of the site, and the one with a form's message for the next page.
// On https they are sent over TLS alone, and that of a session is bound to this host; on a plain loopback address, where
// browsers would not keep such a cookie, it has a plain name.

import type { Clock } from '../kit/clock.ts';
import type { Sealer } from '../kit/sealed.ts';
import { SESSION_MOST_MS } from '../store/rows.ts';
import type { Notice } from './frame.tsx';

/**
 * A notice, or a secret that is shown once. It is in a sealed cookie, so that any process can show it: only the server can
 * write or read it, and it is bound to the session and to the page. An address line never makes a notice.
 */
export interface Flash {
  notice?: Notice;
  secret?: string;
}

export interface FlashTools {
  clock: Clock;
  sealer: Sealer;
  publicUrl: string;
}

export const FLASH_MS = 60_000;
const NAME = 'flash';

/** The cookie for the page at this path. `session`: the value of the session's cookie, empty without one. */
export function writeFlash(tools: FlashTools, session: string, path: string, flash: Flash): string {
  const text = JSON.stringify({ ...flash, until: tools.clock.now() + FLASH_MS });
  return cookie(tools, path, tools.sealer.seal(text, owner(session, path)));
}

/** With a cookie for the answer that shows it, which is shown once; undefined if nothing was left for this page and session. */
export function takeFlash(tools: FlashTools, { headers }: Request, path: string) {
  const sealed = readCookie(headers, NAME);
  if (sealed === undefined) return undefined;
  const session = readSessionCookie(headers, tools.publicUrl) ?? '';
  const text = tools.sealer.open(sealed, owner(session, path));
  if (text === undefined) return undefined;
  // Only this file writes it.
  const { until, ...flash } = JSON.parse(text) as Flash & { until: number };
  return { ...(tools.clock.now() < until ? flash : {}), cookies: [cookie(tools, path, '')] };
}

function owner(session: string, path: string): string {
  return `flash ${path} ${session}`;
}

function cookie({ publicUrl }: FlashTools, path: string, value: string): string {
  return secretCookie(NAME, value, { lifetimeS: FLASH_MS / 1_000, sameSite: 'Lax', url: publicUrl, path });
}

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
