// How a Responses client wants its answer: format, thinking, and every other setting by its own name.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { isEmptySetting, nestedCount, optionalObject, refuseField, stringAt } from '../../fields.ts';
import type { OutputFormat, ReasoningWish, Setting, SettingKind } from '../../translate/conversation.ts';
import { COMMON_KINDS, schemaFormat } from '../../translate/openai-settings.ts';
import { listOf } from '../read-answer.ts';

/** `reasoning.summary` does not set how much to think. */
export function readReasoningWish(body: JsonObject): ReasoningWish | undefined {
  const reasoning = optionalObject(body, 'reasoning');
  const word = reasoning?.effort ?? undefined;
  const budget = nestedCount(body, 'reasoning', 'max_tokens');
  if (word === undefined && budget === undefined) return undefined;
  const effort = word === undefined ? undefined : stringAt(word, 'reasoning.effort');
  const isOff = effort === 'none';
  return { name: 'reasoning', isOff, effort: isOff ? undefined : effort, budget };
}

export function wantsSummary(body: JsonObject): boolean {
  return (optionalObject(body, 'reasoning')?.summary ?? null) !== null;
}

export function readFormat(body: JsonObject): OutputFormat | undefined {
  const format = optionalObject(optionalObject(body, 'text') ?? {}, 'format');
  switch (format?.type) {
    case undefined:
    case 'text':
      return undefined;
    case 'json_object':
      return { kind: 'json_object' };
    case 'json_schema': {
      const { schema } = format;
      if (!isObject(schema)) return refuseField('text.format.schema', 'text.format.schema must be a JSON schema.');
      return schemaFormat(schema, format);
    }
    default:
      return refuseField('text.format.type', 'text.format.type must be text, json_object or json_schema.');
  }
}

/** Ours to set, read elsewhere, or of no meaning where nothing is stored. */
const NO_SETTINGS: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'stream', 'stream_options', 'store', 'background', 'max_output_tokens'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text', 'include', 'client_metadata'],
]);

const KINDS: ReadonlyMap<string, SettingKind> = new Map(COMMON_KINDS);

/** Values that mean the same as omitting the field. */
const DEFAULT_VALUES: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  ['top_logprobs', [0]],
  ['service_tier', ['auto', 'default']],
  ['truncation', ['disabled']],
]);

export function readSettings(body: JsonObject): Setting[] {
  const plain = Object.entries(body).flatMap(([name, value]): Setting[] => {
    if (NO_SETTINGS.has(name) || value === undefined || value === null || isEmptySetting(value)) return [];
    if (DEFAULT_VALUES.get(name)?.includes(value)) return [];
    return [{ kind: KINDS.get(name) ?? 'other', name, value }];
  });
  return [...plain, ...readVerbosity(body), ...readInclude(body)];
}

function readVerbosity(body: JsonObject): Setting[] {
  const value = optionalObject(body, 'text')?.verbosity;
  return value === undefined || value === null || value === 'medium'
    ? []
    : [{ kind: 'verbosity', name: 'text.verbosity', value }];
}

/** Only log probabilities are reported as dropped: other values ask for results of tools that were removed. */
function readInclude({ include }: JsonObject): Setting[] {
  const logprobs = listOf(include).includes('message.output_text.logprobs');
  return logprobs ? [{ kind: 'other', name: 'include', value: include ?? null }] : [];
}
