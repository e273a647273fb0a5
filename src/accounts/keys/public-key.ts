// A key as the API shows it: never its text, never its hash.

import { moneyFields } from '../../kit/money.ts';
import type { ToldKey } from '../../store/rows.ts';

export type PublicKey = ReturnType<typeof publicKey>;

export function publicKey(key: ToldKey) {
  return {
    id: key.keyId,
    name: key.name,
    last4: key.last4,
    manage: key.manage,
    models: key.models,
    ...(key.dailyBudget === null
      ? { daily_budget_ntd: null, daily_budget_nano: null }
      : moneyFields('daily_budget', key.dailyBudget)),
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    created_at: new Date(key.createdAt).toISOString(),
  };
}
