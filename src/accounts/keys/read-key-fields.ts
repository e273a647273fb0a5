// Reads the fields that a client may set on a key. Unknown fields are refused: a misspelt restriction would be missing.

import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { type Fault, fault } from '../../faults/fault.ts';
import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { openMember, RawJson, type RawPlace, type RawValue } from '../../kit/json/raw-json.ts';
import { parseMoment } from '../../kit/moment.ts';
import { isRestricted, type Restrictions } from '../../store/key-chain.ts';
import type { AllLimits, LimitChanges } from '../../store/key-limits.ts';
import type { KeyRow } from '../../store/rows.ts';
import { readShape, unknownField } from '../read-shape.ts';
import { limitChanges, limitShapes } from './limit-fields.ts';

type KeyFields = Partial<Pick<KeyRow, 'name' | 'models' | 'expiresAt' | 'manage' | 'delegate'>>;

/** A number may be raw text, so that every digit is read. */
export type KeyBody = Readonly<Record<string, RawValue | undefined>>;

/** Characters that change the direction of writing: they would also reverse the text beside the name. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;
const MAX_NAME_CHARS = 100;
const NAME = `name must be a text of at most ${MAX_NAME_CHARS} characters in one line, without control characters, or null.`;
const MODELS = 'models must be a list of model ids, or null for all models.';
const NO_MODEL = 'This model does not exist. Use ids from GET /v1/models.';
const PARENT = 'parent_id must be the id of a key of this account that may delegate, or null.';
const EXPIRY =
  'Set expires_at to an ISO 8601 time in the future with its zone, such as 2027-01-01T00:00:00+08:00, or to null.';

export const keyFields = z
  .strictObject({
    name: z
      .string(NAME)
      .max(MAX_NAME_CHARS, NAME)
      // Not every database can hold the rest, and no terminal should.
      .refine((name) => name.trim() !== '' && name.isWellFormed() && !CONTROLS.test(name), NAME)
      .transform((name) => name.trim())
      .nullable(),
    models: z
      .array(z.string(NO_MODEL), MODELS)
      .min(1, MODELS)
      .max(500, MODELS)
      .nullable()
      .describe('Ids or aliases; null lifts the restriction.'),
    ...limitShapes,
    expires_at: z
      .string(EXPIRY)
      .transform((text) => (text.includes('T') ? parseMoment(text) : undefined))
      .refine((time) => time !== undefined, EXPIRY)
      .meta({ format: 'date-time' })
      .nullable()
      .describe('In the future; null lifts the restriction.'),
    manage: z.boolean('manage must be true or false.').describe('Not with any restriction.'),
    delegate: z
      .boolean('delegate must be true or false.')
      .describe('May make, change, delete and list keys below itself.'),
  })
  .partial()
  .meta({ id: 'KeyFields' });

export const newKeyFields = keyFields
  .extend({
    parent_id: z
      .string(PARENT)
      .nullable()
      .optional()
      .describe('The key that the new one is a child of. A delegating key is always the parent of the keys it makes.'),
  })
  .meta({ id: 'NewKeyFields' });

/** Unknown fields are refused after malformed ones. */
const knownFields = newKeyFields.strip();

interface ReadKeyFields {
  fields: KeyFields;
  limits: LimitChanges<AllLimits>;
  parentId: string | null;
  /**
   * The fields are well formed but not allowed, at least now (unknown field or model, past expiry). A replay may still
   * be answered.
   */
  refusal: Fault | undefined;
}

/** The request body, with amounts of money as raw text. Refused: a budget or rate that is given twice. */
export function keyBodyOf(document: JsonDocument): KeyBody {
  const { daily_budget_ntd: day, budgets, rates } = document.value;
  refuseRepeated('budgets', budgets, document);
  refuseRepeated('rates', rates, document);
  return {
    ...document.value,
    ...(day === undefined ? {} : { daily_budget_ntd: rawNumber(day, openMember(document, 'daily_budget_ntd')) }),
    ...(isObject(budgets) ? { budgets: rawMembers(budgets, openMember(document, 'budgets')) } : {}),
  };
}

/** JSON parsers differ in which of two equal names they use. */
function refuseRepeated(group: string, members: Json | undefined, document: JsonDocument): void {
  const written = openMember(document, group)?.count ?? 0;
  if (!isObject(members) || Object.keys(members).length >= written) return;
  throw fault('invalid_request', { param: group, message: `${group} has a field more than once. Give each once.` });
}

function rawMembers(members: JsonObject, place: RawPlace | undefined): RawValue {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, rawNumber(value, place?.at(name))]));
}

function rawNumber(value: Json | undefined, place: RawPlace | undefined): RawValue | undefined {
  return typeof value === 'number' && place ? new RawJson(place.text) : value;
}

/** Current values of a key, which may stay although a new key could not have them: a removed model, a past expiry. */
export type CurrentFields = Pick<KeyRow, 'models' | 'expiresAt'>;

export function readKeyFields(
  body: KeyBody,
  catalog: Catalog,
  now: number,
  { standing, isNew = false }: { standing?: CurrentFields | undefined; isNew?: boolean } = {},
): ReadKeyFields {
  const read = readShape(knownFields, body);
  const shape = isNew ? newKeyFields : keyFields;
  const { name, models, expires_at: expiresAt, manage, delegate } = read;
  const unknown = Object.keys(body).find((field) => !Object.hasOwn(shape.shape, field));
  const refusal =
    (unknown === undefined ? undefined : unknownField(unknown, shape)) ??
    unknownModel(models ?? [], catalog, standing?.models ?? []) ??
    pastExpiry(expiresAt ?? null, now, standing?.expiresAt ?? null);
  return {
    fields: {
      ...(name === undefined ? {} : { name }),
      ...(models === undefined ? {} : { models: models && idsOf(models, catalog) }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(manage === undefined ? {} : { manage }),
      ...(delegate === undefined ? {} : { delegate }),
    },
    limits: limitChanges(read),
    parentId: read.parent_id ?? null,
    refusal,
  };
}

export function checkManage(key: Restrictions & Pick<KeyRow, 'manage'>): void {
  if (key.manage && isRestricted(key)) throw restrictedManager();
}

export function restrictedManager(): Fault {
  return fault('invalid_request', {
    param: 'manage',
    message:
      'A key with a parent, an allow-list, a budget, a rate or an expiry cannot manage. Set manage to false, or remove the limits.',
  });
}

/** Aliases are stored as the model they mean, so an allow-list covers both. */
function idsOf(named: readonly string[], catalog: Catalog): string[] {
  return [...new Set(named.map((id) => catalog.find(id)?.id ?? id))];
}

function unknownModel(named: readonly string[], catalog: Catalog, standing: readonly string[]): Fault | undefined {
  const index = named.findIndex((id) => !catalog.find(id) && !standing.includes(id));
  return index < 0 ? undefined : fault('invalid_request', { param: `models[${index}]`, message: NO_MODEL });
}

function pastExpiry(expiresAt: number | null, now: number, standing: number | null): Fault | undefined {
  if (expiresAt === null || expiresAt > now || expiresAt === standing) return undefined;
  return fault('invalid_request', { param: 'expires_at', message: EXPIRY });
}
