// The row of a new key, without restrictions by default.

import { NO_LIMITS } from '../../store/key-limits.ts';
import type { KeyRow } from '../../store/rows.ts';

type Given = Pick<KeyRow, 'keyId' | 'accountId' | 'hash' | 'last4' | 'manage' | 'createdAt'>;

export function newKeyRow(given: Given, restrictions: Partial<KeyRow> = {}): KeyRow {
  return {
    name: null,
    models: null,
    dailyBudget: null,
    expiresAt: null,
    parentId: null,
    depth: 0,
    delegate: false,
    limits: NO_LIMITS,
    ...restrictions,
    ...given,
    revokedAt: null,
    oldHash: null,
    oldHashUntil: null,
  };
}
