// Reads the fields that a client may set on a key. Unknown fields are refused: a misspelt restriction would be missing.

import type { Catalog } from '../../catalog/catalog.ts';
import { type Fault, fault } from '../../faults/fault.ts';
import { fieldName } from '../../kit/json/field-name.ts';
import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { RawJson } from '../../kit/json/raw-json.ts';
import { parseMoment } from '../../kit/moment.ts';
import { formatNtd, MAX_NANO, nanoOfJson } from '../../kit/money.ts';
import { isRestricted } from '../../store/key-rules.ts';
import type { KeyRow } from '../../store/rows.ts';

export type KeyFields = Partial<Pick<KeyRow, 'name' | 'models' | 'dailyBudget' | 'expiresAt' | 'manage'>>;

/** A number may be raw text, so that every digit is read. */
export type KeyBody = Readonly<Record<string, Json | RawJson | undefined>>;

type Field = Json | RawJson;

const FIELDS: readonly string[] = ['name', 'models', 'daily_budget_ntd', 'expires_at', 'manage'];
const MAX_NAME_CHARS = 100;
const MAX_MODELS = 500;

export interface ReadKeyFields {
  fields: KeyFields;
  /**
   * The fields are well formed but not allowed, at least now (unknown field or model, past expiry). A replay may still
   * be answered.
   */
  refusal: Fault | undefined;
}

/** The request body, with the budget as raw text. */
export function keyBodyOf({ value, text, spans }: JsonDocument): KeyBody {
  const span = typeof value.daily_budget_ntd === 'number' ? spans.get('daily_budget_ntd') : undefined;
  return span ? { ...value, daily_budget_ntd: new RawJson(text.slice(span.valueStart, span.valueEnd)) } : value;
}

/** Current values of a key, which may stay although a new key could not have them: a removed model, a past expiry. */
export type CurrentFields = Pick<KeyRow, 'models' | 'expiresAt'>;

export function readKeyFields(body: KeyBody, catalog: Catalog, now: number, standing?: CurrentFields): ReadKeyFields {
  const fields: KeyFields = {};
  if (body.name !== undefined) fields.name = readName(body.name);
  const named = body.models === undefined ? undefined : readModels(body.models);
  if (named !== undefined) fields.models = named && idsOf(named, catalog);
  if (body.daily_budget_ntd !== undefined) fields.dailyBudget = readBudget(body.daily_budget_ntd);
  if (body.expires_at !== undefined) fields.expiresAt = readExpiry(body.expires_at);
  if (body.manage !== undefined) {
    if (typeof body.manage !== 'boolean') throw wrong('manage', 'manage must be true or false.');
    fields.manage = body.manage;
  }
  const refusal =
    unknownField(body, FIELDS) ??
    unknownModel(named ?? [], catalog, standing?.models ?? []) ??
    pastExpiry(fields.expiresAt ?? null, now, standing?.expiresAt ?? null);
  return { fields, refusal };
}

export function unknownField(body: KeyBody, known: readonly string[]): Fault | undefined {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const names = known.length > 1 ? `${known.slice(0, -1).join(', ')} and ${known.at(-1)}` : known[0];
  const message = `The body has an unknown field. Known fields: ${names}.`;
  return fault('invalid_request', { param: fieldName(unknown), message });
}

export function checkManage(key: Pick<KeyRow, 'manage' | 'models' | 'dailyBudget' | 'expiresAt'>): void {
  if (key.manage && isRestricted(key)) throw restrictedManager();
}

export function restrictedManager(): Fault {
  return fault('invalid_request', {
    param: 'manage',
    message:
      'A key with an allow-list, a budget or an expiry cannot manage. Set manage to false, or remove the limits.',
  });
}

function readName(value: Field): string | null {
  if (value === null) return null;
  if (typeof value !== 'string' || value.length > MAX_NAME_CHARS || value.trim() === '' || !isPlain(value)) {
    throw wrong(
      'name',
      `name must be a text of at most ${MAX_NAME_CHARS} characters in one line, without control characters, or null.`,
    );
  }
  return value.trim();
}

/** Includes bidirectional controls, which would reorder the text around the name. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;

/** Other text is not storable in every database and unsafe in a terminal. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !CONTROLS.test(text);
}

function readModels(value: Field): string[] | null {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_MODELS) {
    throw wrong('models', 'models must be a list of model ids, or null for all models.');
  }
  return value.map((id, index) => {
    if (typeof id !== 'string') throw noModel(index);
    return id;
  });
}

/** Aliases are stored as their model's id, so that an allow-list covers both. */
function idsOf(named: readonly string[], catalog: Catalog): string[] {
  return [...new Set(named.map((id) => catalog.find(id)?.id ?? id))];
}

function unknownModel(named: readonly string[], catalog: Catalog, standing: readonly string[]): Fault | undefined {
  const index = named.findIndex((id) => !catalog.find(id) && !standing.includes(id));
  return index < 0 ? undefined : noModel(index);
}

function noModel(index: number): Fault {
  return wrong(`models[${index}]`, 'This model does not exist. Use ids from GET /v1/models.');
}

function readBudget(value: Field): bigint | null {
  if (value === null) return null;
  const nano = value instanceof RawJson ? nanoOfJson(value.text) : undefined;
  if (nano === 'too_large' || (typeof nano === 'bigint' && nano < 0n)) {
    throw wrong('daily_budget_ntd', `daily_budget_ntd must be an amount from 0 to ${formatNtd(MAX_NANO)}, or null.`);
  }
  if (typeof nano !== 'bigint') {
    throw wrong('daily_budget_ntd', 'daily_budget_ntd must be an amount of NT$ with at most 9 decimals, or null.');
  }
  return nano;
}

function readExpiry(value: Field): number | null {
  if (value === null) return null;
  const time = typeof value === 'string' && value.includes('T') ? parseMoment(value) : undefined;
  if (time === undefined) throw noExpiry();
  return time;
}

function pastExpiry(expiresAt: number | null, now: number, standing: number | null): Fault | undefined {
  return expiresAt !== null && expiresAt <= now && expiresAt !== standing ? noExpiry() : undefined;
}

function noExpiry(): Fault {
  return wrong(
    'expires_at',
    'Set expires_at to an ISO 8601 time in the future with its zone, such as 2027-01-01T00:00:00+08:00, or to null.',
  );
}

function wrong(param: string, message: string): Fault {
  return fault('invalid_request', { param, message });
}
