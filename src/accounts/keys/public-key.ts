// A key as the API shows it: never its text, never its hash.

import { z } from 'zod';
import { count, flag, idOf, number, older, text, time } from '../../kit/shapes.ts';
import { MAX_DEPTH } from '../../store/key-chain.ts';
import type { KeyDetails } from '../../store/rows.ts';
import { limitMembers, maybeMoney, publicKeyLimits } from './limit-fields.ts';

export const keyMembers = {
  id: idOf('key'),
  name: text.nullable(),
  last4: text.length(4),
  manage: flag.describe('May manage every key of the account.'),
  delegate: flag.describe('May make, change, delete and list keys below itself.'),
  parent_id: idOf('key').nullable().describe('The key that it is a child of.'),
  depth: count.max(MAX_DEPTH).describe('How many ancestors it has.'),
  models: z.array(text).nullable().describe('Allow-list of model ids; null: all models.'),
  ...limitMembers,
  daily_budget_ntd: older(number.nullable(), 'budgets.day_ntd'),
  daily_budget_nano: older(text.nullable(), 'budgets.day_nano'),
  expires_at: time.nullable(),
  created_at: time,
};

/** The text of a new key. */
export const keyText = text
  .regex(/^sk-svc-[0-9A-Za-z]{49}$/)
  .describe('Shown once; only a keyed hash of it is stored.');

export function publicKey(key: KeyDetails) {
  return {
    id: key.keyId,
    name: key.name,
    last4: key.last4,
    manage: key.manage,
    delegate: key.delegate,
    parent_id: key.parentId,
    depth: key.depth,
    models: key.models,
    ...publicKeyLimits(key),
    ...maybeMoney('daily_budget', key.dailyBudget),
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    created_at: new Date(key.createdAt).toISOString(),
  };
}
