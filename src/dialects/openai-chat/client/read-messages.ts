// The messages of a chat request as turns, each part with its place in the client's body.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import type { RawPlace } from '../../../kit/json/raw-json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import { readDocument, readImage } from '../../media/read-media.ts';
import { splitSystem } from '../../translate/arrange-turns.ts';
import type { Opaque, Part, ToolCallPart, ToolResultPart, Turn } from '../../translate/conversation.ts';
import { GOOGLE_ORIGIN, untagToolId } from '../../translate/opaque.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { readCommonPart, readPartList, requireResultParts, requireTexts } from '../../translate/read-part-list.ts';
import { CallIds } from '../../translate/tools/call-ids.ts';
import { readReasoning } from '../read-reasoning.ts';

/** `raw`: the place of the messages in the JSON text of the body. */
export function readMessages(messages: readonly JsonObject[], raw: RawPlace | undefined) {
  const ids = new CallIds();
  const turns = messages.map((message, index): Turn => {
    const at = `messages[${index}]`;
    const parts = markLast(message, readMessage(message, { at, ids, raw: () => raw?.at(index) }));
    return {
      role: ROLES.get(message.role ?? '') ?? refuseField(`${at}.role`, `${at}.role must be a known role.`),
      parts,
      at,
    };
  });
  return splitSystem(turns);
}

const ROLES = new Map<unknown, Turn['role']>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'user'],
  ['function', 'user'],
]);

interface Place {
  at: string;
  ids: CallIds;
  /** The place of the message in the JSON text of the body. */
  raw(): RawPlace | undefined;
}

function readMessage(message: JsonObject, place: Place): Part[] {
  const content = `${place.at}.content`;
  switch (message.role) {
    case 'system':
    case 'developer':
      return requireTexts(readParts(message.content, content));
    case 'assistant':
      return readAssistant(message, place);
    case 'tool': {
      const at = `${place.at}.tool_call_id`;
      return [readResult(message, place, place.ids.find(stringAt(message.tool_call_id, at)))];
    }
    case 'function':
      return [readResult(message, place, place.ids.findByName(stringAt(message.name, `${place.at}.name`)))];
    default:
      return readParts(message.content, content);
  }
}

function readAssistant(message: JsonObject, place: Place): Part[] {
  const { at } = place;
  const parts: Part[] = [...readReasoning(message, at), ...readParts(message.content, `${at}.content`)];
  if (typeof message.refusal === 'string') parts.push({ type: 'text', text: message.refusal, at: `${at}.refusal` });
  if (isObject(message.audio)) parts.push({ type: 'other', kind: 'audio', at: `${at}.audio` });
  return [...parts, ...readCalls(message, place)];
}

function readResult({ content }: JsonObject, { at }: Place, callId: string): ToolResultPart {
  const parts = requireResultParts(readParts(content, `${at}.content`));
  return { type: 'tool_result', callId, content: parts, isError: false, at };
}

/** A mark on the whole message, which some libraries set, applies to its end. */
function markLast(message: JsonObject, parts: Part[]): Part[] {
  const mark = readCacheMark(message);
  return mark.cache ? parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...mark } : part)) : parts;
}

function readParts(content: Json | undefined, at: string): Part[] {
  return readPartList(content, at, readPart);
}

function readPart(part: JsonObject, at: string): Part {
  switch (part.type) {
    case 'image_url':
      return readImagePart(part, at);
    case 'file':
      return readFile(part, at);
    default:
      return readCommonPart(part, at);
  }
}

/** Some libraries give the address without an object around it. */
function readImagePart({ image_url: image }: JsonObject, at: string): Part {
  const { url, detail } = isObject(image) ? image : { url: image, detail: undefined };
  const source = readImage(stringAt(url, `${at}.image_url.url`), at);
  return { type: 'image', source, detail: typeof detail === 'string' ? detail : undefined, at };
}

function readFile({ file }: JsonObject, at: string): Part {
  const { file_data: data, filename } = isObject(file) ? file : {};
  if (typeof data !== 'string') refuseField(at, `Files are not stored here. Send the content of ${at} as file_data.`);
  return readDocument(data, typeof filename === 'string' ? filename : undefined, at);
}

/** Calls of functions, of custom tools, and the one call of the format's first days, which had no id. */
function readCalls(message: JsonObject, place: Place): ToolCallPart[] {
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
