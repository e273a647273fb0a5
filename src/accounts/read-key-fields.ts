// What a client may set on a key. Unknown fields are ignored: nobody raises a privilege by naming it.

import type { Catalog } from '../catalog/catalog.ts';
import { type Fault, fault } from '../faults/fault.ts';
import type { Json, JsonObject } from '../kit/json.ts';
import { nanoOfNumber } from '../kit/money.ts';
import type { KeyRow } from '../store/rows.ts';

export type KeyFields = Partial<Pick<KeyRow, 'name' | 'models' | 'dailyBudget' | 'expiresAt' | 'manage'>>;

const MAX_NAME_CHARS = 100;
const MAX_MODELS = 500;

export function readKeyFields(body: JsonObject, catalog: Catalog, now: number): KeyFields {
  const fields: KeyFields = {};
  if (body.name !== undefined) fields.name = readName(body.name);
  if (body.models !== undefined) fields.models = readModels(body.models, catalog);
  if (body.daily_budget_ntd !== undefined) fields.dailyBudget = readBudget(body.daily_budget_ntd);
  if (body.expires_at !== undefined) fields.expiresAt = readExpiry(body.expires_at, now);
  if (body.manage !== undefined) {
    if (typeof body.manage !== 'boolean') refuse('manage', 'Set manage to true or false.');
    fields.manage = body.manage;
  }
  return fields;
}

/** A key that is restricted in any way cannot manage: else it could lift its own restriction. */
export function checkManage(key: Pick<KeyRow, 'manage' | 'models' | 'dailyBudget' | 'expiresAt'>): void {
  const isRestricted = key.models !== null || key.dailyBudget !== null || key.expiresAt !== null;
  if (key.manage && isRestricted) throw restrictedManager();
}

export function restrictedManager(): Fault {
  return fault('invalid_request', {
    param: 'manage',
    message: 'Set manage to false: a key with an allow-list, a budget or an expiry cannot manage.',
  });
}

function readName(value: Json): string | null {
  if (value === null) return null;
  if (typeof value !== 'string' || value.length > MAX_NAME_CHARS || value.trim() === '' || !isPlain(value)) {
    refuse('name', `Set name to a text of at most ${MAX_NAME_CHARS} characters in one line, or to null.`);
  }
  return value.trim();
}

/** Not every database can hold the rest, and no terminal should. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** Aliases are stored as the model they mean, so an allow-list covers both. */
function readModels(value: Json, catalog: Catalog): string[] | null {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_MODELS) {
    refuse('models', 'Set models to a list of model ids, or to null for all models.');
  }
  const ids = value.map((id, index) => {
    const model = typeof id === 'string' ? catalog.find(id) : undefined;
    return model?.id ?? refuse(`models[${index}]`, 'Name only models from the list of models.');
  });
  return [...new Set(ids)];
}

function readBudget(value: Json): bigint | null {
  if (value === null) return null;
  const nano = typeof value === 'number' ? nanoOfNumber(value) : undefined;
  if (nano === undefined || nano < 0n) {
    refuse('daily_budget_ntd', 'Set daily_budget_ntd to an amount of NT$ with at most 9 decimals, or to null.');
  }
  return nano;
}

function readExpiry(value: Json, now: number): number | null {
  if (value === null) return null;
  const time =
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(value)
      ? Date.parse(value)
      : Number.NaN;
  if (!Number.isSafeInteger(time) || time <= now) {
    refuse(
      'expires_at',
      'Set expires_at to an ISO 8601 time in the future with its zone, such as 2027-01-01T00:00:00+08:00, or to null.',
    );
  }
  return time;
}

function refuse(param: string, message: string): never {
  throw fault('invalid_request', { param, message });
}
