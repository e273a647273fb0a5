// Sessions of the console, in memory only: after a restart everyone signs in again, and a changed token ends all sessions.

import { createHash } from 'node:crypto';
import { type Clock, HOUR_MS } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { FLASH_MS, type Flash, readCookie, secretCookie } from '../../site/cookies.ts';
import { OWN_URL } from './tools.ts';

interface Session {
  openedAt: number;
  seenAt: number;
  /** The notice of the last form. */
  left?: { path: string; flash: Flash; at: number } | undefined;
}

/** Requests that the start page makes by itself. They are no visits, so that an open page does not keep its session alive. */
export const LIVE_PATH = '/live';

/** Cookies know no ports: two gateways on one machine must not sign each other out. */
function cookieName(headers: Headers): string {
  return `console-${/:(\d+)$/.exec(headers.get('host') ?? '')?.[1] ?? '80'}`;
}

const LIFETIME_MS = 12 * HOUR_MS;
const IDLE_MS = 2 * HOUR_MS;
const MAX_SESSIONS = 100;
const SECRET_BYTES = 32;

export function createConsoleSessions(clock: Clock, random: Random) {
  const cookie = (headers: Headers, secret: string) =>
    secretCookie(cookieName(headers), secret, { lifetimeS: LIFETIME_MS / 1_000, sameSite: 'Strict', url: OWN_URL });
  /** By hash, oldest first. */
  const sessions = new Map<string, Session>();

  function find(headers: Headers): string | undefined {
    const hash = hashOf(readCookie(headers, cookieName(headers)) ?? '');
    const session = sessions.get(hash);
    const now = clock.monotonic();
    if (!session) return undefined;
    if (now - session.openedAt < LIFETIME_MS && now - session.seenAt < IDLE_MS) return hash;
    sessions.delete(hash);
    return undefined;
  }

  return {
    /** Returns the cookie, as `end` does. */
    open(headers: Headers): string {
      const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
      const now = clock.monotonic();
      sessions.set(hashOf(secret), { openedAt: now, seenAt: now });
      for (const [oldest] of sessions) if (sessions.size > MAX_SESSIONS) sessions.delete(oldest);
      return cookie(headers, secret);
    },
    /** `path`: what is asked for. */
    has(headers: Headers, path?: string): boolean {
      const session = sessions.get(find(headers) ?? '');
      if (session && path !== LIVE_PATH) session.seenAt = clock.monotonic();
      return session !== undefined;
    },
    end(headers: Headers): string {
      sessions.delete(find(headers) ?? '');
      return cookie(headers, '');
    },
    /** For the page at this path, which shows it once. */
    leave(headers: Headers, path: string, flash: Flash): void {
      const session = sessions.get(find(headers) ?? '');
      if (session) session.left = { path, flash, at: clock.monotonic() };
    },
    take(headers: Headers, path: string): Flash {
      const session = sessions.get(find(headers) ?? '');
      const left = session?.left;
      if (!session || left?.path !== path) return {};
      session.left = undefined;
      return clock.monotonic() - left.at < FLASH_MS ? left.flash : {};
    },
  };
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
