// Chooses how the model produces the requested answer format: by the vendor's setting if the model supports it, otherwise as
// the arguments of a tool that it must call.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { resolveReference } from '../../../kit/json/resolve-reference.ts';
import type { ClaudeTraits } from '../../../vendors/claude.ts';
import type { Conversation, TextPart, Tool } from '../../translate/conversation.ts';
import { NAMED, NESTED, someInside, someSchema } from '../../translate/schemas/nested-schemas.ts';
import { createFormatTool, describedSchema, JSON_HINT, schemaHint } from '../../translate/tools/format-tool.ts';
import type { ToolNames } from '../../translate/tools/tool-names.ts';
import { wantsThoughts } from './write-settings.ts';
import { isForced } from './write-tools.ts';

interface FormatPlan {
  /** For `output_config`. */
  config: JsonObject;
  tool?: Tool | undefined;
  /** An instruction for the model instead. */
  hints: TextPart[];
  /** The answer follows less than the client's schema. */
  isReworded: boolean;
}

const NO_FORMAT: FormatPlan = { config: {}, hints: [], isReworded: false };

export function planFormat(
  { format, tools, toolChoice, reasoning }: Conversation,
  { traits, names }: { traits: ClaudeTraits; names: ToolNames },
): FormatPlan {
  if (!format) return NO_FORMAT;
  if (format.kind === 'json_object') return { ...NO_FORMAT, hints: [hint(JSON_HINT)] };
  const schema = describedSchema(format);
  // The client requires a call of one of its tools: the format cannot be another one.
  const isCalled = tools.length > 0 && isForced(toolChoice);
  const isOpen = hasDictionary(schema);
  const takesSchema = traits.takesFormat && !isRefused(schema);
  // A forced call excludes thinking, which is worth more than an object without a schema.
  const mayForce = traits.takesForcedTools && traits.thinkingOff === 'disabled';
  const canBeTool = !isCalled && mayForce && !wantsThoughts(reasoning) && isOfObject(schema);
  if (takesSchema && !(isOpen && canBeTool)) {
    const config = { format: { type: 'json_schema', schema: supportedSchema(schema) } };
    return { ...NO_FORMAT, config, isReworded: isOpen };
  }
  if (isCalled) return NO_FORMAT;
  if (traits.takesFormat && !canBeTool) return { ...NO_FORMAT, hints: [hint(schemaHint(schema))], isReworded: true };
  return { ...NO_FORMAT, tool: createFormatTool(schema, names) };
}

function hint(text: string): TextPart {
  return { type: 'text', text, at: 'system' };
}

/** Whether it can be the schema of a tool. */
function isOfObject(schema: Json): boolean {
  return isObject(schema) && schema.type === 'object' && !schema.anyOf && !schema.oneOf && !schema.allOf;
}

// Whether the vendor refuses the schema for an answer, even without unsupported keywords. For a tool it accepts it.
/** More nested references than this count as recursive. */
const MAX_INSIDE = 64;

export function isRefused(root: Json): boolean {
  /** Each schema is visited once, however many references point to it. */
  const walked = new Set<JsonObject>();
  /** The schemas on the current path: a reference to one of them is recursive. */
  const path = new Set<JsonObject>();

  function refuses(schema: Json | undefined, references: number): boolean {
    if (!isObject(schema) || walked.has(schema)) return false;
    if (path.has(schema) || references > MAX_INSIDE || joinsReference(schema)) return true;
    path.add(schema);
    const { $ref: reference } = schema;
    const isFound =
      someInside(schema, (one) => refuses(one, references)) ||
      (typeof reference === 'string' && refuses(resolveReference(root, reference), references + 1));
    path.delete(schema);
    walked.add(schema);
    return isFound;
  }

  return refuses(root, 0);
}

/** `allOf` with one schema is replaced by it; see `supportedSchema`. */
function joinsReference({ allOf }: JsonObject): boolean {
  return Array.isArray(allOf) && allOf.length > 1 && allOf.some((one) => isObject(one) && one.$ref !== undefined);
}

const REFUSED = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
  ...['minProperties', 'maxProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['dependentRequired', 'dependentSchemas', 'if', 'then', 'else', 'not'],
]);
/** The formats of strings that the vendor accepts. It refuses all others, and any format of a number. */
const FORMATS = new Set<unknown>([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);

function supportedSchema(given: Json | undefined): Json {
  if (!isObject(given)) return given ?? {};
  const schema = withOnlyPart(given);
  const members = Object.entries(schema).flatMap(([name, value]): [string, Json | undefined][] => {
    if (REFUSED.has(name) || name === 'additionalProperties') return [];
    if (name === 'format' && !(FORMATS.has(value) && isOfType(schema, 'string'))) return [];
    // For a model, `oneOf` and `anyOf` mean the same.
    if (name === 'oneOf') return [['anyOf', nested(value)]];
    if (NESTED.has(name)) return [[name, nested(value)]];
    return [[name, NAMED.has(name) ? named(value) : value]];
  });
  const written: JsonObject = Object.fromEntries(members);
  return describesObject(schema) ? { ...written, additionalProperties: false } : written;
}

/** Keywords that constrain nothing. Where two schemas have one, the outer one counts. */
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples']);

/** Replaces an `allOf` with one schema by that schema: libraries write a reference with a description like that. */
function withOnlyPart(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  const [only, ...more] = Array.isArray(allOf) ? allOf : [];
  if (!isObject(only) || more.length > 0) return schema;
  const isAmbiguous = Object.keys(only).some((name) => Object.hasOwn(rest, name) && !ANNOTATIONS.has(name));
  return isAmbiguous ? schema : withOnlyPart({ ...only, ...rest });
}

/** Whether it has an object with arbitrary member names: closed, that object would allow none of them. */
function hasDictionary(schema: Json | undefined): boolean {
  return someSchema(schema, (one) => {
    const { additionalProperties: others, patternProperties: patterns } = one;
    return others === true || isObject(others) || isObject(patterns) || isAnyObject(one);
  });
}

/** An object schema without any of these keywords allows all members. */
function isAnyObject(schema: JsonObject): boolean {
  const listsMembers = Object.keys(schema).some((name) => MEMBER_KEYWORDS.has(name));
  return describesObject(schema) && !listsMembers;
}

const MEMBER_KEYWORDS = new Set([
  ...['properties', 'additionalProperties', '$ref', 'anyOf', 'allOf', 'oneOf', 'const', 'enum'],
]);

function describesObject(schema: JsonObject): boolean {
  return isOfType(schema, 'object') || isObject(schema.properties);
}

function isOfType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

function nested(value: Json | undefined): Json {
  return Array.isArray(value) ? value.map(supportedSchema) : supportedSchema(value);
}

function named(value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, supportedSchema(schema)]));
}
