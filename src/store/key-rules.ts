// What the row of a key says of it, for whoever decides by it.

import type { KeyRow } from './rows.ts';

export function isLiveKey({ revokedAt, expiresAt }: Pick<KeyRow, 'revokedAt' | 'expiresAt'>, at: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > at);
}

/** Such a key cannot manage: else it could lift its own restriction. */
export function isRestricted({
  models,
  dailyBudget,
  expiresAt,
}: Pick<KeyRow, 'models' | 'dailyBudget' | 'expiresAt'>): boolean {
  return models !== null || dailyBudget !== null || expiresAt !== null;
}

/** Whether a text with this hash opens anything now. */
export function isValidKey(row: KeyRow, hash: string, now: number): boolean {
  if (!isLiveKey(row, now)) return false;
  return row.hash === hash || (row.oldHash === hash && row.oldHashUntil !== null && row.oldHashUntil > now);
}
