// Converts JSON schemas for Gemini, which refuses a request with an unknown keyword. Documented keywords are kept, others
// are expressed by these if possible, and the rest is removed. References are replaced by their target, because Gemini
// allows nothing beside one; a recursive schema is expanded a few times.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { resolveReference } from '../../kit/json/resolve-reference.ts';
import { camelName } from './member.ts';

/** How often a recursive reference is followed, and how many references may be nested. */
const MAX_TURNS = 2;
const MAX_INSIDE = 64;
/** Limit for text added by references: a few times the schema's length, since the client pays for what it sent. */
const MAX_GROWTH = 4;
const ALWAYS_ADDED = 1_000;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
const FORMATS = new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']);
const COPIED: readonly (readonly [keyword: string, type: string])[] = [
  ['title', 'string'],
  ['description', 'string'],
  ['minItems', 'number'],
  ['maxItems', 'number'],
];

interface Walk {
  root: Json;
  /** How often each reference has been followed to get here. */
  followed: ReadonlyMap<string, number>;
  measure(schema: Json): number;
  /** How many characters references may still add. */
  left: { chars: number };
}

export function writeSchema(schema: Json): JsonObject {
  const measure = createMeasure();
  const left = { chars: measure(schema) * MAX_GROWTH + ALWAYS_ADDED };
  return convert(schema, { root: schema, followed: new Map(), measure, left });
}

/** `isPart`: one of several schemas that apply together, whose `required` may name properties of another. */
function convert(schema: Json | undefined, walk: Walk, isPart = false): JsonObject {
  if (!isObject(schema)) return {};
  if (typeof schema.$ref === 'string') return convertReference(schema, schema.$ref, walk, isPart);
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema;
    // References are resolved before the schemas are joined.
    const joined = mergeAll([rest, ...allOf].map((part) => convert(part, walk, true)));
    return isPart ? joined : onlyKnownNames(joined);
  }
  const written = convertPlain(schema, walk);
  return isPart ? written : onlyKnownNames(written);
}

function convertPlain(schema: JsonObject, walk: Walk): JsonObject {
  const written: JsonObject = {};
  for (const [keyword, type] of COPIED) if (typeof schema[keyword] === type) written[keyword] = schema[keyword];
  const { type, enum: values } = writeType(schema);
  if (type !== undefined) written.type = type;
  if (values !== undefined) written.enum = values;
  if (typeof schema.format === 'string' && FORMATS.has(schema.format)) written.format = schema.format;
  Object.assign(written, writeBounds(schema), writeItems(schema, walk), writeProperties(schema, walk));
  const choices = writeChoices(schema, walk);
  return choices === undefined ? written : { ...written, anyOf: choices };
}

function convertReference(schema: JsonObject, reference: string, walk: Walk, isPart: boolean): JsonObject {
  const { $ref: _, ...beside } = schema;
  const times = walk.followed.get(reference) ?? 0;
  const target = resolveReference(walk.root, reference);
  const isOpened = isObject(target) && times < MAX_TURNS && mayAdd(target, walk);
  if (!isOpened) {
    const type = isObject(target) ? target.type : undefined;
    return convert({ ...(type === undefined ? {} : { type }), ...beside }, walk, isPart);
  }
  const followed = new Map(walk.followed).set(reference, times + 1);
  return convert({ ...target, ...beside }, { ...walk, followed }, isPart);
}

/** Reduces the rest of the limit by what it adds. */
function mayAdd(target: JsonObject, { followed, measure, left }: Walk): boolean {
  const chars = measure(target);
  if (followed.size >= MAX_INSIDE || chars > left.chars) return false;
  left.chars -= chars;
  return true;
}

