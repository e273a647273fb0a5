// Reads the fields that a client may set on a key. Unknown fields are refused: a misspelt restriction would be missing.

import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { type Fault, fault } from '../../faults/fault.ts';
import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { RawJson } from '../../kit/json/raw-json.ts';
import { parseMoment } from '../../kit/moment.ts';
import { formatNtd, MAX_NANO, nanoOfJson } from '../../kit/money.ts';
import { isRestricted, type Restrictions } from '../../store/key-rules.ts';
import type { KeyRow } from '../../store/rows.ts';
import { readShape, unknownField } from '../read-shape.ts';

export type KeyFields = Partial<
  Pick<KeyRow, 'name' | 'models' | 'dailyBudget' | 'expiresAt' | 'manage' | 'delegate' | 'limits'>
>;

/** A number may be raw text, so that every digit is read. */
export type KeyBody = Readonly<Record<string, Json | RawJson | undefined>>;

/** Those that turn the direction of writing round would do so to what stands beside the name. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;
const MAX_NAME_CHARS = 100;
const NAME = `name must be a text of at most ${MAX_NAME_CHARS} characters in one line, without control characters, or null.`;
const MODELS = 'models must be a list of model ids, or null for all models.';
const NO_MODEL = 'This model does not exist. Use ids from GET /v1/models.';
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
    daily_budget_ntd: z
      .unknown()
      .transform(readBudget)
      .meta({
        type: ['number', 'null'],
        minimum: 0,
        description: 'At most 9 decimals; null lifts the restriction.',
      }),
    expires_at: z
      .string(EXPIRY)
      .transform((text) => (text.includes('T') ? parseMoment(text) : undefined))
      .refine((time) => time !== undefined, EXPIRY)
      .meta({ format: 'date-time' })
      .nullable()
      .describe('In the future; null lifts the restriction.'),
    manage: z.boolean('manage must be true or false.').describe('Not with any restriction.'),
  })
  .partial()
  .meta({ id: 'KeyFields' });

/** What is not known is refused later than what is wrong. */
const knownFields = keyFields.strip();

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
  const read = readShape(knownFields, body);
  const { name, models, daily_budget_ntd: dailyBudget, expires_at: expiresAt, manage } = read;
  const unknown = Object.keys(body).find((field) => !Object.hasOwn(keyFields.shape, field));
  const refusal =
    (unknown === undefined ? undefined : unknownField(unknown, keyFields)) ??
    unknownModel(models ?? [], catalog, standing?.models ?? []) ??
    pastExpiry(expiresAt ?? null, now, standing?.expiresAt ?? null);
  return {
    fields: {
      ...(name === undefined ? {} : { name }),
      ...(models === undefined ? {} : { models: models && idsOf(models, catalog) }),
      ...(dailyBudget === undefined ? {} : { dailyBudget }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(manage === undefined ? {} : { manage }),
    },
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
      'A key with an allow-list, a budget or an expiry cannot manage. Set manage to false, or remove the limits.',
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

function readBudget(value: unknown, context: z.RefinementCtx): bigint | null {
  if (value === null) return null;
  const nano = value instanceof RawJson ? nanoOfJson(value.text) : undefined;
  if (typeof nano === 'bigint' && nano >= 0n) return nano;
  const isOutside = nano === 'too_large' || typeof nano === 'bigint';
  const allowed = isOutside ? `from 0 to ${formatNtd(MAX_NANO)}` : 'of NT$ with at most 9 decimals';
  context.addIssue(`daily_budget_ntd must be an amount ${allowed}, or null.`);
  return z.NEVER;
}

function pastExpiry(expiresAt: number | null, now: number, standing: number | null): Fault | undefined {
  if (expiresAt === null || expiresAt > now || expiresAt === standing) return undefined;
  return fault('invalid_request', { param: 'expires_at', message: EXPIRY });
}
