// A form's message for the next page: a notice, or a secret that is shown once. On the site it is in a sealed cookie, so
// that any process can show it: only the server can write or read it, and it is bound to the session and to the page. An
// address line never makes a notice.

import type { Clock } from '../kit/clock.ts';
import type { Sealer } from '../kit/sealed.ts';
import { readCookie, readSessionCookie, secretCookie } from './cookies.ts';
import type { Notice } from './frame.tsx';

export interface Flash {
  notice?: Notice;
  /** Shown once, such as a new key. */
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

export interface TakenFlash extends Flash {
  /** For the answer that shows it: it is shown once. */
  cookies: readonly string[];
}

/** Undefined if nothing was left for this page and session. */
export function takeFlash(tools: FlashTools, { headers }: Request, path: string): TakenFlash | undefined {
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
