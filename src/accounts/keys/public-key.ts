// A key as the API shows it: never its text, never its hash.

import { z } from 'zod';
import { moneyFields } from '../../kit/money.ts';
import { flag, idOf, number, text, time } from '../../kit/shapes.ts';
import type { KeyDetails } from '../../store/rows.ts';

export const keyMembers = {
  id: idOf('key'),
  name: text.nullable(),
  last4: text.length(4),
  manage: flag.describe('May use /api/keys.'),
  models: z.array(text).nullable().describe('Allow-list of model ids; null: all models.'),
  daily_budget_ntd: number.nullable().describe('NT$ per day in Taipei; null: no budget.'),
  daily_budget_nano: text.nullable(),
  expires_at: time.nullable(),
  created_at: time,
};

/** Of a new key. */
export const keyText = text
  .regex(/^sk-svc-[0-9A-Za-z]{49}$/)
  .describe('Shown once; only a keyed hash of it is stored.');

export type PublicKey = ReturnType<typeof publicKey>;

export function publicKey(key: KeyDetails) {
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
