// Rules that are decided by a session's row.

import { HOUR_MS, MINUTE_MS } from '../kit/clock.ts';
import type { Session } from './rows.ts';

export const SESSION_IDLE_MS = 30 * MINUTE_MS;
export const SESSION_MOST_MS = 12 * HOUR_MS;

export function isLiveSession({ createdAt, seenAt }: Session, at: number): boolean {
  return at < seenAt + SESSION_IDLE_MS && at < createdAt + SESSION_MOST_MS;
}
