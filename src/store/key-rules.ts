// Rules that are decided by a key's row.

import { hasLimits } from './key-limits.ts';
import type { KeyRow } from './rows.ts';

export function isLiveKey({ revokedAt, expiresAt }: Pick<KeyRow, 'revokedAt' | 'expiresAt'>, at: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > at);
}

/** The fields that restrict a key. */
export type Restrictions = Pick<KeyRow, 'models' | 'dailyBudget' | 'expiresAt' | 'limits' | 'parentId'>;

/** Such a key cannot manage: it could remove its own restriction. A key below another is always restricted. */
export function isRestricted({ models, dailyBudget, expiresAt, limits, parentId }: Restrictions): boolean {
  return models !== null || dailyBudget !== null || expiresAt !== null || parentId !== null || hasLimits(limits);
}

/** Whether a text with this hash opens anything now. */
export function isValidKey(row: KeyRow, hash: string, now: number): boolean {
  if (!isLiveKey(row, now)) return false;
  return row.hash === hash || (row.oldHash === hash && row.oldHashUntil !== null && row.oldHashUntil > now);
}