function writeType({ type, enum: listed, const: only, nullable, properties, items }: JsonObject): {
  type: Json | undefined;
  enum: Json[] | undefined;
} {
  const values = only === undefined ? listed : [only];
  const named = (Array.isArray(type) ? type : [type])
    .map((name) => (typeof name === 'string' ? name.toLowerCase() : ''))
    .filter((name) => TYPES.has(name));
  if (named.length === 0 && isObject(properties)) named.push('object');
  if (named.length === 0 && items !== undefined) named.push('array');
  if (named.length === 0 && Array.isArray(values)) named.push(...new Set(values.map(typeOf)));
  const mayBeNull = nullable === true || (Array.isArray(values) && values.includes(null));
  const types = [...new Set(mayBeNull && named.length > 0 ? [...named, 'null'] : named)];
  return { type: types.length > 1 ? types : types[0], enum: writeValues(values) };
}

/** Only texts and numbers can be listed; a list with anything else but null in it would leave something out. */
function writeValues(values: Json | undefined): Json[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const listed = values.filter((value) => value !== null);
  const isPlain = listed.every((value) => typeof value === 'string' || typeof value === 'number');
  return isPlain && listed.length > 0 ? listed : undefined;
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Gemini has no exclusive bounds: for integers the next number is equivalent. */
function writeBounds(schema: JsonObject): JsonObject {
  const step = schema.type === 'integer' ? 1 : 0;
  const lower = boundsOf(schema.minimum, schema.exclusiveMinimum, step);
  const upper = boundsOf(schema.maximum, schema.exclusiveMaximum, -step);
  return {
    ...(lower.length > 0 ? { minimum: Math.max(...lower) } : {}),
    ...(upper.length > 0 ? { maximum: Math.min(...upper) } : {}),
  };
}

function boundsOf(bound: Json | undefined, excluded: Json | undefined, step: number): number[] {
  // Until draft 4, `true` beside a bound excluded it.
  const own = typeof bound === 'number' ? [excluded === true ? bound + step : bound] : [];
  return typeof excluded === 'number' ? [...own, excluded + step] : own;
}

function writeItems({ items, prefixItems, type }: JsonObject, walk: Walk): JsonObject {
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array')) || items !== undefined;
  return {
    ...(tuple ? { prefixItems: tuple.map((item) => convert(item, walk)) } : {}),
    // A list must have a schema for its items.
    ...(isObject(items) || (isList && !tuple) ? { items: convert(items, walk) } : {}),
  };
}

function writeProperties(schema: JsonObject, walk: Walk): JsonObject {
  const { properties, required, propertyOrdering, patternProperties, additionalProperties } = schema;
  const named = isObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, convert(value, walk)]))
    : undefined;
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
  const others = patterns.length > 0 ? (patterns.length === 1 ? patterns[0] : true) : additionalProperties;
  return {
    ...(named ? { properties: named } : {}),
    ...(Array.isArray(required) ? { required } : {}),
    ...(Array.isArray(propertyOrdering) ? { propertyOrdering } : {}),
    ...(typeof others === 'boolean' ? { additionalProperties: others } : {}),
    ...(isObject(others) ? { additionalProperties: convert(others, walk) } : {}),
  };
}

/** A name that no property has makes the vendor refuse the request. */
function onlyKnownNames(schema: JsonObject): JsonObject {
  const { properties, required, propertyOrdering, ...rest } = schema;
  const known = (list: Json | undefined) =>
    (Array.isArray(list) ? list : []).filter(
      (name) => typeof name === 'string' && isObject(properties) && Object.hasOwn(properties, name),
    );
  const lists = { required: known(required), propertyOrdering: known(propertyOrdering) };
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties }),
    ...(lists.required.length > 0 ? { required: lists.required } : {}),
    ...(lists.propertyOrdering.length > 0 ? { propertyOrdering: lists.propertyOrdering } : {}),
  };
}

/** Alternatives that only forbid combinations, such as one of two required names, have no effect without that keyword. */
function writeChoices({ anyOf, oneOf, properties }: JsonObject, walk: Walk): JsonObject[] | undefined {
  const listed = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (listed.length === 0) return undefined;
  const choices = listed.map((choice) => convert(choice, walk));
  const areWhole = choices.every((choice) => choice.type !== undefined || choice.anyOf !== undefined);
  return areWhole && !isObject(properties) ? choices : undefined;
}

