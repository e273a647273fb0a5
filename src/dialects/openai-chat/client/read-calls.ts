// The calls of an assistant's chat message: of functions, of custom tools, and the one call of the format's first days,
// which had no id.

import { isObject, type JsonObject } from '../../../kit/json/json.ts';
import type { RawPlace } from '../../../kit/json/raw-json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import type { Opaque, ToolCallPart } from '../../translate/conversation.ts';
import { GOOGLE_ORIGIN, untagToolId } from '../../translate/opaque.ts';
import type { CallIds } from '../../translate/tools/call-ids.ts';

interface Place {
  at: string;
  ids: CallIds;
  /** The place of the message in the JSON text of the body. */
  raw(): RawPlace | undefined;
}

export function readCalls(message: JsonObject, place: Place): ToolCallPart[] {
  const { tool_calls: list, function_call: legacy } = message;
  const calls = Array.isArray(list) ? list.map((call, index) => readCall(call, index, place)) : [];
  if (!isObject(legacy)) return calls;
  const at = `${place.at}.function_call`;
  const name = stringAt(legacy.name, `${at}.name`);
  const text = stringAt(legacy.arguments ?? '', `${at}.arguments`);
  const id = place.ids.addWithoutId(name);
  return [...calls, { type: 'tool_call', id, name, arguments: text, isCustom: false, at }];
}

function readCall(call: unknown, index: number, place: Place): ToolCallPart {
  const at = `${place.at}.tool_calls[${index}]`;
  if (!isObject(call)) return refuseField(at, `${at} must be an object.`);
  const tagged = stringAt(call.id, `${at}.id`);
  const isCustom = isObject(call.custom);
  const kind = isCustom ? 'custom' : 'function';
  const fields = call[kind];
  if (!isObject(fields)) return refuseField(`${at}.${kind}`, `${at}.${kind} must be an object with a name.`);
  return {
    type: 'tool_call',
    id: place.ids.add(tagged),
    name: stringAt(fields.name, `${at}.${kind}.name`),
    arguments: isCustom ? stringAt(fields.input, `${at}.custom.input`) : readArguments(fields, at, index, place),
    isCustom,
    opaque: untagToolId(tagged).opaque ?? readGoogleSignature(call),
    at,
  };
}

/** A string; or an object, as some libraries send it, whose JSON text is used. */
function readArguments({ arguments: value }: JsonObject, at: string, index: number, { raw }: Place): string {
  if (!isObject(value)) return stringAt(value ?? '', `${at}.function.arguments`);
  return raw()?.at('tool_calls')?.at(index)?.at('function')?.at('arguments')?.text ?? JSON.stringify(value);
}

/** From a client that has another id for the call, or had it from Google itself. */
function readGoogleSignature({ extra_content: extra }: JsonObject): Opaque | undefined {
  const google = isObject(extra) ? extra.google : undefined;
  const value = isObject(google) ? google.thought_signature : undefined;
  return typeof value === 'string' ? { origin: GOOGLE_ORIGIN, value } : undefined;
}
