// Makes a small instance of a JSON schema for the demo: required members only, the first of several choices.
// Schemas come from clients, so the work is bounded; a schema without an instance within the bound gets an empty object.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { resolveReference } from '../../kit/json/resolve-reference.ts';
import { demoNumber, demoText } from './demo-values.ts';

const MAX_SCHEMAS = 2_000;
/** Properties and required names of schemas that are joined. */
const MAX_JOINED_NAMES = 20_000;

export function schemaInstance(schema: Json | undefined): Json {
  return schema === undefined ? {} : (new InstanceBuilder(schema).build(schema) ?? {});
}

class InstanceBuilder {
  readonly #root: Json;
  /** The schemas around the current one: a schema inside itself has no end. */
  readonly #around = new Set<JsonObject>();
  #left = MAX_SCHEMAS;
  #namesLeft = MAX_JOINED_NAMES;

  constructor(root: Json) {
    this.#root = root;
  }

  /** Undefined if there is none. */
  build(schema: Json | undefined): Json | undefined {
    if (this.#left-- <= 0) return undefined;
    if (!isObject(schema)) return schema === false ? undefined : demoText({});
    return this.#inside(schema, () => this.#instanceOf(schema));
  }

  #inside(schema: JsonObject, build: () => Json | undefined): Json | undefined {
    if (this.#around.has(schema)) return undefined;
    this.#around.add(schema);
    const instance = build();
    this.#around.delete(schema);
    return instance;
  }

  #instanceOf(schema: JsonObject): Json | undefined {
    const { $ref: reference, allOf, anyOf, oneOf, ...rest } = schema;
    if (typeof reference === 'string') return this.build(resolveReference(this.#root, reference));
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    if (Array.isArray(allOf)) return this.#joined(this.#partsOf(schema, new Set()));
    const choices = anyOf ?? oneOf;
    if (!Array.isArray(choices)) return this.#typed(schema);
    for (const choice of choices) {
      const found = isShape(rest) ? this.#chosen(rest, this.#target(choice)) : this.build(choice);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #chosen(rest: JsonObject, choice: Json): Json | undefined {
    if (isObject(choice)) return this.#inside(choice, () => this.#joined([rest, choice]));
    return choice === false ? undefined : this.build(rest);
  }

  /** A schema and all that its `allOf` leads to, without `allOf`. Undefined if it leads back to a schema on the way. */
  #partsOf(schema: JsonObject, way: Set<JsonObject>): JsonObject[] | undefined {
    if (way.has(schema) || this.#left-- <= 0) return undefined;
    const { allOf, ...own } = schema;
    const parts: JsonObject[] = [];
    way.add(schema);
    for (const part of listAt(allOf)
      .map((one) => this.#target(one))
      .filter(isObject)) {
      const found = this.#partsOf(part, way);
      if (!found) return undefined;
      parts.push(...found);
    }
    way.delete(schema);
    return [...parts, own];
  }

  #joined(schemas: readonly JsonObject[] | undefined): Json | undefined {
    if (!schemas) return undefined;
    for (const { properties, required } of schemas) {
      this.#namesLeft -= Object.keys(objectAt(properties)).length + listAt(required).length;
    }
    return this.#namesLeft < 0 ? undefined : this.build(joinSchemas(schemas));
  }

  #typed(schema: JsonObject): Json | undefined {
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema);
      case 'number':
      case 'integer':
        return demoNumber(schema);
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return demoText(schema);
    }
  }

  #object({ properties, required, additionalProperties }: JsonObject): Json | undefined {
    const instance: JsonObject = {};
    for (const name of Array.isArray(required) ? required : []) {
      if (typeof name !== 'string') continue;
      const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      const value = this.build(own ?? additionalProperties ?? true);
      if (value === undefined) return undefined;
      Object.defineProperty(instance, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return instance;
  }

  #array({ prefixItems, items, minItems }: JsonObject): Json | undefined {
    const list: Json[] = [];
    const least = typeof minItems === 'number' ? minItems : 0;
    while (list.length < least) {
      const own = Array.isArray(prefixItems) ? prefixItems[list.length] : undefined;
      const value = this.build(own ?? items ?? true);
      if (value === undefined) return undefined;
      list.push(value);
    }
    return list;
  }

  /** A reference to a reference is followed once only: the rest ends as a schema without an instance. */
  #target(schema: Json): Json {
    if (!isObject(schema) || typeof schema.$ref !== 'string') return schema;
    return resolveReference(this.#root, schema.$ref) ?? false;
  }
}

const SHAPE_KEYWORDS = ['type', 'properties', 'required', 'items', 'minItems', 'minLength', 'minimum'];

/** Whether it has more than a name and a description. */
function isShape(schema: JsonObject): boolean {
  return SHAPE_KEYWORDS.some((name) => schema[name] !== undefined);
}

/** One schema for all of them; of a keyword that several have, the last counts. */
function joinSchemas(schemas: readonly JsonObject[]): JsonObject {
  return {
    ...Object.fromEntries(schemas.flatMap((schema) => Object.entries(schema))),
    properties: Object.fromEntries(schemas.flatMap(({ properties }) => Object.entries(objectAt(properties)))),
    required: schemas.flatMap(({ required }) => listAt(required)),
  };
}

const objectAt = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const listAt = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Stated, or as its keywords imply. */
function typeOf(schema: JsonObject): Json | undefined {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? type[0];
  if (type !== undefined) return type;
  if (listAt(schema.required).length > 0 || schema.properties !== undefined) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  if (schema.minimum !== undefined || schema.exclusiveMinimum !== undefined) return 'number';
  return undefined;
}
