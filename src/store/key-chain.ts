// Rules that are decided by the row of a key and those of its ancestors: what every key of the chain allows is allowed.

import { hasLimits, KEY_LIMIT_FIELDS, type KeyLimits } from './key-limits.ts';
import type { KeyRow } from './rows.ts';

/** Why a key below another cannot be made or changed so. */
export type ChildRefusal =
  /** `parent_gone`: there is no such valid key. `parent_not_delegating`: it makes no keys. `too_deep`: it has the greatest depth. */
  | { ok: false; reason: 'parent_gone' | 'parent_not_delegating' | 'too_deep' | 'child_needs_budget' }
  /** `field` allows more than `keyId`, an ancestor, does. */
  | { ok: false; reason: 'exceeds_ancestor'; field: ChildField; keyId: string };
export type ChildField = 'models' | 'expiresAt' | 'delegate' | 'dailyBudget' | keyof KeyLimits;

export const MAX_DEPTH = 8;

/** All keys of an account, parents first. */
export function ancestorsOf(keys: readonly KeyRow[], { parentId }: Pick<KeyRow, 'parentId'>): KeyRow[] {
  const ancestors: KeyRow[] = [];
  let next = parentId;
  while (next !== null && ancestors.length < MAX_DEPTH) {
    const id: string = next;
    const found = keys.find(({ keyId }) => keyId === id);
    if (!found) break;
    ancestors.push(found);
    next = found.parentId;
  }
  return ancestors;
}

/** Whether the key and all its ancestors are valid. */
export function isLiveChain(key: KeyRow, ancestors: readonly KeyRow[], at: number): boolean {
  return ancestors.length === key.depth && isLiveKey(key, at) && ancestors.every((one) => isLiveKey(one, at));
}

/** Whether the key and all its ancestors may make keys below themselves. */
export function isDelegating(key: Pick<KeyRow, 'delegate'>, ancestors: readonly Pick<KeyRow, 'delegate'>[]): boolean {
  return key.delegate && ancestors.every(({ delegate }) => delegate);
}

/** Whether a key is below another one. */
export function isBelow(keys: readonly KeyRow[], key: Pick<KeyRow, 'parentId'>, keyId: string): boolean {
  return ancestorsOf(keys, key).some((one) => one.keyId === keyId);
}

/** The models that every key of the chain allows; null for all. */
export function allowedModels(chain: readonly Pick<KeyRow, 'models'>[]): readonly string[] | null {
  let allowed: readonly string[] | null = null;
  for (const { models } of chain) {
    if (models === null) continue;
    allowed = allowed === null ? models : allowed.filter((id) => models.includes(id));
  }
  return allowed;
}

/** Why a key cannot be below these ancestors, the parent first. Only what differs from `before` is looked at. */
export function refuseChild(
  key: KeyRow,
  ancestors: readonly KeyRow[],
  before: KeyRow | undefined,
): ChildRefusal | undefined {
  if (!hasMoneyBudget(key)) return { ok: false, reason: 'child_needs_budget' };
  for (const ancestor of ancestors) {
    const field = exceededField(key, ancestor, before);
    if (field) return { ok: false, reason: 'exceeds_ancestor', field, keyId: ancestor.keyId };
  }
  return undefined;
}

function hasMoneyBudget({ dailyBudget, limits: { monthBudget, totalBudget, sessionBudget } }: KeyRow): boolean {
  return dailyBudget !== null || [monthBudget, totalBudget, sessionBudget].some((budget) => budget !== undefined);
}

/** A field that is not set takes nothing away, and the ancestor's counts. */
function exceededField(key: KeyRow, ancestor: KeyRow, before: KeyRow | undefined): ChildField | undefined {
  const { models } = ancestor;
  const isNew = (value: unknown, known: unknown) => before === undefined || value !== known;
  if (models && isNew(key.models, before?.models) && key.models?.some((id) => !models.includes(id))) return 'models';
  if (isNew(key.expiresAt, before?.expiresAt) && isMore(key.expiresAt, ancestor.expiresAt)) return 'expiresAt';
  if (isNew(key.delegate, before?.delegate) && key.delegate && !ancestor.delegate) return 'delegate';
  if (isNew(key.dailyBudget, before?.dailyBudget) && isMore(key.dailyBudget, ancestor.dailyBudget)) {
    return 'dailyBudget';
  }
  return KEY_LIMIT_FIELDS.find(
    (field) => isNew(key.limits[field], before?.limits[field]) && isMore(key.limits[field], ancestor.limits[field]),
  );
}

type Limit = bigint | number | null | undefined;

function isMore(value: Limit, most: Limit): boolean {
  return value !== null && value !== undefined && most !== null && most !== undefined && value > most;
}

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