// The length of a schema's text, without writing it: many references may lead to one large part.
/** Measures each part once, however often it is asked for. */
function createMeasure(): (value: Json | undefined) => number {
  const known = new Map<object, number>();

  function measure(value: Json | undefined): number {
    if (typeof value === 'string') return value.length + 2;
    if (typeof value !== 'object' || value === null) return String(value).length;
    const found = known.get(value);
    if (found !== undefined) return found;
    let chars = 2;
    for (const [name, member] of Object.entries(value)) chars += name.length + measure(member) + 4;
    known.set(value, chars);
    return chars;
  }

  return measure;
}

/** A schema that requires all of them: for each keyword the first value counts; properties and required names are joined. */
function mergeAll(schemas: readonly JsonObject[]): JsonObject {
  return merge(schemas, (duties) => [...new Set(duties.flat())]);
}

/** A schema that each of them satisfies: the properties of all, the required names that all share. */
export function mergeAny(schemas: readonly JsonObject[]): JsonObject {
  return merge(schemas, (duties) => duties.reduce(inBoth, duties[0] ?? []));
}

function inBoth(one: Json[], other: Json[]): Json[] {
  const others = new Set(other);
  return one.filter((name) => others.has(name));
}

function merge(schemas: readonly JsonObject[], joinDuties: (duties: Json[][]) => Json[]): JsonObject {
  // The last of equal members wins: here that of the first schema.
  const last = schemas.toReversed();
  const members = Object.fromEntries(last.flatMap(Object.entries));
  // Many may share the properties and required names of their parent: these are merged once.
  const shared = [...new Set(schemas.map(({ properties }) => properties))].toReversed();
  const named = shared.flatMap((properties) => (isObject(properties) ? Object.entries(properties) : []));
  const duties = [...new Set(schemas.map(({ required }) => required))];
  const required = joinDuties(duties.map((names) => (Array.isArray(names) ? names : [])));
  return {
    ...members,
    ...(members.properties === undefined ? {} : { properties: Object.fromEntries(named) }),
    required: required.length > 0 ? required : undefined,
  };
}

const COUNTS: ReadonlySet<string> = new Set([
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
]);
/** Members that a JSON schema does not have. */
const LEFT_OUT: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering', 'example']);

/** Google's own schemas as JSON schemas: their types are in capitals, `nullable` is a flag, and counts may be texts. */
export function readSchema(value: Json): Json {
  if (!isObject(value)) return value;
  const schema: JsonObject = {};
  for (const [written, given] of Object.entries(value)) {
    const name = camelName(written);
    if (given === undefined || given === null || LEFT_OUT.has(name)) continue;
    schema[name] = readKeyword(name, given);
  }
  return value.nullable === true ? asNullable(schema) : schema;
}

function readKeyword(name: string, given: Json): Json {
  if (name === 'type') return typeof given === 'string' ? given.toLowerCase() : given;
  if (name === 'properties' && isObject(given)) return mapMembers(given);
  if (name === 'items' || name === 'additionalProperties') return readSchema(given);
  if (name === 'anyOf' && Array.isArray(given)) return given.map(readSchema);
  return COUNTS.has(name) && typeof given === 'string' ? Number(given) : given;
}

/** Names of properties are the client's own. */
function mapMembers(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, schema === undefined ? schema : readSchema(schema)]),
  );
}

function asNullable(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema;
  if (typeof type === 'string') {
    const nullable = { ...schema, type: [type, 'null'] };
    return Array.isArray(values) ? { ...nullable, enum: [...values, null] } : nullable;
  }
  return Array.isArray(anyOf) ? { ...schema, anyOf: [...anyOf, { type: 'null' }] } : schema;
}
