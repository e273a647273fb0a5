// What the row of a session says of it, for whoever decides by it.

import type { Session } from './rows.ts';

export const SESSION_IDLE_MS = 30 * 60_000;
export const SESSION_MOST_MS = 12 * 3_600_000;

export function isLiveSession({ createdAt, seenAt }: Session, at: number): boolean {
  return at < seenAt + SESSION_IDLE_MS && at < createdAt + SESSION_MOST_MS;
}
