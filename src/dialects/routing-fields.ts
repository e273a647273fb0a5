// The caller's own routing: which models may answer, and on which channels. The two fields, `models` and `provider`, have the
// same names in every dialect, and are those of OpenRouter, whose clients know them. No upstream sees them.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';
import { refuseField } from './fields.ts';

export type Routing = NonNullable<ReturnType<typeof readRouting>>['routing'];
export type NamedModel = NonNullable<Routing['models']>[number];
export type ChannelPreferences = Routing['channels'];

const SORTS = ['price', 'latency'] as const;
type Sort = (typeof SORTS)[number];

const MAX_MODELS = 10;
const MAX_CHANNELS = 100;
const MAX_NAME_CHARS = 200;

/**
 * Undefined for a body without such fields. `edits`: members to set in the body, or to remove (undefined), before a dialect reads
 * it.
 */
export function readRouting(body: JsonObject) {
  if (body.models === undefined && body.provider === undefined) return undefined;
  const ids = names(body.models, 'models', MAX_MODELS);
  const { only, ignore, order, sort, allow_fallbacks: allowFallbacks, ...rest } = providerOf(body.provider);
  /** `param`: where the body has it. */
  const models = ids?.map((id, index) => ({ id, param: `models[${index}]` }));
  const edits: Record<string, Json | undefined> = { models: undefined, provider: undefined };
  // Members that only OpenRouter has are left to the rules for removed fields, which name them.
  if (Object.keys(rest).length > 0) edits.provider = rest;
  const [first] = ids ?? [];
  if (isAbsent(body.model) && first !== undefined) edits.model = first;
  return {
    edits,
    routing: {
      /** Further models, in this order; undefined if the caller lists none. */
      models,
      channels: {
        only: names(only, 'provider.only', MAX_CHANNELS),
        ignore: names(ignore, 'provider.ignore', MAX_CHANNELS),
        /** These first, in this order. */
        order: names(order, 'provider.order', MAX_CHANNELS),
        sort: readSort(sort),
        allowFallbacks: readFlag(allowFallbacks, 'provider.allow_fallbacks') ?? true,
      },
    },
  };
}

function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function providerOf(value: Json | undefined): JsonObject {
  if (isAbsent(value)) return {};
  return isObject(value) ? value : refuseField('provider', 'provider must be an object.');
}

/** Undefined also for an empty list. */
function names(value: Json | undefined, param: string, most: number): string[] | undefined {
  if (isAbsent(value)) return undefined;
  const isName = (one: Json) => typeof one === 'string' && one !== '' && one.length <= MAX_NAME_CHARS;
  if (!Array.isArray(value) || value.length > most || !value.every(isName)) {
    refuseField(param, `${param} must be a list of at most ${most} names.`);
  }
  return value.length === 0 ? undefined : (value as string[]);
}

function readSort(value: Json | undefined): Sort | undefined {
  if (isAbsent(value)) return undefined;
  const sort = SORTS.find((one) => one === value);
  return sort ?? refuseField('provider.sort', `provider.sort must be one of ${SORTS.join(', ')}.`);
}

function readFlag(value: Json | undefined, param: string): boolean | undefined {
  if (isAbsent(value)) return undefined;
  return typeof value === 'boolean' ? value : refuseField(param, `${param} must be true or false.`);
}
