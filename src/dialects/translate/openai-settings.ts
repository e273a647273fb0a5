// Settings as both OpenAI formats have them: how they are read from a client's body, and written for an upstream.

import type { Json, JsonObject } from '../../kit/json/json.ts';
import type { RawValue } from '../../kit/json/raw-json.ts';
import { openaiTraits } from '../../vendors/openai.ts';
import { refuseField } from '../fields.ts';
import { PLAIN_TIERS } from '../removals/priced-fields.ts';
import { isListedTier } from '../removals/remove-fields.ts';
import type { Target } from './adapters.ts';
import { requireOneAnswer, SAMPLING } from './check-settings.ts';
import type { OutputFormat, Setting, SettingKind } from './conversation.ts';
import { splitStops } from './stop-sequences.ts';

/** By the name of the field. */
export const COMMON_KINDS: readonly (readonly [field: string, SettingKind])[] = [
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['user', 'user'],
  ['safety_identifier', 'user'],
  ['service_tier', 'service_tier'],
  ['prompt_cache_key', 'prompt_cache_key'],
  ['prompt_cache_options', 'caching'],
  ['cache_control', 'caching'],
];

/** The format of an answer, which the client has at `at`. */
export function readFormat(
  format: JsonObject | undefined,
  at: string,
  readSchema: (format: JsonObject) => OutputFormat,
): OutputFormat | undefined {
  switch (format?.type) {
    case undefined:
    case 'text':
      return undefined;
    case 'json_object':
      return { kind: 'json_object' };
    case 'json_schema':
      return readSchema(format);
    default:
      return refuseField(`${at}.type`, `${at}.type must be text, json_object or json_schema.`);
  }
}

/** A schema with its name, description and `strict`. */
export function schemaFormat(schema: JsonObject, { name, description, strict }: JsonObject): OutputFormat {
  return {
    kind: 'json_schema',
    name: typeof name === 'string' ? name : undefined,
    description: typeof description === 'string' ? description : undefined,
    schema,
    strict: typeof strict === 'boolean' ? strict : undefined,
  };
}

export interface Written {
  members: { [name: string]: RawValue | undefined };
  /** By the client's names. */
  dropped: string[];
}

interface CarriedSettings {
  /** Those that have the same name and meaning there; a service tier only if its price is known. */
  carried: ReadonlySet<SettingKind>;
  /** The field for the client's name of its user. */
  userField: string;
  mostStops: number;
}

/** The first of two settings with one field counts. */
export function writeSettings(
  settings: readonly Setting[],
  { quirks, model, hashUser, serviceTiers }: Target,
  { carried, userField, mostStops }: CarriedSettings,
): Written & { localStops: string[] } {
  const written: ReturnType<typeof writeSettings> = { members: {}, dropped: [], localStops: [] };
  const { takesSampling } = openaiTraits(model);

  function sentValue({ kind, value }: Setting): Json | undefined {
    if (kind === 'user') return typeof value === 'string' ? hashUser(value) : undefined;
    const isTier = kind !== 'service_tier' || PLAIN_TIERS.has(value) || isListedTier(value, serviceTiers);
    return isTier ? value : undefined;
  }

  /** False if it is dropped. */
  function carry(setting: Setting): boolean {
    const { kind, value } = setting;
    if (kind === 'choices') {
      requireOneAnswer(setting);
      return true;
    }
    if (kind === 'stop') {
      const { taken, local } = splitStops(setting, mostStops);
      if (taken.length > 0) written.members.stop = taken;
      written.localStops = local;
      return true;
    }
    const field = kind === 'user' ? userField : kind;
    if (!carried.has(kind) || quirks.refuses.includes(kind) || written.members[field] !== undefined) return false;
    if (SAMPLING.has(kind) && !takesSampling) return value === 1 && (kind === 'temperature' || kind === 'top_p');
    const sent = sentValue(setting);
    if (sent !== undefined) written.members[field] = sent;
    return sent !== undefined;
  }

  for (const setting of settings) if (!carry(setting)) written.dropped.push(setting.name);
  return written;
}
